#include "matrix/sampler/space.hpp"

#include "matrix/sampler/fixed.hpp"

namespace spmvgen::sampler {
namespace {

/// The lower 21 bits, each followed by two zeros.
std::uint64_t spread_by_two(std::uint64_t bits) {
    bits = (bits | bits << 32) & 0x001f00000000ffffu;
    bits = (bits | bits << 16) & 0x001f0000ff0000ffu;
    bits = (bits | bits << 8) & 0x100f00f00f00f00fu;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3u;
    return (bits | bits << 2) & 0x1249249249249249u;
}

}  // namespace

Box box_of(std::int64_t n, std::int64_t dims, std::int64_t longer) {
    if (dims == 1) return {n, 1, 1};
    const std::int64_t nx = std::max<std::int64_t>(
        dims == 2 ? root_of(n * longer, 2) : root_of(n * longer * longer, 3), 1);
    if (dims == 2) return {nx, std::max<std::int64_t>(n / nx, 1), 1};
    const std::int64_t ny = std::max<std::int64_t>(root_of(n / nx, 2), 1);
    return {nx, ny, std::max<std::int64_t>(n / nx / ny, 1)};
}

std::uint64_t z_order(const Cell& c) {
    return spread_by_two(static_cast<std::uint64_t>(c.z)) << 2 |
           spread_by_two(static_cast<std::uint64_t>(c.y)) << 1 |
           spread_by_two(static_cast<std::uint64_t>(c.x));
}

Pattern in_space(const Box& box) {
    // Sixteen parts across the longest side.
    const std::int64_t side = std::max({box.nx, box.ny, box.nz}) / 16 + 1;
    Pattern pattern;
    pattern.rows = pattern.cols = box.nodes();
    pattern.along = [=](std::int64_t node) {
        const Cell c = box.cell(node);
        return box.nz > 1 ? z_order(c)
                          : generators::z_order(static_cast<std::uint32_t>(c.x),
                                                static_cast<std::uint32_t>(c.y));
    };
    pattern.part = [=](std::int64_t node) {
        return static_cast<std::uint64_t>(box.coarse(box.cell(node), side));
    };
    return pattern;
}

}  // namespace spmvgen::sampler
