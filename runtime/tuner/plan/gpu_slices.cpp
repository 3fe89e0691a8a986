#include "tuner/plan/gpu_slices.hpp"

#include "tuner/plan/gpu_figures.hpp"

namespace spmvgen {
namespace {

// From times on an H200 (bench/results/README.md, docs/explanation/choice.md).
constexpr double least_saving = 1;  ///< entries a row that sorting saves, to be worth x's locality
constexpr double long_slice_mean = 40;  ///< mean row, where one thread a row is too slow
constexpr std::int64_t filling_threads = 40'000;
constexpr double thread_entries = 20;  ///< of the longest row, that a thread of a slice may have
constexpr double entries_for_another = 1.5e5;  ///< of the matrix, for each one more: the others
                                               ///< take as long meanwhile

/// Threads for a row of a slice: enough of them in all to fill a GPU, and more than one for long
/// rows, but none without entries.
std::int64_t slice_threads(const Situation& s) {
    const double mean = s.f.mean_row, longest = static_cast<double>(s.f.max_row);
    const double most = thread_entries + static_cast<double>(s.f.nnz) / entries_for_another;
    std::int64_t threads = mean >= long_slice_mean ? 4 : 1;
    while (static_cast<double>(threads) * 4 <= mean &&
           (s.f.rows * threads < filling_threads || longest > most * static_cast<double>(threads)))
        threads *= 2;
    return threads;
}

/// Entries under way at a time where a lane takes a row: about as many as it has; of wide values a
/// few fewer.
std::int64_t slice_unroll_of_lane(const Situation& s) {
    constexpr double short_mean = 2.5, narrow_mean = 4.5, wide_mean = 5.1;
    const bool wide = size_of(stored_type(s.request, s.f.value_type)) >= sizeof(double);
    const double mean = s.f.mean_row;
    return mean > (wide ? wide_mean : narrow_mean) ? 8 : mean > short_mean ? 4 : 2;
}

}  // namespace

std::int64_t slice_unroll_of_lanes(const Request& request, bool loads_ahead) {
    return loads_ahead && architecture(request.target).gpu.overlaps_launches ? 4 : 8;
}

void choose_slices(ParamChoice& c, bool loads_ahead) {
    const std::int64_t threads = c.set("threads_per_row", Values::powers(1, 32), slice_threads);
    if (threads > 2) {
        c.put("unroll", slice_unroll_of_lanes(c.request(), loads_ahead));
        return;
    }
    // Two threads have rows of at least twice as many entries.
    c.set("unroll", threads == 1 ? Values{2, 4, 8} : Values{4, 8}, slice_unroll_of_lane);
}

bool sorting_saves(const Situation& s) {
    return (slice_padding(s) - sorted_slice_padding(s)) * s.f.mean_row >= least_saving;
}

}  // namespace spmvgen
