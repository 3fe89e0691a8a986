#include "matrix/sampler/families.hpp"

#include <algorithm>

#include "matrix/sampler/laws.hpp"

namespace spmvgen::sampler {
namespace {

constexpr auto natural = NodeOrder::natural, local = NodeOrder::local, spatial = NodeOrder::spatial,
               partitioned = NodeOrder::partitioned, shuffled = NodeOrder::random;

constexpr NodeOrder as_made[] = {natural};
constexpr NodeOrder grid_orders[] = {natural, natural, spatial, partitioned, shuffled};
constexpr NodeOrder mesh_orders[] = {natural, local, spatial, spatial, partitioned, shuffled};
constexpr NodeOrder number_orders[] = {natural, natural, local, partitioned, shuffled};
constexpr NodeOrder graph_orders[] = {natural, natural, partitioned, shuffled};
constexpr NodeOrder program_orders[] = {natural, natural, natural, shuffled};

constexpr auto random_numbers = EntryValues::random, ones = EntryValues::ones,
               signs = EntryValues::signs, few = EntryValues::few,
               laplacian = EntryValues::laplacian, units = EntryValues::units,
               weights = EntryValues::weights;

constexpr EntryValues element_values[] = {random_numbers, random_numbers, few, laplacian};
constexpr EntryValues stencil_values[] = {random_numbers, few, laplacian, laplacian};
constexpr EntryValues graph_values[] = {ones, ones, random_numbers, laplacian};
constexpr EntryValues any_values[] = {random_numbers, random_numbers, random_numbers, ones, few};
constexpr EntryValues program_values[] = {signs, signs, few, few, random_numbers, ones};
constexpr EntryValues arc_values[] = {signs};
constexpr EntryValues plain_values[] = {random_numbers};

// Of symmetric matrices the transpose is the same; of the others some are transposed.
constexpr int seldom = 15, often = 35, mostly = 80;

constexpr Family all[] = {
    {"stencil", "3 to 27 points on a grid of 1 to 3 dimensions, with holes", draw_stencil,
     grid_pattern, grid_orders, stencil_values},
    {"triangles", "finite elements in the plane: triangles, 1 to 6 unknowns a node", draw_triangles,
     grid_pattern, mesh_orders, element_values},
    {"quadrilaterals", "finite elements in the plane: quadrilaterals, 1 to 6 unknowns a node",
     draw_quadrilaterals, grid_pattern, grid_orders, element_values},
    {"tetrahedra", "finite elements in space: tetrahedra, 1 to 6 unknowns a node", draw_tetrahedra,
     grid_pattern, mesh_orders, element_values},
    {"hexahedra", "finite elements in space: hexahedra, 1 to 6 unknowns a node", draw_hexahedra,
     grid_pattern, grid_orders, element_values},
    {"adaptive", "finite volumes of a mesh that is up to eight times finer at fronts",
     draw_adaptive, adaptive, mesh_orders, element_values},
    {"dual", "triangles with a common side: rows of 3", draw_dual, dual, mesh_orders, graph_values},
    {"roads", "a road network: very short rows", draw_roads, roads, mesh_orders, graph_values},
    {"neighbours", "the nearest neighbours of points in the plane or in space", draw_neighbours,
     neighbours, mesh_orders, graph_values, seldom},
    {"band", "all or a part of a band", draw_band, band, number_orders, any_values, seldom},
    {"diagonals", "some diagonals, near and far", draw_diagonals, diagonals, number_orders,
     any_values, seldom},
    {"blocks", "dense blocks of 2 to 40 rows and columns", draw_blocks, blocks, number_orders,
     any_values, seldom},
    {"cholesky", "a factor of Cholesky after nested dissection", draw_cholesky, cholesky, as_made,
     plain_values, 50},
    {"rmat", "an R-MAT graph", draw_rmat, rmat, graph_orders, graph_values, often},
    {"web", "pages of hosts that have the same links, and links to popular pages", draw_web, web,
     graph_orders, graph_values, often},
    {"communities", "rows of uneven length, most entries within a community", draw_communities,
     rows_by_laws, graph_orders, graph_values, often},
    {"zipf_columns", "rows of uneven length, columns by Zipf's law: words of documents",
     draw_zipf_columns, rows_by_laws, graph_orders, any_values, often},
    {"circuit", "near couplings, and a few dense rows and columns", draw_circuit, circuit,
     number_orders, any_values},
    {"hypercube", "corners of a hypercube, times a ring", draw_hypercube, hypercube, graph_orders,
     graph_values},
    {"spin_chain", "the Hamiltonian of a chain of spins, some of them up", draw_spin_chain,
     spin_chain, graph_orders, stencil_values},
    {"equal_rows", "rows of one length", draw_equal_rows, rows_by_laws, number_orders, any_values,
     often},
    {"normal_rows", "rows of normal length", draw_normal_rows, rows_by_laws, number_orders,
     any_values, often},
    {"log_normal_rows", "rows of log-normal length", draw_log_normal_rows, rows_by_laws,
     number_orders, any_values, often},
    {"zipf_rows", "row lengths by Zipf's law", draw_zipf_rows, rows_by_laws, number_orders,
     any_values, often},
    {"two_kinds", "short rows and long ones", draw_two_kinds, rows_by_laws, number_orders,
     any_values, often},
    {"few_dense_rows", "short rows and a few dense ones", draw_few_dense_rows, rows_by_laws,
     number_orders, any_values, often},
    {"wide", "64 to 2000 rows of up to 3 million columns", draw_wide, rows_by_laws, as_made,
     any_values},
    {"tall", "up to 33 million rows of 32 to 2000 columns", draw_tall, rows_by_laws, number_orders,
     any_values},
    {"hypersparse", "most rows have no entry", draw_hypersparse, hypersparse, number_orders,
     any_values, often},
    {"staircase", "constraints of stages, each coupled with the one before", draw_staircase,
     staircase, program_orders, program_values, often},
    {"border", "blocks of constraints, with linking rows and columns", draw_border, border,
     program_orders, program_values, often},
    {"knapsacks", "tasks and agents: each variable in one short and one long row", draw_knapsacks,
     knapsacks, program_orders, program_values, often},
    {"short_rows", "rows of 1 to 3 entries, and a few very long ones", draw_short_rows,
     rows_and_slacks, program_orders, program_values, often},
    {"dense_columns", "short rows, and a few dense columns", draw_dense_columns, dense_columns,
     program_orders, program_values, often},
    {"incidence", "arcs and nodes of a network: 1 and -1", draw_incidence, incidence,
     program_orders, arc_values, 60},
    {"covering", "choices that cover few of some thousand rows each", draw_covering, rows_by_laws,
     program_orders, program_values, mostly},
    {"saddle_point", "a quadratic program or a flow: H, constraints and their transpose",
     draw_saddle_point, saddle_point, graph_orders, any_values},
};

constexpr NodeOrder constraint_orders[] = {natural, natural, natural, natural, local, shuffled};
constexpr EntryValues constraint_values[] = {units, units, units, signs, few};
constexpr EntryValues packing_values[] = {weights};
constexpr EntryValues choice_values[] = {ones, ones, weights};
constexpr EntryValues grid_values[] = {few, units};
constexpr EntryValues data_values[] = {random_numbers, random_numbers, units};

// As they are drawn, rows of `choices` and `flow` are variables.
constexpr int always = 100;

constexpr Family linear_programs[] = {
    {"periods", "periods, each coupled with the one before", draw_staircase, staircase,
     constraint_orders, constraint_values},
    {"linked_blocks", "blocks, with long linking rows and with linking columns", draw_border,
     border, constraint_orders, constraint_values},
    {"pairs", "rows of 1 to 3 entries, and a few very long ones", draw_short_rows, rows_and_slacks,
     constraint_orders, constraint_values},
    {"dense_variables", "short rows, and a few dense columns", draw_dense_columns, dense_columns,
     constraint_orders, constraint_values},
    {"choices", "set cover: some thousand long rows, short columns", draw_covering, rows_by_laws,
     constraint_orders, choice_values, always},
    {"packing", "tasks that agents have time for: a row of ones, a long row of weights",
     draw_knapsacks, knapsacks, constraint_orders, packing_values},
    {"flow", "a network: each column has two entries", draw_incidence, incidence, constraint_orders,
     arc_values, always},
    {"commodities", "flows of several commodities in one network, with capacities for all",
     draw_commodities, commodities, constraint_orders, arc_values},
    {"assignment", "quadratic assignment, linear: rows of n + 1 and of 2 entries", draw_assignment,
     assignment, constraint_orders, arc_values},
    {"scenarios", "one block again and again, with columns of a first stage", draw_scenarios,
     scenarios, constraint_orders, constraint_values},
    {"control", "a grid's equation with controls, and bounds of 2 entries", draw_control, control,
     constraint_orders, grid_values},
    {"regression", "a few dense columns, and one or two entries more a row", draw_regression,
     regression, constraint_orders, data_values},
    {"windows", "jobs over time: long rows of ones, and of many short runs", draw_windows, windows,
     constraint_orders, packing_values},
    {"precedence", "rows of 2 entries, and a few that hold all of a period", draw_precedence,
     precedence, constraint_orders, packing_values},
};

}  // namespace

std::span<const Collection> collections() {
    static constexpr Collection list[] = {{"random", all}, {"lp", linear_programs}};
    return list;
}

const Collection* find_collection(std::string_view name) {
    const auto list = collections();
    const auto found = std::ranges::find(list, name, &Collection::name);
    return found == list.end() ? nullptr : &*found;
}

const Family* find_family(std::span<const Family> families, std::string_view name) {
    const auto found = std::ranges::find(families, name, &Family::name);
    return found == families.end() ? nullptr : &*found;
}

}  // namespace spmvgen::sampler
