#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "tuner/situation.hpp"

/// Constant-time tuning of CSR-k: sizes of groups and dimensions of blocks from the row density,
/// nnz / rows. Source: Lane & Booth, Heterogeneous Sparse Matrix-Vector Multiplication via
/// Compressed Sparse Row Format, section 4. docs/explanation/csr-k.md tells where the text was
/// ambiguous.
namespace spmvgen {

/// Rows of a super-row, super-rows of a super-super-row.
struct GroupSizes {
    std::int64_t srs = 1, ssrs = 1;
    bool operator==(const GroupSizes&) const = default;
};

/// constant + slope · ln(row density).
struct LogFormula {
    double constant = 0, slope = 0;
    bool operator==(const LogFormula&) const = default;
};
/// Densities below 1 count as 1: beyond that the logarithm only tells how many rows are empty.
double value_at(const LogFormula& formula, double density);

/// What one of the four cases makes of the sizes that the formulas give: ssrs becomes
/// ⌊factor·ssrs⌉, srs becomes ⌊factor·srs⌉, or ⌊factor·ssrs⌋ of the new ssrs.
struct CaseCorrection {
    double ssrs = 1, srs = 1;
    bool srs_from_ssrs = false;
    bool operator==(const CaseCorrection&) const = default;
};

/// How a device's sizes follow from the row density.
struct CsrKFormula {
    std::string name;  ///< whose it is: "Lane & Booth's for Volta"
    std::string arch;  ///< of a fitted one: the target that it was measured on, as to_string has it
    LogFormula srs, ssrs;
    std::array<CaseCorrection, 4> cases{};
    GroupSizes least{1, 1}, most{4096, 1024};  ///< sizes are kept within these
    bool operator==(const CsrKFormula&) const = default;
};

CsrKFormula volta_formula();
CsrKFormula ampere_formula();
/// Super-rows of 96 rows whatever the density; of super-super-rows the paper says nothing.
CsrKFormula cpu_formula();

/// Dimensions of a block of GPUSpMV-3 (subwarp 1) and GPUSpMV-3.5.
struct BlockShape {
    std::int64_t subwarp = 1, row_threads = 8, sr_threads = 12;
    bool operator==(const BlockShape&) const = default;
};

/// The paper's case, 0 … 3, of a row density: up to 8, up to 16, up to 32, more.
int density_case(double density);
/// The case whose blocks have at least that many lanes for a row.
int subwarp_case(std::int64_t subwarp);
/// The block with that many lanes for a row: 1, 4, 8 and 16 are the paper's four cases, the others
/// have its rows of 8 and at most 512 threads.
BlockShape block_shape(std::int64_t subwarp);
/// Lanes for a row in the paper's case.
std::int64_t case_subwarp(int block_case);

/// The sizes for that density in that case (0 … 3), each at least 1.
GroupSizes group_sizes(const CsrKFormula& formula, double density, int block_case);

/// The formula for a target and why: one of `fitted` that was measured on that target; else Volta's
/// for sm_70 and sm_75, Ampere's for sm_80 to sm_89, the constant for CPUs; for later NVIDIA GPUs
/// and all of AMD's the one that was fitted on sm_90, else Ampere's.
struct FormulaChoice {
    CsrKFormula formula;
    std::string note;  ///< for people: whose it is
};
FormulaChoice choose_formula(const Target& target, std::span<const CsrKFormula> fitted);

/// What the rules make of a matrix for the kernels of CSR-k, with the formulas of tuning_db.
struct CsrKPlan {
    Params params;       ///< what the request fixes included
    std::string reason;  ///< figures that decided
};
/// Throws Error(invalid_argument) when the request fixes ssrs of a kernel that makes no
/// super-super-rows.
CsrKPlan plan_csr_k(const KernelEntry& kernel, const Situation& s);
CsrKPlan plan_csr_k(const KernelEntry& kernel, const Situation& s,
                    std::span<const CsrKFormula> fitted);

}  // namespace spmvgen
