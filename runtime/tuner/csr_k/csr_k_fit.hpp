#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "spmvgen/target.hpp"
#include "tuner/csr_k/csr_k.hpp"

/// The procedure that makes a formula of csr_k.hpp: measured times in, coefficients out. Lane &
/// Booth, section 4; what was changed is in docs/explanation/csr-k.md.
namespace spmvgen {

/// The paper's grid: {2^i, 1.5·2^i}, of GPUs for both sizes with i = 2 … 5, of CPUs for srs with
/// i = 3 … 11, ssrs being 1.
std::vector<GroupSizes> csr_k_grid(bool gpu);

struct GroupTime {
    GroupSizes sizes;
    double seconds = 0;
};

/// One matrix and the time of an apply for each pair of sizes.
struct CsrKSample {
    std::string matrix;
    std::int64_t rows = 0, cols = 0, nnz = 0, max_row = 0;
    double variance_row = 0;
    int block_case = 0;  ///< 0 … 3, of the blocks that were run; 0 on CPUs
    std::vector<GroupTime> times;

    double density() const { return static_cast<double>(nnz) / static_cast<double>(rows); }
};

/// The optimum of a sample: the geometric mean of all sizes whose time is within 2 % of the least,
/// for between these the clock decides.
struct OptimalSizes {
    double srs = 1, ssrs = 1;
};
OptimalSizes optimum_of(const CsrKSample& sample);

/// A formula that could be used, and what it loses: the geometric mean over the samples of the time
/// at its sizes (at the nearest that were measured) over the least time. 1 = always the best.
struct FormulaCandidate {
    std::string name;  ///< "regression", "corrected", "constant", "paper"
    CsrKFormula formula;
    double loss = 1;
};

struct CsrKFit {
    std::string arch;    ///< target that was measured on
    std::string device;  ///< for people: "NVIDIA H200"
    std::string generator;
    std::string value = "f64";
    int threads = 0;  ///< of a CPU
    std::vector<CsrKSample> samples;
    double srs_residual = 0, ssrs_residual = 0;  ///< root mean square, of the plain regressions
    std::vector<FormulaCandidate> candidates;
    std::string chosen;  ///< name of the first candidate whose loss is within 1 % of the least
};

/// Least squares of y over ln(max(density, 1)). One density only gives slope 0. Throws
/// Error(invalid_argument) for no points or vectors of different lengths.
struct Regression {
    LogFormula formula;
    double residual = 0;  ///< root mean square of y - formula
};
Regression fit_logarithm(const std::vector<double>& density, const std::vector<double>& y);

/// Fits and compares; `paper` is what serves without a fit. Throws Error(invalid_argument) when
/// there is no sample, or a sample without times, rows or entries.
CsrKFit fit_csr_k(std::vector<CsrKSample> samples, const Target& target, const CsrKFormula& paper);

/// The file that tuning_db keeps.
std::string to_json(const CsrKFit& fit);
/// The chosen formula of such a file; `name` tells where it is from. Throws Error(invalid_input)
/// that says what is wrong with the text.
CsrKFormula csr_k_formula_of(std::string_view json, const std::string& name);
/// A short block for people.
std::string to_string(const CsrKFit& fit);

}  // namespace spmvgen
