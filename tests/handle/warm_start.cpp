// A process that makes one handle and applies it; prints where the kernel came from, the
// milliseconds from signature to callable, and whether LLVM came into the process. Used by
// warm_start_test and by hand:
//     warm_start CACHE_DIRECTORY [KERNEL]
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "spmvgen/spmvgen.hpp"

int main(int argc, char** argv) {
    const int row_ptr[] = {0, 2, 3}, col_idx[] = {0, 1, 1};
    const double values[] = {1, 2, 3}, x[] = {10, 20};
    double y[] = {0, 0};
    spmvgen::Options options;
    options.cache_dir = argc > 1 ? argv[1] : "";
    options.kernel = argc > 2 ? argv[2] : "csr_vector";
    const spmvgen::Handle handle(2, 2, row_ptr, col_idx, values, options);
    handle.apply(1.0, x, 0.0, y);
    std::ifstream maps("/proc/self/maps");
    const std::string mapped{std::istreambuf_iterator<char>(maps), {}};
    const bool llvm =
        mapped.find("libLLVM") != mapped.npos || mapped.find("libclang") != mapped.npos;
    std::printf("origin=%s llvm=%s y=%g,%g kernel_ms=%.3f\n", handle.info().origin.c_str(),
                llvm ? "yes" : "no", y[0], y[1], handle.info().kernel_ms);
}
