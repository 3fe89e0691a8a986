#pragma once
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spmvgen/error.hpp"
#include "store/files.hpp"

/// The one way into tuning_db, for files of every kind. Nothing is read before it is asked for.
namespace spmvgen {

/// Where a tuning file is from; the first come first.
enum class TuningPlace {
    given,    ///< the directory $SPMVGEN_TUNING_DB
    own,      ///< the user's own (read_own_files)
    shipped,  ///< share/spmvgen/tuning_db beside the library
    built_in  ///< compiled into the library: a device profile for each family of architectures
};

/// A file of tuning_db, and what is in it.
struct TuningFile {
    std::string name;  ///< for messages: its path, of a built-in one its name alone
    std::string text;  ///< inflated when the file is of gzip
    TuningPlace place = TuningPlace::given;
    std::string problem = {};  ///< why it has no text; "" = it has

    /// Part of spmvgen, not made by who uses it.
    bool shipped() const { return place >= TuningPlace::shipped; }

    /// `text`. Throws Error(invalid_input) with the problem when there is none.
    const std::string& readable_text() const {
        if (!problem.empty()) throw Error(ErrorCode::invalid_input, problem);
        return text;
    }

    /// Its name without the folders, for reasons: "device-nvidia-h200.json"; of a built-in one it
    /// says so.
    std::string label() const {
        return std::filesystem::path(name).filename().string() +
               (place == TuningPlace::built_in ? " (built into libspmvgen)" : "");
    }
};

/// Those files of tuning_db whose names begin with `prefix` and end in .json or .json.gz: first of
/// the directory $SPMVGEN_TUNING_DB, then of shipped_tuning_folder(), each by name, then those that
/// are built in and not in that folder. Read anew by each call. A directory in the variable that
/// cannot be read is warned of in the log, once in a process. Of those that ship or are built in,
/// `wanted` picks by their names, before they are read; empty = all. Safe to call from any thread.
std::vector<TuningFile> tuning_files(std::string_view prefix,
                                     const std::function<bool(std::string_view name)>& wanted = {});

/// The same of one directory, by name; none when there is no such directory. Never throws for what
/// is on the disk.
std::vector<TuningFile> tuning_files_of(const std::string& directory, std::string_view prefix);

/// What $SPMVGEN_TUNING_DB names; "" = nothing. Not read in a program that has more rights than its
/// user.
std::string given_tuning_folder();

/// Why no tuning files can be taken from given_tuning_folder(), as a sentence with its name; "" =
/// they can, or there is none.
std::string given_tuning_trouble();

/// Where tuning files that ship are looked for, in this order: share/spmvgen/tuning_db in the
/// folder of the library, in that above it, in the one above that (lib/x86_64-linux-gnu).
std::vector<std::string> shipped_tuning_places();

/// The first of shipped_tuning_places() that is a folder; "" = there is none. Found once in a
/// process.
const std::string& shipped_tuning_folder();

/// Where files are taken from, in words: "/opt/spmvgen/share/spmvgen/tuning_db".
std::string describe_tuning_places();

/// What is in a file of those bytes: inflated when they are of gzip. Throws Error(invalid_input)
/// when they are damaged or inflate to more than most_tuning_bytes.
std::string tuning_text(std::string bytes);

/// The largest tuning file, inflated: records of some thousand matrices.
inline constexpr std::size_t most_tuning_bytes = std::size_t{128} << 20;

struct BuiltInTuningFile {
    std::string_view name, text;
};

/// All that are compiled into the library, by name (made by cmake/EmbedTexts.cmake).
std::span<const BuiltInTuningFile> built_in_tuning_files();

/// `directory`, else $SPMVGEN_RECORDS_DIR, else $XDG_DATA_HOME/spmvgen/tuning, else
/// ~/.local/share/spmvgen/tuning.
Location locate_records(const std::string& directory = "");

/// The files in the directory whose names begin with `prefix` ("record-" or "device-") and end in
/// .json, by name; none when there is no such directory. What is not ours (or root's), what others
/// may write to, links and what is too large is left out, with a line in `warnings` that says why,
/// as is a directory that cannot be used or read at all. Never throws for what is on the disk.
std::vector<TuningFile> read_own_files(const Location& place, std::string_view prefix,
                                       std::vector<std::string>& warnings);

}  // namespace spmvgen
