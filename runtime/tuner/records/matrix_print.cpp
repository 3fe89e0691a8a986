#include "tuner/records/matrix_print.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "tuner/records/record_json.hpp"

namespace spmvgen {
namespace {

/// The largest of what it is shown.
class Largest {
  public:
    void difference(double a, double b) { value_ = std::max(value_, std::abs(a - b)); }
    /// Of counts.
    void ratio(std::int64_t a, std::int64_t b) {
        difference(std::log1p(static_cast<double>(a)), std::log1p(static_cast<double>(b)));
    }
    /// Of paddings: 0 where there is nothing to pad.
    void ratio(double a, double b) {
        difference(std::log(std::max(a, 1.0)), std::log(std::max(b, 1.0)));
    }
    template <std::size_t n>
    void ratios(const std::array<double, n>& a, const std::array<double, n>& b) {
        for (std::size_t i = 0; i < n; ++i) ratio(a[i], b[i]);
    }
    template <std::size_t n>
    void differences(const std::array<double, n>& a, const std::array<double, n>& b) {
        for (std::size_t i = 0; i < n; ++i) difference(a[i], b[i]);
    }
    double value() const { return value_; }

  private:
    double value_ = 0;
};

double variation(const RowFeatures& f) {
    return f.mean_row > 0 ? std::sqrt(f.variance_row) / f.mean_row : 0;
}

double share(std::int64_t part, std::int64_t whole) {
    return static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(whole, 1));
}

/// The share of rows that are of another class of lengths.
double moved_rows(const RowFeatures& a, const RowFeatures& b) {
    double moved = 0;
    for (std::size_t i = 0; i < a.row_histogram.size(); ++i)
        moved += std::abs(share(a.row_histogram[i], a.rows) - share(b.row_histogram[i], b.rows));
    return moved / 2;
}

}  // namespace

std::string row_print(const RowFeatures& f) {
    return fmt::format("{} {} {}; {} {} {}; {}; {} {} {}; {} {} {}", f.rows, f.cols, f.nnz,
                       f.min_row, f.max_row, f.empty_rows, fmt::join(f.row_histogram, " "),
                       f.row_p50, f.row_p90, f.row_p99, fmt::join(f.sell_padding, " "),
                       fmt::join(f.sell_sorted_padding, " "), f.ell_padding);
}

std::string matrix_print(const Features& f) {
    return fmt::format("{}; {} {} {}", row_print(f), f.bandwidth, f.max_col, f.empty_cols);
}

std::string record_key(const TuningRecord& r) {
    return fmt::format("{}\n{}\n{}\n{}\n{}", to_string(r.question), r.device.vendor, r.device.arch,
                       r.device.name, matrix_print(r.features));
}

double distance(const RowFeatures& a, const RowFeatures& b) {
    Largest d;
    d.ratio(a.rows, b.rows);
    d.ratio(a.cols, b.cols);
    d.ratio(a.nnz, b.nnz);
    d.ratio(a.max_row, b.max_row);
    d.ratios(a.sell_padding, b.sell_padding);
    d.ratios(a.sell_sorted_padding, b.sell_sorted_padding);
    d.difference(variation(a), variation(b));
    d.difference(moved_rows(a, b), 0);
    return d.value();
}

double distance(const Features& a, const Features& b) {
    Largest d;
    d.difference(distance(static_cast<const RowFeatures&>(a), static_cast<const RowFeatures&>(b)),
                 0);
    d.differences(a.warp_sectors, b.warp_sectors);
    d.differences(a.window_sectors, b.window_sectors);
    return d.value();
}

bool alike_blocks(const Features& a, const Features& b) {
    for (std::size_t i = 0; i < a.block_fill.size(); ++i)
        if (std::abs(std::log(a.block_fill[i] / b.block_fill[i])) > most_distance) return false;
    return true;
}

}  // namespace spmvgen
