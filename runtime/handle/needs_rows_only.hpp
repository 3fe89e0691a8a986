#pragma once
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {

/// Whether the options leave nothing to choose that columns or values decide.
bool needs_rows_only(const Options& options);

}  // namespace spmvgen
