#include "tuner/csr_k/csr_k_db.hpp"

#include <fmt/format.h>

#include "process/log.hpp"
#include "spmvgen/error.hpp"
#include "tuner/csr_k/csr_k_fit.hpp"

namespace spmvgen {

std::vector<CsrKFormula> read_csr_k_formulas(std::span<const TuningFile> files,
                                             std::vector<std::string>& warnings) {
    std::vector<CsrKFormula> formulas;
    for (auto& file : files) try {
            formulas.push_back(csr_k_formula_of(file.readable_text(), file.label()));
        } catch (const Error& error) {
            warnings.push_back(
                fmt::format("tuning file {} is left out: {}", file.name, error.what()));
        }
    return formulas;
}

std::span<const CsrKFormula> fitted_csr_k_formulas() {
    static const std::vector<CsrKFormula> formulas = [] {
        std::vector<std::string> warnings;
        std::vector<CsrKFormula> read = read_csr_k_formulas(tuning_files("csr-k-"), warnings);
        Log log;
        for (auto& warning : warnings) log.warn(warning);
        return read;
    }();
    return formulas;
}

}  // namespace spmvgen
