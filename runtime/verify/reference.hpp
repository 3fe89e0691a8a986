#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// A product to be checked: y_after = αAx + βy_before, k right-hand sides, x n×k and y m×k
/// row-major, α and β of the same type. y_before may be null when β = 0.
struct Product {
    const void* alpha = nullptr;
    const void* x = nullptr;
    const void* beta = nullptr;
    const void* y_before = nullptr;
    const void* y_after = nullptr;
    int num_rhs = 1;
    std::optional<ValueType> vectors = {};      ///< of x, y, α and β; nothing = the matrix's
    std::optional<ValueType> accumulator = {};  ///< of the sums; nothing = that of the vectors
    bool in_steps = false;  ///< whether parts of a wider sum are rounded to y's type
};

/// How far a computed product is from the compensated one, in units of the error that any order of
/// summation may make.
struct CheckResult {
    bool passed = true;
    double worst_ratio = 0;  ///< max over rows of |y - reference| / bound; > 1 = wrong
    std::int64_t worst_row = -1;
    std::int64_t wrong = 0;  ///< elements of y beyond their bound, or NaN/Inf where the reference
                             ///< is not, or not where it is
    std::int64_t undecided =
        0;  ///< elements whose sum of magnitudes overflows the type: any result may be right
    std::string message;  ///< "" when passed, else the worst element with its figures
};

/// Checks against a reference summed in extended precision with compensation (Neumaier). The bound
/// of an element is c·(row length + 4)·u·(|α|Σ|a||x| + |β||y|) with u the type's unit roundoff and
/// c = 1 for real, 4 for complex numbers, plus one least subnormal for each operation: what
/// standard rounding analysis allows for every order of summation (Higham, Accuracy and Stability
/// of Numerical Algorithms, §3.1). Where sums are wider than y, u is theirs, and four roundings to
/// y's type come on top: 4c·v·(|y| + |β||y_before|) with v that type's unit roundoff, or
/// 4c·v·(|α|Σ|a||x| + |β||y_before|) for a kernel that adds to y in steps. α = 0 and β = 0 do not
/// read x and y.
CheckResult check_product(const CsrView& matrix, const Product& product);

/// The reference of y = Ax, kept: for many products of the same matrix and x, each of which is then
/// checked in a pass over y alone. About 32 bytes a row, 48 for complex numbers.
class ProductReference {
  public:
    /// x has matrix.cols elements of the matrix's type; both are read here only. Parallel.
    ProductReference(const CsrView& matrix, const void* x);
    ~ProductReference();
    ProductReference(ProductReference&&) noexcept;
    ProductReference& operator=(ProductReference&&) noexcept;

    /// As check_product() of y with α = 1, β = 0. y has matrix.rows elements. Parallel.
    CheckResult check(const void* y) const;

    struct Kept;

  private:
    std::unique_ptr<const Kept> kept_;
};

/// check_product() for y_after = αAᵀx + βy_before or, with Op::conj_transpose, with Aᴴ (with
/// Op::conjugate, the conjugate of A): x is m×k and y is n×k; rows of the result are columns of the
/// matrix. One thread sorts the entries by column.
CheckResult check_product(const CsrView& matrix, const Product& product, Op op);

}  // namespace spmvgen
