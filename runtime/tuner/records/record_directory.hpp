#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "store/files.hpp"
#include "tuner/files/tuning_files.hpp"
#include "tuner/records/record.hpp"

/// A user's own tuning results: a directory of files of one record, or one device profile, each
/// (docs/reference/files.md).
namespace spmvgen {

/// Keeps a record as a file of its own: nobody ever sees a part of it, it is on the disk when this
/// returns, and it takes no other record's place, whoever writes at the same time. The directory is
/// made when it does not exist. Returns the file's path. Throws Error(io) that names the directory
/// and what is wrong with it.
std::string keep_record(const TuningRecord& record, const Location& place = locate_records());

/// The same of any text under that name, in the place of what had the name before.
std::string keep_own_file(const std::string& name, std::string_view text,
                          const Location& place = locate_records());

/// "record-<question, matrix and device>-<contents>.json": equal records have equal names, others
/// have not.
std::string record_file_name(const TuningRecord& record);

}  // namespace spmvgen
