#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "tuner/rules/rules.hpp"

namespace spmvgen {

/// Sets of parameters, one parameter added at a time: at first one empty set.
class ParamSets {
  public:
    /// Each of the sets with each of the values.
    ParamSets& with(const char* name, const std::vector<std::int64_t>& values) {
        std::vector<Params> more;
        for (auto& set : sets_)
            for (const std::int64_t value : values) {
                more.push_back(set);
                more.back()[name] = value;
            }
        sets_ = std::move(more);
        return *this;
    }
    const std::vector<Params>& all() const { return sets_; }

  private:
    std::vector<Params> sets_{{}};
};

}  // namespace spmvgen
