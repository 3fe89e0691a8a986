#pragma once
#include <map>
#include <optional>
#include <string>

#include "matrix/features/block_fill.hpp"
#include "spmvgen/matrix.hpp"
#include "tuner/profiles/dense_profile.hpp"
#include "tuner/rules/choose.hpp"

namespace spmvgen {

/// What the choice of a block size looks at beside the fill.
struct BlockProblem {
    std::int64_t rows = 0, nnz = 0;
    ValueType value = ValueType::f64;    ///< of x, y and the sums
    ValueType storage = ValueType::f64;  ///< of A's stored values
    IndexType index = IndexType::i32;
    int rows_given = 0, cols_given = 0;  ///< sizes that are fixed; 0 = free
    int num_rhs = 1;
};

/// GOSpMV's run-time evaluation (Figure 6): of the block sizes that are free the one with the
/// greatest P_dense(r, c) / fill(r, c). P_dense is DenseProfile::gflops for the stored entries,
/// fill included; the paper takes that of the nearest size class. Without a profile, or one of
/// another value type, the one with the least bytes a nonzero: fill·(value + index/(r·c)) +
/// offset·rows/(r·nnz). Equal ones: the smaller block.
BlockChoice choose_block(const BlockFill& fill, const BlockProblem& problem,
                         const FoundProfile& found);

/// For several right-hand sides on a GPU: blocks of one column and 1 … 4 rows, which share a row of
/// x. The one with the least bytes a nonzero, of which those of x come from a cache that is nearer.
BlockChoice choose_rows_of_block(const BlockFill& fill, const BlockProblem& problem);

/// Bytes a nonzero of that size, as above.
double block_bytes(const BlockFill& fill, const BlockProblem& problem, int rows, int cols);

/// Whether a request can only lead to blocked CSR.
bool wants_blocks(const Request& request);

}  // namespace spmvgen
