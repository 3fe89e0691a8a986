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
/// be taken. Where neighbours may come later, neighbours.has(v) says whether v's are there.
/// `members` are the vertices to begin with where none is touched, in this order. `state` has one
/// for each vertex of the graph, unseen at first; those of vertices that are not admitted are left
/// alone. All must outlive it. For one thread.
template <typename Neighbours, typename Admits, typename States = std::vector<VertexState>>
class ClusterGrower {
  public:
    ClusterGrower(Neighbours neighbours, Admits admits, std::span<const std::int32_t> members,
                  States& state)
        : neighbours_(std::forward<Neighbours>(neighbours)),
          admits_(std::move(admits)),
          members_(members),
          state_(state) {}

    /// Appends the next `count` vertices to `order`, fewer where the members run out.
    void add(std::size_t count, std::vector<std::int32_t>& order) {
        begin(count, order);
        go_on(order);
    }
    /// The next vertices will be `count` of them.
    void begin(std::size_t count, const std::vector<std::int32_t>& order) {
        at_ = order.size();
        end_ = at_ + count;
    }
    /// Appends what is left of them; whether all are there, or the members run out. Else neighbours
    /// are not there yet.
    bool go_on(std::vector<std::int32_t>& order) {
        while (grow(order)) {
            const std::int32_t seed = order.size() < end_ ? start() : -1;
            if (seed < 0) return true;
            take(seed, order);
        }
        return false;
    }
    /// Those of `order` whose neighbours are wanted next.
    std::span<const std::int32_t> to_search(const std::vector<std::int32_t>& order) const {
        return std::span(order).subspan(at_);
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

    bool has_neighbours(std::int32_t v) const {
        if constexpr (requires { neighbours_.has(v); }) return neighbours_.has(v);
        return true;
    }

    /// Searches by breadth until there are as many vertices as wanted, or no more; whether all
    /// neighbours were there.
    bool grow(std::vector<std::int32_t>& order) {
        const std::size_t end = end_;
        for (std::size_t& at = at_; at < order.size(); ++at) {
            if (!has_neighbours(order[at])) return false;
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
        return true;
    }

    Neighbours neighbours_;
    Admits admits_;
    std::span<const std::int32_t> members_;
    States& state_;
    std::vector<std::int32_t> touched_;
    std::size_t next_touched_ = 0, next_ = 0;
    std::size_t at_ = 0, end_ = 0;  ///< of the order: who is searched next, and the wanted size
};

}  // namespace spmvgen::reordering
