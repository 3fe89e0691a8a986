#include <gmock/gmock.h>

#include "compilers/gpu/gpu_facts.hpp"
#include "gpu_kernels.hpp"

using namespace spmvgen;
using testing::StartsWith;

namespace {

std::string refused(const std::string& bytes) {
    return error_text(ErrorCode::invalid_input, [&] { (void)kernel_facts(bytes); });
}

TEST(KernelFacts, ArePrintable) {
    EXPECT_EQ(to_string(KernelFacts{24, 16, 8, 2048, 64, 12}),
              "registers 24, scalar registers 16, spilled 8 B, shared 2048 B, stack 12 B, "
              "wavefront 64");
    EXPECT_EQ(to_string(KernelFacts{}),
              "registers 0, scalar registers 0, spilled unknown, shared 0 B, stack 0 B, "
              "wavefront 32");
}

TEST(KernelFacts, RefuseWhatIsNoGpuCode) {
    EXPECT_EQ(refused(""), "this is no GPU code that can be read: neither PTX nor 64-bit ELF");
    EXPECT_EQ(refused("hello"), "this is no GPU code that can be read: neither PTX nor 64-bit ELF");
    EXPECT_THAT(refused("__CLANG_OFFLOAD_BUNDLE__\x01"),
                StartsWith("this is no GPU code that can be read: the bundle is cut off"));
}

/// Damaged code is refused or read as something; it never crashes (run under sanitizers).
void read_damaged(const std::string& good) {
    const auto read = [](const std::string& bytes) {
        try {
            (void)kernel_facts(bytes);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::invalid_input) << error.what();
        }
    };
    for (std::size_t size = 0; size < good.size(); size += 97) read(good.substr(0, size));
    for (std::size_t at = 0; at < good.size(); at += at < 1500 ? 1 : 61) {
        std::string bad = good;
        bad[at] = static_cast<char>(~bad[at]);
        read(bad);
    }
}

TEST(KernelFacts, OfADamagedCodeObject) {
    const GpuJob job = gpu_job(gpu_kernels_text, parse_target("gfx90a"), BinaryKind::hsaco);
    read_damaged(compile_gpu(Compiler::clang, job));
}

TEST(KernelFacts, OfADamagedCubin) {
    const GpuCompilerInfo info = gpu_compiler_info(Compiler::nvrtc);
    if (!info.missing.empty()) GTEST_SKIP() << info.missing;
    const GpuJob job = gpu_job(gpu_kernels_text, parse_target("sm_90"), BinaryKind::cubin);
    read_damaged(compile_gpu(Compiler::nvrtc, job));
}

}  // namespace
