// The store: what a warm start spends on finding its kernel. The budget for find is 0.5 ms.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <filesystem>
#include <stdexcept>

#include "store/key.hpp"
#include "store/store.hpp"

namespace {

using namespace spmvgen;

/// A store in a directory of its own, which goes with it.
struct Scratch {
    Scratch() {
        std::string pattern = std::filesystem::temp_directory_path() / "spmvgen-bench-XXXXXX";
        if (!::mkdtemp(pattern.data())) throw std::runtime_error("no temporary directory");
        directory = pattern;
    }
    ~Scratch() { std::filesystem::remove_all(directory); }
    std::string directory;
};

/// As large as kernels are: `bytes` of shared object, 8 KiB of source, three steps.
KernelBinary kernel_of(std::int64_t bytes) {
    KernelBinary binary;
    binary.signature = {.kernel = "csr_vector",
                        .params = {{"lanes", 8}, {"unroll", 2}},
                        .target = {"x86-64-v4", "sapphirerapids"}};
    binary.bytes.assign(static_cast<std::size_t>(bytes), '\x90');
    for (const char* symbol : {"csr_vector", "carry", "fix"})
        binary.launch.steps.push_back({symbol,
                                       StepRule::per_thread,
                                       {{"rows", "long"},
                                        {"row_ptr", "const int*"},
                                        {"col_idx", "const int*"},
                                        {"values", "const double*"},
                                        {"x", "const double*"},
                                        {"y", "double*"}}});
    binary.compiler = "clang 19.1.7 (Debian)";
    binary.flags = "-O3 -march=x86-64-v4";
    binary.source.assign(8 << 10, ' ');
    binary.source_digest = to_hex(sha256(binary.source));
    return binary;
}

void find(benchmark::State& state) {
    const Scratch scratch;
    const KernelBinary binary = kernel_of(state.range(0));
    Store store(scratch.directory);
    if (!store.put(binary)) return state.SkipWithError("put failed");
    for (auto _ : state) {
        auto found = store.find(binary.signature);
        if (!found) return state.SkipWithError("not found");
        benchmark::DoNotOptimize(found->bytes.data());
    }
    state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(find)->Arg(20 << 10)->Arg(100 << 10)->Arg(1 << 20)->Unit(benchmark::kMicrosecond);

/// What a new process does: locate the directory, open, find.
void open_and_find(benchmark::State& state) {
    const Scratch scratch;
    const KernelBinary binary = kernel_of(20 << 10);
    if (!Store(scratch.directory).put(binary)) return state.SkipWithError("put failed");
    for (auto _ : state)
        if (!Store(scratch.directory).find(binary.signature))
            return state.SkipWithError("not found");
}
BENCHMARK(open_and_find)->Unit(benchmark::kMicrosecond);

void miss(benchmark::State& state) {
    const Scratch scratch;
    Store store(scratch.directory);
    const Signature signature = kernel_of(0).signature;
    for (auto _ : state) benchmark::DoNotOptimize(store.find(signature));
}
BENCHMARK(miss)->Unit(benchmark::kMicrosecond);

void put(benchmark::State& state) {
    const Scratch scratch;
    const KernelBinary binary = kernel_of(20 << 10);
    StoreOptions options;
    options.directory = scratch.directory;
    options.sync = state.range(0) != 0;
    Store store(options);
    for (auto _ : state)
        if (!store.put(binary)) return state.SkipWithError("put failed");
}
BENCHMARK(put)->ArgName("fsync")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

void list(benchmark::State& state) {
    const Scratch scratch;
    Store store(scratch.directory);
    KernelBinary binary = kernel_of(20 << 10);
    for (int k = 1; k <= state.range(0); ++k) {
        binary.signature.num_rhs = k;
        if (!store.put(binary)) return state.SkipWithError("put failed");
    }
    for (auto _ : state) benchmark::DoNotOptimize(store.list().size());
}
BENCHMARK(list)->ArgName("entries")->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
