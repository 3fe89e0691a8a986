#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/csr_k.hpp"

namespace spmvgen {

/// A file of tuning_db: its name for messages, and what is in it.
struct TuningFile {
    std::string name, text;
};

/// tuning_db/csr-k-*.json as they were when the library was built.
std::vector<TuningFile> embedded_csr_k_files();

/// The csr-k-*.json of a directory, by name; a file that cannot be read has no text. None when
/// there is no such directory.
std::vector<TuningFile> csr_k_files_of(const std::string& directory);

/// The formulas of the files, in order. What is corrupt or of another schema is left out, with a
/// line in `warnings` that says why.
std::vector<CsrKFormula> read_csr_k_formulas(std::span<const TuningFile> files,
                                             std::vector<std::string>& warnings);

/// Those of $SPMVGEN_TUNING_DB, when it names a directory, and then the embedded ones; read once in
/// a process, warnings written to the log. Safe to call from any thread.
std::span<const CsrKFormula> fitted_csr_k_formulas();

}  // namespace spmvgen
