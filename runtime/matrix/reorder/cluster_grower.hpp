#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace spmvgen::reordering {

enum class VertexState : unsigned char { unseen, touched, taken };

/// Grows clusters of neighbouring vertices one after another, each by breadth from the vertex that
/// earlier ones touched first. neighbours(v) is a span of v's neighbours, admits(v) whether v may
/// be taken. `members` are the vertices to begin with where none is touched, in this order. `state`
/// has one for each vertex of the graph, unseen at first; those of vertices that are not admitted
/// are left alone. All must outlive it. For one thread.
template <typename Neighbours, typename Admits>
class ClusterGrower {
  public:
    ClusterGrower(Neighbours neighbours, Admits admits, std::span<const std::int32_t> members,
                  std::vector<VertexState>& state)
        : neighbours_(std::move(neighbours)),
          admits_(std::move(admits)),
          members_(members),
          state_(state) {}

    /// Appends the next `count` vertices to `order`, fewer where the members run out.
    void add(std::size_t count, std::vector<std::int32_t>& order) {
        const std::size_t end = order.size() + count;
        for (std::int32_t seed = start(); seed >= 0 && order.size() < end; seed = start())
            grow(seed, end, order);
    }

  private:
    static constexpr std::size_t ahead = 8;  ///< vertices, of which the neighbours are prefetched

    VertexState& state(std::int32_t v) { return state_[static_cast<std::size_t>(v)]; }

    void take(std::int32_t v, std::vector<std::int32_t>& order) {
        state(v) = VertexState::taken;
        order.push_back(v);
    }

    /// The vertex that was touched first and not taken yet; where there is none, the first member;
    /// -1 when all are taken.
    std::int32_t start() {
        for (; next_touched_ < touched_.size(); ++next_touched_)
            if (state(touched_[next_touched_]) != VertexState::taken)
                return touched_[next_touched_];
        while (next_ < members_.size() && state(members_[next_]) == VertexState::taken) ++next_;
        return next_ < members_.size() ? members_[next_] : -1;
    }

    /// Searches by breadth from `seed` until there are `end` vertices, or no more.
    void grow(std::int32_t seed, std::size_t end, std::vector<std::int32_t>& order) {
        std::size_t at = order.size();
        take(seed, order);
        for (; at < order.size(); ++at) {
            if (at + ahead < order.size())
                __builtin_prefetch(neighbours_(order[at + ahead]).data());
            for (const auto neighbour : neighbours_(order[at])) {
                const auto u = static_cast<std::int32_t>(neighbour);
                if (!admits_(u) || state(u) == VertexState::taken) continue;
                if (order.size() < end) {
                    take(u, order);
                } else if (state(u) == VertexState::unseen) {
                    state(u) = VertexState::touched;
                    touched_.push_back(u);
                }
            }
        }
    }

    Neighbours neighbours_;
    Admits admits_;
    std::span<const std::int32_t> members_;
    std::vector<VertexState>& state_;
    std::vector<std::int32_t> touched_;
    std::size_t next_touched_ = 0, next_ = 0;
};

}  // namespace spmvgen::reordering
