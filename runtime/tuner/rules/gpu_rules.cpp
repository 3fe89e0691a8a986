#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuner/plan/gpu_figures.hpp"
#include "tuner/rules/matrix_rules.hpp"
#include "tuner/rules/rules.hpp"

namespace spmvgen {
namespace {

// Limits between kernels: an H200, from tuning_db's records (docs/explanation/choice.md).
constexpr double long_mean = 256;              ///< mean row, of matrices with few rows for a GPU
constexpr std::int64_t few_rows = 4096;        ///< of these
constexpr std::int64_t few_entries = 450'000;  ///< a launch takes as long as they do
constexpr double short_longest =
    256;  ///< longest row that does not hold up a small product, of
          ///< rows up to short_rows_mean; of longer ones, in proportion
constexpr double short_rows_mean = 8;
constexpr double gpu_even_padding = 1.1;          ///< stored entries over nonzeros in slices of 32
constexpr double gpu_even_sorted_padding = 1.15;  ///< the same with sorted rows
constexpr double most_sorted_from = 3;         ///< unsorted padding, above which sorting costs too
                                               ///< much locality in x
constexpr double skewed_sorted_padding = 1.5;  ///< sorted padding, where single rows stand out
constexpr double balanced_nnz = 2e6;           ///< entries, from which balancing CSR beats COO
constexpr double scattering_mean = 24;         ///< mean row, up to which sorting scatters much of x

std::string gpu_padding_text(const Situation& s) {
    return slice_padding(s) <= gpu_even_padding
               ? fmt::format("padding {:.2f} in slices of 32", slice_padding(s))
               : fmt::format("padding {:.2f} in slices of 32, {:.2f} when sorted", slice_padding(s),
                             sorted_slice_padding(s));
}

Pick few_long_rows(const Situation& s) {
    if (s.f.rows >= few_rows || s.f.mean_row < long_mean) return {};
    const bool even = s.f.ell_padding <= gpu_even_padding;
    return {even                                         ? "ell_groups"
            : static_cast<double>(s.f.nnz) < few_entries ? "coo"
                                                         : "csr_load_balance",
            fmt::format("{} rows of {:.0f} entries", s.f.rows, s.f.mean_row)};
}

bool holds_up_small(const Situation& s) {
    return static_cast<double>(s.f.max_row) >
           short_longest * std::max(1.0, s.f.mean_row / short_rows_mean);
}

Pick small(const Situation& s) {
    if (s.f.nnz >= few_entries || holds_up_small(s)) return {};
    return {"csr_classical", fmt::format("{} entries", s.f.nnz)};
}

double entry_bytes(const Situation& s) {
    return static_cast<double>(s.f.nnz) *
           static_cast<double>(size_of(stored_type(s.request, s.f.value_type)) +
                               size_of(IndexType::i32));
}

/// What the L2 serves gains nothing by padding less, and loses x's locality by sorting.
Pick uneven_in_cache(const Situation& s) {
    if (!uneven_in_l2(s)) return {};
    return {"csr_classical",
            fmt::format("{:.1f} MB of entries, {}", entry_bytes(s) / 1e6, gpu_padding_text(s))};
}

Pick gpu_even_rows(const Situation& s) {
    const bool sorted =
        sorted_slice_padding(s) <= gpu_even_sorted_padding && slice_padding(s) <= most_sorted_from;
    if (s.f.max_row > gpu_limits(s.request).row_len_limit ||
        (slice_padding(s) > gpu_even_padding && !sorted))
        return {};
    // In a small product one long row holds up a slice for longer than the rest takes.
    if (s.f.nnz < few_entries && holds_up_small(s)) return {};
    return {"sell_slices", gpu_padding_text(s)};
}

Pick skewed_rows(const Situation& s) {
    if (s.request.format == "csr") return {};  // Algorithm 3 decides
    if (s.f.max_row <= gpu_limits(s.request).row_len_limit &&
        sorted_slice_padding(s) <= skewed_sorted_padding)
        return {};
    return {static_cast<double>(s.f.nnz) < balanced_nnz ? "coo" : "csr_load_balance",
            fmt::format("longest row {}, mean {:.1f}", s.f.max_row, s.f.mean_row)};
}

/// Within the formats that a request can name.
Pick plain_csr(const Situation& s) {
    return {"csr_classical", fmt::format("mean row {:.1f}", s.f.mean_row)};
}
Pick plain_ell(const Situation& s) {
    return {"ell_groups", fmt::format("longest row {}, {} rows", s.f.max_row, s.f.rows)};
}
Pick plain_hyb(const Situation& s) {
    if (s.f.max_row > gpu_limits(s.request).row_len_limit)
        return {"hyb", fmt::format("longest row {}", s.f.max_row)};
    return {"hyb_fused", fmt::format("longest row {}", s.f.max_row)};
}
Pick plain_bcsr(const Situation& s) {
    if (s.f.max_row > gpu_limits(s.request).row_len_limit)
        return {"bcsr_split", fmt::format("longest row {}", s.f.max_row)};
    return {"bcsr_fused", fmt::format("longest row {}", s.f.max_row)};
}

constexpr std::array gpu_rule_list{Rule{few_long_rows, {"ell_groups", "coo", "csr_load_balance"}},
                                   Rule{small, {"csr_classical"}},
                                   Rule{uneven_in_cache, {"csr_classical"}},
                                   Rule{gpu_even_rows, {"sell_slices"}},
                                   Rule{skewed_rows, {"coo", "csr_load_balance"}},
                                   Rule{algorithm_3, {"csr_load_balance", "csr_classical"}, true},
                                   Rule{plain_csr, {"csr_classical"}, true},
                                   Rule{plain_ell, {"ell_groups"}, true},
                                   Rule{plain_hyb, {"hyb", "hyb_fused"}, true},
                                   Rule{plain_bcsr, {"bcsr_split", "bcsr_fused"}, true}};

}  // namespace

Pick algorithm_3(const Situation& s) {
    const GpuLimits& l = gpu_limits(s.request);
    if (s.f.max_row > l.row_len_limit)
        return {"csr_load_balance",
                fmt::format("longest row {}, more than {}", s.f.max_row, l.row_len_limit)};
    if (static_cast<double>(s.f.nnz) > l.nnz_limit)
        return {"csr_load_balance",
                fmt::format("{} entries, more than {:.0f}", s.f.nnz, l.nnz_limit)};
    return {"csr_classical", fmt::format("{} entries, longest row {}", s.f.nnz, s.f.max_row)};
}

bool uneven_in_l2(const Situation& s) {
    return slice_padding(s) > gpu_even_padding && s.f.mean_row < scattering_mean &&
           s.f.max_row <= gpu_limits(s.request).row_len_limit &&
           sorted_slice_padding(s) <= skewed_sorted_padding &&
           entry_bytes(s) < gpu_limits(s.request).cached_bytes;
}

RuleSet gpu_rules() {
    return {gpu_matrix_rules(), gpu_rule_list};
}

}  // namespace spmvgen
