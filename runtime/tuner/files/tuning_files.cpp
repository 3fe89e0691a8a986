#include "tuner/files/tuning_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "matrix/files/inflater.hpp"
#include "matrix/files/text_source.hpp"
#include "process/library_folders.hpp"
#include "process/log.hpp"

namespace spmvgen {
namespace {

namespace fs = std::filesystem;

/// Where `share` is from the folder of the library; the first is how this library is installed.
constexpr const char* share_places[] = {SPMVGEN_SHARE_FROM_LIBRARY, "share", "../share",
                                        "../../share"};

/// Throws Error that says why there are none; without the path, which its caller names.
std::string bytes_of(const fs::path& path) try {
    if (!fs::is_regular_file(path)) throw Error(ErrorCode::io, "it is not a regular file");
    const InputFile file(path.string());
    const auto size = static_cast<std::size_t>(file.size());
    if (size > most_tuning_bytes)
        throw Error(ErrorCode::io, fmt::format("it has {} bytes, a tuning file has no more than {}",
                                               size, most_tuning_bytes));
    std::string bytes(size, '\0');
    bytes.resize(file.read(bytes.data(), size, 0));
    return bytes;
} catch (const fs::filesystem_error& error) {
    throw Error(ErrorCode::io, error.code().message());
}

TuningFile read_file(const fs::path& path) {
    TuningFile file{path.string(), ""};
    try {
        file.text = tuning_text(bytes_of(path));
    } catch (const Error& error) {
        const std::string what = error.what(), before = file.name + ": ";
        file.problem = what.starts_with(before) ? what.substr(before.size()) : what;
    }
    return file;
}

using Wanted = std::function<bool(std::string_view)>;

Wanted named(std::string_view prefix) {
    return [prefix](std::string_view name) {
        return name.starts_with(prefix) && (name.ends_with(".json") || name.ends_with(".json.gz"));
    };
}

std::vector<TuningFile> read_folder(const std::string& directory, const Wanted& wanted,
                                    TuningPlace place, std::error_code& trouble) {
    std::vector<fs::path> paths;
    for (fs::directory_iterator it(directory, trouble), end; !trouble && it != end;
         it.increment(trouble))
        if (wanted(it->path().filename().string())) paths.push_back(it->path());
    std::ranges::sort(paths);
    std::vector<TuningFile> files;
    for (auto& path : paths) {
        files.push_back(read_file(path));
        files.back().place = place;
    }
    return files;
}

std::string not_used(const std::string& directory, const std::string& how,
                     const std::error_code& trouble) {
    return fmt::format("the directory of tuning files {}{} is not used: {}", directory, how,
                       trouble.message());
}

std::string given_not_used(const std::error_code& trouble) {
    return not_used(given_tuning_folder(), " ($SPMVGEN_TUNING_DB)", trouble);
}

/// Once in a process, whichever kind of file is asked for.
void warn(const std::string& message) {
    static Log log;
    log.warn(message);
}

}  // namespace

std::string tuning_text(std::string bytes) {
    return is_gzip(bytes) ? inflate_all(bytes, most_tuning_bytes) : std::move(bytes);
}

std::string given_tuning_folder() {
    const char* directory = secure_getenv("SPMVGEN_TUNING_DB");
    return directory != nullptr ? directory : "";
}

std::string given_tuning_trouble() {
    const std::string given = given_tuning_folder();
    std::error_code trouble;
    if (!given.empty()) fs::directory_iterator(given, trouble);
    return trouble ? given_not_used(trouble) : "";
}

std::vector<std::string> shipped_tuning_places() {
    std::vector<std::string> places;
    for (auto& folder : library_folders())
        for (const char* share : share_places) {
            std::string place =
                (folder / share / "spmvgen" / "tuning_db").lexically_normal().string();
            if (std::ranges::find(places, place) == places.end())
                places.push_back(std::move(place));
        }
    return places;
}

const std::string& shipped_tuning_folder() {
    static const std::string folder = [] {
        const auto places = shipped_tuning_places();
        const auto found = std::ranges::find_if(places, [](const std::string& place) {
            std::error_code none;
            return fs::is_directory(place, none);
        });
        return found != places.end() ? *found : "";
    }();
    return folder;
}

std::string describe_tuning_places() {
    const std::string given = given_tuning_folder();
    const std::string& shipped = shipped_tuning_folder();
    const char* unused = given_tuning_trouble().empty() ? "" : " (not used)";
    return (given.empty() ? "" : given + unused + ", then ") +
           (shipped.empty() ? "none beside libspmvgen: built-in profiles and rules" : shipped);
}

std::vector<TuningFile> tuning_files_of(const std::string& directory, std::string_view prefix) {
    std::error_code trouble;
    return read_folder(directory, named(prefix), TuningPlace::given, trouble);
}

std::vector<TuningFile> tuning_files(std::string_view prefix, const Wanted& wanted) {
    const Wanted is_kind = named(prefix);
    const Wanted ships = [&](std::string_view name) {
        return is_kind(name) && (!wanted || wanted(name));
    };
    std::vector<TuningFile> files;
    std::error_code trouble;
    if (const std::string given = given_tuning_folder(); !given.empty()) {
        files = read_folder(given, is_kind, TuningPlace::given, trouble);
        if (trouble) warn(given_not_used(trouble));
    }
    std::vector<TuningFile> shipped;
    if (const std::string& folder = shipped_tuning_folder(); !folder.empty()) {
        shipped = read_folder(folder, ships, TuningPlace::shipped, trouble);
        if (trouble) warn(not_used(folder, "", trouble));
    }
    for (auto& [name, text] : built_in_tuning_files())
        if (ships(name) && std::ranges::find(shipped, name, &TuningFile::label) == shipped.end())
            shipped.push_back({std::string(name), std::string(text), TuningPlace::built_in});
    std::ranges::move(shipped, std::back_inserter(files));
    return files;
}

namespace {

/// Of one record: some thousand kernels.
constexpr std::int64_t most_record_bytes = 16 << 20;

/// The text of a file; nothing when it has gone. Throws Error(io) that says why there is none.
std::optional<std::string> text_of(const File& directory, const std::string& name) {
    const auto refuse = [](const std::string& why) { throw Error(ErrorCode::io, why); };
    const File file = open_file(directory.get(), name);
    if (!file && errno == ENOENT) return {};
    if (!file) refuse(std::generic_category().message(errno));
    const struct stat seen = status(file);
    if (const auto why = why_unsafe_entry(seen); !why.empty()) refuse(why);
    if (seen.st_size > most_record_bytes)
        refuse(fmt::format("it has {} bytes, a record has no more than {}", seen.st_size,
                           most_record_bytes));
    return read_bytes(file, static_cast<std::uint64_t>(seen.st_size));
}

void read_all(const File& directory, const std::string& path, std::string_view prefix,
              std::vector<TuningFile>& files, std::vector<std::string>& warnings) {
    for_each_name(directory, [&](const std::string& name) {
        if (!name.starts_with(prefix) || !name.ends_with(".json")) return;
        const std::string full = path + "/" + name;
        try {
            if (auto text = text_of(directory, name))
                files.push_back({full, *std::move(text), TuningPlace::own});
        } catch (const std::runtime_error& error) {  // Error or std::system_error
            warnings.push_back(fmt::format("tuning file {} is left out: {}", full, error.what()));
        }
    });
}

}  // namespace

Location locate_records(const std::string& directory) {
    return locate_user_directory(
        directory, {"SPMVGEN_RECORDS_DIR", "XDG_DATA_HOME", "/.local/share", "/spmvgen/tuning"});
}

std::vector<TuningFile> read_own_files(const Location& place, std::string_view prefix,
                                       std::vector<std::string>& warnings) {
    std::vector<TuningFile> files;
    if (place.path.empty()) return files;
    const auto leave_out = [&](const std::string& why) {
        warnings.push_back(
            fmt::format("the directory of tuning records {} is not used: {}", place.path, why));
        return files;
    };
    try {
        const File directory = open_directory(place.path);
        if (!directory)
            return errno == ENOENT ? files : leave_out(std::generic_category().message(errno));
        if (const auto why = why_unsafe(status(directory), place.given); !why.empty())
            return leave_out(why);
        read_all(directory, place.path, prefix, files, warnings);
    } catch (const std::system_error& error) {
        return leave_out(error.what());
    }
    return files;
}

}  // namespace spmvgen
