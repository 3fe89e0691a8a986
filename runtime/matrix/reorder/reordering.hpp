#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/csr_matrix.hpp"
#include "matrix/reorder/row_clusters.hpp"
#include "matrix/value_order.hpp"

/// Reordering: B = PAPᵀ of square matrices, with rows and columns in one new order, and B = PA,
/// with the rows alone.
namespace spmvgen {

enum class ReorderMethod {
    none,    ///< the order that the matrix has
    rcm,     ///< reverse Cuthill-McKee
    band_k,  ///< Band-k, of CSR-k
    rows     ///< rows alone, in clusters of neighbours; columns keep their order
};

const char* to_string(ReorderMethod method);  ///< "none", "rcm", "band-k", "rows"
/// The inverse; throws Error(invalid_argument) that lists what is allowed.
ReorderMethod parse_reorder_method(std::string_view text);
/// The same where "auto", which leaves it to the choice, is allowed, too: nothing then.
std::optional<ReorderMethod> parse_reorder_option(std::string_view text);

/// Whether an option names an order other than the matrix's: neither "none" nor "auto".
inline bool names_order(std::string_view option) {
    return option != "none" && option != "auto";
}

/// How large Band-k makes its groups.
struct BandK {
    int k = 3;                ///< 2 = super-rows only, 3 = super-super-rows, too
    int super_row = 8;        ///< rows of a super-row at most, 1…4096
    int super_super_row = 8;  ///< super-rows of a super-super-row at most, 1…4096
    bool operator==(const BandK&) const = default;
};

/// Rows of a cluster of ReorderMethod::rows: those of a block of threads, which share an L1 cache.
inline constexpr int cluster_rows = 256;

/// A new order of the rows and columns of an n×n matrix. `order` and `place` are permutations of
/// 0 … n-1, each the inverse of the other. Where only rows are moved, the matrix may be m×n:
/// `order` is a permutation of its rows then, and `place` leaves all columns where they are.
struct Reordering {
    ReorderMethod method = ReorderMethod::none;
    std::vector<std::int32_t> order;  ///< new → old: row i of B is row order[i] of A
    std::vector<std::int32_t> place;  ///< old → new: column j of A becomes column place[j] of B
    /// Of Band-k, levels of groups of neighbouring rows of B, finest first: groups[0] are
    /// super-rows (group g has the rows groups[0][g] … groups[0][g+1]-1), groups[1]
    /// super-super-rows (of super-rows). What CSR-k calls sr_ptr and ssr_ptr. Empty for other
    /// methods.
    std::vector<std::vector<std::int32_t>> groups;
    bool operator==(const Reordering&) const = default;
};

/// Computes an order from the pattern of A + Aᵀ; values do not matter, nor does the order of
/// entries within a row, nor the number of threads: equal patterns get equal orders. Of `rows` and
/// a square matrix it is the pattern of A alone, with the entries of a row in the order that they
/// have. Any number of connected components; rows without entries beside the diagonal are fine.
/// `band` is for Band-k alone.
///
/// Throws Error(invalid_argument) for a matrix that is broken or, unless only rows are moved, not
/// square, and for `band` out of range; Error(unsupported) from 2^31 rows on, with those of columns
/// where the matrix is not square. `threads` 0 = what OpenMP would use.
///
/// Sources: Cuthill & McKee, Reducing the bandwidth of sparse symmetric matrices, 1969, from
/// Boost.Graph; starting vertices by George & Liu, 1979. Clusters: own; within each, rows are
/// sorted by falling length. Band-k: Listing 2 of Lane & Booth,
/// Heterogeneous sparse matrix-vector multiplication via compressed sparse row format, 2022; its
/// coarsening by heavy-edge matching.
Reordering reorder(const CsrView& matrix, ReorderMethod method, const BandK& band = {},
                   int threads = 0);

struct RowOrder {
    Reordering order;
    std::int64_t bandwidth = 0;  ///< of the matrix, whose columns stay where they are
};

/// The order of ReorderMethod::rows of a matrix that is right; its values may be missing. Of a
/// square one columns may be missing, too: then there is an order as row_clusters() says.
std::optional<RowOrder> order_of_rows(const CsrView& pattern, int threads = 0,
                                      const reordering::ClusteringElsewhere& elsewhere = {});

/// B = PAPᵀ, or PA of rows alone, with A's types; rows ascending by column, entries at the same
/// place kept apart, in the order that they had. Parallel. Throws Error(invalid_argument) when the
/// order is not one of the matrix's rows and columns. `order`, where not null,
/// gets where each value came from.
CsrMatrix permute(const CsrView& matrix, const Reordering& reordering, int threads = 0,
                  ValueOrder* order = nullptr);

/// Where the entries of B = PA come from, whose row i is row order[i] of A, with its entries as
/// they stand there: a piece for each row, so `pieces` are B's row offsets, of A's offset type. Of
/// A row_ptr alone is read. Parallel.
ValueOrder rows_in_order(const CsrView& matrix, std::span<const std::int32_t> order,
                         int threads = 0);

/// How far from the diagonal the entries are.
struct Bandedness {
    std::int64_t bandwidth = 0;  ///< max |i - j|
    std::int64_t profile = 0;    ///< Σ over rows of i - (first column), where that is left of i
    bool operator==(const Bandedness&) const = default;
};
/// Of A, or with `reordering` of B = PAPᵀ; of rows alone it is A's. Parallel, one pass; nothing is
/// permuted.
Bandedness bandedness(const CsrView& matrix, int threads = 0);
Bandedness bandedness(const CsrView& matrix, const Reordering& reordering, int threads = 0);

}  // namespace spmvgen
