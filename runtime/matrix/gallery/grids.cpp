// Stencils on regular grids: the classic Laplacians with Dirichlet borders.
#include "matrix/gallery/families.hpp"
#include "matrix/gallery/grid.hpp"

namespace spmvgen::generators {
namespace {

enum class Reach { star, box };

CsrMatrix stencil(const Arguments& arguments, const Grid& grid, Reach reach, std::int64_t points) {
    const std::int64_t n = grid.points();
    const Shape shape = checked(arguments, {n, n, product({n, points})});
    const auto row = [=](std::int64_t i, Columns& columns) {
        grid.neighbours(i, reach == Reach::star, [&](std::int64_t j) { columns.push_back(j); });
    };
    return from_rows(shape, row, {arguments, static_cast<double>(points - 1), -1});
}

/// Whether the edge of a point in direction `own` is coupled with the edge in direction `other` of
/// the point at this offset.
bool curl_couples(int own, int other, const Offset& offset) {
    const std::int64_t d[] = {offset.x, offset.y, offset.z};
    const std::int64_t steps = std::abs(d[0]) + std::abs(d[1]) + std::abs(d[2]);
    if (own == other) return steps == 0 || (steps == 1 && d[own] == 0);
    // The four edges in direction `other` that end on the own edge or begin there.
    const int third = 3 - own - other;
    return d[third] == 0 && (d[own] == 0 || d[own] == 1) && (d[other] == 0 || d[other] == -1);
}

Grid plane(const Arguments& a) {
    return {a.whole("nx"), a.whole("ny"), 1};
}

Grid cuboid(const Arguments& a) {
    return {a.whole("nx"), a.whole("ny"), a.whole("nz")};
}

}  // namespace

// Yee (1966): the field's x, y and z component live in the middle of the edges of a grid; the curl
// of the curl couples each with twelve others. Unknowns of a point: its edges in direction x, y, z.
CsrMatrix curl_curl(const Arguments& a) {
    const Grid grid = cuboid(a);
    const std::int64_t dofs = a.whole("dofs"), n = product({grid.points(), 3, dofs});
    const Shape shape = checked(a, {n, n, product({n, 13, dofs})});
    const double keep = a.real("keep");
    const Random random(a.seed(), Purpose::edge);
    const auto row = [=](std::int64_t i, Columns& columns) {
        const std::int64_t edge = i / dofs, p = edge / 3;
        const auto own = static_cast<int>(edge % 3);
        grid.visit_box(p, [&](std::int64_t q, const Offset& d) {
            for (int other = 0; other < 3; ++other) {
                const std::int64_t j = 3 * q + other;
                if (!curl_couples(own, other, d)) continue;
                if (j != edge && random.unit(std::min(edge, j), std::max(edge, j)) >= keep)
                    continue;
                for (std::int64_t c = 0; c < dofs; ++c) columns.push_back(j * dofs + c);
            }
        });
    };
    return from_rows(shape, row, {a, 4, -1, true});
}

CsrMatrix stencil5(const Arguments& a) {
    return stencil(a, plane(a), Reach::star, 5);
}

CsrMatrix stencil7(const Arguments& a) {
    return stencil(a, cuboid(a), Reach::star, 7);
}

CsrMatrix stencil9(const Arguments& a) {
    return stencil(a, plane(a), Reach::box, 9);
}

CsrMatrix stencil27(const Arguments& a) {
    return stencil(a, cuboid(a), Reach::box, 27);
}

}  // namespace spmvgen::generators
