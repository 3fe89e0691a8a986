// What the fuzzing build leaves out, and what it would take much to have.
#include "process/library_folders.hpp"
#include "registry.hpp"
#include "spmvgen/spmvgen.hpp"
#include "tuner/csr_k/csr_k_db.hpp"
#include "tuner/files/tuning_files.hpp"

namespace spmvgen {

/// What handle.cpp says, which takes the whole runtime.
const char* version() {
    return SPMVGEN_VERSION;
}

/// The digest of the templates, which are not here: that of sample_maker().
std::string_view generator_digest() {
    return "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
}

/// The folders of the library: it is no library here.
const std::vector<std::filesystem::path>& library_folders() {
    static const std::vector<std::filesystem::path> none;
    return none;
}

/// Files beside the library.
std::span<const CsrKFormula> fitted_csr_k_formulas() {
    return {};
}
std::vector<TuningFile> tuning_files(std::string_view,
                                     const std::function<bool(std::string_view)>&) {
    return {};
}

}  // namespace spmvgen
