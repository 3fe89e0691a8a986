// Finite-element-like meshes and road-like nets.
#include <fmt/format.h>

#include <array>

#include "matrix/gallery/families.hpp"
#include "matrix/gallery/grid.hpp"

namespace spmvgen::generators {
namespace {

void append_dofs(std::int64_t node, std::int64_t dofs, Columns& columns) {
    for (std::int64_t c = 0; c < dofs; ++c) columns.push_back(node * dofs + c);
}

/// Whether a point has a neighbour at this offset in a mesh of so many points a row.
bool couples(std::int64_t points, const Offset& d) {
    const auto [x, y, z] = d;
    const std::int64_t steps = std::abs(x) + std::abs(y) + std::abs(z);
    switch (points) {
        case 7:
            return steps == 1;
        case 15:  // along the diagonals from the lower to the upper corner
            return std::min({x, y, z}) >= 0 || std::max({x, y, z}) <= 0;
        case 19:
            return steps <= 2;
        default:
            return true;
    }
}

/// A plane grid whose points are jittered; each cell is cut along its shorter diagonal.
class Triangulation {
  public:
    Triangulation(const Grid& grid, std::uint64_t seed)
        : grid_(grid), random_(seed, Purpose::place) {}

    template <typename Visit>
    void neighbours(std::int64_t p, Visit&& visit) const {
        const std::int64_t x = p % grid_.nx, y = p / grid_.nx;
        grid_.neighbours(p, false, [&](std::int64_t q) {
            const std::int64_t a = q % grid_.nx, b = q / grid_.nx;
            const bool diagonal = a != x && b != y;
            if (!diagonal || rising(std::min(a, x), std::min(b, y)) == ((a > x) == (b > y)))
                visit(q);
        });
    }

  private:
    /// Whether the cell at (x, y) is cut from its lower left to its upper right corner.
    bool rising(std::int64_t x, std::int64_t y) const {
        return distance(x, y, x + 1, y + 1) <= distance(x + 1, y, x, y + 1);
    }
    /// Square of the distance of two jittered points. The spacing is 1024 and the jitter less than
    /// a quarter of it, so that every cell is convex; whole numbers, hence exact.
    std::int64_t distance(std::int64_t x0, std::int64_t y0, std::int64_t x1,
                          std::int64_t y1) const {
        const auto [jx0, jy0] = jitter(x0, y0);
        const auto [jx1, jy1] = jitter(x1, y1);
        const std::int64_t dx = (x1 - x0) * 1024 + jx1 - jx0, dy = (y1 - y0) * 1024 + jy1 - jy0;
        return dx * dx + dy * dy;
    }
    std::array<std::int64_t, 2> jitter(std::int64_t x, std::int64_t y) const {
        const std::int64_t p = y * grid_.nx + x;
        return {random_.below(511, p, 0) - 255, random_.below(511, p, 1) - 255};
    }

    Grid grid_;
    Random random_;
};

}  // namespace

CsrMatrix fem(const Arguments& a) {
    const Grid grid{a.whole("nx"), a.whole("ny"), a.whole("nz")};
    const std::int64_t dofs = a.whole("dofs"), n = product({grid.points(), dofs});
    const Shape shape = checked(a, {n, n, product({n, grid.box(), dofs})});
    const auto row = [=](std::int64_t i, Columns& columns) {
        grid.neighbours(i / dofs, false,
                        [&](std::int64_t node) { append_dofs(node, dofs, columns); });
    };
    return from_rows(shape, row, {a, 1, 1, true});
}

CsrMatrix fem_tri(const Arguments& a) {
    const Grid grid{a.whole("nx"), a.whole("ny"), 1};
    const std::int64_t dofs = a.whole("dofs"), n = product({grid.points(), dofs});
    const Shape shape = checked(a, {n, n, product({n, 9, dofs})});
    const Triangulation mesh(grid, a.seed());
    const Numbering numbering = shuffled(grid.points(), a.whole("window"), a.seed());
    const auto row = [&](std::int64_t i, Columns& columns) {
        mesh.neighbours(
            numbering.node_of[static_cast<std::size_t>(i / dofs)], [&](std::int64_t node) {
                append_dofs(numbering.row_of[static_cast<std::size_t>(node)], dofs, columns);
            });
    };
    return from_rows(shape, row, {a, 1, 1, true});
}

// points = 15: the cells cut into six tetrahedra each (Kuhn's subdivision), a point and its
// neighbours. 7, 19, 27: those along axes, in planes of axes, all.
CsrMatrix mesh3d(const Arguments& a) {
    const Grid grid{a.whole("nx"), a.whole("ny"), a.whole("nz")};
    const std::int64_t points = a.whole("points"), dofs = a.whole("dofs");
    if (points != 7 && points != 15 && points != 19 && points != 27)
        a.fail(fmt::format("points={} is none of 7, 15, 19, 27", points));
    const std::int64_t n = product({grid.points(), dofs});
    const Shape shape = checked(a, {n, n, product({n, points, dofs})});
    const bool diagonal = a.flag("diagonal");
    const double keep = a.real("keep");
    const Random random(a.seed(), Purpose::edge);
    const auto row = [=](std::int64_t i, Columns& columns) {
        const std::int64_t p = i / dofs;
        grid.visit_box(p, [&](std::int64_t q, const Offset& d) {
            const bool joined =
                p == q ? diagonal
                       : couples(points, d) && random.unit(std::min(p, q), std::max(p, q)) < keep;
            if (joined) append_dofs(q, dofs, columns);
        });
    };
    return from_rows(shape, row, {a, 1, 1, true});
}

CsrMatrix road(const Arguments& a) {
    const Grid grid{a.whole("nx"), a.whole("ny"), 1};
    const std::int64_t n = grid.points();
    const Shape shape = checked(a, {n, n, product({n, 5})});
    const bool diagonal = a.flag("diagonal");
    const double keep = a.real("keep");
    const Random random(a.seed(), Purpose::edge);
    const Numbering numbering = shuffled(n, a.whole("window"), a.seed());
    const auto row = [&](std::int64_t i, Columns& columns) {
        const std::int64_t p = numbering.node_of[static_cast<std::size_t>(i)];
        grid.neighbours(p, true, [&](std::int64_t q) {
            const bool across = std::max(p, q) - std::min(p, q) != 1 || grid.nx == 1;
            if (p == q ? diagonal : random.unit(std::min(p, q), across) < keep)
                columns.push_back(numbering.row_of[static_cast<std::size_t>(q)]);
        });
    };
    return from_rows(shape, row, {a, 1, 1, true});
}

}  // namespace spmvgen::generators
