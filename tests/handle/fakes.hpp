#pragma once
#include <atomic>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "handle/kernels/kernel_provider.hpp"
#include "spmvgen/error.hpp"
#include "spmvgen/generator.hpp"
#include "store/key.hpp"

namespace spmvgen {

/// How GoogleTest prints counters.
inline void PrintTo(const KernelCounters& c, std::ostream* out) {
    *out << "{memory " << c.hits_memory << ", store " << c.hits_store << ", started "
         << c.compiles_started << ", failed " << c.compiles_failed << ", fallbacks " << c.fallbacks
         << "}";
}

inline std::string file_bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The launch description of fake_csr_f64 and fake_csr_f32.
inline LaunchDescription csr_launch(const std::string& value = "double") {
    const std::string array = "const " + value + "* __restrict__";
    return {{{value == "double" ? "fake_csr_f64" : "fake_csr_f32",
              StepRule::per_thread,
              {{"num_rows", "long"},
               {"row_ptr", "const int* __restrict__"},
               {"col_idx", "const int* __restrict__"},
               {"values", array},
               {"x", array},
               {"y", value + "* __restrict__"},
               {"alpha", value},
               {"beta", value}}}},
            {}};
}

/// The launch description of a GPU's kernel; what its workspace is for is left open.
inline LaunchDescription gpu_launch(std::int64_t workspace_bytes_per_block = 0,
                                    std::int64_t zeroed_bytes = 0) {
    LaunchDescription launch = csr_launch();
    Step& step = launch.steps[0];
    step.symbol = "fake_gpu_csr";
    step.rule = StepRule::grid;
    step.grid = {"num_rows", 2, 0, 1};
    step.block = 64;
    if (workspace_bytes_per_block > 0) {
        step.arguments.push_back({"parts", "double*"});
        launch.workspace.push_back({"parts", 0, workspace_bytes_per_block, 0});
    }
    if (zeroed_bytes > 0) {
        step.arguments.push_back({"counters", "unsigned long long*"});
        launch.workspace.push_back({.name = "counters", .bytes = zeroed_bytes, .zeroed = true});
    }
    return launch;
}

inline KernelBinary csr_binary(const Signature& signature) {
    KernelBinary binary;
    binary.signature = signature;
    binary.bytes = file_bytes(FAKE_KERNEL);
    binary.launch = csr_launch(signature.value == ValueType::f32 ? "float" : "double");
    if (architecture(signature.target).kind != TargetKind::host) binary.launch = gpu_launch();
    binary.compiler = "fake 1";
    binary.source = "// the source of " + kernel_name(signature);
    binary.source_digest = to_hex(sha256(binary.source));
    return binary;
}

inline Signature csr_signature(Scale alpha = Scale::one, Scale beta = Scale::zero) {
    Signature s;
    s.kernel = "csr_rows";
    s.alpha = alpha;
    s.beta = beta;
    s.target = parse_target("native");
    return s;
}

/// Hands out the precompiled kernel; counts, and fails when told to.
class FakeGenerator : public Generator {
  public:
    std::atomic<int> compiled{0};
    std::string failure;               ///< "" = works
    bool only_base_works = false;      ///< fails for all but α = 1, β = 0
    std::set<BinaryKind> unsupported;  ///< kinds that it has no compiler for
    std::vector<Signature> made;       ///< of compile() that worked, in order
    std::int64_t workspace = 0;        ///< bytes a block, of GPU kernels
    std::int64_t zeroed = 0;           ///< bytes a launch, of GPU kernels
    std::string bytes = file_bytes(FAKE_KERNEL);
    std::mutex mutex;                 ///< guards made
    std::function<void()> compiling;  ///< called while it compiles; may be empty

    KernelSource emit(const Signature& signature, const std::string&) override {
        return {signature, kernel_name(signature), "// the source of " + kernel_name(signature),
                csr_binary(signature).launch};
    }
    KernelBinary compile(const KernelSource& source, BinaryKind kind, Compiler) override {
        ++compiled;
        if (compiling) compiling();
        if (unsupported.contains(kind))
            throw Error(ErrorCode::unsupported, std::string("nothing makes ") + to_string(kind));
        if (!failure.empty()) throw Error(ErrorCode::compile, failure);
        if (only_base_works && source.signature.beta != Scale::zero)
            throw Error(ErrorCode::compile, "only the base works");
        KernelBinary binary = csr_binary(source.signature);
        binary.kind = kind;
        if (workspace > 0 || zeroed > 0) binary.launch = gpu_launch(workspace, zeroed);
        if (kind != BinaryKind::shared_object) {
            const std::lock_guard lock(mutex);
            made.push_back(source.signature);
        }
        binary.bytes = bytes;
        binary.source.clear();
        return binary;
    }
    std::map<std::string, std::string> versions() override { return {{"fake", "1"}}; }
};

/// The entries of a cache directory, kept in memory.
struct FakeDisk {
    std::mutex mutex;
    std::map<std::string, KernelBinary> entries;
    int finds = 0, puts = 0;
    bool full = false;
};

class FakeCache : public KernelCache {
  public:
    FakeCache(FakeDisk& disk, bool writable) : disk_(disk), writable_(writable) {}
    std::optional<KernelBinary> find(const Signature& signature, BinaryKind kind) override {
        const std::lock_guard lock(disk_.mutex);
        ++disk_.finds;
        const auto it = disk_.entries.find(to_string(signature));
        if (it == disk_.entries.end() || it->second.kind != kind) return std::nullopt;
        return it->second;
    }
    bool put(const KernelBinary& binary) override {
        const std::lock_guard lock(disk_.mutex);
        ++disk_.puts;
        if (!writable_ || disk_.full) return false;
        disk_.entries[to_string(binary.signature)] = binary;
        return true;
    }
    std::string path_of(const Signature& signature, BinaryKind) const override {
        return "/fake/" + kernel_name(signature);
    }

  private:
    FakeDisk& disk_;
    bool writable_;
};

/// A provider with a fake generator and a fake disk behind it.
struct FakeKernels {
    FakeGenerator generator;
    FakeDisk disk;
    KernelProvider provider = make();

    KernelProvider make(std::int64_t most_idle = KernelSources().most_idle) {
        return KernelProvider({[this]() -> Generator& { return generator; },
                               [this](const std::string&, bool writable) {
                                   return std::make_unique<FakeCache>(disk, writable);
                               },
                               most_idle});
    }
};

}  // namespace spmvgen
