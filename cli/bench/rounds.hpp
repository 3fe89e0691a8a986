#pragma once
#include <vector>

#include "text/output.hpp"

namespace spmvgen::cli {

/// The rows of one case, of rounds in which all cases of a matrix take turns: what disturbs a
/// machine for a while then disturbs all of them.
class Rounds {
  public:
    /// What CaseRunner::run() says of a round.
    void add(Json row) { rows_.push_back(std::move(row)); }

    /// One row for all: the first round's, with the times of the round whose median is the median,
    /// "rounds_us" among them, and the fastest conversion. A round without times ("none", "wrong")
    /// speaks for all, and so does one that is "untimed" by a clock. There must be a round.
    Json row() const;

  private:
    std::vector<Json> rows_;
};

}  // namespace spmvgen::cli
