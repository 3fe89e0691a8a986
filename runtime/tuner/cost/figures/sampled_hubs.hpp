#pragma once
#include <cstdint>
#include <vector>

#include "matrix/entry_source.hpp"
#include "tuner/cost/figures/sampled_rows.hpp"

namespace spmvgen {

/// Which share of a matrix' entries is in its most used columns, estimated from a sample of its
/// rows: one half of it says which columns these are, the other how often they are used. A sample
/// does not know both, for of few entries each is in a column of its own.
class SampledHubs {
  public:
    explicit SampledHubs(const SampledRows& sample);
    /// Of a larger sample than that of rows, where the matrix has more entries: few say little of
    /// which columns are used most. Columns come from the source where it is not null.
    SampledHubs(const CsrView& matrix, EntrySource* source);
    /// 0 … 1, of so many columns.
    double share(std::int64_t count) const;

  private:
    double cols_, entries_;           ///< of the matrix, and those that are counted
    std::vector<std::int64_t> hits_;  ///< of the first so many columns, the most used one first
};

}  // namespace spmvgen
