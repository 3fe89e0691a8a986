// Meshes from a real triangulation: the Delaunay triangulation of points in the plane, and its
// dual.
#include <algorithm>
#include <array>
#include <boost/polygon/voronoi.hpp>
#include <tuple>

#include "matrix/gallery/builder.hpp"
#include "matrix/gallery/families.hpp"
#include "matrix/gallery/points.hpp"

template <>
struct boost::polygon::geometry_concept<spmvgen::generators::Point> {
    using type = point_concept;
};
template <>
struct boost::polygon::point_traits<spmvgen::generators::Point> {
    using coordinate_type = std::int32_t;
    static coordinate_type get(const spmvgen::generators::Point& p, orientation_2d orientation) {
        return orientation == HORIZONTAL ? p.x : p.y;
    }
};

namespace spmvgen::generators {
namespace {

using Diagram = boost::polygon::voronoi_diagram<double>;
using Edges = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// The Voronoi diagram of the points: two of them are joined in the Delaunay triangulation when
/// their cells meet in an edge, and its vertices are the triangles.
void make_voronoi(const std::vector<Point>& points, Diagram& diagram) {
    boost::polygon::construct_voronoi(points.begin(), points.end(), &diagram);
}

/// Each edge of the triangulation once.
Edges delaunay_edges(const Diagram& diagram) {
    Edges edges;
    for (auto& edge : diagram.edges()) {
        const auto i = static_cast<std::int64_t>(edge.cell()->source_index());
        const auto j = static_cast<std::int64_t>(edge.twin()->cell()->source_index());
        if (edge.is_primary() && i < j) edges.emplace_back(i, j);
    }
    return edges;
}

/// The three points with the lowest numbers around a vertex of the diagram, ascending.
std::array<std::size_t, 3> corners(const Diagram::vertex_type& vertex) {
    std::vector<std::size_t> around;
    const auto* edge = vertex.incident_edge();
    do {
        around.push_back(edge->cell()->source_index());
        edge = edge->rot_next();
    } while (edge != vertex.incident_edge());
    std::ranges::sort(around);
    around.resize(3, around.back());
    return {around[0], around[1], around[2]};
}

/// Number of each triangle when they are ordered by their points.
std::vector<std::int64_t> triangle_numbers(const Diagram& diagram) {
    std::vector<std::pair<std::array<std::size_t, 3>, std::size_t>> order;
    order.reserve(diagram.vertices().size());
    for (auto& vertex : diagram.vertices()) order.emplace_back(corners(vertex), order.size());
    std::ranges::sort(order);
    std::vector<std::int64_t> number(order.size());
    for (std::size_t k = 0; k < order.size(); ++k)
        number[order[k].second] = static_cast<std::int64_t>(k);
    return number;
}

/// Pairs of triangles with a common side, each once.
Edges dual_edges(const Diagram& diagram) {
    const std::vector<std::int64_t> number = triangle_numbers(diagram);
    const auto number_of = [&](const Diagram::vertex_type* vertex) {
        return number[static_cast<std::size_t>(vertex - diagram.vertices().data())];
    };
    Edges edges;
    for (auto& edge : diagram.edges())
        if (edge.is_primary() && edge.is_finite() && &edge < edge.twin())
            edges.emplace_back(number_of(edge.vertex0()), number_of(edge.vertex1()));
    return edges;
}

CsrMatrix from_graph(const Values& values, std::int64_t nodes, Edges edges, bool diagonal) {
    if (diagonal)
        for (std::int64_t i = 0; i < nodes; ++i) edges.emplace_back(i, i);
    const auto count = static_cast<std::int64_t>(edges.size());
    return from_edges(
        {nodes, nodes, 2 * count}, count, true,
        [&](std::int64_t k) { return edges[static_cast<std::size_t>(k)]; }, values);
}

/// Each entry of the graph becomes a dense dofs×dofs block.
CsrMatrix blown_up(const Arguments& a, const CsrMatrix& graph, std::int64_t dofs) {
    const CsrView view = graph.view();
    const std::int64_t n = graph.rows * dofs;
    const auto row = [&](std::int64_t i, Columns& columns) {
        const std::int64_t node = i / dofs;
        for (std::int64_t k = view.row_begin(node); k < view.row_begin(node + 1); ++k)
            for (std::int64_t c = 0; c < dofs; ++c) columns.push_back(view.col(k) * dofs + c);
    };
    return from_rows({n, n, graph.nnz * dofs * dofs}, row, {a, 1, 1, true});
}

std::vector<Point> points_of(const Arguments& a, bool spatial) {
    return scattered_points(a.whole("n"), a.seed(), {a.flag("lattice"), spatial, a.real("jitter")});
}

}  // namespace

CsrMatrix delaunay(const Arguments& a) {
    const std::int64_t n = a.whole("n"), dofs = a.whole("dofs");
    // The diagram of Boost takes some 400 bytes a point, which the bound of entries stands for.
    checked(a, {product({n, dofs}), product({n, dofs}), product({n, 20 + 7 * dofs * dofs})});
    Edges edges;
    {
        Diagram diagram;
        make_voronoi(points_of(a, a.flag("spatial")), diagram);
        edges = delaunay_edges(diagram);
    }
    Values values(a, 1, 1, true);
    if (dofs > 1) values.long_rows = {};  // added to the rows of the blocks
    CsrMatrix graph = from_graph(values, n, std::move(edges), a.flag("diagonal"));
    return dofs == 1 ? std::move(graph) : blown_up(a, graph, dofs);
}

CsrMatrix dual(const Arguments& a) {
    const std::int64_t points = a.whole("n");
    checked(a, {2 * points, 2 * points, product({points, 26})});
    Diagram diagram;
    make_voronoi(points_of(a, true), diagram);
    return from_graph({a, 1, 1, true}, static_cast<std::int64_t>(diagram.vertices().size()),
                      dual_edges(diagram), a.flag("diagonal"));
}

}  // namespace spmvgen::generators
