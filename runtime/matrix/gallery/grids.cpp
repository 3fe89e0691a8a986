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

Grid plane(const Arguments& a) {
    return {a.whole("nx"), a.whole("ny"), 1};
}

Grid cuboid(const Arguments& a) {
    return {a.whole("nx"), a.whole("ny"), a.whole("nz")};
}

}  // namespace

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
