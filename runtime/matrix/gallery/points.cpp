#include "matrix/gallery/points.hpp"

#include <algorithm>

#include "matrix/chunks.hpp"
#include "matrix/gallery/builder.hpp"

namespace spmvgen::generators {
namespace {

constexpr std::int64_t points_a_chunk = 65536;
constexpr std::int64_t side = std::int64_t{1} << coordinate_bits;

/// The lower 32 bits, each followed by a zero.
std::uint64_t spread(std::uint64_t bits) {
    bits = (bits | bits << 16) & 0x0000ffff0000ffffu;
    bits = (bits | bits << 8) & 0x00ff00ff00ff00ffu;
    bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0fu;
    bits = (bits | bits << 2) & 0x3333333333333333u;
    return (bits | bits << 1) & 0x5555555555555555u;
}

/// Rows of nearly as many cells each, with a point in each cell.
class Lattice {
  public:
    Lattice(std::int64_t count, double jitter)
        : count_(count),
          free_(std::max<std::int64_t>(static_cast<std::int64_t>(side * jitter), 1)) {
        while (rows_ * rows_ < count) ++rows_;
    }

    Point point(std::int64_t i, const Random& random) const {
        const std::int64_t row = i * rows_ / count_;
        const std::int64_t begin = first_of(row), cells = first_of(row + 1) - begin;
        return {within(i - begin, cells, random.below(free_, i, 0)),
                within(row, rows_, random.below(free_, i, 1))};
    }

  private:
    std::int64_t first_of(std::int64_t row) const { return (row * count_ + rows_ - 1) / rows_; }
    std::int32_t within(std::int64_t cell, std::int64_t cells, std::int64_t moved) const {
        std::int64_t place = (side - free_) / 2 + moved;
        if (cells > 1 && cell == 0) place = 0;
        if (cells > 1 && cell == cells - 1) place = side - 1;
        return static_cast<std::int32_t>((cell * side + place) / cells);
    }

    std::int64_t count_, rows_ = 1;
    std::int64_t free_;  ///< the part of a cell's side in which its point lies
};

void shuffle(std::vector<Point>& points, std::uint64_t seed) {
    const auto n = static_cast<std::int64_t>(points.size());
    const Numbering numbering = shuffled(n, std::max<std::int64_t>(n, 1), seed);
    std::vector<Point> ordered(points.size());
    std::ranges::transform(numbering.node_of, ordered.begin(), [&](std::int64_t node) {
        return points[static_cast<std::size_t>(node)];
    });
    points.swap(ordered);
}

}  // namespace

std::uint64_t z_order(std::uint32_t x, std::uint32_t y) {
    return spread(y) << 1 | spread(x);
}

std::vector<Point> scattered_points(std::int64_t count, std::uint64_t seed,
                                    const Scattering& scattering) {
    const Random random(seed, Purpose::place);
    const Lattice lattice(count, scattering.jitter);
    std::vector<Point> points(static_cast<std::size_t>(count));
    for_parts(count, points_a_chunk, 0, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t i = begin; i < end; ++i)
            points[static_cast<std::size_t>(i)] =
                scattering.lattice ? lattice.point(i, random)
                                   : Point{static_cast<std::int32_t>(random.below(side, i, 0)),
                                           static_cast<std::int32_t>(random.below(side, i, 1))};
    });
    if (scattering.spatial)
        std::ranges::sort(points, {}, [](Point p) {
            return z_order(static_cast<std::uint32_t>(p.x), static_cast<std::uint32_t>(p.y));
        });
    else if (scattering.lattice)
        shuffle(points, seed);
    return points;
}

}  // namespace spmvgen::generators
