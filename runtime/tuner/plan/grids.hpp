#pragma once
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tuner/situation.hpp"

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
    /// The empty set, which stands for what the plan chooses, and these.
    std::vector<Params> beside_the_plan() const {
        std::vector<Params> all{{}};
        all.insert(all.end(), sets_.begin(), sets_.end());
        return all;
    }

  private:
    std::vector<Params> sets_{{}};
};

/// Numbers of lanes of a GPU for a row (or a block row) of `mean` elements: from those whose steps
/// are too many for one lane down to those of which half are idle.
std::vector<std::int64_t> lanes_for(double mean, std::int64_t most);

/// Where a GPU's launches overlap and the matrix is small: these sets, and of those with more than
/// few blocks (cost/work/gpu_units.hpp) others with as large blocks, up to 1024 threads, that a
/// grid has few. `blocks` tells how many a set has; one without "block" stands for another.
std::vector<Params> with_few_blocks(const Situation& situation, std::vector<Params> sets,
                                    const std::function<double(const Params&)>& blocks);

/// Blocks of kernels in which each row has as many lanes as the parameter `lanes` says.
std::function<double(const Params&)> blocks_of_rows(const Situation& situation, const char* lanes);

/// `windows` where sorting pads less in slices of a GPU, else none but 1.
std::vector<std::int64_t> sorting_windows(const Situation& situation,
                                          const std::vector<std::int64_t>& windows);

namespace cpu {

/// Lanes that entries of one row are put into: as many as a mean row fills, up to two registers,
/// and fewer where x is loaded singly into long ones.
std::vector<std::int64_t> row_lanes(const Situation& situation, std::int64_t least);

/// Unsorted, and where rows differ in length the largest window and one of its size at most that
/// keeps neighbours near.
std::vector<std::int64_t> sorting_windows(const Situation& situation);

}  // namespace cpu

}  // namespace spmvgen
