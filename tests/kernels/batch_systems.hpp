#pragma once
#include <deque>
#include <vector>

#include "fixtures.hpp"

namespace spmvgen {

/// Systems with x and y of each.
template <typename Value, typename Index = std::int32_t, typename Offset = std::int32_t>
struct Systems {
    std::deque<fixtures::TypedMatrix<Value, Index, Offset>> matrices;
    std::vector<const fixtures::Fixture*> fixtures;
    std::vector<CsrView> views;

    /// `salt` makes values that no other system has.
    void add(const fixtures::Fixture& fixture, int salt = 0) {
        auto& matrix = matrices.emplace_back(fixture);
        for (std::size_t k = 0; salt != 0 && k < matrix.values.size(); ++k)
            matrix.values[k] = fixtures::number<Value>(static_cast<std::int64_t>(k), 10 + salt);
        fixtures.push_back(&fixture);
        views.push_back(matrix.view());
    }
    void add_again() {
        fixtures.push_back(fixtures.back());
        views.push_back(views.back());
    }
};

}  // namespace spmvgen
