// How many device threads a second the SIMT executor runs: without waits, with barriers, with
// shuffles. OMP_NUM_THREADS sets the operating system threads.
#include <benchmark/benchmark.h>

#include <vector>

#include "devices/simt/simt.hpp"

extern "C" {
extern const spmvgen_simt_kernel bench_no_wait, bench_one_barrier, bench_barriers, bench_shuffles;
}

namespace {

void throughput(benchmark::State& state, const spmvgen_simt_kernel& kernel) {
    spmvgen::SimtLaunch launch;
    launch.grid.x = 4096;
    launch.block.x = 256;
    launch.warp = static_cast<unsigned>(state.range(0));
    const std::int64_t threads = std::int64_t{launch.grid.x} * launch.block.x;
    const std::vector<double> x(static_cast<std::size_t>(threads), 1.0);
    std::vector<double> y(x.size());
    const double* from = x.data();
    double* to = y.data();
    void* arguments[] = {&from, &to};
    spmvgen::SimtExecutor executor;
    for (auto _ : state) executor.run(kernel, arguments, launch);
    state.SetItemsProcessed(state.iterations() * threads);
}

BENCHMARK_CAPTURE(throughput, no_wait, bench_no_wait)->Arg(32)->UseRealTime();
BENCHMARK_CAPTURE(throughput, one_barrier, bench_one_barrier)->Arg(32)->UseRealTime();
BENCHMARK_CAPTURE(throughput, nine_barriers, bench_barriers)->Arg(32)->UseRealTime();
BENCHMARK_CAPTURE(throughput, shuffles, bench_shuffles)->Arg(32)->Arg(64)->UseRealTime();

}  // namespace
