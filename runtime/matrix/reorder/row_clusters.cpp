#include <algorithm>
#include <numeric>

#include "matrix/chunks.hpp"
#include "matrix/reorder/cluster_grower.hpp"
#include "matrix/reorder/graph.hpp"
#include "matrix/reorder/regions.hpp"
#include "matrix/reorder/row_clusters.hpp"

namespace spmvgen::reordering {
namespace {

/// Rows that are near each other, whose columns stay in a core's cache while it makes clusters:
/// not so many that a few regions would be all that threads, or a device, can share.
std::int64_t rows_of_region(std::int64_t rows) {
    constexpr std::int64_t least = 2048, most = 4096, wanted_regions = 256;
    return std::clamp(rows / wanted_regions, least, most);
}

/// A row's columns, as rows.
template <typename Offset, typename Index>
struct ColumnsOfRow {
    const Offset* row_ptr;
    const Index* col;
    std::span<const Index> operator()(std::int32_t row) const {
        return {col + row_ptr[row], static_cast<std::size_t>(row_ptr[row + 1] - row_ptr[row])};
    }
};

template <typename Visit>
void with_columns(const CsrView& a, const Visit& visit) {
    dispatch(a.offset_type, [&]<typename Offset>(Offset) {
        dispatch(a.index_type, [&]<typename Index>(Index) {
            visit(ColumnsOfRow<Offset, Index>{a.row_ptr_as<Offset>(), a.col_idx_as<Index>()});
        });
    });
}

/// Clusters of the rows of a region, of `size` rows but for the first, which fills up the one that
/// the region before left behind.
template <typename Columns>
void cluster_region(const Columns& columns, const Regions& regions, std::int32_t region,
                    std::span<std::int32_t> rows, std::size_t begin, std::size_t size,
                    std::vector<VertexState>& state) {
    const auto admits = [of_row = regions.of_row(), region](std::int32_t row) {
        return of_row[static_cast<std::size_t>(row)] == region;
    };
    ClusterGrower grower(columns, admits, std::span<const std::int32_t>(rows), state);
    std::vector<std::int32_t> order;
    order.reserve(rows.size());
    while (order.size() < rows.size()) grower.add(size - (begin + order.size()) % size, order);
    std::ranges::copy(order, rows.begin());
}

}  // namespace

std::vector<std::int32_t> cluster_order(const Graph& graph, int size) {
    std::vector<std::int32_t> vertices(static_cast<std::size_t>(graph.vertices())), order;
    std::iota(vertices.begin(), vertices.end(), 0);
    std::vector<VertexState> state(vertices.size());
    const auto neighbours = [&](std::int32_t v) { return graph.neighbours(v); };
    ClusterGrower grower(neighbours, [](std::int32_t) { return true; }, vertices, state);
    order.reserve(vertices.size());
    while (order.size() < vertices.size()) grower.add(static_cast<std::size_t>(size), order);
    return order;
}

std::optional<RowClusters> row_clusters(const CsrView& a, int size, int threads,
                                        const ClusteringElsewhere& elsewhere) {
    const auto regions =
        regions_of_rows(a, rows_of_region(a.rows), threads, elsewhere.search, elsewhere.here);
    if (!regions) return std::nullopt;
    Buckets buckets = bucket(regions->of_row(), regions->count, threads);
    RegionsToCluster to_cluster{regions->of_row(), buckets.first, buckets.items, size, {}};
    if (elsewhere.cluster && elsewhere.cluster(to_cluster))
        return RowClusters{std::move(buckets.items), to_cluster.bandwidth};
    const CsrView* const here = a.col_idx == nullptr && elsewhere.here ? elsewhere.here() : &a;
    if (here == nullptr || (a.nnz > 0 && here->col_idx == nullptr)) return std::nullopt;
    std::vector<VertexState> state(static_cast<std::size_t>(a.rows));
    with_columns(*here, [&](const auto& columns) {
        for_chunks(regions->count, threads, [&](std::int64_t region, int) {
            const auto r = static_cast<std::size_t>(region);
            const auto begin = static_cast<std::size_t>(buckets.first[r]);
            const auto end = static_cast<std::size_t>(buckets.first[r + 1]);
            cluster_region(columns, *regions, static_cast<std::int32_t>(region),
                           std::span(buckets.items).subspan(begin, end - begin), begin,
                           static_cast<std::size_t>(size), state);
        });
    });
    return RowClusters{std::move(buckets.items), std::nullopt};
}

}  // namespace spmvgen::reordering
