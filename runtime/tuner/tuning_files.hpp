#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace spmvgen {

/// A file of tuning_db: its name for messages, and what is in it.
struct TuningFile {
    std::string name, text;
};

/// Those files of tuning_db whose names begin with `prefix` and end in .json: first of the
/// directory $SPMVGEN_TUNING_DB, by name, then those that are embedded in the library, as they were
/// when it was built. A file that cannot be read has no text.
std::vector<TuningFile> tuning_files(std::string_view prefix);

/// The same of one directory, by name; none when there is no such directory.
std::vector<TuningFile> tuning_files_of(const std::string& directory, std::string_view prefix);

/// All that are embedded (made by cmake/EmbedTuningFiles.cmake).
std::vector<TuningFile> embedded_tuning_files();

}  // namespace spmvgen
