#include <gmock/gmock.h>

#include <regex>

#include "compilers/gpu_architectures.hpp"
#include "gpu_kernels.hpp"

using namespace spmvgen;
using testing::HasSubstr;

namespace {

std::string refused(const std::string& text, int wavefront = 0) {
    return error_text(ErrorCode::invalid_argument,
                      [&] { (void)parse_gpu_target(text, wavefront); });
}

TEST(GpuTarget, ReadsArchitectureFeaturesAndWavefront) {
    EXPECT_EQ(parse_gpu_target("sm_90"), (GpuTarget{"sm_90", "", 32}));
    EXPECT_EQ(parse_gpu_target("gfx906"), (GpuTarget{"gfx906", "", 64}));
    EXPECT_EQ(parse_gpu_target("gfx1100"), (GpuTarget{"gfx1100", "", 32}));
    EXPECT_EQ(parse_gpu_target("gfx1100", 64), (GpuTarget{"gfx1100", "", 64}));
    EXPECT_EQ(parse_gpu_target("gfx90a:xnack-:sramecc+"),
              (GpuTarget{"gfx90a", ":sramecc+:xnack-", 64}));
}

TEST(GpuTarget, PrintsWhatItReads) {
    EXPECT_EQ(target_id(parse_gpu_target("gfx90a:sramecc+:xnack-")), "gfx90a:sramecc+:xnack-");
    EXPECT_EQ(to_string(parse_gpu_target("gfx90a:xnack+")), "gfx90a:xnack+");
    EXPECT_EQ(to_string(parse_gpu_target("gfx1030", 64)), "gfx1030 wave64");
    for (auto& row : gpu_architectures())
        EXPECT_EQ(target_id(parse_gpu_target(row.name)), row.name);
}

TEST(GpuTarget, RefusesWhatItDoesNotKnow) {
    EXPECT_EQ(refused("sm_99"),
              "unknown GPU architecture 'sm_99': use one of sm_75, sm_80, sm_86, sm_89, sm_90, "
              "sm_100, sm_120, gfx906, gfx908, gfx90a, gfx942, gfx1030, gfx1100, gfx1201");
    EXPECT_THAT(refused(""), HasSubstr("unknown GPU architecture ''"));
    EXPECT_EQ(refused("gfx1030:xnack+"),
              "GPU architecture gfx1030 has no feature 'xnack+': it has none");
    EXPECT_EQ(refused("gfx90a:tgsplit+"),
              "GPU architecture gfx90a has no feature 'tgsplit+': it has sramecc,xnack");
    EXPECT_EQ(refused("gfx90a:"),
              "GPU architecture gfx90a has no feature '': it has sramecc,xnack");
    EXPECT_EQ(refused("gfx90a:xnack"),
              "feature 'xnack' of gfx90a needs one sign: write xnack+ or xnack-");
    EXPECT_EQ(refused("gfx90a:xnack+-"),
              "feature 'xnack+-' of gfx90a needs one sign: write xnack+ or xnack-");
    EXPECT_EQ(refused("gfx90a:xnack+:xnack-"), "feature 'xnack' of gfx90a is given twice");
    EXPECT_EQ(refused("gfx90a", 32),
              "GPU architecture gfx90a has no wavefronts of 32 threads: use 64");
    EXPECT_EQ(refused("gfx1030", 16),
              "GPU architecture gfx1030 has no wavefronts of 16 threads: use 32 or 64");
    EXPECT_THAT(refused("sm_90", -1), HasSubstr("no wavefronts of -1 threads"));
}

TEST(GpuTarget, CountsThreadsOfAUnit) {
    EXPECT_EQ(max_threads(parse_gpu_target("sm_90")), 2048);
    EXPECT_EQ(max_threads(parse_gpu_target("sm_86")), 1536);
    EXPECT_EQ(max_threads(parse_gpu_target("gfx906")), 2560);
    EXPECT_EQ(max_threads(parse_gpu_target("gfx1100", 64)), 2048);
}

/// LLVM's own knowledge: an atomic add is one instruction or a loop around a compare-and-swap.
TEST(GpuArchitectures, NativeAtomicsAreThoseThatLlvmKnows) {
    for (auto& row : gpu_architectures()) {
        if (row.vendor != GpuVendor::amd) continue;
        for (const std::string type : {"float", "double"}) {
            GpuJob job = gpu_job("extern \"C\" __global__ void add(" + type +
                                     "* y) { atomicAdd(y, (" + type + ")1); }",
                                 parse_gpu_target(row.name), GpuOutput::assembly);
            job.native_atomics = true;
            const std::string text = compile_gpu(GpuCompiler::clang, job);
            const bool loops = text.find("cmpswap") != std::string::npos;
            EXPECT_EQ(!loops, type == "float" ? row.atomic_f32 : row.atomic_f64)
                << row.name << " " << type;
        }
    }
}

}  // namespace
