#include "tuner/records/record_directory.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <optional>
#include <system_error>

#include "spmvgen/error.hpp"
#include "store/files.hpp"
#include "store/sha256.hpp"
#include "tuner/records/matrix_print.hpp"
#include "tuner/records/record_json.hpp"

namespace spmvgen {
namespace {

constexpr std::string_view record_prefix = "record-", suffix = ".json";
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
        if (!name.starts_with(prefix) || !name.ends_with(suffix)) return;
        const std::string full = path + "/" + name;
        try {
            if (auto text = text_of(directory, name))
                files.push_back({full, *std::move(text), TuningPlace::own});
        } catch (const std::runtime_error& error) {  // Error or std::system_error
            warnings.push_back(fmt::format("tuning file {} is left out: {}", full, error.what()));
        }
    });
}

[[noreturn]] void fail(const Location& place, const std::string& why) {
    throw Error(ErrorCode::io,
                fmt::format("tuning records cannot be kept in {}: {}; $SPMVGEN_RECORDS_DIR names "
                            "another directory",
                            place.path.empty() ? "a home directory" : place.path, why));
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

std::string keep_own_file(const std::string& name, std::string_view text, const Location& place) {
    if (place.path.empty()) fail(place, "there is none");
    try {
        make_directories(place.path);
        const File directory = open_directory(place.path);
        if (!directory) fail(place, std::generic_category().message(errno));
        if (const auto why = why_unsafe(status(directory), place.given); !why.empty())
            fail(place, why);
        publish_file(directory.get(), name, text, true);
        return place.path + "/" + name;
    } catch (const std::system_error& error) {
        fail(place, error.what());
    }
}

std::string keep_record(const TuningRecord& record, const Location& place) {
    return keep_own_file(record_file_name(record), to_json(std::span(&record, 1)), place);
}

std::string record_file_name(const TuningRecord& record) {
    constexpr std::size_t digits = 16;
    return fmt::format("{}{}-{}{}", record_prefix,
                       to_hex(sha256(record_key(record))).substr(0, digits),
                       digest(record).substr(0, 2 * digits), suffix);
}

}  // namespace spmvgen
