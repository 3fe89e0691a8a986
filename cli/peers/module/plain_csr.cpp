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

/// The same with so many vectors, row by row: a number that the compiler knows.
template <int num_rhs, typename Value>
void product_of_many(int num_rows, const int* __restrict__ row_ptr, const int* __restrict__ col_idx,
                     const Value* __restrict__ values, const Value* __restrict__ x,
                     Value* __restrict__ y, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int row = 0; row < num_rows; ++row) {
        Value sum[num_rhs] = {};
        for (int k = row_ptr[row]; k < row_ptr[row + 1]; ++k)
            for (int r = 0; r < num_rhs; ++r)
                sum[r] += values[k] * x[static_cast<long>(col_idx[k]) * num_rhs + r];
        for (int r = 0; r < num_rhs; ++r) y[static_cast<long>(row) * num_rhs + r] = sum[r];
    }
}

}  // namespace

void plain_csr(const spmvgen::CsrView& a, const void* x, void* y, int num_rhs, int threads) {
    spmvgen::dispatch(a.value_type, [&](auto tag) {
        using Value = decltype(tag);
        auto* const loop = num_rhs == 2    ? product_of_many<2, Value>
                           : num_rhs == 4  ? product_of_many<4, Value>
                           : num_rhs == 8  ? product_of_many<8, Value>
                           : num_rhs == 16 ? product_of_many<16, Value>
                           : num_rhs == 32 ? product_of_many<32, Value>
                                           : product<Value>;
        loop(static_cast<int>(a.rows), a.row_ptr_as<int>(), a.col_idx_as<int>(),
             a.values_as<Value>(), static_cast<const Value*>(x), static_cast<Value*>(y), threads);
    });
}
