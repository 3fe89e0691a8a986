#pragma once
#include "text/verb.hpp"

namespace spmvgen::cli {

/// tune list, export, import and merge: records of tuning_db as files.
void add_tune_records(CLI::App& tune, Verbs& verbs);

}  // namespace spmvgen::cli
