// How long an emission takes: specialise, format, read again. The first iteration of a process is
// the cold one (it maps LLVM's pages); the others are warm: with the template read anew
// (emit_first), or kept from the last (emit_kept). Counter `least_ms` is the least processor time.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <limits>

#include "emission/emit.hpp"
#include "registry.hpp"
#include "specializer/kept_templates.hpp"
#include "specializer/simplify/simplify.hpp"
#include "specializer/syntax/formatter.hpp"

namespace {

spmvgen::Signature signature_of(std::string_view kernel) {
    spmvgen::Signature s;
    s.kernel = kernel;
    s.target = spmvgen::parse_target(spmvgen::kernel_entry(s.kernel).gpu ? "sm_90" : "x86-64-v4");
    s.alpha = s.beta = spmvgen::Scale::general;
    return s;
}

/// Processor time of this thread.
double thread_ms() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

void emission(benchmark::State& state, const std::string& kernel, bool keeps) {
    const auto signature = signature_of(kernel);
    std::size_t bytes = 0;
    double least = std::numeric_limits<double>::max();
    spmvgen::specializer::KeptTemplates kept;
    if (keeps) spmvgen::emit_kernel(signature, "", kept);
    for (auto _ : state) {
        const double start = thread_ms();
        bytes = (keeps ? spmvgen::emit_kernel(signature, "", kept)
                       : spmvgen::emit_kernel(signature, ""))
                    .text.size();
        least = std::min(least, thread_ms() - start);
    }
    state.counters["bytes"] = static_cast<double>(bytes);
    state.counters["least_ms"] = least;
}

void formatting(benchmark::State& state) {
    const auto text = spmvgen::emit_kernel(signature_of("csr_rows"), "").text;
    for (auto _ : state) benchmark::DoNotOptimize(spmvgen::specializer::format(text));
}

void one_parse(benchmark::State& state) {
    const auto text = spmvgen::emit_kernel(signature_of("csr_rows"), "").text;
    for (auto _ : state)
        benchmark::DoNotOptimize(
            spmvgen::specializer::Parsed({{"kernel.cpp", text}}, "kernel.cpp", {}).failed());
}

}  // namespace

int main(int argc, char** argv) {
    // Registered first, run once: nothing of LLVM has been touched yet.
    benchmark::RegisterBenchmark("emit_cold/csr_rows",
                                 [](benchmark::State& s) { emission(s, "csr_rows", false); })
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
    for (auto& entry : spmvgen::kernel_registry()) {
        const std::string id(entry.id);
        for (const bool keeps : {false, true})
            benchmark::RegisterBenchmark(
                ((keeps ? "emit_kept/" : "emit_first/") + id).c_str(),
                [id, keeps](benchmark::State& s) { emission(s, id, keeps); })
                ->Unit(benchmark::kMillisecond);
    }
    benchmark::RegisterBenchmark("format/csr_rows", formatting)->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark("parse/csr_rows", one_parse)->Unit(benchmark::kMillisecond);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
