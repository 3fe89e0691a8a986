#pragma once
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include "matrix/gallery/arguments.hpp"
#include "matrix/random.hpp"

namespace spmvgen::generators {

/// Sizes of a matrix to be made; `entries` is a bound from above.
struct Shape {
    std::int64_t rows = 0, cols = 0, entries = 0;
};

/// The product of factors ≥ 0, or INT64_MAX where it is larger.
std::int64_t product(std::initializer_list<std::int64_t> factors);

/// `shape`, when a matrix of that size is sane and fits the machine's memory; else throws
/// Error(invalid_argument) with the sizes.
Shape checked(const Arguments& arguments, const Shape& shape);

/// Rows that are much longer than a generator makes them: the k-th of `count` gets about longest /
/// k entries, near the diagonal as far as that goes; in a square matrix the mirrored ones, too.
struct LongRows {
    std::int64_t count = 0, longest = 0;
    std::uint64_t seed = 1;
};

/// What else makes a matrix of a pattern, and the value of each entry: `diagonal` and `other`, or
/// uniform in [-1, 1) as a multiple of 2^-52.
struct Values {
    double diagonal = 1, other = 1;
    bool random = false;
    bool symmetric = false;  ///< random values: a(i,j) = a(j,i)
    Random source;
    LongRows long_rows;

    Values(const Arguments& arguments, double diagonal_value, double other_value,
           bool equal_mirrored = false)
        : diagonal(diagonal_value),
          other(other_value),
          random(arguments.flag("random_values")),
          symmetric(equal_mirrored),
          source(arguments.seed(), Purpose::value),
          long_rows{arguments.whole("long_rows"), arguments.whole("longest"), arguments.seed()} {}

    double at(std::int64_t i, std::int64_t j) const {
        if (!random) return i == j ? diagonal : other;
        if (symmetric && i > j) std::swap(i, j);
        return 2 * source.unit(i, j) - 1;
    }
};

using Columns = std::vector<std::int64_t>;
/// Appends the columns of row i, in any order; doubled ones count once. Called from several
/// threads, twice a row: a pure function.
using RowColumns = std::function<void(std::int64_t i, Columns& columns)>;
/// Edge k as (row, column). Called from several threads, twice an edge: a pure function.
using EdgeAt = std::function<std::pair<std::int64_t, std::int64_t>(std::int64_t k)>;

CsrMatrix from_rows(const Shape& shape, const RowColumns& plain, const Values& values);
/// `mirrored`: edge (i, j) also gives (j, i).
CsrMatrix from_edges(const Shape& shape, std::int64_t edges, bool mirrored, const EdgeAt& edge,
                     const Values& values);

/// Appends `count` ≤ n different whole numbers of 0 … n-1, uniform, that depend on (random, key)
/// only.
void append_distinct(const Random& random, std::int64_t key, std::int64_t count, std::int64_t n,
                     Columns& columns);

/// A numbering of 0 … n-1, shuffled within windows of `window` consecutive numbers.
struct Numbering {
    std::vector<std::int64_t> row_of, node_of;  ///< inverse to each other
};
Numbering shuffled(std::int64_t n, std::int64_t window, std::uint64_t seed);

}  // namespace spmvgen::generators
