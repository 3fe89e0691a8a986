// Irregular nets with a model each: points that are near each other, the web, citations, random
// couplings around the diagonal.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "matrix/gallery/builder.hpp"
#include "matrix/gallery/families.hpp"
#include "matrix/gallery/lengths.hpp"
#include "matrix/gallery/points.hpp"

namespace spmvgen::generators {
namespace {

/// Points of the unit square in square cells no smaller than a radius, cells along a Z curve.
class Neighbourhoods {
  public:
    Neighbourhoods(std::vector<Point> points, std::int64_t radius_squared)
        : points_(std::move(points)), radius_squared_(radius_squared) {
        while (bits_ < 14) {
            const std::int64_t smaller = std::int64_t{1} << (coordinate_bits - bits_ - 1);
            if (smaller * smaller < radius_squared_) break;
            ++bits_;
        }
        begins_.resize((std::size_t{1} << 2 * bits_) + 1);
        for (const Point p : points_) ++begins_[cell(column(p.x), column(p.y)) + 1];
        for (std::size_t c = 1; c < begins_.size(); ++c) begins_[c] += begins_[c - 1];
    }

    /// Appends the points within the radius of point i, itself left out.
    void append(std::int64_t i, Columns& columns) const {
        const Point p = points_[static_cast<std::size_t>(i)];
        const std::int64_t last = (std::int64_t{1} << bits_) - 1;
        const std::int64_t cx = column(p.x), cy = column(p.y);
        for (std::int64_t y = std::max<std::int64_t>(cy - 1, 0); y <= std::min(cy + 1, last); ++y)
            for (std::int64_t x = std::max<std::int64_t>(cx - 1, 0); x <= std::min(cx + 1, last);
                 ++x)
                append_from(cell(x, y), p, i, columns);
    }

  private:
    std::int64_t column(std::int32_t coordinate) const {
        return coordinate >> (coordinate_bits - bits_);
    }
    static std::size_t cell(std::int64_t x, std::int64_t y) {
        return z_order(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y));
    }
    void append_from(std::size_t cell, Point p, std::int64_t self, Columns& columns) const {
        for (std::int64_t j = begins_[cell]; j < begins_[cell + 1]; ++j) {
            const Point q = points_[static_cast<std::size_t>(j)];
            const std::int64_t dx = std::int64_t{p.x} - q.x, dy = std::int64_t{p.y} - q.y;
            if (j != self && dx * dx + dy * dy <= radius_squared_) columns.push_back(j);
        }
    }

    std::vector<Point> points_;
    std::int64_t radius_squared_;
    int bits_ = 0;                      ///< 2^bits_ cells a side
    std::vector<std::int64_t> begins_;  ///< first point of each cell
};

}  // namespace

// Penrose, Random Geometric Graphs (2003): points within a radius are joined.
CsrMatrix rgg(const Arguments& a) {
    const std::int64_t n = a.whole("n");
    const double degree = a.real("degree");
    const Shape shape =
        checked(a, {n, n, product({n, static_cast<std::int64_t>(2 * degree) + 32})});
    const double area = degree / (std::numbers::pi * static_cast<double>(n));
    const Neighbourhoods near(scattered_points(n, a.seed(), {.lattice = false, .spatial = true}),
                              static_cast<std::int64_t>(std::min(area, 1.0) * 0x1p60));
    const auto row = [&](std::int64_t i, Columns& columns) { near.append(i, columns); };
    return from_rows(shape, row, {a, 1, 1, true});
}

// Row lengths by a power law; most links stay near, the rest go to pages with low numbers, which
// are popular.
CsrMatrix web(const Arguments& a) {
    const std::int64_t n = a.whole("n"), span = a.whole("span");
    const std::int64_t longest = std::min(a.whole("max_row"), n), shortest = a.whole("min_row");
    if (shortest > longest)
        a.fail(fmt::format("min_row={} is more than max_row={}", shortest, longest));
    const double near = a.real("near");
    const PowerLaw law{shortest, longest, a.real("tail")};
    const Random lengths(a.seed(), Purpose::length), random(a.seed(), Purpose::column);
    const auto length = [=](std::int64_t i) { return power_law(lengths, i, law); };
    checked(a, {n, n, 0});
    const Shape shape = checked(a, {n, n, sum_of(n, length)});
    const auto row = [&](std::int64_t i, Columns& columns) {
        const std::int64_t count = length(i);
        // Links of a long row reach farther, so that they are different ones.
        const std::int64_t reach = std::min(std::max(span, 2 * count), n);
        for (std::int64_t k = 0; k < count; ++k) {
            const double u = random.unit(i, 4 * k + 1);
            const std::int64_t offset =
                random.below(reach, i, 4 * k + 2) - random.below(reach, i, 4 * k + 3);
            columns.push_back(random.unit(i, 4 * k) < near
                                  ? (i + offset + n) % n
                                  : static_cast<std::int64_t>(static_cast<double>(n) * u * u * u));
        }
    };
    return from_rows(shape, row, {a, 1, 1});
}

// Row i cites earlier ones, recent ones more often; the lengths are geometric.
CsrMatrix citations(const Arguments& a) {
    const std::int64_t n = a.whole("n"), longest = a.whole("max_row");
    const double per_row = a.real("per_row"), again = per_row / (per_row + 1);
    const Random lengths(a.seed(), Purpose::length), random(a.seed(), Purpose::column);
    const auto length = [=](std::int64_t i) {
        std::int64_t count = 0;
        while (count < std::min(longest, i) && lengths.unit(i, count) < again) ++count;
        return count;
    };
    checked(a, {n, n, 0});
    const Shape shape = checked(a, {n, n, sum_of(n, length)});
    const auto row = [&](std::int64_t i, Columns& columns) {
        for (std::int64_t k = 0, count = length(i); k < count; ++k)
            columns.push_back(std::max({random.below(i, i, 3 * k), random.below(i, i, 3 * k + 1),
                                        random.below(i, i, 3 * k + 2)}));
    };
    return from_rows(shape, row, {a, 1, 1});
}

// A bell of couplings around the diagonal: offsets are sums of four uniform numbers.
CsrMatrix near(const Arguments& a) {
    const std::int64_t n = a.whole("n"), span = a.whole("span");
    const std::int64_t shortest = a.whole("min_row"), longest = a.whole("max_row");
    if (shortest > longest)
        a.fail(fmt::format("min_row={} is more than max_row={}", shortest, longest));
    const Shape shape = checked(a, {n, n, product({n, longest})});
    const Random lengths(a.seed(), Purpose::length), random(a.seed(), Purpose::column);
    const auto row = [=](std::int64_t i, Columns& columns) {
        const std::int64_t range = longest - shortest + 1;
        const std::int64_t count =
            shortest + (lengths.below(range, i, 0) + lengths.below(range, i, 1)) / 2;
        columns.push_back(i);
        for (std::int64_t k = 1; k < count; ++k) {
            std::int64_t offset = 0;
            for (std::int64_t part = 0; part < 4; ++part)
                offset += random.below(span + 1, i, 4 * k + part);
            columns.push_back(((i + offset - 2 * span) % n + n) % n);
        }
    };
    return from_rows(shape, row, {a, 1, 1});
}

}  // namespace spmvgen::generators
