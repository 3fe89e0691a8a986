#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <vector>

#include "matrix/features/features.hpp"

namespace spmvgen {

/// Row lengths by their histogram, spread evenly over each class as far as the shortest and the
/// longest row allow. What was asked for is kept: for one thread at a time.
class LengthHistogram {
  public:
    explicit LengthHistogram(const RowFeatures& features)
        : longest_(static_cast<double>(features.max_row)) {
        constexpr int points = 8;  // of a class
        const auto& classes = features.row_histogram;
        for (std::size_t i = 1; i < classes.size(); ++i) {
            if (classes[i] == 0) continue;
            const double first = std::max(std::ldexp(1.0, static_cast<int>(i) - 1),
                                          static_cast<double>(features.min_row));
            const double last =
                std::max(first, std::min(std::ldexp(1.0, static_cast<int>(i)) - 1, longest_));
            const double each = static_cast<double>(classes[i]) / points;
            for (int p = 0; p < points; ++p) {
                lengths_.push_back(std::floor(first + (last - first + 1) * (p + 0.5) / points));
                rows_.push_back(each);
            }
        }
        rows_below_ = sums_below([](double) { return 1; });
        entries_below_ = sums_below([](double length) { return length; });
    }

    static constexpr double any = std::numeric_limits<double>::infinity();

    /// Rows with entries, of a length above `above` and up to `most`.
    double rows(double above = 0, double most = any) const {
        return between(rows_below_, above, most);
    }
    double entries(double above = 0, double most = any) const {
        return between(entries_below_, above, most);
    }
    /// The longest of those up to `most`; 0 = there is none. Exact where no row is longer.
    double longest(double most) const {
        if (most >= longest_) return longest_;
        const std::size_t end = first_above(most);
        return end > 0 ? lengths_[end - 1] : 0;
    }
    /// Rounds that they take when `lanes` entries are taken at a time.
    double rounds(double lanes, double above = 0, double most = any) const {
        return between(rounds_below(lanes), above, most);
    }

    /// The mean of the longest of `count` of these rows drawn at random over the mean of all of
    /// them, empty ones (of which there are `empty`) included.
    double longest_over_mean(double count, double most, double empty) const {
        const std::array asked{count, most, empty};
        const auto known = std::ranges::find(longest_of_, asked, &LongestOf::asked);
        if (known != longest_of_.end()) return known->over_mean;
        return longest_of_.emplace_back(asked, longest_over_mean_of(count, most, empty)).over_mean;
    }

  private:
    struct RoundsBelow {
        double lanes;
        std::vector<double> sums;
    };
    struct LongestOf {
        std::array<double, 3> asked;
        double over_mean;
    };

    double longest_over_mean_of(double count, double most, double empty) const {
        const double all = rows(0, most) + empty;
        double below = empty, longest = 0, shorter = std::pow(below / std::max(all, 1.0), count);
        const std::size_t end = first_above(most);
        for (std::size_t i = first_above(0); i < end; ++i) {
            below += rows_[i];
            const double share = std::pow(std::min(below / all, 1.0), count);
            longest += lengths_[i] * (share - shorter);
            shorter = share;
        }
        const double mean = entries(0, most) / std::max(all, 1.0);
        return mean > 0 ? std::max(longest / mean, 1.0) : 1;
    }
    /// The first of the lengths above it.
    std::size_t first_above(double length) const {
        return static_cast<std::size_t>(std::ranges::upper_bound(lengths_, length) -
                                        lengths_.begin());
    }
    /// Of the first i lengths, at place i, the sum of of(length) over their rows.
    template <typename Of>
    std::vector<double> sums_below(const Of& of) const {
        std::vector<double> sums{0};
        sums.reserve(lengths_.size() + 1);
        for (std::size_t i = 0; i < lengths_.size(); ++i)
            sums.push_back(sums.back() + rows_[i] * of(lengths_[i]));
        return sums;
    }
    /// Differences are exact: lengths are whole, and rows eighths.
    double between(const std::vector<double>& sums, double above, double most) const {
        return above < most ? sums[first_above(most)] - sums[first_above(above)] : 0;
    }
    const std::vector<double>& rounds_below(double lanes) const {
        const auto known = std::ranges::find(rounds_below_, lanes, &RoundsBelow::lanes);
        if (known != rounds_below_.end()) return known->sums;
        return rounds_below_
            .emplace_back(lanes, sums_below([lanes](double n) { return std::ceil(n / lanes); }))
            .sums;
    }

    std::vector<double> lengths_, rows_;  ///< lengths ascend; the rows of each
    double longest_;
    std::vector<double> rows_below_, entries_below_;
    mutable std::deque<RoundsBelow> rounds_below_;
    mutable std::deque<LongestOf> longest_of_;
};

}  // namespace spmvgen
