#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "formats/layout.hpp"
#include "formats/value_encoding.hpp"
#include "registry.hpp"
#include "tuner/cost/figures/figures.hpp"
#include "tuner/cost/figures/length_histogram.hpp"

namespace spmvgen {

/// A kernel's parameters beside the matrix' figures, in doubles: what counting work is the same for
/// on all machines. The figures and the signature must outlive it.
class CostProblem {
  public:
    CostProblem(MatrixFigures& figures, const Signature& signature)
        : m(figures),
          f(figures.features()),
          s(signature),
          lengths(figures.lengths()),
          rows(static_cast<double>(f.rows)),
          nnz(static_cast<double>(f.nnz)),
          longest(static_cast<double>(f.max_row)),
          index(static_cast<double>(size_of(s.index))),
          offset(static_cast<double>(size_of(s.offset))),
          vector(static_cast<double>(s.num_rhs) * static_cast<double>(size_of(s.value))),
          value(value_bytes_of(s)),
          sigma(static_cast<std::int64_t>(param("sigma"))) {}

    MatrixFigures& m;
    const RowFeatures& f;
    const Signature& s;
    const LengthHistogram& lengths;
    double rows, nnz, longest, index, offset;
    double vector;       ///< bytes of an element of x or y, of all right-hand sides
    double value;        ///< bytes of a stored value
    std::int64_t sigma;  ///< rows that are sorted by length together

    double param(std::string_view name, double otherwise = 1) const {
        const std::int64_t* const found = find_param(s, name);
        return found != nullptr ? static_cast<double>(*found) : otherwise;
    }
    bool is_sorted() const { return sigma > 1; }
    double x_bytes() const { return vector * std::min(static_cast<double>(f.cols), nnz); }
    double vectors_bytes() const { return vector * rows + x_bytes(); }
    double a_bytes() const { return nnz * (value + index) + rows * offset; }  ///< of CSR
    double csr_bytes() const { return a_bytes() + vectors_bytes(); }

    /// Lines of `line` bytes an entry, of so many sectors of 32 bytes an entry that are counted for
    /// 8-byte elements: one that is used up holds more or fewer elements, and one of which a single
    /// element is used stays one.
    double lines_of(double sectors, double line) const {
        constexpr double full = 0.25;
        const double own_full = vector / line;
        if (sectors <= full) return sectors * own_full / full;
        return own_full + (sectors - full) / (1 - full) * (1 - own_full);
    }
    /// Sectors of x an entry, all that somebody asks for who keeps what `height` neighbouring rows
    /// touch, in the order of the kernel; for 8-byte elements.
    double window_sectors(double height) const {
        // Of 1, 32, 512 and 8192 rows.
        static constexpr std::array<double, 4> at{0, 5, 9, 13};
        const double level = std::clamp(std::log2(std::max(height, 1.0)), 0.0, at.back());
        std::size_t i = 1;
        while (at[i] < level) ++i;
        const double part = (level - at[i - 1]) / (at[i] - at[i - 1]);
        const double fewer = m.window_sectors(i - 1, sigma), more = m.window_sectors(i, sigma);
        return fewer * std::pow(std::max(more, 1e-3) / std::max(fewer, 1e-3), part);
    }
    double slice_padding(double height) const {
        const auto& p = is_sorted() ? f.sell_sorted_padding : f.sell_padding;
        if (height <= 8) return std::max(p[0], 1.0);
        if (height <= 16) return std::max(p[1], 1.0);
        return std::max(p[2], 1.0);
    }
    /// Of strips: entries of rows that are kept apart, for they are longer than `limit`. They are
    /// few: the sample knows little of them, the histogram all.
    double strips_limit(double lanes_of_row) const {
        const bool has_long = param("long_rows", 0) > 0;
        return has_long ? param("long_from") * lanes_of_row * param("block_cols")
                        : LengthHistogram::any;
    }

  private:
    static double value_bytes_of(const Signature& s) {
        const std::int64_t* const code = find_param(s, "value_code");
        return static_cast<double>(value_bytes(
            {storage_type(s), code != nullptr ? static_cast<ValueCode>(*code) : ValueCode::plain}));
    }
};

}  // namespace spmvgen
