#include <algorithm>

#include "matrix/reorder/graph.hpp"

namespace spmvgen::reordering {
namespace {

/// Grows the clusters, each from a vertex that touches an earlier one.
class Clusters {
  public:
    Clusters(const Graph& graph, std::size_t size)
        : graph_(graph), size_(size), state_(static_cast<std::size_t>(graph.vertices())) {
        order_.reserve(state_.size());
        touched_.reserve(state_.size());
    }

    std::vector<std::int32_t> make() {
        while (order_.size() < state_.size()) {
            const std::size_t end = std::min(state_.size(), order_.size() + size_);
            while (order_.size() < end) grow(start(), end);
        }
        return std::move(order_);
    }

  private:
    enum class State : unsigned char { unseen, touched, taken };

    State& state(std::int32_t v) { return state_[static_cast<std::size_t>(v)]; }

    void take(std::int32_t v) {
        state(v) = State::taken;
        order_.push_back(v);
    }

    /// The vertex that was touched first and not taken yet; where there is none, the first of all.
    std::int32_t start() {
        for (; next_touched_ < touched_.size(); ++next_touched_)
            if (state(touched_[next_touched_]) != State::taken) return touched_[next_touched_];
        while (state(next_) == State::taken) ++next_;
        return next_;
    }

    /// Searches by breadth from `seed` until there are `end` vertices, or no more.
    void grow(std::int32_t seed, std::size_t end) {
        std::size_t at = order_.size();
        take(seed);
        for (; at < order_.size(); ++at)
            for (const std::int32_t u : graph_.neighbours(order_[at])) {
                if (state(u) == State::taken) continue;
                if (order_.size() < end) {
                    take(u);
                } else if (state(u) == State::unseen) {
                    state(u) = State::touched;
                    touched_.push_back(u);
                }
            }
    }

    const Graph& graph_;
    const std::size_t size_;
    std::vector<State> state_;
    std::vector<std::int32_t> order_, touched_;
    std::size_t next_touched_ = 0;
    std::int32_t next_ = 0;
};

}  // namespace

std::vector<std::int32_t> cluster_order(const Graph& graph, int size) {
    return Clusters(graph, static_cast<std::size_t>(size)).make();
}

}  // namespace spmvgen::reordering
