#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "matrix/gallery/builder.hpp"

namespace spmvgen::generators {

/// From one point of a grid to another.
struct Offset {
    std::int64_t x = 0, y = 0, z = 0;
};

/// A grid of nx×ny×nz points, x fastest.
struct Grid {
    std::int64_t nx = 1, ny = 1, nz = 1;

    std::int64_t points() const { return product({nx, ny, nz}); }
    /// Points of a box with reach 1 around a point, at most.
    std::int64_t box() const {
        return std::min<std::int64_t>(nx, 3) * std::min<std::int64_t>(ny, 3) *
               std::min<std::int64_t>(nz, 3);
    }
    /// Calls visit(q) for point p and its neighbours with reach 1, ascending: those along the axes
    /// only (`star`) or all of the box.
    template <typename Visit>
    void neighbours(std::int64_t p, bool star, Visit&& visit) const {
        visit_box(p, [&](std::int64_t q, const Offset& d) {
            if (!star || std::abs(d.x) + std::abs(d.y) + std::abs(d.z) <= 1) visit(q);
        });
    }
    /// Calls visit(q, q - p) for point p and all of the box around it, ascending.
    template <typename Visit>
    void visit_box(std::int64_t p, Visit&& visit) const {
        const std::int64_t x = p % nx, y = p / nx % ny, z = p / nx / ny;
        for (std::int64_t c = std::max<std::int64_t>(z - 1, 0); c <= std::min(z + 1, nz - 1); ++c)
            for (std::int64_t b = std::max<std::int64_t>(y - 1, 0); b <= std::min(y + 1, ny - 1);
                 ++b)
                for (std::int64_t a = std::max<std::int64_t>(x - 1, 0);
                     a <= std::min(x + 1, nx - 1); ++a)
                    visit((c * ny + b) * nx + a, Offset{a - x, b - y, c - z});
    }
};

}  // namespace spmvgen::generators
