#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "spmvgen/matrix.hpp"

namespace spmvgen::reordering {

/// A number of a vertex or an edge as a place in a vector.
inline std::size_t at(std::int64_t i) {
    return static_cast<std::size_t>(i);
}

/// An undirected graph with weights, in CSR: each edge is stored at both of its ends; no loops, no
/// edge twice, neighbours ascending.
struct Graph {
    std::vector<std::int64_t> first{0};  ///< n+1: where each vertex's neighbours begin
    std::vector<std::int32_t> neighbour;
    std::vector<std::int32_t> edge_weight;  ///< entries that each edge stands for; empty = 1 each
    std::vector<std::int32_t> weight;       ///< rows that each vertex stands for; empty = 1 each

    std::int32_t vertices() const { return static_cast<std::int32_t>(first.size()) - 1; }
    std::span<const std::int32_t> neighbours(std::int32_t v) const {
        const auto i = static_cast<std::size_t>(v);
        return {neighbour.data() + first[i], static_cast<std::size_t>(first[i + 1] - first[i])};
    }
    std::int64_t degree(std::int32_t v) const {
        const auto i = static_cast<std::size_t>(v);
        return first[i + 1] - first[i];
    }
    std::int32_t weight_of(std::int32_t v) const {
        return weight.empty() ? 1 : weight[static_cast<std::size_t>(v)];
    }
    std::int32_t edge_weight_at(std::int64_t edge) const {
        return edge_weight.empty() ? 1 : edge_weight[static_cast<std::size_t>(edge)];
    }
};

/// The pattern of A + Aᵀ without the diagonal, of a valid square matrix. Parallel.
Graph symmetrised_pattern(const CsrView& matrix, int threads);

/// The rows and columns of a valid matrix, which need not be square: row i is vertex i, column j
/// vertex rows + j, and each entry joins its row and its column. Parallel.
Graph rows_and_columns(const CsrView& matrix, int threads);

/// Each vertex of `graph` put into the group group_of[v] of 0 … groups-1, and each group made one
/// vertex; weights add up. Parallel.
Graph contract(const Graph& graph, std::span<const std::int32_t> group_of, std::int32_t groups,
               int threads);

/// Lists of what has the same key: those with key g are items[first[g]] … items[first[g+1]-1],
/// ascending.
struct Buckets {
    std::vector<std::int32_t> first, items;
    std::span<const std::int32_t> of(std::int32_t g) const {
        const auto i = static_cast<std::size_t>(g);
        return {items.data() + first[i], static_cast<std::size_t>(first[i + 1] - first[i])};
    }
};
/// Parallel, with the same result for any number of threads.
Buckets bucket(std::span<const std::int32_t> keys, std::int32_t count, int threads = 1);

/// Cuthill-McKee, component after component, each from a vertex far from the others; neighbours are
/// taken by ascending weight of their own neighbours, then by number. result[i] = vertex at place
/// i.
std::vector<std::int32_t> cuthill_mckee(const Graph& graph);

/// Clusters of `size` neighbouring vertices, one after another, each grown by breadth from the
/// vertex that earlier ones touched first. result[i] = vertex at place i.
std::vector<std::int32_t> cluster_order(const Graph& graph, int size);

/// Levels of Band-k's coarsening: group_of[v] for each vertex of the graph given, groups of at most
/// `most` vertices that are neighbours, as far as there are any.
struct Coarsening {
    std::vector<std::int32_t> group_of;
    Graph coarse;
};
/// By heavy-edge matching, repeated until groups are as large as they may be.
Coarsening coarsen(const Graph& graph, int most, int threads);

}  // namespace spmvgen::reordering
