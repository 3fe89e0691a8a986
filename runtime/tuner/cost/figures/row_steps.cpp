#include "tuner/cost/figures/row_steps.hpp"

#include <algorithm>
#include <cmath>

namespace spmvgen {
namespace {

/// Σ ceil(n / lanes) for n = 1 … last.
double sum_of_steps(std::int64_t last, int lanes) {
    const auto whole = static_cast<double>(last / lanes), rest = static_cast<double>(last % lanes);
    return lanes * whole * (whole + 1) / 2 + rest * (whole + 1);
}

/// Calls visit(rows, first, last) for each class of lengths first … last that has rows.
template <typename Visit>
void for_each_class(const RowFeatures& f, const Visit& visit) {
    for (std::size_t i = 1; i < f.row_histogram.size(); ++i) {
        if (f.row_histogram[i] == 0) continue;
        const std::int64_t first = std::max(std::int64_t{1} << (i - 1), f.min_row);
        const std::int64_t last = std::max(first, std::min((std::int64_t{1} << i) - 1, f.max_row));
        visit(f.row_histogram[i], first, last);
    }
}

}  // namespace

double mean_steps(const RowFeatures& f, int lanes) {
    double steps = 0, rows = static_cast<double>(f.row_histogram[0]);
    for_each_class(f, [&](std::int64_t count, std::int64_t first, std::int64_t last) {
        rows += static_cast<double>(count);
        steps += static_cast<double>(count) *
                 (sum_of_steps(last, lanes) - sum_of_steps(first - 1, lanes)) /
                 static_cast<double>(last - first + 1);
    });
    return rows > 0 ? steps / rows : 0;
}

double longest_over_mean(const RowFeatures& f, int rows) {
    const auto at = [&](std::size_t slices) { return std::max(1.0, f.sell_padding[slices]); };
    const double levels = std::log2(rows);
    if (rows <= 8) return std::pow(at(0), levels / 3);
    return rows == 16 ? at(1) : std::pow(at(2), levels / 5);
}

RowTails row_tails(const RowFeatures& f, double width) {
    RowTails tails;
    for_each_class(f, [&](std::int64_t count, std::int64_t first, std::int64_t last) {
        const auto longest = static_cast<double>(last);
        if (longest <= width) return;
        const double from = std::max(static_cast<double>(first), std::floor(width) + 1);
        const double rows = static_cast<double>(count) * (longest - from + 1) /
                            static_cast<double>(last - first + 1);
        tails.rows += rows;
        tails.entries += rows * ((from + longest) / 2 - width);
    });
    return tails;
}

double row_quantile(const RowFeatures& f, double share) {
    double below = 0;
    for (std::size_t i = 0; i < f.row_histogram.size(); ++i) {
        below += static_cast<double>(f.row_histogram[i]);
        if (below > share * static_cast<double>(f.rows))
            return i == 0 ? 0
                          : static_cast<double>(std::min((std::int64_t{1} << i) - 1, f.max_row));
    }
    return static_cast<double>(f.max_row);
}

}  // namespace spmvgen
