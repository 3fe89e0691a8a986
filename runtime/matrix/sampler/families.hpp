#pragma once
#include <span>
#include <string_view>

#include "matrix/sampler/draw.hpp"
#include "matrix/sampler/pattern.hpp"

namespace spmvgen::sampler {

/// One family of structures. To add one: two functions, and a row of families().
struct Family {
    std::string_view name;
    std::string_view summary;
    /// Sets sizes and parameters of a specification whose `entries` are given.
    void (*draw)(Draw& draw, RandomSpec& spec);
    Pattern (*pattern)(const RandomSpec& spec);
    std::span<const NodeOrder> orders;  ///< one is drawn; listed twice, it is drawn more often
    std::span<const EntryValues> values;
    int transposed = 0;  ///< chance, in percent
};

/// Families that seeds are spread over. The number and order of a collection's families say what a
/// seed stands for, so it never changes: more families are another collection.
struct Collection {
    std::string_view name;  ///< that of specifications: "random"
    std::span<const Family> families;
};

std::span<const Collection> collections();
/// Null where there is none.
const Collection* find_collection(std::string_view name);
const Family* find_family(std::span<const Family> families, std::string_view name);

// grids.cpp: nodes of a grid and those around them
void draw_stencil(Draw&, RandomSpec&);
void draw_triangles(Draw&, RandomSpec&);
void draw_quadrilaterals(Draw&, RandomSpec&);
void draw_tetrahedra(Draw&, RandomSpec&);
void draw_hexahedra(Draw&, RandomSpec&);
Pattern grid_pattern(const RandomSpec&);

// meshes.cpp
void draw_adaptive(Draw&, RandomSpec&);
Pattern adaptive(const RandomSpec&);
void draw_dual(Draw&, RandomSpec&);
Pattern dual(const RandomSpec&);
void draw_roads(Draw&, RandomSpec&);
Pattern roads(const RandomSpec&);
void draw_neighbours(Draw&, RandomSpec&);
Pattern neighbours(const RandomSpec&);

// bands.cpp
void draw_band(Draw&, RandomSpec&);
Pattern band(const RandomSpec&);
void draw_diagonals(Draw&, RandomSpec&);
Pattern diagonals(const RandomSpec&);
void draw_blocks(Draw&, RandomSpec&);
Pattern blocks(const RandomSpec&);
void draw_cholesky(Draw&, RandomSpec&);
Pattern cholesky(const RandomSpec&);

// graphs.cpp
void draw_rmat(Draw&, RandomSpec&);
Pattern rmat(const RandomSpec&);
void draw_web(Draw&, RandomSpec&);
Pattern web(const RandomSpec&);
void draw_circuit(Draw&, RandomSpec&);
Pattern circuit(const RandomSpec&);
void draw_hypercube(Draw&, RandomSpec&);
Pattern hypercube(const RandomSpec&);
void draw_spin_chain(Draw&, RandomSpec&);
Pattern spin_chain(const RandomSpec&);

// rows.cpp: lengths and columns by laws
void draw_equal_rows(Draw&, RandomSpec&);
void draw_normal_rows(Draw&, RandomSpec&);
void draw_log_normal_rows(Draw&, RandomSpec&);
void draw_zipf_rows(Draw&, RandomSpec&);
void draw_two_kinds(Draw&, RandomSpec&);
void draw_few_dense_rows(Draw&, RandomSpec&);
void draw_zipf_columns(Draw&, RandomSpec&);
void draw_communities(Draw&, RandomSpec&);
void draw_wide(Draw&, RandomSpec&);
void draw_tall(Draw&, RandomSpec&);
void draw_hypersparse(Draw&, RandomSpec&);
Pattern hypersparse(const RandomSpec&);

// optimisation.cpp
void draw_staircase(Draw&, RandomSpec&);
Pattern staircase(const RandomSpec&);
void draw_border(Draw&, RandomSpec&);
Pattern border(const RandomSpec&);
void draw_knapsacks(Draw&, RandomSpec&);
Pattern knapsacks(const RandomSpec&);
void draw_short_rows(Draw&, RandomSpec&);
void draw_dense_columns(Draw&, RandomSpec&);
Pattern dense_columns(const RandomSpec&);
void draw_incidence(Draw&, RandomSpec&);
Pattern incidence(const RandomSpec&);
void draw_covering(Draw&, RandomSpec&);
Pattern rows_and_slacks(const RandomSpec&);
void draw_saddle_point(Draw&, RandomSpec&);
Pattern saddle_point(const RandomSpec&);

// linear_programs.cpp
void draw_assignment(Draw&, RandomSpec&);
Pattern assignment(const RandomSpec&);
void draw_commodities(Draw&, RandomSpec&);
Pattern commodities(const RandomSpec&);
void draw_scenarios(Draw&, RandomSpec&);
Pattern scenarios(const RandomSpec&);
void draw_control(Draw&, RandomSpec&);
Pattern control(const RandomSpec&);
void draw_regression(Draw&, RandomSpec&);
Pattern regression(const RandomSpec&);
void draw_windows(Draw&, RandomSpec&);
Pattern windows(const RandomSpec&);
void draw_precedence(Draw&, RandomSpec&);
Pattern precedence(const RandomSpec&);

/// Appends a parameter.
inline void set(RandomSpec& spec, const char* name, std::int64_t value) {
    spec.parameters.emplace_back(name, value);
}

}  // namespace spmvgen::sampler
