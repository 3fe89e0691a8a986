#include <algorithm>
#include <cmath>

#include "tuner/rules.hpp"

namespace spmvgen {
namespace {

// Costs of a wavefront in units of one step, in which each lane takes an entry.
constexpr double line_cost = 0.35;    ///< of a cache line that a step touches
constexpr double shuffle_cost = 0.6;  ///< of a level of the sum over the lanes
constexpr double row_cost = 1;        ///< of beginning and ending a row: row_ptr, y
constexpr double line_bytes = 128;

/// Σ ceil(n / lanes) for n = 1 … last.
double sum_of_steps(std::int64_t last, int lanes) {
    const auto whole = static_cast<double>(last / lanes), rest = static_cast<double>(last % lanes);
    return lanes * whole * (whole + 1) / 2 + rest * (whole + 1);
}

/// Steps of a row, on average: lengths are taken as spread evenly over each class of the histogram,
/// as far as the shortest and the longest row allow.
double mean_steps(const Features& f, int lanes) {
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
double longest_over_mean(const Features& f, int rows) {
    const auto at = [&](std::size_t slices) { return std::max(1.0, f.sell_padding[slices]); };
    const double levels = std::log2(rows);
    if (rows <= 8) return std::pow(at(0), levels / 3);
    return rows == 16 ? at(1) : std::pow(at(2), levels / 5);
}

/// Cache lines that one step of a wavefront touches in an array of such elements: a run a row, no
/// more than all entries of these rows, which stand one after another, take up.
double lines_of_step(const Features& f, double element_bytes, int rows, int lanes) {
    const double runs = rows * (1 + (lanes - 1) * element_bytes / line_bytes);
    const double all = 1 + rows * f.mean_row * element_bytes / line_bytes;
    return std::min(runs, all);
}

}  // namespace

double subwarp_cost(const Features& f, ValueType stored, int wavefront, int subwarp) {
    const int rows = wavefront / subwarp;
    const double steps = mean_steps(f, subwarp) * longest_over_mean(f, rows);
    const double lines = lines_of_step(f, static_cast<double>(size_of(stored)), rows, subwarp) +
                         lines_of_step(f, size_of(IndexType::i32), rows, subwarp);
    return (steps * (1 + line_cost * lines) + shuffle_cost * std::log2(subwarp) + row_cost) / rows;
}

int choose_subwarp(const Features& f, ValueType stored, int wavefront) {
    int best = 1;
    for (int subwarp = 2; subwarp <= wavefront; subwarp *= 2)
        if (subwarp_cost(f, stored, wavefront, subwarp) < subwarp_cost(f, stored, wavefront, best))
            best = subwarp;
    return best;
}

int subwarp_of_longest_row(const Features& f, int wavefront) {
    int subwarp = 1;
    while (subwarp * 2 <= wavefront && subwarp * 2 <= f.max_row) subwarp *= 2;
    return subwarp;
}

}  // namespace spmvgen
