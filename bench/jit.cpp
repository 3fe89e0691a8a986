// From a signature to a callable kernel: warm in this process, and cold in fresh processes, by
// part. For GPUs: gpu/COMPILER-KIND-ARCH/KERNEL, to a binary, which needs no GPU; the compiler's
// first job in the process is not in these times.
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
#include <ctime>
#include <stdexcept>

#include "arguments.hpp"
#include "handle/kernels/kernel_sources.hpp"
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

double cpu_ms() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

/// Milliseconds; `cpu` is what the whole took of all cores' time, which a loaded machine changes
/// less.
struct Parts {
    double load_generator, emit, compile, dlopen, cpu;
    double total() const { return load_generator + emit + compile + dlopen; }
};

/// One cold run: what a process pays for its first kernel.
Parts measure_parts(const std::string& kernel) {
    std::array<double, 5> t{};
    const double cpu = cpu_ms();
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
    return {t[1] - t[0], t[2] - t[1], t[3] - t[2], t[4] - t[3], cpu_ms() - cpu};
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
    Parts least{1e9, 1e9, 1e9, 1e9, 1e9};
    double least_total = 1e9;
    for (auto _ : state) {
        const Parts p = cold_process(kernel);
        state.SetIterationTime(p.total() / 1e3);
        least_total = std::min(least_total, p.total());
        for (auto part :
             {&Parts::load_generator, &Parts::emit, &Parts::compile, &Parts::dlopen, &Parts::cpu})
            least.*part = std::min(least.*part, p.*part);
    }
    state.counters["min_ms"] = least_total;
    state.counters["min_load_ms"] = least.load_generator;
    state.counters["min_emit_ms"] = least.emit;
    state.counters["min_compile_ms"] = least.compile;
    state.counters["min_dlopen_ms"] = least.dlopen;
    state.counters["min_cpu_ms"] = least.cpu;
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

struct GpuJob {
    const char* arch;
    BinaryKind kind;
    spmvgen::Compiler compiler;
};

constexpr std::array gpu_jobs{GpuJob{"sm_90", BinaryKind::cubin, spmvgen::Compiler::nvrtc},
                              GpuJob{"sm_90", BinaryKind::ptx, spmvgen::Compiler::clang},
                              GpuJob{"gfx90a", BinaryKind::hsaco, spmvgen::Compiler::hiprtc},
                              GpuJob{"gfx90a", BinaryKind::hsaco, spmvgen::Compiler::clang}};

void gpu_binary(benchmark::State& state, const std::string& kernel, const GpuJob& job) {
    spmvgen::Generator& generator = spmvgen::load_generator();
    spmvgen::Signature signature;
    signature.kernel = kernel;
    signature.target = spmvgen::parse_target(job.arch);
    signature = complete(signature);
    double emit_ms = 0;
    generator.compile(generator.emit(signature), job.kind, job.compiler);  // may be the first job
    for (auto _ : state) {
        const double start = now_ms();
        const auto source = generator.emit(signature);
        emit_ms += now_ms() - start;
        benchmark::DoNotOptimize(generator.compile(source, job.kind, job.compiler));
    }
    state.counters["emit_ms"] = benchmark::Counter(emit_ms, benchmark::Counter::kAvgIterations);
}

void register_gpu_kernel(const std::string& kernel) {
    for (auto& job : gpu_jobs)
        spmvgen::bench::add(std::string("gpu/") + to_string(job.compiler) + "-" +
                                to_string(job.kind) + "-" + job.arch + "/" + kernel,
                            [=](benchmark::State& state) { gpu_binary(state, kernel, job); })
            ->UseRealTime()
            ->Unit(benchmark::kMillisecond);
}

void register_kernel(const std::string& kernel) {
    const auto add = [&](const std::string& name, auto function, auto... arguments) {
        return spmvgen::bench::add(
                   name + "/" + kernel,
                   [=](benchmark::State& state) { function(state, kernel, arguments...); })
            ->Unit(benchmark::kMillisecond);
    };
    add("cold/callable", cold)->UseManualTime()->Iterations(30);
    add("warm/callable", warm_callable)->UseRealTime();
    add("warm/emit", warm_emit)->UseRealTime();
    add("warm/compile_object", warm_compile, BinaryKind::object)->UseRealTime();
    add("warm/compile_and_link", warm_compile, BinaryKind::shared_object)->UseRealTime();
    add("warm/dlopen", warm_dlopen)->UseRealTime();
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc == 3 && std::strcmp(argv[1], "--cold-child") == 0) {
        const Parts parts = measure_parts(argv[2]);
        return write(STDOUT_FILENO, &parts, sizeof parts) == sizeof parts ? 0 : 1;
    }
    for (auto& entry : spmvgen::kernel_registry())
        (entry.gpu ? register_gpu_kernel : register_kernel)(std::string(entry.id));
    return spmvgen::bench::run_benchmarks(argc, argv);
} catch (const std::exception& error) {
    std::fprintf(stderr, "bench_jit: %s\n", error.what());
    return 1;
}
