// One emitted kernel in a program of its own: no spmvgen, only CUDA's or HIP's runtime. See build.sh.
//
// kernel.h is what `spmvgen emit --kernel csr_classical … -o kernel.h` wrote; SPMVGEN_LAUNCHER makes
// it define the host function that launches the kernel, whose name is given as LAUNCH.
#if defined(__HIP__)
#include <hip/hip_runtime.h>
#define GPU(name) hip##name
#else
#include <cuda_runtime.h>
#define GPU(name) cuda##name
#endif
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define SPMVGEN_LAUNCHER
#include "kernel.h"

static void check(GPU(Error_t) status) {
    if (status == GPU(Success)) return;
    std::fprintf(stderr, "%s\n", GPU(GetErrorString)(status));
    std::exit(1);
}

template <typename T>
static T* to_device(const std::vector<T>& host) {
    T* device = nullptr;
    check(GPU(Malloc)(reinterpret_cast<void**>(&device), host.size() * sizeof(T)));
    check(GPU(Memcpy)(device, host.data(), host.size() * sizeof(T), GPU(MemcpyHostToDevice)));
    return device;
}

int main() {
    // The second difference: 2 on the diagonal, -1 beside it. Of squares it is -2 but at the ends.
    const long n = 100000;
    std::vector<int> row_ptr{0}, col_idx;
    std::vector<double> values, x;
    for (long i = 0; i < n; ++i) {
        for (long j = i - 1; j <= i + 1; ++j) {
            if (j < 0 || j >= n) continue;
            col_idx.push_back(static_cast<int>(j));
            values.push_back(i == j ? 2 : -1);
        }
        row_ptr.push_back(static_cast<int>(col_idx.size()));
        x.push_back(static_cast<double>(i) * static_cast<double>(i));
    }
    std::vector<double> y(n, NAN);
    double* device_y = to_device(y);
    LAUNCH(n, to_device(row_ptr), to_device(col_idx), to_device(values), to_device(x), device_y,
           nullptr);
    check(GPU(GetLastError)());
    check(GPU(Memcpy)(y.data(), device_y, n * sizeof(double), GPU(MemcpyDeviceToHost)));
    for (long i = 1; i + 1 < n; ++i)
        if (y[static_cast<std::size_t>(i)] != -2) {
            std::fprintf(stderr, "y[%ld] is %g, not -2\n", i, y[static_cast<std::size_t>(i)]);
            return 1;
        }
    std::printf("right: %ld rows\n", n);
    return 0;
}
