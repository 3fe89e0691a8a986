// A process that compiles and exports, or one that imports and must not compile. Used by
// share_kernels_test:
//     share_kernels export FILE
//     share_kernels import FILE
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "spmvgen/kernels.hpp"
#include "spmvgen/spmvgen.hpp"

namespace {

/// y = αAx + βy in three modes; whether each is right.
bool run(const std::string& device, const spmvgen::Options& common, std::string& origin) {
    const int row_ptr[] = {0, 2, 3}, col_idx[] = {0, 1, 1};
    const double values[] = {1, 2, 3}, x[] = {10, 20};
    double y[] = {0, 0};
    spmvgen::Options options = common;
    options.device = device;
    options.kernel = device == "host" ? "csr_vector" : "csr_classical";
    const spmvgen::Handle handle(2, 2, row_ptr, col_idx, values, options);
    origin = handle.info().origin;
    handle.apply(1.0, x, 0.0, y);
    handle.apply(1.0, x, 1.0, y);
    handle.apply(2.0, x, 3.0, y);
    return y[0] == 2 * 50 + 3 * 100 && y[1] == 2 * 60 + 3 * 120;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const bool imports = std::strcmp(argv[1], "import") == 0;
    spmvgen::Options options;
    options.strict = true;
    options.cache = imports ? spmvgen::CacheMode::load : spmvgen::CacheMode::memory;
    if (imports) {
        std::ifstream file(argv[2], std::ios::binary);
        const std::string blob{std::istreambuf_iterator<char>(file), {}};
        const spmvgen::ImportReport report = spmvgen::import_kernels(blob);
        std::printf("accepted=%d rejected=%d ", static_cast<int>(report.accepted),
                    static_cast<int>(report.rejected));
    }
    for (const char* device : {"host", "simt:gfx906"}) {
        std::string origin;
        const bool right = run(device, options, origin);
        std::printf("%s=%s,%s ", device, origin.c_str(), right ? "right" : "wrong");
    }
    if (!imports) std::ofstream(argv[2], std::ios::binary) << spmvgen::export_kernels();
    const spmvgen::KernelCounters counters = spmvgen::kernel_counters();
    std::printf("compiled=%d imported=%d\n", static_cast<int>(counters.compiles_started),
                static_cast<int>(counters.hits_imported));
}
