#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "matrix/csr_matrix.hpp"

namespace spmvgen {

/// How long rows are. `structure`: as the family's structure makes them.
enum class RowLengths { structure, equal, normal, log_normal, zipf, two_kinds, few_dense };

/// The lengths of rows; which fields count, and for what, is the kind's.
struct LengthLaw {
    RowLengths kind = RowLengths::structure;
    std::int64_t typical = 1;  ///< equal, normal: the mean; log_normal: the median; zipf: the
                               ///< shortest; two_kinds, few_dense: the short rows
    std::int64_t spread = 0;  ///< normal: standard deviation in percent of the mean; log_normal: in
                              ///< percent of an octave; zipf: 100·s of P(length ≥ x) ~ x^-s
    std::int64_t longest = 1;  ///< no row is longer; two_kinds, few_dense: the long rows
    std::int64_t share = 0;    ///< two_kinds: long rows of a million; few_dense: how many are long

    bool operator==(const LengthLaw&) const = default;
};

/// Where the columns of a row are. `popular`: by Zipf's law, low numbers the most.
enum class ColumnPlaces { structure, anywhere, near, popular, communities, runs };

/// The places of columns; which fields count is the kind's.
struct ColumnLaw {
    ColumnPlaces kind = ColumnPlaces::structure;
    std::int64_t width = 1;  ///< near: reach to each side of the diagonal; communities: columns of
                             ///< one; runs: columns in a row
    std::int64_t share = 0;  ///< communities: entries of a thousand in the row's own

    bool operator==(const ColumnLaw&) const = default;
};

/// How rows and columns are numbered. `natural`: as the family has them; `local`: shuffled within
/// windows of 64; `spatial`: along a Z curve; `partitioned`: part by part, the parts in random
/// order; `random`: shuffled.
enum class NodeOrder { natural, local, spatial, partitioned, random };

/// What the values are: multiples of 2^-52 in [-1, 1), ones, 1 and -1, some few numbers, the
/// entries of a row on the diagonal and -1 elsewhere, mostly 1 and -1 with some quarters of whole
/// numbers between, or whole numbers from 1 to at most 100 in some longer rows and 1 and -1 in the
/// others.
enum class EntryValues { random, ones, signs, few, laplacian, units, weights };

/// What a seed stands for: everything that make_random_matrix() needs, and nothing else.
struct RandomSpec {
    std::uint64_t seed = 0;
    std::string collection;           ///< "random"
    std::string family;               ///< "tetrahedra"
    std::int64_t rows = 0, cols = 0;  ///< before it is transposed
    std::int64_t entries = 0;         ///< wanted: what is made has 0.5 to 1.5 times as many
    LengthLaw lengths;
    ColumnLaw columns;
    /// The family's own: {"nx", 40}, {"unknowns", 3}.
    std::vector<std::pair<std::string, std::int64_t>> parameters;
    NodeOrder order = NodeOrder::natural;
    bool transposed = false;
    EntryValues values = EntryValues::random;

    /// Of the family's own parameters. Throws Error(internal) for one that it has not.
    std::int64_t parameter(std::string_view name) const;
    std::int64_t made_rows() const { return transposed ? cols : rows; }
    std::int64_t made_cols() const { return transposed ? rows : cols; }

    bool operator==(const RandomSpec&) const = default;
};

/// What a draw is held to.
struct RandomLimits {
    static constexpr double least = 1000, most = 1e8;
    double max_nnz = 5e7;     ///< entries wanted at most, `least` … `most`: fewer scale sizes down
    std::string family = {};  ///< "" = the seed decides
    bool transposed = false;  ///< the transpose of what the seed stands for
    std::string collection = "random";  ///< or "lp": classes of linear programs
};

/// The names of a collection's families and what they are, in order of the list. Throws
/// Error(invalid_argument) for a collection that is not there.
std::vector<std::pair<std::string_view, std::string_view>> random_families(
    std::string_view collection = "random");

/// Draws what `seed` stands for. Any run of consecutive seeds has all families about equally
/// often; wanted entries are spread evenly over the orders of magnitude from 1000 on. Throws
/// Error(invalid_argument) for a limit that cannot be held or a family that is not there.
RandomSpec random_spec(std::uint64_t seed, const RandomLimits& limits = {});

/// Reads "seed=7,max_nnz=1e6,family=band", all of which may be left out, and draws; of "lp" also
/// "transposed=1". Throws Error(invalid_argument) that says what is wrong and what is allowed.
RandomSpec random_spec(std::string_view text, std::string_view collection = "random");

/// Makes the matrix: the same bits on every machine and number of threads. Rows ascend by column,
/// no place occurs twice. Throws Error(unsupported) when it does not fit the free memory.
CsrMatrix make_random_matrix(const RandomSpec& spec);

/// "log-normal, median 8, 1.2 octaves, at most 3000".
std::string describe(const LengthLaw& law);
/// "communities of 500, 80 % of the entries in the row's own".
std::string describe(const ColumnLaw& law);
std::string_view name_of(NodeOrder order);
std::string_view name_of(EntryValues values);

/// One line: "seed 7: band, 100 x 100, 900 entries wanted; rows by structure; …; order natural; …".
std::string describe(const RandomSpec& spec);

}  // namespace spmvgen
