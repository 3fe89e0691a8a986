#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tuner/plan/cpu_figures.hpp"
#include "tuner/rules/rules.hpp"

namespace spmvgen {
namespace {

using cpu::bytes_per_thread, cpu::even_padding, cpu::least_vector_mean, cpu::padding,
    cpu::register_lanes, cpu::sorted_padding;

// Where one kernel begins to be better than another: measured, see docs/explanation/kernels-cpu.md.
constexpr double long_row_share = 0.5;    ///< longest row over a thread's share of the entries
constexpr double most_empty_mean = 0.25;  ///< mean row, for COO,
constexpr std::int64_t least_empty_rows = 10'000;  ///< rows, for the same
constexpr double most_short_mean = 4;         ///< mean row, where short rows alone speak for SELL
constexpr double most_even_mean = 8;          ///< mean row, where rows of one length do
constexpr double cached_bytes = 1e6;          ///< of A for each thread
constexpr double even_sorted_padding = 1.05;  ///< the same with sorted rows
constexpr double short_sorted_padding = 1.1;
constexpr double first_cached_bytes = 32e3;   ///< of A, which a first cache holds beside x and y,
constexpr double first_cached_padding = 1.6;  ///< and slices of sorted rows may be padded so much,
constexpr std::int64_t first_cached_slices = 4;  ///< of which there are so many
// Of several right-hand sides: docs/explanation/several-vectors.md.
constexpr std::int64_t least_uneven_branches = 110'000;  ///< rows and entries: more than a
                                                         ///< predictor remembers
constexpr double most_uneven_mean = 7;
constexpr double least_uneven_padding = 1.15;  ///< of slices in order: rows differ from neighbours
constexpr int most_rhs_of_uneven_rows = 8;     ///< right-hand sides: with more, y in order counts
constexpr double least_far = 6e6;  ///< bytes of x or y, of which a core's caches hold a part only
// Of compressed strips: bench/results/README.md.
constexpr double least_strips_bytes =
    1.5e6;                                  ///< of A in CSR for each thread: about a core's caches
constexpr double most_cached_index = 1.25;  ///< bytes a nonzero that name its column, for strips
                                            ///< of what caches hold: x is hardly gathered then
constexpr double apart_share = 0.1;  ///< longest row over a thread's share of the entries, from
                                     ///< which strips, which keep it apart, gain in caches too:
constexpr double most_apart_padding = 1.2;  ///< arrow 32 and 74 µs, mult_dcop_01 49 and 72
constexpr double most_strips_share = 1.1;   ///< of CSR's bytes
// Of blocked CSR: the same page.
constexpr std::int64_t large_block = 12;      ///< elements
constexpr double least_large_blocked = 18e6;  ///< bytes of CSR a thread, from which on bytes decide
                                              ///< where gathers are fast
constexpr std::int64_t medium_block = 8;
constexpr double least_medium_blocked = 1.5e6;  ///< the same
constexpr std::int64_t small_block = 4;
constexpr double least_small_blocked = 1e6;  ///< the same
constexpr double most_cached_fill = 2.1;     ///< of blocks, at least medium, that a core's caches
                                             ///< hold: fidap037, bloweybq, bcsstk28

Pick long_rows(const Situation& s) {
    const double share = static_cast<double>(s.f.nnz) / s.request.threads;
    if (s.request.threads < 2 || static_cast<double>(s.f.max_row) <= long_row_share * share)
        return {};
    return {"csr_balanced",
            fmt::format("longest row {}, a thread's share {:.0f} entries", s.f.max_row, share)};
}

/// Rows that end where no predictor of branches knows it, which with few right-hand sides takes as
/// long as their entries. Those of few entries are learnt by heart.
bool has_uneven_short_rows(const Situation& s) {
    return s.f.rows + s.f.nnz >= least_uneven_branches && s.f.mean_row < most_uneven_mean &&
           padding(s) >= least_uneven_padding;
}

Pick several_right_hand_sides(const Situation& s) {
    if (s.request.num_rhs == 1) return {};
    const std::string why = fmt::format("{} right-hand sides", s.request.num_rhs);
    if (is_complex(s.f.value_type)) return {"csr_rows", why};
    const double x_bytes = cpu::bytes_of_vectors(s, s.f.cols);
    const double y_bytes = cpu::bytes_of_vectors(s, s.f.rows);
    if (cpu::stores_past_caches(s))
        return {"csr_ahead",
                fmt::format("{}, {:.1f} MB of x and y", why, (x_bytes + y_bytes) / 1e6)};
    if (x_bytes >= least_far)
        return {"csr_ahead", fmt::format("{}, {:.1f} MB of x", why, x_bytes / 1e6)};
    if (cpu::unrolls_entries(s))
        return {"csr_vector", fmt::format("{}, mean row {:.1f}", why, s.f.mean_row)};
    if (s.request.num_rhs <= most_rhs_of_uneven_rows && y_bytes < least_far &&
        has_uneven_short_rows(s))
        return {"sell", fmt::format("{}, mean row {:.1f} ± {:.1f}", why, s.f.mean_row,
                                    std::sqrt(s.f.variance_row))};
    return {"csr_rows", why};
}

std::string padding_text(const Situation& s) {
    return padding(s) <= even_padding
               ? fmt::format("padding {:.2f}", padding(s))
               : fmt::format("padding {:.2f}, {:.2f} when sorted", padding(s), sorted_padding(s));
}

Pick even_rows(const Situation& s) {
    const bool sorting_pays =
        s.f.mean_row >= least_vector_mean && sorted_padding(s) <= even_sorted_padding;
    const bool even = padding(s) <= even_padding || sorting_pays;
    const bool cached = bytes_per_thread(s) < cached_bytes;
    if (is_complex(s.f.value_type) || !even || (s.f.mean_row > most_even_mean && !cached))
        return {};
    return {"sell", fmt::format("mean row {:.1f}, {:.1f} MB of entries a thread, {}", s.f.mean_row,
                                bytes_per_thread(s) / 1e6, padding_text(s))};
}

/// Nothing waits for memory then: lanes side by side are worth padding, where x can be gathered.
Pick first_cached_rows(const Situation& s) {
    if (s.request.threads > 1 || is_complex(s.f.value_type) ||
        bytes_per_thread(s) >= first_cached_bytes || !has_fast_gathers(s.request.target) ||
        s.f.rows < first_cached_slices * register_lanes(s) ||
        sorted_padding(s) > first_cached_padding)
        return {};
    return {"sell", fmt::format("{} entries in a first cache, {}", s.f.nnz, padding_text(s))};
}

/// Rows without entries are then stored in runs.
Pick mostly_empty_rows(const Situation& s) {
    if (s.f.mean_row >= most_empty_mean || s.f.rows < least_empty_rows) return {};
    return {"coo_segmented", fmt::format("mean row {:.2f}", s.f.mean_row)};
}

Pick almost_empty_rows(const Situation& s) {
    if (s.f.mean_row >= least_vector_mean) return {};
    return {"csr_rows", fmt::format("mean row {:.1f}", s.f.mean_row)};
}

Pick short_rows(const Situation& s) {
    if (s.f.mean_row >= most_short_mean || sorted_padding(s) > short_sorted_padding) return {};
    return {"sell", fmt::format("mean row {:.1f}, {}", s.f.mean_row, padding_text(s))};
}

Pick rows_in_vectors(const Situation& s) {
    return {"csr_vector",
            fmt::format("mean row {:.1f}, padding {:.2f} in slices", s.f.mean_row, padding(s))};
}

/// Bytes decide, where there are more than a core's caches hold: the masks and the decoding are
/// hidden behind them. Of fewer, grids gain, for lanes of a strip read neighbours in x, and single
/// long rows, which strips keep apart.
Pick compressed_strips(const Situation& s) {
    if (!s.request.strips || s.request.num_rhs > 1 || is_complex(s.f.value_type)) return {};
    const auto nnz = static_cast<double>(s.f.nnz);
    const bool near = s.request.strips->index_bytes <= most_cached_index;
    const bool apart = static_cast<double>(s.f.max_row) > apart_share * nnz / s.request.threads &&
                       s.request.strips->padding <= most_apart_padding;
    if (bytes_per_thread(s) < least_strips_bytes && !near && !apart) return {};
    const double strips = s.request.strips->bytes / nnz;
    const double csr = csr_bytes_a_nonzero(s);
    if (strips > most_strips_share * csr) return {};
    return {"strips_cpu",
            fmt::format("{:.1f} bytes an entry as strips, {:.1f} as CSR", strips, csr)};
}

/// Of blocks that caches hold, unrolled loops over them are faster than anything decoded.
Pick cached_blocks(const Situation& s) {
    if (!s.request.blocks || s.request.num_rhs > 1 || is_complex(s.f.value_type)) return {};
    const std::int64_t elements = std::int64_t{s.request.blocks->rows} * s.request.blocks->cols;
    const double bytes = blocked_bytes_a_nonzero(s);
    const bool in_core =
        elements >= medium_block &&
        bytes * static_cast<double>(s.f.nnz) / s.request.threads < least_medium_blocked;
    const bool worth_it =
        in_core ? s.request.blocks->fill <= most_cached_fill : bytes <= csr_bytes_a_nonzero(s);
    const double limit = elements < medium_block  ? least_small_blocked
                         : elements < large_block ? least_medium_blocked
                         : has_fast_gathers(s.request.target)
                             ? least_large_blocked
                             : std::numeric_limits<double>::infinity();
    if (elements < small_block || !worth_it || bytes_per_thread(s) >= limit) return {};
    return {"bcsr",
            fmt::format("{:.1f} MB of entries a thread in blocks", bytes_per_thread(s) / 1e6)};
}

constexpr std::array by_matrix{Rule{cached_blocks, {"bcsr"}},
                               Rule{compressed_strips, {"strips_cpu"}}};

constexpr std::array rules{
    Rule{long_rows, {"csr_balanced"}},
    Rule{several_right_hand_sides, {"csr_ahead", "csr_vector", "sell", "csr_rows"}},
    Rule{mostly_empty_rows, {"coo_segmented"}},
    Rule{even_rows, {"sell"}},
    Rule{first_cached_rows, {"sell"}},
    Rule{almost_empty_rows, {"csr_rows"}},
    Rule{short_rows, {"sell"}},
    Rule{rows_in_vectors, {"csr_vector"}, true}};

}  // namespace

RuleSet cpu_rules() {
    return {by_matrix, rules};
}

}  // namespace spmvgen
