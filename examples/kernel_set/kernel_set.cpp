// A program that never compiles: all its kernels come from a kernel set.  usage: kernel_set SET
//
// The set is made once, where the kernel compiler is, by `spmvgen pack build`; run.sh beside this
// file does both. Instead of the option a user may set SPMVGEN_KERNEL_SETS, and an administrator
// may put sets into lib/spmvgen/kernel-sets/ beside the library.
#include <cmath>
#include <cstdio>
#include <spmvgen/spmvgen.hpp>
#include <vector>

#include "laplacian.hpp"

int main(int argc, char** argv) {
    if (argc != 2) return std::fputs("usage: kernel_set SET\n", stderr), 2;
    const Csr csr = laplacian(50);

    spmvgen::Options options;
    options.kernel_sets = argv[1];             // a file, or a folder of *.spmvset
    options.cache = spmvgen::CacheMode::load;  // look for kernels, never compile one
    options.strict = true;                     // a kernel that is nowhere is an error
    try {
        const spmvgen::Handle a(csr.rows, csr.rows, csr.row_ptr.data(), csr.col_idx.data(),
                                csr.values.data(), options);
        std::printf("kernel %s from: %s\n", a.info().kernel.c_str(), a.info().origin.c_str());

        // Ax for x = (1, …, 1) is 4 less the number of neighbours: 0 but at the border.
        const std::vector<double> x(static_cast<std::size_t>(csr.rows), 1.0);
        std::vector<double> y(x.size());
        a.apply(1.0, x.data(), 0.0, y.data());
        double sum = 0;
        for (const double value : y) sum += value;
        std::printf("sum %g, compiled: %lld\n", sum,
                    static_cast<long long>(spmvgen::kernel_counters().compiles_started));
        return sum == 200 ? 0 : 1;
    } catch (const spmvgen::Error& error) {
        // In strict mode the text names the kernel that is missing.
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
