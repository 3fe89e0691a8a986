#pragma once
#include <algorithm>
#include <cstdint>

#include "matrix/gallery/points.hpp"
#include "matrix/sampler/pattern.hpp"

namespace spmvgen::sampler {

/// A cell of a box, or a node of a grid.
struct Cell {
    std::int64_t x = 0, y = 0, z = 0;
};

/// A box of nx×ny×nz cells, numbered x fastest.
struct Box {
    std::int64_t nx = 1, ny = 1, nz = 1;

    std::int64_t nodes() const { return nx * ny * nz; }
    std::int64_t node(const Cell& c) const { return (c.z * ny + c.y) * nx + c.x; }
    Cell cell(std::int64_t node) const {
        const std::int64_t row = node / nx;
        return {node - row * nx, row % ny, row / ny};
    }
    bool has(const Cell& c) const {
        return c.x >= 0 && c.x < nx && c.y >= 0 && c.y < ny && c.z >= 0 && c.z < nz;
    }
    /// The number of the cube of `side` cells in which one lies.
    std::int64_t coarse(const Cell& c, std::int64_t side) const {
        return (c.z / side * (ny / side + 1) + c.y / side) * (nx / side + 1) + c.x / side;
    }
};

/// About n cells in so many dimensions, `longer` times as long as wide.
Box box_of(std::int64_t n, std::int64_t dims, std::int64_t longer);

/// Along a Z curve in space.
std::uint64_t z_order(const Cell& c);

/// A square pattern of nodes that lie in a box, still without rows.
Pattern in_space(const Box& box);

}  // namespace spmvgen::sampler
