#pragma once
#include "spmvgen/matrix.hpp"

/// y = Ax by the loop that everyone writes first, compiled with -O3 -march=… -fopenmp: what a made
/// kernel must never be slower than. A has int32 columns and row offsets; x and y are of its value
/// type, and num_rhs is 1, 2, 4, 8, 16 or 32: vectors that lie row by row.
void plain_csr(const spmvgen::CsrView& a, const void* x, void* y, int num_rhs, int threads);
