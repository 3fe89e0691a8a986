#pragma once
#include "matrix/reorder/graph.hpp"
#include "matrix/reorder/reordering.hpp"

namespace spmvgen::reordering {

/// order (new → old) and groups of a Reordering.
struct BandOrder {
    std::vector<std::int32_t> order;
    std::vector<std::vector<std::int32_t>> groups;
};

/// Band-k: the graph is coarsened k - 1 times; the coarsest one is ordered by reverse Cuthill-McKee
/// with weights; then level by level each coarse vertex is replaced by its own, which are ordered
/// among themselves.
BandOrder band_k(const Graph& graph, const BandK& band, int threads);

}  // namespace spmvgen::reordering
