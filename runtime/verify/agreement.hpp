#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// Whether products y = Ax by different kernels differ by no more than rounding: by at most twice
/// the error that any order of summation may make, 2·c·(row length + 4)·u·Σ|a||x| with u the unit
/// roundoff of y's type and c = 1 for real, 4 for complex numbers (Higham, Accuracy and Stability
/// of Numerical Algorithms, §3.1). Cheaper than check_product: one pass over A for all products.
class Agreement {
  public:
    /// x has cols·num_rhs elements of type `vectors`; `matrix` and x are read here only. All passes
    /// are of `threads` threads, 0 = what OpenMP would use.
    Agreement(const CsrView& matrix, const void* x, ValueType vectors, int num_rhs,
              int threads = 0);

    /// "" when y and `expected` agree, else the number of elements that do not, and the first of
    /// them. Both have rows·num_rhs elements. Elements that are not finite agree with each other.
    std::string difference(const void* expected, const void* y) const;

  private:
    ValueType type_;
    int threads_;
    std::vector<double> allowed_;  ///< for each element of y
};

}  // namespace spmvgen
