// What the fuzzing build leaves out, and what it would take much to have.
#include "registry.hpp"
#include "tuner/csr_k_db.hpp"

namespace spmvgen {

/// The digest of the templates, which are not here.
std::string_view generator_digest() {
    return "none";
}

/// The files that are embedded in the library.
std::span<const CsrKFormula> fitted_csr_k_formulas() {
    return {};
}

}  // namespace spmvgen
