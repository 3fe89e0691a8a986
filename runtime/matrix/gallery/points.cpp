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

std::int64_t cells_a_side(std::int64_t count) {
    std::int64_t cells = 1;
    while (cells * cells < count) ++cells;
    return cells;
}

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
    const std::int64_t cells = scattering.lattice ? cells_a_side(count) : 1;
    const std::int64_t free =
        scattering.lattice
            ? std::max<std::int64_t>(static_cast<std::int64_t>(side * scattering.jitter), 1)
            : side;
    std::vector<Point> points(static_cast<std::size_t>(count));
    for_parts(count, points_a_chunk, 0, [&](std::int64_t begin, std::int64_t end, int) {
        const auto within = [&](std::int64_t cell, std::int64_t i, std::int64_t axis) {
            const std::int64_t place = cells > 1 && cell == 0 ? 0
                                       : cells > 1 && cell == cells - 1
                                           ? side - 1
                                           : (side - free) / 2 + random.below(free, i, axis);
            return static_cast<std::int32_t>((cell * side + place) / cells);
        };
        for (std::int64_t i = begin; i < end; ++i)
            points[static_cast<std::size_t>(i)] = {within(i % cells, i, 0),
                                                   within(cells == 1 ? 0 : i / cells, i, 1)};
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
