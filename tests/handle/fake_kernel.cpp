// Kernels with the entry points that emitted ones have, for tests of what loads and runs them.
namespace {

template <typename T>
T argument(void* const* arguments, int i) {
    return *static_cast<T*>(arguments[i]);
}

/// y = αAx + βy for the thread's rows: those with row % threads == thread.
template <typename Value>
void csr(void* const* a, int thread, int threads) {
    const long rows = argument<long>(a, 0);
    const int* row_ptr = argument<const int*>(a, 1);
    const int* col_idx = argument<const int*>(a, 2);
    const auto* values = argument<const Value*>(a, 3);
    const auto* x = argument<const Value*>(a, 4);
    auto* y = argument<Value*>(a, 5);
    const auto alpha = argument<Value>(a, 6);
    const auto beta = argument<Value>(a, 7);
    for (long row = thread; row < rows; row += threads) {
        Value sum = 0;
        for (int k = row_ptr[row]; k < row_ptr[row + 1]; ++k) sum += values[k] * x[col_idx[k]];
        y[row] = beta == 0 ? alpha * sum : alpha * sum + beta * y[row];
    }
}

}  // namespace

extern "C" {

void fake_csr_f64(void* const* arguments, int thread, int threads) {
    csr<double>(arguments, thread, threads);
}
void fake_csr_f32(void* const* arguments, int thread, int threads) {
    csr<float>(arguments, thread, threads);
}

/// Step 1 of 2: each thread leaves its number plus one in its workspace.
void fake_leave(void* const* arguments, int thread, int) {
    argument<long*>(arguments, 0)[thread] = thread + 1;
}
/// Step 2 of 2: y[0] = sum of what was left, y[1] = number of threads.
void fake_collect(void* const* arguments, int thread, int threads) {
    auto* y = argument<double*>(arguments, 1);
    y[0] = 1000 * thread;
    for (int t = 0; t < threads; ++t) y[0] += static_cast<double>(argument<long*>(arguments, 0)[t]);
    y[1] = threads;
}
}
