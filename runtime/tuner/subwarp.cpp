#include <algorithm>
#include <cmath>

#include "tuner/rules.hpp"

namespace spmvgen {
namespace {

// Costs in lane-steps: a lane that takes an entry, or waits meanwhile for another of its wavefront.
// Fitted to csr_classical on an H200, 28 matrices, every subwarp (docs/handle.md).
constexpr double row_cost = 2;        ///< of a lane for beginning and ending a row
constexpr double spread_cost = 0.09;  ///< share more for each entry that a lane has of a row: lanes
                                      ///< then read further apart
constexpr double tail_cost = 7e4;     ///< of a step of the longest row, which all others wait for

/// Σ ceil(n / lanes) for n = 1 … last.
double sum_of_steps(std::int64_t last, int lanes) {
    const auto whole = static_cast<double>(last / lanes), rest = static_cast<double>(last % lanes);
    return lanes * whole * (whole + 1) / 2 + rest * (whole + 1);
}

/// Steps of a row, on average: lengths are taken as spread evenly over each class of the histogram,
/// as far as the shortest and the longest row allow.
double mean_steps(const RowFeatures& f, int lanes) {
    double steps = 0, rows = 0;
    for (std::size_t i = 0; i < f.row_histogram.size(); ++i) {
        const auto count = static_cast<double>(f.row_histogram[i]);
        rows += count;
        if (i == 0 || count == 0) continue;
        const std::int64_t first = std::max(std::int64_t{1} << (i - 1), f.min_row);
        const std::int64_t last = std::max(first, std::min((std::int64_t{1} << i) - 1, f.max_row));
        steps += count * (sum_of_steps(last, lanes) - sum_of_steps(first - 1, lanes)) /
                 static_cast<double>(last - first + 1);
    }
    return rows > 0 ? steps / rows : 0;
}

/// The longest of `rows` neighbouring rows over the mean: measured for slices of 8, 16 and 32 rows,
/// else between or beyond these.
double longest_over_mean(const RowFeatures& f, int rows) {
    const auto at = [&](std::size_t slices) { return std::max(1.0, f.sell_padding[slices]); };
    const double levels = std::log2(rows);
    if (rows <= 8) return std::pow(at(0), levels / 3);
    return rows == 16 ? at(1) : std::pow(at(2), levels / 5);
}

}  // namespace

double subwarp_cost(const RowFeatures& f, int wavefront, int subwarp) {
    const double steps = mean_steps(f, subwarp) * longest_over_mean(f, wavefront / subwarp);
    const double spread = 1 + spread_cost * f.mean_row / subwarp;
    const auto tail = tail_cost * static_cast<double>(f.max_row) / subwarp;
    return subwarp * (steps + row_cost) * spread +
           tail / static_cast<double>(std::max<std::int64_t>(f.rows, 1));
}

int choose_subwarp(const RowFeatures& f, int wavefront) {
    int best = 1;
    for (int subwarp = 2; subwarp <= wavefront; subwarp *= 2)
        if (subwarp_cost(f, wavefront, subwarp) < subwarp_cost(f, wavefront, best)) best = subwarp;
    return best;
}

int subwarp_of_longest_row(const RowFeatures& f, int wavefront) {
    int subwarp = 1;
    while (subwarp * 2 <= wavefront && subwarp * 2 <= f.max_row) subwarp *= 2;
    return subwarp;
}

}  // namespace spmvgen
