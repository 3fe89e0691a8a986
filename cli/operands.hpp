#pragma once
#include <complex>
#include <cstdint>
#include <string>

#include "matrix/csr_matrix.hpp"
#include "spmvgen/spmvgen.hpp"
#include "verify/reference.hpp"

namespace spmvgen::cli {

/// The options of `run` that say what is multiplied.
struct ProductOptions {
    std::string alpha = "1", beta = "0";
    std::string x_path, y_path;  ///< "" = random
    int num_rhs = 1;
};

/// x, y and the scalars of a product, in the matrix's type.
struct Operands {
    ValueType type = ValueType::f64;
    int num_rhs = 1;
    std::complex<double> alpha, beta;
    Buffer x;         ///< n×k
    Buffer y_before;  ///< m×k, empty when β = 0
    Buffer y;         ///< m×k

    void apply(const Handle& handle, Buffer& to) const;
    /// Before an apply: the initial y, or NaN where it must not be read.
    void reset(Buffer& to) const;
    CheckResult check(const CsrMatrix& matrix, const Buffer& result) const;
};

/// Reads or makes them; y is reset. Throws UsageError, and as read_vector.
Operands make_operands(const ProductOptions& o, const CsrMatrix& matrix);

}  // namespace spmvgen::cli
