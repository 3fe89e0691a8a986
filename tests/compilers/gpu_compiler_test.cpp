// Every compiler that is found makes code for every architecture of the table that it knows.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "compilers/gpu/gpu_facts.hpp"
#include "gpu_kernels.hpp"

using namespace spmvgen;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

constexpr Compiler compilers[] = {Compiler::nvrtc, Compiler::hiprtc, Compiler::clang};

bool knows(const GpuCompilerInfo& info, std::string_view arch) {
    return std::ranges::find(info.architectures, arch) != info.architectures.end();
}

bool serves(Compiler compiler, TargetKind vendor) {
    return vendor != TargetKind::host &&
           (compiler == Compiler::clang ||
            (compiler == Compiler::nvrtc) == (vendor == TargetKind::cuda));
}

/// A target for each row that the compiler knows, and for each of its widths.
std::vector<Target> targets(Compiler compiler) {
    const GpuCompilerInfo info = gpu_compiler_info(compiler);
    std::vector<Target> found;
    for (auto& row : architectures())
        for (int wavefront : row.gpu.wavefronts)
            if (wavefront != 0 && serves(compiler, row.kind) && knows(info, row.name))
                found.push_back(
                    parse_target(std::string(row.name) + ":wave=" + std::to_string(wavefront)));
    return found;
}

void expect_plausible(const std::map<std::string, KernelFacts>& kernels, const Target& target,
                      bool amd) {
    ASSERT_EQ(kernels.size(), 3u);
    for (auto& [name, facts] : kernels) {
        SCOPED_TRACE(name + ": " + to_string(facts));
        EXPECT_EQ(facts.wavefront, target.wavefront);
        EXPECT_EQ(facts.shared_bytes, name == "block_sums" ? 2048 : 0);
        EXPECT_EQ(facts.scalar_registers > 0, amd);
        if (name == "spills") {
            EXPECT_GE(facts.registers, 32);
            EXPECT_GE(facts.stack_bytes, 100);
            EXPECT_EQ(facts.spilled_bytes.has_value(), amd);
            EXPECT_NE(facts.spilled_bytes, 0);
        } else {
            EXPECT_GE(facts.registers, 4);
            EXPECT_LE(facts.registers, 64);
            EXPECT_EQ(facts.stack_bytes, 0);
            EXPECT_EQ(facts.spilled_bytes, 0);
        }
    }
}

class GpuCompilers : public testing::TestWithParam<Compiler> {
  protected:
    void SetUp() override {
        info = gpu_compiler_info(GetParam());
        if (!info.missing.empty()) GTEST_SKIP() << info.missing;
    }

    Target first_target() const { return targets(GetParam()).front(); }
    GpuJob job(const std::string& text) const {
        const Target target = first_target();
        return gpu_job(text, target, binary_output(GetParam(), architecture(target).kind));
    }

    GpuCompilerInfo info;
};

TEST_P(GpuCompilers, SaysWhatItIs) {
    EXPECT_THAT(info.version, testing::AnyOf(HasSubstr("clang version"), StartsWith("NVRTC 1"),
                                             StartsWith("hiprtc ")));
    EXPECT_EQ(info.path.empty(), GetParam() == Compiler::clang);
    EXPECT_FALSE(targets(GetParam()).empty());
    std::printf("%s %s\n", info.version.c_str(), info.path.c_str());
}

/// For the first and the last that is known of each vendor, and with $SPMVGEN_EVERY_ARCHITECTURE,
/// as the long tests have it, for all.
TEST_P(GpuCompilers, CompileForArchitecturesThatTheyKnow) {
    const bool every = std::getenv("SPMVGEN_EVERY_ARCHITECTURE") != nullptr;
    const std::vector<Target> all = targets(GetParam());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Target& target = all[i];
        const auto is_of_vendor = [&](const Target& other) {
            return architecture(other).kind == architecture(target).kind;
        };
        const bool is_end =
            i == 0 || i + 1 == all.size() || !is_of_vendor(all[i - 1]) || !is_of_vendor(all[i + 1]);
        if (!every && !is_end) continue;
        SCOPED_TRACE(to_string(target));
        const TargetKind vendor = architecture(target).kind;
        const auto start = std::chrono::steady_clock::now();
        const std::string bytes = compile_gpu(
            GetParam(), gpu_job(gpu_kernels_text, target, binary_output(GetParam(), vendor)));
        const std::chrono::duration<double, std::milli> time =
            std::chrono::steady_clock::now() - start;
        std::printf("%-6s %-15s %6.0f ms %6zu bytes\n", to_string(GetParam()),
                    to_string(target).c_str(), time.count(), bytes.size());
        const auto kernels = kernel_facts(bytes);
        if (binary_output(GetParam(), vendor) == BinaryKind::ptx) {
            EXPECT_THAT(bytes, HasSubstr(".target " + target.arch));
            EXPECT_THAT(bytes, HasSubstr(".visible .entry csr_rows"));
            EXPECT_TRUE(kernels.empty());
        } else {
            expect_plausible(kernels, target, vendor == TargetKind::hip);
        }
    }
}

TEST_P(GpuCompilers, SameJobSameBytes) {
    const GpuJob twice = job(gpu_kernels_text);
    EXPECT_EQ(compile_gpu(GetParam(), twice), compile_gpu(GetParam(), twice));
}

