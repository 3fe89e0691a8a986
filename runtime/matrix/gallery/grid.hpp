#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "matrix/gallery/builder.hpp"

namespace spmvgen::generators {

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
        const std::int64_t x = p % nx, y = p / nx % ny, z = p / nx / ny;
        for (std::int64_t c = std::max<std::int64_t>(z - 1, 0); c <= std::min(z + 1, nz - 1); ++c)
            for (std::int64_t b = std::max<std::int64_t>(y - 1, 0); b <= std::min(y + 1, ny - 1);
                 ++b)
                for (std::int64_t a = std::max<std::int64_t>(x - 1, 0);
                     a <= std::min(x + 1, nx - 1); ++a)
                    if (!star || std::abs(a - x) + std::abs(b - y) + std::abs(c - z) <= 1)
                        visit((c * ny + b) * nx + a);
    }
};

}  // namespace spmvgen::generators
