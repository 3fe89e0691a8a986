#include "gpu_jit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "handle/jit_loader.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

struct Job {
    const char* arch;
    BinaryKind kind;
    Compiler compiler;
};

constexpr std::array jobs{Job{"sm_90", BinaryKind::cubin, Compiler::nvrtc},
                          Job{"sm_90", BinaryKind::ptx, Compiler::clang},
                          Job{"gfx90a", BinaryKind::hsaco, Compiler::hiprtc},
                          Job{"gfx90a", BinaryKind::hsaco, Compiler::clang}};

double now_ms() {
    return std::chrono::duration<double, std::milli>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

double median(std::vector<double> v) {
    std::ranges::sort(v);
    return v[v.size() / 2];
}

struct Times {
    double emit = 0, compile = 0;
};

Times make_once(Generator& generator, const Signature& signature, const Job& job) {
    const double start = now_ms();
    const KernelSource source = generator.emit(signature);
    const double emitted = now_ms();
    generator.compile(source, job.kind, job.compiler);
    return {emitted - start, now_ms() - emitted};
}

nlohmann::json time_kernel(Generator& generator, const Signature& signature, const Job& job,
                           int rounds) {
    std::vector<double> emit, compile, both;
    for (int i = 0; i < rounds; ++i) {
        const Times t = make_once(generator, signature, job);
        emit.push_back(t.emit);
        compile.push_back(t.compile);
        both.push_back(t.emit + t.compile);
    }
    return {{"emit_ms", median(emit)},
            {"compile_ms", median(compile)},
            {"both_ms", median(both)},
            {"least_ms", *std::ranges::min_element(both)},
            {"most_ms", *std::ranges::max_element(both)}};
}

}  // namespace

std::vector<nlohmann::json> time_gpu_compilers(int rounds) {
    std::vector<nlohmann::json> all;
    Generator& generator = load_generator();
    for (auto& job : jobs) {
        bool first = true;
        for (auto& entry : kernel_registry()) {
            if (!entry.gpu) continue;
            nlohmann::json row{{"jit", entry.id},
                               {"arch", job.arch},
                               {"kind", to_string(job.kind)},
                               {"compiler", to_string(job.compiler)}};
            try {
                Signature signature;
                signature.kernel = entry.id;
                signature.target = parse_target(job.arch);
                signature = complete(signature);
                if (std::exchange(first, false)) {
                    const Times t = make_once(generator, signature, job);
                    row["first_ms"] = t.emit + t.compile;
                }
                row.update(time_kernel(generator, signature, job, rounds));
                fmt::print("{:<18} {:<7} {:<6} {:<7} {:>7.1f} ms: emit {:.1f}, compile {:.1f}\n",
                           entry.id, job.arch, to_string(job.kind), to_string(job.compiler),
                           row["both_ms"].get<double>(), row["emit_ms"].get<double>(),
                           row["compile_ms"].get<double>());
            } catch (const Error& error) {
                row["refused"] = std::string(error.what()).substr(0, 200);
                fmt::print("{:<18} {:<7} {:<6} {}\n", entry.id, job.arch, to_string(job.kind),
                           row["refused"].get<std::string>());
            }
            all.push_back(row);
        }
    }
    return all;
}

}  // namespace spmvgen
