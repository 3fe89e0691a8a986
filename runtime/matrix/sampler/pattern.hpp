#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "matrix/sampler/random_spec.hpp"

namespace spmvgen::sampler {

/// Rows and columns of a drawn matrix are at most so many: numbers of 32 bits do everywhere.
inline constexpr std::int64_t most_lines = std::int64_t{1} << 25;

using Places = std::vector<std::int32_t>;

/// Where entries are, row by row. All functions are pure and called from several threads.
struct Pattern {
    std::int64_t rows = 0, cols = 0;
    /// Appends the columns of row i, in any order; doubled ones count once.
    std::function<void(std::int64_t i, Places& columns)> row = {};
    /// Unknowns of node i, where rows and columns are nodes and each entry is a dense block of
    /// them; empty: one.
    std::function<std::int64_t(std::int64_t i)> unknowns = {};
    /// Of a node that lies in space: where along a Z curve, and in which of some hundred parts;
    /// empty: it does not.
    std::function<std::uint64_t(std::int64_t i)> along = {}, part = {};
    /// Whether node i is there; empty: all are.
    std::function<bool(std::int64_t i)> present = {};
    bool symmetric = false;  ///< pattern and values
};

/// A pattern kept in memory.
class Rows {
  public:
    /// That of `pattern`, which has neither unknowns nor nodes that are absent; rows ascend.
    explicit Rows(const Pattern& pattern);

    Rows transposed() const;
    std::int64_t entries() const { return begins_.back(); }
    void append(std::int64_t i, Places& columns) const {
        columns.insert(columns.end(), columns_.begin() + begins_[static_cast<std::size_t>(i)],
                       columns_.begin() + begins_[static_cast<std::size_t>(i) + 1]);
    }

  private:
    Rows() = default;

    std::int64_t cols_ = 0;
    std::vector<std::int64_t> begins_;
    Places columns_;
};

/// Sorts, and leaves each column once.
void make_ascending(Places& columns);

/// The matrix of a pattern: in the specification's order, with its values, transposed if it says
/// so.
CsrMatrix assemble(const RandomSpec& spec, const Pattern& pattern);

}  // namespace spmvgen::sampler
