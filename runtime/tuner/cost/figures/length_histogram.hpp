#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "matrix/features/features.hpp"

namespace spmvgen {

/// Row lengths by their histogram, spread evenly over each class as far as the shortest and the
/// longest row allow.
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
            for (int p = 0; p < points; ++p)
                lengths_.push_back(
                    {std::floor(first + (last - first + 1) * (p + 0.5) / points), each});
        }
    }

    static constexpr double any = std::numeric_limits<double>::infinity();

    /// Rows with entries, of a length above `above` and up to `most`.
    double rows(double above = 0, double most = any) const {
        return sum(above, most, [](double) { return 1.0; });
    }
    double entries(double above = 0, double most = any) const {
        return sum(above, most, [](double length) { return length; });
    }
    /// The longest of those up to `most`; 0 = there is none. Exact where no row is longer.
    double longest(double most) const {
        double found = 0;
        if (most < longest_) visit(0, most, [&](double length, double) { found = length; });
        return most < longest_ ? found : longest_;
    }
    /// Rounds that they take when `lanes` entries are taken at a time.
    double rounds(double lanes, double above = 0, double most = any) const {
        return sum(above, most, [lanes](double length) { return std::ceil(length / lanes); });
    }

    /// The mean of the longest of `count` of these rows drawn at random over the mean of all of
    /// them, empty ones (of which there are `empty`) included.
    double longest_over_mean(double count, double most, double empty) const {
        const double all = rows(0, most) + empty;
        double below = empty, longest = 0, shorter = std::pow(below / std::max(all, 1.0), count);
        visit(0, most, [&](double length, double number) {
            below += number;
            const double share = std::pow(std::min(below / all, 1.0), count);
            longest += length * (share - shorter);
            shorter = share;
        });
        const double mean = entries(0, most) / std::max(all, 1.0);
        return mean > 0 ? std::max(longest / mean, 1.0) : 1;
    }

  private:
    template <typename Of>
    double sum(double above, double most, const Of& of) const {
        double total = 0;
        visit(above, most, [&](double length, double number) { total += number * of(length); });
        return total;
    }
    /// Calls to(length, rows) for lengths that ascend.
    template <typename To>
    void visit(double above, double most, const To& to) const {
        for (auto& [length, rows] : lengths_)
            if (length > above && length <= most) to(length, rows);
    }

    struct Lengths {
        double length, rows;
    };
    std::vector<Lengths> lengths_;  ///< ascending
    double longest_;
};

}  // namespace spmvgen
