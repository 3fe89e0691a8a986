#pragma once
#include <map>
#include <optional>
#include <string>

#include "matrix/block_fill.hpp"
#include "spmvgen/matrix.hpp"
#include "tuner/choose.hpp"
#include "tuner/dense_profile.hpp"

namespace spmvgen {

/// What the choice of a block size looks at beside the fill.
struct BlockProblem {
    std::int64_t rows = 0, nnz = 0;
    ValueType value = ValueType::f64;    ///< of x, y and the sums
    ValueType storage = ValueType::f64;  ///< of A's stored values
    IndexType index = IndexType::i32;
    int rows_given = 0, cols_given = 0;  ///< sizes that are fixed; 0 = free
};

/// GOSpMV's run-time evaluation (Figure 6): of the block sizes that are free the one with the
/// greatest P_dense(r, c) / fill(r, c). P_dense is DenseProfile::gflops for the stored entries,
/// fill included; the paper takes that of the nearest size class. Without a profile, or one of
/// another value type, the one with the least bytes a nonzero: fill·(value + index/(r·c)) +
/// offset·rows/(r·nnz). Equal ones: the smaller block.
BlockChoice choose_block(const BlockFill& fill, const BlockProblem& problem,
                         const FoundProfile& found);

/// Bytes a nonzero of that size, as above.
double block_bytes(const BlockFill& fill, const BlockProblem& problem, int rows, int cols);

/// Whether a request can only lead to blocked CSR.
bool wants_blocks(const Request& request);

/// Entries from which on it pays to look whether values can be stored in fewer bytes: with fewer, a
/// launch or the caches decide.
inline constexpr std::int64_t least_encoded = 100'000;

/// choose() for one matrix with these features. For blocked CSR the block size is estimated from a
/// sample of the matrix, looked at once, and the device's profile among tuning_files("dense-").
/// With Request::encode the values are looked at, once, where there are many. The matrix must
/// outlive it. For one thread at a time.
class Chooser {
  public:
    /// threads = 0: what OpenMP would use.
    Chooser(const CsrView& matrix, const RowFeatures& features, int threads = 0)
        : matrix_(matrix), features_(features), threads_(threads) {}
    /// Throws Error(invalid_argument) as choose().
    Choice operator()(Request request);

  private:
    void look_at_values(Request& request);
    void look_at_blocks(Request& request);

    const CsrView& matrix_;
    const RowFeatures& features_;
    const int threads_;
    std::optional<BlockFill> fill_;
    std::optional<ExactValues> exact_;
};

/// The same for one request.
inline Choice choose_for(const CsrView& matrix, const RowFeatures& features, Request request,
                         int threads = 0) {
    return Chooser(matrix, features, threads)(std::move(request));
}

}  // namespace spmvgen
