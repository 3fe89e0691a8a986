#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "tuner/cost/work/cpu_work.hpp"
#include "tuner/situation.hpp"

/// Figures of a matrix as a CPU sees them, which rules and plans have in common.
namespace spmvgen::cpu {

inline constexpr double least_vector_mean = 1.5;  ///< mean row, for vectors and for sorting
inline constexpr double even_padding = 1.02;      ///< stored entries over nonzeros, unsorted

inline constexpr std::int64_t long_row = 256;  ///< entries, that hold up those of other lengths
/// Rows of the windows in which kernels sort, ascending.
inline constexpr std::array<std::int64_t, 2> all_sorting_windows{256, 4096};

/// Mean row, from which on adding to the sums of several right-hand sides one entry after another
/// takes longer than loading x (docs/explanation/several-vectors.md).
constexpr double least_unrolled_mean(int num_rhs) {
    return num_rhs <= 4 ? 10 : 15;
}

/// Sums in one vector register.
inline std::int64_t register_lanes(const Request& request, ValueType value) {
    return std::max<std::int64_t>(
        1, architecture(request.target).vector_bytes /
               static_cast<std::int64_t>(size_of(sums_type(request, value))));
}
inline std::int64_t register_lanes(const Situation& s) {
    return register_lanes(s.request, s.f.value_type);
}

/// The same of kernels that put the entries of one row into a register: where x is loaded singly,
/// filling the longest registers takes longer than it saves.
inline std::int64_t row_register_lanes(const Request& request, ValueType value) {
    constexpr std::int64_t longest = 32;  // bytes
    const std::int64_t lanes = register_lanes(request, value);
    if (has_fast_gathers(request.target)) return lanes;
    return std::clamp<std::int64_t>(
        longest / static_cast<std::int64_t>(size_of(sums_type(request, value))), 1, lanes);
}

/// Right-hand sides, up to which compilers keep the sums of four entries in registers.
inline constexpr int most_unrolled_rhs = 8;
/// Whether rows are so long, of columns that have entries enough for x to be in caches, and sums
/// so few that registers hold them.
inline bool unrolls_entries(const Situation& s) {
    constexpr std::int64_t registers = 8, entries = 4;
    return s.request.num_rhs > 1 && s.request.num_rhs <= most_unrolled_rhs &&
           s.request.num_rhs * entries <= registers * register_lanes(s) &&
           s.f.mean_row >= least_unrolled_mean(s.request.num_rhs) && s.f.nnz >= s.f.cols;
}

/// Bytes of `elements` rows of x or of y.
inline double bytes_of_vectors(const Situation& s, std::int64_t elements) {
    return static_cast<double>(elements) * s.request.num_rhs *
           static_cast<double>(size_of(vectors_type(s.request, s.f.value_type)));
}

/// Whether the last cache holds little of x and y, and rows of y have two lines and more: stored
/// past the caches, y is not read before (docs/explanation/several-vectors.md).
inline bool stores_past_caches(const Situation& s) {
    constexpr double row = 128, far = 24e6;  // bytes
    return bytes_of_vectors(s, 1) >= row && bytes_of_vectors(s, s.f.rows + s.f.cols) >= far;
}

/// Index into Features' padding figures for the slices that the request leads to; lower slices
/// than the lowest of these pad less.
inline std::size_t slices(const Situation& s) {
    const std::int64_t height = given(s, "lanes", register_lanes(s)) * given(s, "unroll", 1);
    return height <= 8 ? 0 : height <= 16 ? 1 : 2;
}
inline double padding(const Situation& s) {
    return s.f.sell_padding[slices(s)];
}
inline double sorted_padding(const Situation& s) {
    return s.f.sell_sorted_padding[slices(s)];
}

/// The largest of all_sorting_windows of which each thread has two of its own, 1 = none: sums of
/// sorted rows go to y in any order, and threads that share a window take its cache lines from each
/// other.
inline std::int64_t sorting_window(const Situation& s) {
    std::int64_t window = 1;
    for (const std::int64_t w : all_sorting_windows)
        if (2 * w * s.request.threads <= s.f.rows || s.request.threads == 1) window = w;
    return window;
}

/// Of A's entries.
inline double bytes_per_thread(const Situation& s) {
    const auto entry = static_cast<double>(size_of(stored_type(s.request, s.f.value_type)) +
                                           size_of(IndexType::i32));
    return static_cast<double>(s.f.nnz) * entry / s.request.threads;
}

inline constexpr std::int64_t far_ahead = 4096;  ///< bytes; a core prefetches within 4 KiB itself

/// Bytes ahead of their use at which A's entries are prefetched: those that come from memory.
inline std::int64_t prefetch_ahead(const Situation& s) {
    return bytes_per_thread(s) >= from_memory ? far_ahead : 0;
}

/// Lanes for kernels that put the entries of one row into a vector: no more than a row fills.
inline std::int64_t lanes_of_a_row(const Request& request, ValueType value, double mean_row) {
    if (sums_type(request, value) == ValueType::c64 && mean_row < 8) return 2;
    std::int64_t lanes = 4;
    while (2.0 * static_cast<double>(lanes) <= mean_row) lanes *= 2;
    return std::min(lanes, std::max<std::int64_t>(2, row_register_lanes(request, value)));
}

/// The same of kernels that may also take one entry after another.
inline std::int64_t lanes_or_one(const Situation& s) {
    return s.f.mean_row < least_vector_mean
               ? 1
               : lanes_of_a_row(s.request, s.f.value_type, s.f.mean_row);
}

}  // namespace spmvgen::cpu