TEST_P(GpuCompilers, ErrorsNameFileAndLine) {
    const std::string text = error_text(ErrorCode::compile, [&] {
        compile_gpu(GetParam(), job("extern \"C\" __global__ void k(int* a) {\n"
                                    "    a[0] = nowhere;\n}\n"));
    });
    EXPECT_THAT(text, StartsWith(std::string(to_string(GetParam())) + " cannot compile kernel.cu"));
    EXPECT_THAT(text, testing::AnyOf(HasSubstr("kernel.cu:2:"), HasSubstr("kernel.cu(2): error")));
    EXPECT_THAT(text, HasSubstr("nowhere"));
    EXPECT_FALSE(compile_gpu(GetParam(), job(gpu_kernels_text)).empty());
}

TEST_P(GpuCompilers, UnknownArchitecturesAreRefusedBeforeTheyAreTried) {
    GpuJob unknown = job(gpu_kernels_text);
    unknown.target.arch = "gfx999";
    EXPECT_THAT(error_text(ErrorCode::invalid_argument, [&] { compile_gpu(GetParam(), unknown); }),
                StartsWith("unknown architecture 'gfx999': use one of native, x86-64-v2,"));
    for (auto& row : architectures()) {
        if (!serves(GetParam(), row.kind) || knows(info, row.name)) continue;
        const GpuJob newer =
            gpu_job(gpu_kernels_text, parse_target(row.name), binary_output(GetParam(), row.kind));
        EXPECT_THAT(error_text(ErrorCode::unsupported, [&] { compile_gpu(GetParam(), newer); }),
                    testing::EndsWith(" does not know " + std::string(row.name)));
    }
}

INSTANTIATE_TEST_SUITE_P(All, GpuCompilers, testing::ValuesIn(compilers),
                         [](auto& test) { return std::string(to_string(test.param)); });

TEST(Compiler, RefusesOutputsThatItDoesNotMake) {
    const auto refused = [](Compiler compiler, const char* arch, BinaryKind output) {
        return error_text(ErrorCode::unsupported, [&] {
            compile_gpu(compiler, gpu_job(gpu_kernels_text, parse_target(arch), output));
        });
    };
    EXPECT_EQ(refused(Compiler::clang, "sm_90", BinaryKind::cubin),
              "Clang makes no cubin for sm_90");
    EXPECT_EQ(refused(Compiler::nvrtc, "gfx906", BinaryKind::hsaco),
              "NVRTC makes no hsaco for gfx906");
    EXPECT_EQ(refused(Compiler::hiprtc, "gfx906", BinaryKind::assembly),
              "hiprtc makes no assembly for gfx906");
}

TEST(Nvrtc, MakesPtx) {
    const GpuCompilerInfo info = gpu_compiler_info(Compiler::nvrtc);
    if (!info.missing.empty()) GTEST_SKIP() << info.missing;
    const std::string ptx = compile_gpu(
        Compiler::nvrtc, gpu_job(gpu_kernels_text, parse_target("sm_80"), BinaryKind::ptx));
    EXPECT_THAT(ptx, HasSubstr(".target sm_80"));
    EXPECT_THAT(ptx, testing::Not(testing::EndsWith(std::string(1, '\0'))));
    EXPECT_TRUE(kernel_facts(ptx).empty());
}

TEST(ClangGpu, CodeObjectsKeepTheTargetId) {
    for (const char* id : {"gfx90a:sramecc+:xnack-", "gfx906:xnack+", "gfx1201"})
        EXPECT_THAT(compile_gpu(Compiler::clang,
                                gpu_job(gpu_kernels_text, parse_target(id), BinaryKind::hsaco)),
                    HasSubstr("amdgcn-amd-amdhsa--" + std::string(id)));
}

TEST(ClangGpu, NoFileOfTheMachineIsSeen) {
    EXPECT_THAT(error_text(ErrorCode::compile,
                           [] {
                               compile_gpu(Compiler::clang,
                                           gpu_job("#include <stdint.h>\n", parse_target("gfx906"),
                                                   BinaryKind::hsaco));
                           }),
                HasSubstr("kernel.cu:1:10: fatal error: 'stdint.h' file not found"));
}

/// The preludes spell what their vendors spell: one text for shuffles, ballots and atomics each.
TEST(Preludes, AreUnderstoodAsTheVendorsUnderstandTheirs) {
    const std::string cuda = R"(extern "C" __global__ void k(double* y, float* z, int* n) {
        const unsigned all = ~0u;
        double v = __shfl_down_sync(all, y[threadIdx.x], 1, 16) + __shfl_up_sync(all, y[0], 1);
        v += __shfl_xor_sync(all, y[blockIdx.y], 2) + __shfl_sync(all, y[gridDim.z], 3, 8);
        atomicAdd(y, v); atomicAdd(z, (float)v);
        atomicAdd(n, (int)__ballot_sync(all, v > 0) + warpSize + (int)blockDim.y);
        __threadfence(); __syncwarp(); })";
    const std::string hip = R"(extern "C" __global__ void k(double* y, float* z, int* n) {
        double v = __shfl_down(y[threadIdx.x], 1, 16) + __shfl_up(y[0], 1);
        v += __shfl_xor(y[blockIdx.y], 2) + __shfl(y[gridDim.z], 3, 8);
        atomicAdd(y, v); atomicAdd(z, (float)v);
        atomicAdd(n, (int)__ballot(v > 0) + warpSize + (int)blockDim.y + (int)__lane_id());
        __threadfence(); })";
    for (auto compiler : compilers) {
        if (!gpu_compiler_info(compiler).missing.empty()) continue;
        for (auto& target : targets(compiler)) {
            SCOPED_TRACE(std::string(to_string(compiler)) + " " + to_string(target));
            const TargetKind vendor = architecture(target).kind;
            EXPECT_NO_THROW(
                compile_gpu(compiler, gpu_job(vendor == TargetKind::hip ? hip : cuda, target,
                                              binary_output(compiler, vendor))));
        }
    }
}

}  // namespace
