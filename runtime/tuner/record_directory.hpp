#pragma once
#include <functional>
#include <string>
#include <vector>

#include "store/directory.hpp"
#include "tuner/record.hpp"
#include "tuner/tuning_files.hpp"

/// A user's own tuning results: a directory of files of one record each (docs/tuning-db.md).
namespace spmvgen {

/// `directory`, else $SPMVGEN_RECORDS_DIR, else $XDG_DATA_HOME/spmvgen/tuning, else
/// ~/.local/share/spmvgen/tuning.
Location locate_records(const std::string& directory = "");

/// The files record-*.json in the directory, by name; none when there is no such directory. What is
/// not ours (or root's), what others may write to, links and what is too large is left out, with a
/// line in `warnings` that says why, as is a directory that cannot be used or read at all. Never
/// throws for what is on the disk.
std::vector<TuningFile> read_records(const Location& place, std::vector<std::string>& warnings);

/// Keeps a record as a file of its own: nobody ever sees a part of it, it is on the disk when this
/// returns, and it takes no other record's place, whoever writes at the same time. The directory is
/// made when it does not exist. Returns the file's path. Throws Error(io) that names the directory
/// and what is wrong with it.
std::string keep_record(const TuningRecord& record, const Location& place = locate_records());

/// "record-<question, matrix and device>-<contents>.json": equal records have equal names, others
/// have not.
std::string record_file_name(const TuningRecord& record);

}  // namespace spmvgen
