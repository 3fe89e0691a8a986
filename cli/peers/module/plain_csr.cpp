#include "peers/module/plain_csr.hpp"

#include <complex>

namespace {

template <typename Value>
void product(int num_rows, const int* __restrict__ row_ptr, const int* __restrict__ col_idx,
             const Value* __restrict__ values, const Value* __restrict__ x, Value* __restrict__ y,
             int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int row = 0; row < num_rows; ++row) {
        Value sum = 0;
        for (int k = row_ptr[row]; k < row_ptr[row + 1]; ++k) sum += values[k] * x[col_idx[k]];
        y[row] = sum;
    }
}

}  // namespace

void plain_csr(const spmvgen::CsrView& a, const void* x, void* y, int threads) {
    spmvgen::dispatch(a.value_type, [&](auto tag) {
        using Value = decltype(tag);
        product(static_cast<int>(a.rows), a.row_ptr_as<int>(), a.col_idx_as<int>(),
                a.values_as<Value>(), static_cast<const Value*>(x), static_cast<Value*>(y),
                threads);
    });
}
