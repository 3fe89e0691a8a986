#pragma once
#include <span>
#include <string>
#include <vector>

#include "tuner/csr_k/csr_k.hpp"
#include "tuner/files/tuning_files.hpp"

namespace spmvgen {

/// The formulas of the files, in order. What is corrupt or of another schema is left out, with a
/// line in `warnings` that says why.
std::vector<CsrKFormula> read_csr_k_formulas(std::span<const TuningFile> files,
                                             std::vector<std::string>& warnings);

/// Those of $SPMVGEN_TUNING_DB, when it names a directory, then those that ship; read once in a
/// process, warnings written to the log. Safe to call from any thread.
std::span<const CsrKFormula> fitted_csr_k_formulas();

}  // namespace spmvgen
