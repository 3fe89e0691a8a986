#include <boost/graph/cuthill_mckee_ordering.hpp>
#include <boost/graph/graph_traits.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/iterator_facade.hpp>
#include <boost/property_map/property_map.hpp>
#include <deque>
#include <utility>

#include "matrix/reorder/graph.hpp"

namespace spmvgen::reordering {
namespace {

/// What Boost.Graph reads of a Graph, without a copy of it.
struct BoostGraph {
    const Graph& graph;
};
struct Edge {
    std::int32_t from = 0, to = 0;
    bool operator==(const Edge&) const = default;
};
class EdgeIterator
    : public boost::iterator_facade<EdgeIterator, Edge, boost::random_access_traversal_tag, Edge> {
  public:
    EdgeIterator() = default;
    EdgeIterator(std::int32_t from, const std::int32_t* to) : from_(from), to_(to) {}

  private:
    friend class boost::iterator_core_access;
    Edge dereference() const { return {from_, *to_}; }
    bool equal(const EdgeIterator& other) const { return to_ == other.to_; }
    void increment() { ++to_; }
    void decrement() { --to_; }
    void advance(std::ptrdiff_t n) { to_ += n; }
    std::ptrdiff_t distance_to(const EdgeIterator& other) const { return other.to_ - to_; }

    std::int32_t from_ = 0;
    const std::int32_t* to_ = nullptr;
};
using VertexIterator = boost::counting_iterator<std::int32_t>;

[[maybe_unused]] std::pair<VertexIterator, VertexIterator> vertices(const BoostGraph& g) {
    return {VertexIterator(0), VertexIterator(g.graph.vertices())};
}
[[maybe_unused]] std::pair<EdgeIterator, EdgeIterator> out_edges(std::int32_t v,
                                                                 const BoostGraph& g) {
    const auto list = g.graph.neighbours(v);
    return {EdgeIterator(v, list.data()), EdgeIterator(v, list.data() + list.size())};
}
[[maybe_unused]] std::int64_t out_degree(std::int32_t v, const BoostGraph& g) {
    return g.graph.degree(v);
}
[[maybe_unused]] std::int32_t source(const Edge& e, const BoostGraph&) {
    return e.from;
}
[[maybe_unused]] std::int32_t target(const Edge& e, const BoostGraph&) {
    return e.to;
}

}  // namespace
}  // namespace spmvgen::reordering

template <>
struct boost::graph_traits<spmvgen::reordering::BoostGraph> {
    using vertex_descriptor = std::int32_t;
    using edge_descriptor = spmvgen::reordering::Edge;
    using directed_category = boost::directed_tag;
    using edge_parallel_category = boost::disallow_parallel_edge_tag;
    struct traversal_category : boost::incidence_graph_tag, boost::vertex_list_graph_tag {};
    using vertex_iterator = spmvgen::reordering::VertexIterator;
    using out_edge_iterator = spmvgen::reordering::EdgeIterator;
    using vertices_size_type = std::int32_t;
    using degree_size_type = std::int64_t;
    static vertex_descriptor null_vertex() { return -1; }
};

namespace spmvgen::reordering {
namespace {

/// Finds for each component a vertex that is far from others.
class Starts {
  public:
    explicit Starts(const Graph& graph) : graph_(graph), seen_by_(at(graph.vertices()), 0) {}

    std::deque<std::int32_t> find() {
        std::deque<std::int32_t> starts;
        for (std::int32_t v = 0; v < graph_.vertices(); ++v)
            if (seen_by_[at(v)] == 0) starts.push_back(far_from(v));
        return starts;
    }

  private:
    /// A search by breadth: its depth, and of the last level the vertex with the fewest neighbours.
    struct Search {
        int depth = 0;
        std::int32_t last = 0;
    };

    /// As George & Liu do: from the far end of a search the next one starts, as long as that goes
    /// deeper. A few searches get what there is to be had.
    std::int32_t far_from(std::int32_t v) {
        constexpr int most_searches = 8;
        if (graph_.degree(v) == 0) {
            seen_by_[at(v)] = ++searches_;
            return v;
        }
        Search search = breadth_first(v);
        for (int i = 1; i < most_searches; ++i) {
            const Search next = breadth_first(search.last);
            if (next.depth <= search.depth) break;
            search = next;
        }
        return search.last;
    }

    Search breadth_first(std::int32_t from) {
        ++searches_;
        level_.assign(1, from);
        seen_by_[at(from)] = searches_;
        for (Search search;; ++search.depth) {
            search.last = level_.front();
            next_.clear();
            for (const std::int32_t v : level_) {
                if (graph_.degree(v) < graph_.degree(search.last)) search.last = v;
                for (const std::int32_t w : graph_.neighbours(v))
                    if (std::exchange(seen_by_[at(w)], searches_) != searches_) next_.push_back(w);
            }
            if (next_.empty()) return search;
            level_.swap(next_);
        }
    }

    const Graph& graph_;
    std::vector<std::int32_t> seen_by_;  ///< number of the last search that came by; 0 = none
    std::int32_t searches_ = 0;
    std::vector<std::int32_t> level_, next_;
};

/// What neighbours are sorted by: the rows beside a vertex, then its number, so that no two are
/// equal and the order does not depend on the library's sort.
std::vector<std::int64_t> sort_keys(const Graph& graph) {
    const std::int32_t n = graph.vertices();
    std::vector<std::int64_t> keys(at(n));
    for (std::int32_t v = 0; v < n; ++v) {
        std::int64_t beside = 0;
        for (const std::int32_t w : graph.neighbours(v)) beside += graph.weight_of(w);
        keys[at(v)] = (beside << 32) | v;
    }
    return keys;
}

}  // namespace

std::vector<std::int32_t> cuthill_mckee(const Graph& graph) {
    std::vector<std::int32_t> order(at(graph.vertices()));
    const std::vector<std::int64_t> keys = sort_keys(graph);
    std::vector<boost::default_color_type> colours(at(graph.vertices()));
    boost::typed_identity_property_map<std::int32_t> same;
    boost::cuthill_mckee_ordering(BoostGraph{graph}, Starts(graph).find(), order.begin(),
                                  boost::make_iterator_property_map(colours.begin(), same),
                                  boost::make_iterator_property_map(keys.begin(), same));
    return order;
}

}  // namespace spmvgen::reordering
