#pragma once
#include <span>
#include <string>

#include "text/verb.hpp"
#include "tuner/records/record.hpp"

namespace spmvgen::cli {

/// tune list, export, import and merge: records of tuning_db as files.
void add_tune_records(CLI::App& tune, Verbs& verbs);

/// Writes a file of records, gzipped where its name ends with .gz; "" and "-" mean `out`.
void save_records(const std::string& path, std::span<const TuningRecord> records,
                  std::ostream& out);

}  // namespace spmvgen::cli
