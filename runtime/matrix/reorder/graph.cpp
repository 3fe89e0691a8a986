#include "matrix/reorder/graph.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "matrix/chunks.hpp"

namespace spmvgen::reordering {
namespace {

constexpr std::int64_t vertices_a_part = 4096;  ///< vertices that a thread takes at a time
constexpr std::int64_t keys_a_part = 16'384;    ///< the same of keys

/// Calls edge(row, first_column + column) for every entry where these differ, in parallel.
template <typename Edge>
void for_edges(const CsrView& a, std::int64_t first_column, int threads, Edge edge) {
    dispatch(a.index_type, [&](auto index) {
        const auto* columns = a.col_idx_as<decltype(index)>();
        for_parts(a.rows, vertices_a_part, threads, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i)
                for (std::int64_t k = a.row_begin(i); k < a.row_begin(i + 1); ++k) {
                    const std::int64_t j = first_column + static_cast<std::int64_t>(columns[k]);
                    if (j != i) edge(i, j);
                }
        });
    });
}

/// Neighbours with repetitions, in any order, room for as many as first says.
struct RawLists {
    std::vector<std::int64_t> first;
    std::vector<std::int32_t> neighbour;
};

RawLists raw_lists(const CsrView& a, std::int64_t first_column, int threads) {
    RawLists raw{std::vector<std::int64_t>(at(first_column + a.cols) + 1, 0), {}};
    // Every count stands one place to the right: the sums are then where lists begin.
    const auto add_one = [&](std::int64_t v) {
#pragma omp atomic
        ++raw.first[at(v) + 1];
    };
    for_edges(a, first_column, threads, [&](std::int64_t i, std::int64_t j) {
        add_one(i);
        add_one(j);
    });
    std::partial_sum(raw.first.begin(), raw.first.end(), raw.first.begin());
    raw.neighbour.resize(at(raw.first.back()));
    std::vector<std::int64_t> cursor(raw.first.begin(), raw.first.end() - 1);
    const auto append = [&](std::int64_t v, std::int64_t w) {
        std::int64_t free = 0;
#pragma omp atomic capture
        free = cursor[at(v)]++;
        raw.neighbour[at(free)] = static_cast<std::int32_t>(w);
    };
    for_edges(a, first_column, threads, [&](std::int64_t i, std::int64_t j) {
        append(i, j);
        append(j, i);
    });
    return raw;
}

/// Column j is vertex first_column + j.
Graph pattern(const CsrView& a, std::int64_t first_column, int threads) {
    RawLists raw = raw_lists(a, first_column, threads);
    const std::int64_t vertices = first_column + a.cols;
    Graph graph;
    graph.first.assign(at(vertices) + 1, 0);
    for_parts(vertices, vertices_a_part, threads, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t v = begin; v < end; ++v) {
            const auto list = raw.neighbour.begin();
            std::sort(list + raw.first[at(v)], list + raw.first[at(v) + 1]);
            const auto last = std::unique(list + raw.first[at(v)], list + raw.first[at(v) + 1]);
            graph.first[at(v) + 1] = last - list - raw.first[at(v)];
        }
    });
    std::partial_sum(graph.first.begin(), graph.first.end(), graph.first.begin());
    graph.neighbour.resize(at(graph.first.back()));
    for_parts(vertices, vertices_a_part, threads, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t v = begin; v < end; ++v)
            std::copy_n(raw.neighbour.begin() + raw.first[at(v)],
                        graph.degree(static_cast<std::int32_t>(v)),
                        graph.neighbour.begin() + graph.first[at(v)]);
    });
    return graph;
}

}  // namespace

Graph symmetrised_pattern(const CsrView& a, int threads) {
    return pattern(a, 0, threads);
}

Graph rows_and_columns(const CsrView& a, int threads) {
    return pattern(a, a.rows, threads);
}

