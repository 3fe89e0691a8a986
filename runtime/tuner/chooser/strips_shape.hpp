#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "formats/plans/strips_plan.hpp"
#include "matrix/features/features.hpp"
#include "spmvgen/matrix.hpp"
#include "spmvgen/signature.hpp"

/// How a matrix is cut into slices for kernels of format strips, and what a plan of that says.
namespace spmvgen {

/// Rows that stand for a matrix when slices are shaped.
struct RowsOfSample {
    CsrView view;
    const RowFeatures* all = nullptr;  ///< of the matrix; null = the view is all of it
    int threads = 0;                   ///< that look at it; 0 = what OpenMP would use
};

/// Numbers of blocks, ascending, and how many block rows of the matrix have so many.
struct BlockLengths {
    std::vector<std::int64_t> blocks, rows;
    std::int64_t all_rows = 0;
};

/// Blocks of one size in rows that stand for a matrix.
struct RowBlocks {
    std::vector<std::int64_t> of_row;  ///< of each block row that is there
    BlockLengths lengths;
    /// count_strips() of the shapes that were asked for.
    std::vector<std::pair<StripsShape, std::int64_t>> strips;
};

/// Counts blocks of the shape's size; reads no values. Parallel, with the same result for any
/// number of threads.
RowBlocks count_row_blocks(const RowsOfSample& rows, const StripsShape& shape);

/// Sets those of `slice`, `threads_per_row`, `long_from` and `sigma` that are not in `given`, for
/// the block size that the complete signature has, of which the rows' blocks are given: a slice of
/// a wavefront; lanes of a row and the limit of long rows by the time that the distribution of
/// lengths lets expect, and σ by the bytes of each window, where a small one keeps more of x's
/// locality.
void choose_strip_lanes(RowBlocks& rows, Signature& signature, const Params& given);

/// Sets `unroll` unless it is in `given`: as many blocks under way as let slices of the plan's mean
/// width end with a full round.
void choose_strip_unroll(const StripsPlan& plan, Signature& signature, const Params& given);

/// The parameter `codes` for this plan: codes that occur, but none whose slices take hardly more
/// bytes, of `all_bytes`, in the next wider one that occurs. A kernel of one code has no branch.
std::int64_t worthwhile_codes(const StripsPlan& plan, const StripsShape& shape, double all_bytes);

/// A line for people: how a matrix of so many entries lies.
std::string describe_strips(const StripsPlan& plan, const Signature& signature, std::int64_t nnz);

}  // namespace spmvgen
