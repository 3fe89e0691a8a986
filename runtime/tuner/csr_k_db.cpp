#include "tuner/csr_k_db.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "handle/log.hpp"
#include "spmvgen/error.hpp"
#include "tuner/csr_k_fit.hpp"

namespace spmvgen {
namespace {

std::string text_of(const std::filesystem::path& path) {
    std::ostringstream text;
    if (std::ifstream file(path); file) text << file.rdbuf();
    return text.str();
}

}  // namespace

std::vector<TuningFile> csr_k_files_of(const std::string& directory) {
    std::vector<TuningFile> files;
    std::error_code trouble;
    for (auto& entry : std::filesystem::directory_iterator(directory, trouble)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("csr-k-") && name.ends_with(".json"))
            files.push_back({entry.path().string(), text_of(entry.path())});
    }
    std::ranges::sort(files, {}, &TuningFile::name);
    return files;
}

std::vector<CsrKFormula> read_csr_k_formulas(std::span<const TuningFile> files,
                                             std::vector<std::string>& warnings) {
    std::vector<CsrKFormula> formulas;
    for (auto& [name, text] : files) try {
            formulas.push_back(
                csr_k_formula_of(text, std::filesystem::path(name).filename().string()));
        } catch (const Error& error) {
            warnings.push_back(fmt::format("tuning file {} is left out: {}", name, error.what()));
        }
    return formulas;
}

std::span<const CsrKFormula> fitted_csr_k_formulas() {
    static const std::vector<CsrKFormula> formulas = [] {
        std::vector<TuningFile> files;
        const char* directory = std::getenv("SPMVGEN_TUNING_DB");
        if (directory != nullptr) files = csr_k_files_of(directory);
        for (auto& file : embedded_csr_k_files()) files.push_back(file);
        std::vector<std::string> warnings;
        std::vector<CsrKFormula> read = read_csr_k_formulas(files, warnings);
        Log log;
        for (auto& warning : warnings) log.warn(warning);
        return read;
    }();
    return formulas;
}

}  // namespace spmvgen
