#include <algorithm>
#include <numeric>

#include "matrix/reorder/graph.hpp"

namespace spmvgen::reordering {
namespace {

constexpr std::int32_t nobody = -1;

/// One matching: every vertex with at most one other, together no larger than `most`.
class Matching {
  public:
    /// `size[v]`: what v counts against `most`.
    Matching(const Graph& graph, std::span<const std::int32_t> size, int most)
        : graph_(graph), size_(size), most_(most), mate_(at(graph.vertices()), nobody) {}

    /// mate[v]; a vertex that is left alone is its own.
    std::vector<std::int32_t> make() {
        for (const std::int32_t v : by_degree())
            if (mate_[at(v)] == nobody) match(v, heaviest_free(v));
        match_siblings();
        for (std::size_t v = 0; v < mate_.size(); ++v)
            if (mate_[v] == nobody) mate_[v] = static_cast<std::int32_t>(v);
        return std::move(mate_);
    }

  private:
    /// Those with few neighbours choose first, for they have the least choice.
    std::vector<std::int32_t> by_degree() const {
        std::vector<std::int32_t> degrees(mate_.size());
        std::int32_t largest = 0;
        for (std::size_t v = 0; v < degrees.size(); ++v) {
            degrees[v] = static_cast<std::int32_t>(graph_.degree(static_cast<std::int32_t>(v)));
            largest = std::max(largest, degrees[v]);
        }
        return bucket(degrees, largest + 1).items;
    }

    bool fit(std::int32_t v, std::int32_t w) const { return size_[at(v)] + size_[at(w)] <= most_; }

    void match(std::int32_t v, std::int32_t w) {
        if (w == nobody) return;
        mate_[at(v)] = w;
        mate_[at(w)] = v;
    }

    /// The free neighbour across the heaviest edge; of equal ones the smallest, then the first.
    std::int32_t heaviest_free(std::int32_t v) const {
        std::int32_t best = nobody, best_weight = 0;
        for (std::int64_t e = graph_.first[at(v)]; e < graph_.first[at(v) + 1]; ++e) {
            const std::int32_t w = graph_.neighbour[at(e)], weight = graph_.edge_weight_at(e);
            if (mate_[at(w)] != nobody || !fit(v, w)) continue;
            if (best != nobody && (weight < best_weight ||
                                   (weight == best_weight && size_[at(w)] >= size_[at(best)])))
                continue;
            best = w;
            best_weight = weight;
        }
        return best;
    }

    /// Vertices whose neighbours are all taken, as around a hub, are matched with each other when
    /// they hang on the same one; those without any neighbour, too.
    void match_siblings() {
        std::vector<std::int32_t> left, hub;
        for (std::int32_t v = 0; v < graph_.vertices(); ++v) {
            if (mate_[at(v)] != nobody || size_[at(v)] >= most_) continue;
            left.push_back(v);
            hub.push_back(heaviest(v));
        }
        const Buckets around = bucket(hub, graph_.vertices() + 1);
        for (std::int32_t h = 0; h <= graph_.vertices(); ++h) {
            std::int32_t waiting = nobody;
            for (const std::int32_t i : around.of(h)) {
                const std::int32_t v = left[at(i)];
                if (waiting == nobody || !fit(waiting, v)) {
                    waiting = v;
                } else {
                    match(waiting, v);
                    waiting = nobody;
                }
            }
        }
    }

    /// The neighbour across the heaviest edge; the number of vertices when there is none.
    std::int32_t heaviest(std::int32_t v) const {
        std::int32_t best = graph_.vertices(), best_weight = 0;
        for (std::int64_t e = graph_.first[at(v)]; e < graph_.first[at(v) + 1]; ++e)
            if (graph_.edge_weight_at(e) > best_weight) {
                best = graph_.neighbour[at(e)];
                best_weight = graph_.edge_weight_at(e);
            }
        return best;
    }

    const Graph& graph_;
    std::span<const std::int32_t> size_;
    int most_;
    std::vector<std::int32_t> mate_;
};

/// Numbers the pairs by their first vertex; returns how many there are.
std::int32_t number_pairs(std::span<const std::int32_t> mate, std::vector<std::int32_t>& group_of) {
    std::int32_t groups = 0;
    group_of.resize(mate.size());
    for (std::size_t v = 0; v < mate.size(); ++v)
        group_of[v] = at(mate[v]) < v ? group_of[at(mate[v])] : groups++;
    return groups;
}

}  // namespace

Coarsening coarsen(const Graph& graph, int most, int threads) {
    constexpr double worth = 0.95;  // less progress than this is not worth another matching
    Coarsening result;
    result.group_of.resize(at(graph.vertices()));
    std::iota(result.group_of.begin(), result.group_of.end(), 0);
    std::vector<std::int32_t> size(at(graph.vertices()), 1), pair_of;
    const Graph* now = &graph;
    for (bool goes_on = true; goes_on;) {
        const std::vector<std::int32_t> mate = Matching(*now, size, most).make();
        const std::int32_t groups = number_pairs(mate, pair_of);
        goes_on = groups < worth * now->vertices();
        std::vector<std::int32_t> sums(at(groups), 0);
        for (std::size_t v = 0; v < size.size(); ++v) sums[at(pair_of[v])] += size[v];
        size = std::move(sums);
        for (std::int32_t& group : result.group_of) group = pair_of[at(group)];
        result.coarse = contract(*now, pair_of, groups, threads);
        now = &result.coarse;
    }
    return result;
}

}  // namespace spmvgen::reordering