Buckets bucket(std::span<const std::int32_t> keys, std::int32_t count, int threads) {
    const std::int64_t size = std::ssize(keys);
    // Each part has a counter for each key, so parts have more keys than there are different ones.
    const std::int64_t length = std::max<std::int64_t>(keys_a_part, 4 * std::int64_t{count});
    const std::int64_t parts = std::max<std::int64_t>((size + length - 1) / length, 1);
    std::vector<std::vector<std::int32_t>> cursors(at(parts));
    for_parts(size, length, threads, [&](std::int64_t begin, std::int64_t end, int) {
        auto& counts = cursors[at(begin / length)];
        counts.assign(at(count), 0);
        for (const std::int32_t key : keys.subspan(at(begin), at(end - begin))) ++counts[at(key)];
    });
    Buckets buckets{std::vector<std::int32_t>(at(count) + 1, 0),
                    std::vector<std::int32_t>(at(size))};
    std::int32_t before = 0;
    for (std::int32_t key = 0; key < count; ++key) {
        buckets.first[at(key)] = before;
        for (auto& cursor : cursors)
            if (!cursor.empty()) before += std::exchange(cursor[at(key)], before);
    }
    buckets.first[at(count)] = before;
    for_parts(size, length, threads, [&](std::int64_t begin, std::int64_t end, int) {
        auto& cursor = cursors[at(begin / length)];
        for (std::int64_t i = begin; i < end; ++i)
            buckets.items[at(cursor[at(keys[at(i)])]++)] = static_cast<std::int32_t>(i);
    });
    return buckets;
}

namespace {

struct WeightedEdge {
    std::int32_t to, weight;
};

/// The edges that leave a group, one for each group that they reach, ascending.
void collect_edges(const Graph& graph, std::span<const std::int32_t> group_of,
                   std::span<const std::int32_t> members, std::int32_t group,
                   std::vector<WeightedEdge>& edges) {
    edges.clear();
    for (const std::int32_t v : members)
        for (std::int64_t e = graph.first[at(v)]; e < graph.first[at(v) + 1]; ++e)
            if (const std::int32_t to = group_of[at(graph.neighbour[at(e)])]; to != group)
                edges.push_back({to, graph.edge_weight_at(e)});
    std::ranges::sort(edges, {}, &WeightedEdge::to);
    std::size_t kept = 0;
    for (const WeightedEdge& edge : edges)
        if (kept > 0 && edges[kept - 1].to == edge.to)
            edges[kept - 1].weight += edge.weight;
        else
            edges[kept++] = edge;
    edges.resize(kept);
}

}  // namespace

Graph contract(const Graph& graph, std::span<const std::int32_t> group_of, std::int32_t groups,
               int threads) {
    const Buckets members = bucket(group_of, groups);
    Graph coarse;
    coarse.first.assign(at(groups) + 1, 0);
    coarse.weight.assign(at(groups), 0);
    // Each part of the groups keeps its edges until it is known where they go.
    const std::int64_t parts = (groups + vertices_a_part - 1) / vertices_a_part;
    std::vector<std::vector<WeightedEdge>> found(at(parts));
    for_parts(groups, vertices_a_part, threads, [&](std::int64_t begin, std::int64_t end, int) {
        std::vector<WeightedEdge> edges;
        auto& all = found[at(begin / vertices_a_part)];
        for (std::int64_t g = begin; g < end; ++g) {
            const auto group = static_cast<std::int32_t>(g);
            collect_edges(graph, group_of, members.of(group), group, edges);
            all.insert(all.end(), edges.begin(), edges.end());
            coarse.first[at(g) + 1] = static_cast<std::int64_t>(edges.size());
            for (const std::int32_t v : members.of(group))
                coarse.weight[at(g)] += graph.weight_of(v);
        }
    });
    std::partial_sum(coarse.first.begin(), coarse.first.end(), coarse.first.begin());
    coarse.neighbour.resize(at(coarse.first.back()));
    coarse.edge_weight.resize(at(coarse.first.back()));
    for_parts(groups, vertices_a_part, threads, [&](std::int64_t begin, std::int64_t, int) {
        std::size_t to = at(coarse.first[at(begin)]);
        for (const WeightedEdge& edge : found[at(begin / vertices_a_part)]) {
            coarse.neighbour[to] = edge.to;
            coarse.edge_weight[to++] = edge.weight;
        }
    });
    return coarse;
}

}  // namespace spmvgen::reordering
