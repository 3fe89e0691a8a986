#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "formats/plans/strips_plan.hpp"
#include "matrix/features/features.hpp"
#include "spmvgen/matrix.hpp"
#include "spmvgen/signature.hpp"

/// How a matrix is cut into slices for a GPU's kernel of format strips: what is a choice, other
/// than the parameters that the matrix decides then.
namespace spmvgen {

/// Rows that stand for a matrix when slices are shaped.
struct RowsOfSample {
    CsrView view;
    const RowFeatures* all = nullptr;  ///< of the matrix; null = the view is all of it
    int threads = 0;                   ///< that look at it; 0 = what OpenMP would use
};

/// Sets those of `slice`, `threads_per_row`, `long_from` and `sigma` that are not in `given`, for
/// the block size that the complete signature has: a slice of a wavefront; lanes of a row and the
/// limit of long rows by the time that the distribution of lengths lets expect, and σ by the bytes
/// of each window, where a small one keeps more of x's locality. Counts the rows' blocks; reads no
/// values. Parallel, with the same result for any number of threads.
void choose_strip_lanes(const RowsOfSample& rows, Signature& signature,
                        const std::map<std::string, std::int64_t>& given);

/// Sets `unroll` unless it is in `given`: as many blocks under way as let slices of the plan's mean
/// width end with a full round.
void choose_strip_unroll(const StripsPlan& plan, Signature& signature,
                         const std::map<std::string, std::int64_t>& given);

}  // namespace spmvgen
