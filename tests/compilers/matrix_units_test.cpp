// Kernels with matrix units for f64: compiled for every architecture that has them, in every form
// that a compiler found here makes, with the instruction in what comes out.
#include <gmock/gmock.h>

#include "clang_generator.hpp"
#include "compilers/gpu/gpu_compiler.hpp"
#include "families/matrix_units.hpp"
#include "gpu_kernels.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* ptx_instruction = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64";

std::vector<Target> targets_with_matrix_units() {
    std::vector<Target> targets;
    for (auto& name : architectures_with_matrix_units()) targets.push_back(parse_target(name));
    return targets;
}

std::string text_of(const KernelBinary& binary) {
    return {binary.bytes.begin(), binary.bytes.end()};
}

class MatrixUnits : public testing::TestWithParam<std::string> {
  protected:
    Signature signature(const Target& target) const {
        Signature s;
        s.kernel = GetParam();
        s.target = target;
        return s;
    }
    ClangGenerator generator_;
};
INSTANTIATE_TEST_SUITE_P(, MatrixUnits, testing::Values("csr_matrix_units"),
                         [](auto& test) { return test.param; });

TEST_P(MatrixUnits, AreInWhatEveryCompilerMakes) {
    int ptx = 0, isa = 0;
    for (auto& target : targets_with_matrix_units()) {
        SCOPED_TRACE(to_string(target));
        const KernelSource source = generator_.emit(signature(target), "");
        const TargetKind vendor = architecture(target).kind;
        EXPECT_THAT(source.text,
                    HasSubstr(vendor == TargetKind::cuda ? ptx_instruction
                                                         : "__builtin_amdgcn_mfma_f64_4x4x4f64("));
        for (const Compiler compiler : {Compiler::nvrtc, Compiler::hiprtc, Compiler::clang})
            for (const BinaryKind kind :
                 {BinaryKind::ptx, BinaryKind::cubin, BinaryKind::hsaco, BinaryKind::assembly}) {
                if (!makes(compiler, vendor, kind) || !known(compiler, target)) continue;
                SCOPED_TRACE(std::string(to_string(compiler)) + " " + to_string(kind));
                const KernelBinary binary = generator_.compile(source, kind, compiler);
                if (kind == BinaryKind::ptx) {
                    EXPECT_THAT(text_of(binary), HasSubstr(ptx_instruction));
                    ++ptx;
                } else if (kind == BinaryKind::assembly) {
                    EXPECT_THAT(text_of(binary), HasSubstr("v_mfma_f64_4x4x4"));
                    ++isa;
                } else {
                    EXPECT_GT(binary.bytes.size(), 100u);
                }
                for (auto& [symbol, facts] : binary.facts) {
                    EXPECT_EQ(facts.stack_bytes, 0) << symbol << ": " << to_string(facts);
                    EXPECT_EQ(facts.spilled_bytes.value_or(0), 0)
                        << symbol << ": " << to_string(facts);
                }
            }
    }
    EXPECT_GT(ptx, 0) << "Clang makes it everywhere";
    EXPECT_GT(isa, 0) << "Clang makes it everywhere";
}

TEST_P(MatrixUnits, AreNotUsedForAlphaZero) {
    for (const char* arch : {"sm_90", "gfx90a"}) {
        Signature s = signature(parse_target(arch));
        s.alpha = Scale::zero;
        s.beta = Scale::general;
        const std::string text = generator_.emit(s, "").text;
        EXPECT_THAT(text, Not(HasSubstr("mma_m8n8k4"))) << arch;
        EXPECT_THAT(text, Not(HasSubstr("mfma"))) << arch;
    }
}

/// LLVM's own knowledge: an AMD GPU without the instruction refuses the builtin.
TEST(MatrixUnitArchitectures, AreThoseThatLlvmKnows) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "where LLVM ends by an error it does not free what it has";
#endif
    for (auto& row : architectures()) {
        if (row.kind != TargetKind::hip) continue;
        const GpuJob job = gpu_job(
            "extern \"C\" __global__ void add(double* y) {\n"
            "    y[0] = __builtin_amdgcn_mfma_f64_4x4x4f64(y[1], y[2], y[0], 0, 0, 0);\n}",
            parse_target(row.name), BinaryKind::assembly);
        bool compiles = true;
        try {
            compile_gpu(Compiler::clang, job);
        } catch (const Error&) {
            compiles = false;
        }
        const auto with = architectures_with_matrix_units();
        EXPECT_EQ(compiles, std::ranges::find(with, row.name) != with.end()) << row.name;
    }
}

}  // namespace
}  // namespace spmvgen
