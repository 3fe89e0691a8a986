// From a signature to a callable kernel: warm in this process, and cold in fresh processes, by
// part.
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "handle/jit_loader.hpp"
#include "registry.hpp"

namespace {

using spmvgen::BinaryKind;

double now_ms() {
    return std::chrono::duration<double, std::milli>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// `variant` makes each signature another one where the kernel allows it.
spmvgen::Signature signature(const std::string& kernel, int variant = 0) {
    spmvgen::Signature s;
    s.kernel = kernel;
    s.num_rhs = 1 + variant % 64;
    s.target = spmvgen::parse_target("native");
    return spmvgen::complete(s);
}

/// Loads a shared object from memory and looks its first step up.
void* load(const spmvgen::KernelBinary& binary, void*& library) {
    const int fd = memfd_create("kernel.so", MFD_CLOEXEC);
    if (write(fd, binary.bytes.data(), binary.bytes.size()) !=
        static_cast<ssize_t>(binary.bytes.size()))
        throw std::runtime_error("cannot write the kernel");
    library = dlopen(("/proc/self/fd/" + std::to_string(fd)).c_str(), RTLD_NOW | RTLD_LOCAL);
    close(fd);
    if (library == nullptr) throw std::runtime_error(dlerror());
    return dlsym(library, binary.launch.steps.at(0).symbol.c_str());
}

struct Parts {
    double load_generator, emit, compile, dlopen;
    double total() const { return load_generator + emit + compile + dlopen; }
};

/// One cold run: what a process pays for its first kernel.
Parts measure_parts(const std::string& kernel) {
    std::array<double, 5> t{};
    t[0] = now_ms();
    spmvgen::Generator& generator = spmvgen::load_generator();
    t[1] = now_ms();
    const auto source = generator.emit(signature(kernel));
    t[2] = now_ms();
    const auto binary = generator.compile(source);
    t[3] = now_ms();
    void* library = nullptr;
    if (load(binary, library) == nullptr) throw std::runtime_error("no entry");
    t[4] = now_ms();
    return {t[1] - t[0], t[2] - t[1], t[3] - t[2], t[4] - t[3]};
}

/// Runs this program once more as a fresh process that reports measure_parts.
Parts cold_process(const std::string& kernel) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("pipe");
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execl("/proc/self/exe", "bench_jit", "--cold-child", kernel.c_str(), nullptr);
        _exit(127);
    }
    close(ends[1]);
    Parts parts{};
    const ssize_t n = read(ends[0], &parts, sizeof parts);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (n != sizeof parts || status != 0) throw std::runtime_error("the cold process failed");
    return parts;
}

void cold(benchmark::State& state, const std::string& kernel) {
    Parts sum{};
    for (auto _ : state) {
        const Parts p = cold_process(kernel);
        state.SetIterationTime(p.total() / 1e3);
        sum = {sum.load_generator + p.load_generator, sum.emit + p.emit, sum.compile + p.compile,
               sum.dlopen + p.dlopen};
    }
    const auto mean = [&](double ms) {
        return benchmark::Counter(ms, benchmark::Counter::kAvgIterations);
    };
    state.counters["load_generator_ms"] = mean(sum.load_generator);
    state.counters["emit_ms"] = mean(sum.emit);
    state.counters["compile_ms"] = mean(sum.compile);
    state.counters["dlopen_ms"] = mean(sum.dlopen);
}

void warm_callable(benchmark::State& state, const std::string& kernel) {
    spmvgen::Generator& generator = spmvgen::load_generator();
    int variant = 0;
    for (auto _ : state) {
        void* library = nullptr;
        benchmark::DoNotOptimize(
            load(generator.compile(generator.emit(signature(kernel, ++variant % 2))), library));
        state.PauseTiming();
        dlclose(library);
        state.ResumeTiming();
    }
}

void warm_emit(benchmark::State& state, const std::string& kernel) {
    spmvgen::Generator& generator = spmvgen::load_generator();
    for (auto _ : state) benchmark::DoNotOptimize(generator.emit(signature(kernel)));
}

void warm_compile(benchmark::State& state, const std::string& kernel, BinaryKind kind) {
    spmvgen::Generator& generator = spmvgen::load_generator();
    const auto source = generator.emit(signature(kernel));
    for (auto _ : state) benchmark::DoNotOptimize(generator.compile(source, kind));
}

void warm_dlopen(benchmark::State& state, const std::string& kernel) {
    spmvgen::Generator& generator = spmvgen::load_generator();
    const auto binary = generator.compile(generator.emit(signature(kernel)));
    for (auto _ : state) {
        void* library = nullptr;
        benchmark::DoNotOptimize(load(binary, library));
        state.PauseTiming();
        dlclose(library);
        state.ResumeTiming();
    }
}

void register_kernel(const std::string& kernel) {
    const auto add = [&](const std::string& name, auto function, auto... arguments) {
        return benchmark::RegisterBenchmark((name + "/" + kernel).c_str(), function, kernel,
                                            arguments...)
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
    };
    add("cold/callable", cold)->UseManualTime()->Iterations(20);
    add("warm/callable", warm_callable);
    add("warm/emit", warm_emit);
    add("warm/compile_object", warm_compile, BinaryKind::object);
    add("warm/compile_and_link", warm_compile, BinaryKind::shared_object);
    add("warm/dlopen", warm_dlopen);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && std::strcmp(argv[1], "--cold-child") == 0) {
        const Parts parts = measure_parts(argv[2]);
        return write(STDOUT_FILENO, &parts, sizeof parts) == sizeof parts ? 0 : 1;
    }
    for (auto& entry : spmvgen::kernel_registry()) register_kernel(std::string(entry.id));
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
