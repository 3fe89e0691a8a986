#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "matrix/entry_source.hpp"
#include "spmvgen/matrix.hpp"

/// What decides whether and how a matrix is stored as tiles, before it is. Host memory only.
namespace spmvgen {

/// How often each column occurs: a number for each column. Parallel over `threads` threads (0 =
/// what OpenMP would use).
std::vector<std::int64_t> column_uses(const CsrView& matrix, int threads = 0);

/// The same in any order, where columns that nothing uses may be left out.
std::vector<std::int64_t> uses_of_columns(const CsrView& matrix, int threads = 0);

/// The `count` most used columns, most used first, of equally used ones the lower first; columns
/// that nothing uses are left out.
std::vector<std::int64_t> most_used_columns(std::span<const std::int64_t> uses, std::int64_t count);

/// A column and how often it occurs.
struct ColumnUses {
    std::int64_t column = 0, uses = 0;
};
/// The same, of these columns.
std::vector<std::int64_t> most_used_columns(std::vector<ColumnUses> columns, std::int64_t count);

/// What the tuner needs to choose the parameters of kernels of format tiles.
struct TilesPlan {
    std::int64_t filled_rows = 0;  ///< rows with entries; the parameter `gaps` is 0 when all are
    double entries_a_row = 0;      ///< of these
    /// For each count asked for: the share of all entries, 0 … 1, that lies in that many of the
    /// most used columns.
    std::vector<double> hub_share;
    bool operator==(const TilesPlan&) const = default;
};

/// Plans for these counts of hubs. Reads row_ptr, and col_idx unless `hubs` is empty. Parallel as
/// column_uses().
TilesPlan plan_tiles(const CsrView& matrix, std::span<const std::int64_t> hubs, int threads = 0);

/// How entries concentrate in few columns of x, and in few sectors of it.
struct Concentration {
    double in_columns = 0;  ///< share of all entries in so many of the most used columns
    double in_groups = 0;   ///< the same in as many columns, in the most used groups of neighbours
    bool operator==(const Concentration&) const = default;
};
/// Of 2^bits neighbouring columns a group; from two samples of `sampled` entries: groups that are
/// most used in one of them, and how many entries of the other they have.
/// The columns of the samples come from the source, in one transfer, where it is not null.
Concentration concentration(const CsrView& matrix, std::int64_t columns, int bits,
                            std::int64_t sampled, EntrySource* source);

/// Columns of two samples of at most `sampled` entries each, as concentration(), of the matrix'
/// index type.
template <typename Index>
std::array<std::vector<Index>, 2> sampled_columns(const CsrView& matrix, std::int64_t sampled,
                                                  EntrySource* source);

/// How often something is used in one sample, and in another.
struct UsesAndHits {
    std::int64_t uses = 0, hits = 0;
};
/// So many hits have those that are used most: for each number of them, from 0 on. Of those that
/// are used alike the last come first.
std::vector<std::int64_t> hits_of_most_used(std::span<const UsesAndHits> columns);

}  // namespace spmvgen
