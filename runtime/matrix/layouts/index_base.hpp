#pragma once
#include "matrix/buffer.hpp"
#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// A matrix whose numbers of rows, columns and entries begin at 0, made of one whose begin at 1.
template <typename View>
struct FromZero {
    View view;  ///< its values are the given ones
    Buffer pointers, indices;
};

/// Each number less one; what is out of range stays so. The arrays must be in host memory, and
/// those that the view's sizes ask for not null. Throws Error(invalid_argument) when row_ptr does
/// not end at the number of columns, before these are read. Parallel; threads = 0: what OpenMP
/// would use.
FromZero<CsrView> from_zero(const CsrView& matrix, int threads);
FromZero<CooView> from_zero(const CooView& matrix, int threads);
FromZero<BsrView> from_zero(const BsrView& matrix, int threads);

}  // namespace spmvgen
