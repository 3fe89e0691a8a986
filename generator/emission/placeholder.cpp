// Stand-in until the specialiser is merged: csr_rows for f64, i32, y = Ax, written by hand.
#include "emission/emit.hpp"

namespace spmvgen {

KernelSource emit_kernel(const Signature& signature, const std::string&) {
    KernelSource source{signature, kernel_name(signature), {}, {}};
    const std::string symbol = source.name + "_step0";
    source.text =
        R"(static inline long first_row(long num_rows, const int* row_ptr, long thread, long threads) {
    const long work = (num_rows + row_ptr[num_rows] - row_ptr[0]) / threads * thread;
    if (thread == threads) {
        return num_rows;
    }
    long low = 0;
    long high = num_rows;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (middle + row_ptr[middle] - row_ptr[0] < work) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void csr_rows(long num_rows, const int* __restrict__ row_ptr,
                     const int* __restrict__ col_idx, const double* __restrict__ values,
                     const double* __restrict__ x, double* __restrict__ y, int thread,
                     int threads) {
    const long begin = first_row(num_rows, row_ptr, thread, threads);
    const long end = first_row(num_rows, row_ptr, thread + 1, threads);
    for (long row = begin; row < end; ++row) {
        double sum = 0;
        for (int k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
            sum += values[k] * x[col_idx[k]];
        }
        y[row] = sum;
    }
}

extern "C" void )" +
        symbol + R"((void* const* arguments, int thread, int threads) {
    csr_rows(*static_cast<const long*>(arguments[0]), *static_cast<const int* const*>(arguments[1]),
             *static_cast<const int* const*>(arguments[2]),
             *static_cast<const double* const*>(arguments[3]),
             *static_cast<const double* const*>(arguments[4]),
             *static_cast<double* const*>(arguments[5]), thread, threads);
}
)";
    source.launch.steps.push_back({symbol,
                                   StepRule::per_thread,
                                   {{"num_rows", "long"},
                                    {"row_ptr", "const int*"},
                                    {"col_idx", "const int*"},
                                    {"values", "const double*"},
                                    {"x", "const double*"},
                                    {"y", "double*"}}});
    return source;
}

}  // namespace spmvgen
