#include "tuner/cost/figures/subwarp.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/cost/figures/row_steps.hpp"

namespace spmvgen {
namespace {

// Costs in lane-steps: a lane that takes an entry, or waits meanwhile for another of its wavefront.
// Fitted to csr_classical on an H200, 28 matrices, every subwarp (bench/results/README.md).
constexpr double row_cost = 2;        ///< of a lane for beginning and ending a row
constexpr double spread_cost = 0.09;  ///< share more for each entry that a lane has of a row: lanes
                                      ///< then read further apart
constexpr double tail_cost = 7e4;     ///< of a step of the longest row, which all others wait for

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
