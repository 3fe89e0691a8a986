#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The one way into tuning_db, for files of every kind.
namespace spmvgen {

/// A file of tuning_db, and what is in it.
struct TuningFile {
    std::string name;  ///< for messages: its path, of one that ships its name alone
    std::string text;

    /// Embedded in the library, not a file of a directory.
    bool shipped() const { return name.find('/') == std::string::npos; }
};

/// Those files of tuning_db whose names begin with `prefix` and end in .json: first of the
/// directory $SPMVGEN_TUNING_DB, by name, then those that ship: they are embedded in the library,
/// as they were when it was built. A file that cannot be read has no text.
std::vector<TuningFile> tuning_files(std::string_view prefix);

/// The same of one directory, by name; none when there is no such directory.
std::vector<TuningFile> tuning_files_of(const std::string& directory, std::string_view prefix);

struct EmbeddedTuningFile {
    std::string_view name, text;
};

/// All that are embedded, by name (made by cmake/EmbedTexts.cmake).
std::span<const EmbeddedTuningFile> embedded_tuning_files();

}  // namespace spmvgen
