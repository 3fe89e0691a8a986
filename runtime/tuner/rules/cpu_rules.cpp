#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "tuner/csr_k/csr_k.hpp"
#include "tuner/rules/matrix_rules.hpp"
#include "tuner/rules/rules.hpp"

namespace spmvgen {
namespace {

// Where one kernel begins to be better than another: measured, see docs/kernels-cpu.md.
constexpr double long_row_share = 0.5;     ///< longest row over a thread's share of the entries
constexpr double least_vector_mean = 1.5;  ///< mean row, for vectors and for sorting
constexpr double most_empty_mean = 0.25;   ///< mean row, for COO,
constexpr std::int64_t least_empty_rows = 10'000;  ///< rows, for the same
constexpr double most_short_mean = 4;         ///< mean row, where short rows alone speak for SELL
constexpr double most_even_mean = 8;          ///< mean row, where rows of one length do
constexpr double cached_bytes = 1e6;          ///< of A for each thread
constexpr double even_padding = 1.02;         ///< stored entries over nonzeros in SELL, unsorted
constexpr double even_sorted_padding = 1.05;  ///< the same with sorted rows
constexpr double short_sorted_padding = 1.1;
constexpr std::int64_t sorting_window = 4096;
// Of compressed strips: docs/cpu-peers.md.
constexpr std::int64_t strip_lanes = 16;       ///< two AVX-512 registers of f64
constexpr std::int64_t strip_prefetch = 4096;  ///< bytes ahead
constexpr double least_strips_bytes =
    1.5e6;                                  ///< of A in CSR for each thread: about a core's caches
constexpr double most_cached_index = 1.25;  ///< bytes a nonzero that name its column, for strips
                                            ///< of what caches hold: x is hardly gathered then
constexpr double apart_share = 0.1;  ///< longest row over a thread's share of the entries, from
                                     ///< which strips, which keep it apart, gain in caches too:
constexpr double most_apart_padding = 1.2;  ///< arrow 32 and 74 µs, mult_dcop_01 49 and 72
constexpr double prefetched_bytes = 8e6;    ///< the same: what comes from memory, not a cache
constexpr double most_strips_share = 1.1;   ///< of CSR's bytes
constexpr double long_over_mean = 4;        ///< rows that leave the slices
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
constexpr std::array<std::int64_t, 3> long_limits{64, 512, 4096};

/// Index into Features' padding figures for the slices that the request leads to; lower slices
/// than the lowest of these pad less.
std::size_t slices(const Situation& s) {
    const std::int64_t height = given(s, "lanes", register_lanes(s)) * given(s, "unroll", 1);
    return height <= 8 ? 0 : height <= 16 ? 1 : 2;
}
double padding(const Situation& s) {
    return s.f.sell_padding[slices(s)];
}
double sorted_padding(const Situation& s) {
    return s.f.sell_sorted_padding[slices(s)];
}

double bytes_per_thread(const Situation& s) {
    const auto entry = static_cast<double>(size_of(stored_type(s.request, s.f.value_type)) +
                                           size_of(IndexType::i32));
    return static_cast<double>(s.f.nnz) * entry / s.request.threads;
}

Pick long_rows(const Situation& s) {
    const double share = static_cast<double>(s.f.nnz) / s.request.threads;
    if (s.request.threads < 2 || static_cast<double>(s.f.max_row) <= long_row_share * share)
        return {};
    return {"csr_balanced",
            fmt::format("longest row {}, a thread's share {:.0f} entries", s.f.max_row, share)};
}

Pick several_right_hand_sides(const Situation& s) {
    if (s.request.num_rhs == 1) return {};
    return {"csr_rows", fmt::format("{} right-hand sides", s.request.num_rhs)};
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

/// Lanes for kernels that put the entries of one row into a vector: no more than a row fills.
std::int64_t lanes_of_a_row(const Situation& s) {
    if (sums_type(s.request, s.f.value_type) == ValueType::c64 && s.f.mean_row < 8) return 2;
    std::int64_t lanes = 4;
    while (2.0 * static_cast<double>(lanes) <= s.f.mean_row) lanes *= 2;
    return std::min(lanes, std::max<std::int64_t>(2, register_lanes(s)));
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

/// Rows sorted where slices would be padded; rows apart that would widen a slice for themselves.
Params strips_params(const Situation& s) {
    const auto limit = std::ranges::find_if(long_limits, [&](std::int64_t n) {
        return static_cast<double>(n) >= long_over_mean * s.f.mean_row;
    });
    return {{"lanes", strip_lanes},
            {"sigma", padding(s) > even_padding ? sorting_window : 1},
            {"long_from", limit == long_limits.end() ? long_limits.back() : *limit},
            {"prefetch", bytes_per_thread(s) < prefetched_bytes ? 0 : strip_prefetch}};
}

/// What strips_params gives.
std::vector<Params> possible_strips() {
    std::vector<Params> all;
    for (const std::int64_t sigma : {std::int64_t{1}, sorting_window})
        for (const std::int64_t limit : long_limits)
            for (const std::int64_t prefetch : {std::int64_t{0}, strip_prefetch})
                all.push_back({{"lanes", strip_lanes},
                               {"sigma", sigma},
                               {"long_from", limit},
                               {"prefetch", prefetch}});
    return all;
}

/// Parameters of the kernel that a rule sets when the request leaves them open; the others keep
/// the registry's presets.
std::map<std::string, std::int64_t> cpu_params(const KernelEntry& entry, const Situation& s) {
    const std::string_view kernel = entry.id;
    if (kernel == "csr_vector") return {{"lanes", lanes_of_a_row(s)}};
    const std::int64_t lanes_or_one = s.f.mean_row < least_vector_mean ? 1 : lanes_of_a_row(s);
    if (kernel == "csr_balanced" || kernel == "coo_segmented") return {{"lanes", lanes_or_one}};
    if (entry.format == Format::csr_k) {
        auto params = plan_csr_k(entry, s).params;
        params.try_emplace("lanes", lanes_or_one);
        return params;
    }
    if (kernel == "sell" && padding(s) > even_padding && sorted_padding(s) < padding(s))
        return {{"sigma", sorting_window}};
    if (entry.format == Format::bcsr) return block_size(s);
    if (kernel == "strips_cpu") return strips_params(s);
    return {};
}

constexpr std::array by_matrix{Rule{cached_blocks, {"bcsr"}},
                               Rule{compressed_strips, {"strips_cpu"}}};

constexpr std::array rules{
    Rule{long_rows, {"csr_balanced"}},          Rule{several_right_hand_sides, {"csr_rows"}},
    Rule{mostly_empty_rows, {"coo_segmented"}}, Rule{even_rows, {"sell"}},
    Rule{almost_empty_rows, {"csr_rows"}},      Rule{short_rows, {"sell"}},
    Rule{rows_in_vectors, {"csr_vector"}, true}};

/// What lanes_of_a_row gives: it changes at powers of two, up to twice the longest vector.
std::set<std::int64_t> possible_lanes(const Request& request, ValueType value) {
    constexpr double longest_mean = 64;
    std::set<std::int64_t> lanes;
    Features f;
    f.value_type = value;
    for (f.mean_row = 1; f.mean_row <= longest_mean; f.mean_row *= 2)
        lanes.insert(lanes_of_a_row({f, request, {}}));
    return lanes;
}

std::vector<Params> cpu_possible(const KernelEntry& entry, const Request& request,
                                 ValueType value) {
    if (entry.format == Format::csr_k || entry.format == Format::bcsr) refuse_to_list(entry);
    if (entry.id == "strips_cpu") return possible_strips();
    if (entry.id == "sell") return {{}, {{"sigma", sorting_window}}};
    std::set<std::int64_t> lanes;
    if (entry.id == "csr_vector" || entry.id == "csr_balanced" || entry.id == "coo_segmented")
        lanes = possible_lanes(request, value);
    if (entry.id == "csr_balanced" || entry.id == "coo_segmented") lanes.insert(1);
    if (lanes.empty()) return {{}};
    std::vector<Params> all;
    for (const std::int64_t n : lanes) all.push_back({{"lanes", n}});
    return all;
}

}  // namespace

std::int64_t register_lanes(const Situation& s) {
    return std::max<std::int64_t>(
        1, architecture(s.request.target).vector_bytes /
               static_cast<std::int64_t>(size_of(sums_type(s.request, s.f.value_type))));
}

RuleSet cpu_rules() {
    return {by_matrix, rules, cpu_params, cpu_possible};
}

}  // namespace spmvgen
