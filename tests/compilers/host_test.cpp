#include "compilers/host.hpp"

#include <elf.h>
#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>
#include <thread>

#include "compiled_kernel.hpp"
#include "spmvgen/error.hpp"

using namespace spmvgen;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

// arguments: n, x, y; y = 2x, with a helper that must stay hidden
const std::string double_text = R"(double twice(double x) { return 2 * x; }
extern "C" void kernel_step0(void* const* arguments, int, int) {
    const long n = *static_cast<const long*>(arguments[0]);
    const double* __restrict__ x = *static_cast<const double* const*>(arguments[1]);
    double* __restrict__ y = *static_cast<double* const*>(arguments[2]);
    for (long i = 0; i < n; ++i) y[i] = twice(x[i]);
}
)";

// y = xz + y in one expression per statement: contracted to an FMA where the target has one
const std::string fma_text = R"(extern "C" void kernel_step0(void* const* arguments, int, int) {
    const double* x = *static_cast<const double* const*>(arguments[0]);
    double* y = *static_cast<double* const*>(arguments[1]);
    const double product = x[0] * x[1];
    y[0] += product;
}
)";

// y[i] += x[column[i]] for eight rows at once
const std::string gather_text = R"(extern "C" void kernel_step0(void* const* arguments, int, int) {
    typedef double Lanes __attribute__((vector_size(64)));
    const int* column = *static_cast<const int* const*>(arguments[0]);
    const double* x = *static_cast<const double* const*>(arguments[1]);
    Lanes loaded = {};
    for (int i = 0; i < 8; ++i) loaded[i] = x[column[i]];
    **static_cast<Lanes* const*>(arguments[2]) += loaded;
}
)";

Elf64_Ehdr elf_header(const std::string& bytes) {
    Elf64_Ehdr header{};
    EXPECT_GE(bytes.size(), sizeof header);
    std::memcpy(&header, bytes.data(), sizeof header);
    EXPECT_EQ(bytes.substr(0, 4),
              "\x7f"
              "ELF");
    return header;
}

std::string error_text(const KernelSource& source, ErrorCode code,
                       BinaryKind kind = BinaryKind::shared_object) {
    try {
        compile_host(source, kind);
    } catch (const Error& error) {
        EXPECT_EQ(to_string(error.code()), std::string(to_string(code)));
        return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
}

TEST(CompileHost, SharedObjectRuns) {
    const KernelBinary binary = compile_host(kernel_source(double_text));
    const LoadedKernel kernel(binary.bytes);
    const double x[5] = {1, -2, 0.5, 1e300, 7};
    double y[5] = {};
    kernel.call("kernel_step0", 5L, &x[0], &y[0]);
    EXPECT_THAT(y, testing::ElementsAre(2, -4, 1, 2e300, 14));
}

TEST(CompileHost, OnlyStepsAreVisible) {
    const std::string text =
        double_text + "extern \"C\" void standalone_driver() { kernel_step0(nullptr, 0, 1); }\n";
    const LoadedKernel kernel(compile_host(kernel_source(text)).bytes);
    EXPECT_NE(kernel.symbol("kernel_step0"), nullptr);
    EXPECT_EQ(kernel.symbol("_Z5twiced"), nullptr);
    EXPECT_EQ(kernel.symbol("standalone_driver"), nullptr);
}

TEST(CompileHost, FactsOfTheBinary) {
    const KernelSource source = kernel_source(
        "extern \"C\" void kernel_step0(void* const*, int, int) {}\n", "x86-64-v3:tune=haswell");
    const KernelBinary binary = compile_host(source);
    EXPECT_EQ(binary.signature, source.signature);
    EXPECT_EQ(binary.kind, BinaryKind::shared_object);
    EXPECT_EQ(binary.launch, source.launch);
    EXPECT_EQ(binary.source, source.text);
    // printf 'extern "C" void kernel_step0(void* const*, int, int) {}\n' | sha256sum
    EXPECT_EQ(binary.source_digest,
              "f44013ad7ab5e07fcd3610dcfba170be058d5d93b9486cffd343d65e0a3be7d3");
    EXPECT_THAT(binary.compiler, testing::MatchesRegex(".*clang version 19\\.1.*LLD 19\\.1.*"));
    EXPECT_THAT(
        binary.flags,
        StartsWith("-triple x86_64-unknown-linux-gnu -target-cpu x86-64-v3 -tune-cpu haswell "
                   "-std=c++17 -O3 "));
    EXPECT_EQ(binary.flags, host_flags(source.signature.target));
}

TEST(CompileHost, MachineOfTheObject) {
    for (auto kind : {BinaryKind::object, BinaryKind::shared_object}) {
        const Elf64_Half type = kind == BinaryKind::object ? ET_REL : ET_DYN;
        for (auto* target : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
            const auto header =
                elf_header(compile_host(kernel_source(double_text, target), kind).bytes);
            EXPECT_EQ(header.e_machine, EM_X86_64) << target;
            EXPECT_EQ(header.e_type, type);
        }
        const auto header =
            elf_header(compile_host(kernel_source(double_text, "aarch64"), kind).bytes);
        EXPECT_EQ(header.e_machine, EM_AARCH64);
        EXPECT_EQ(header.e_type, type);
    }
}

TEST(CompileHost, VectorWidthOfEachLevel) {
    const auto assembly = [](const char* target) {
        return compile_host(kernel_source(double_text, target), BinaryKind::assembly).bytes;
    };
    EXPECT_THAT(assembly("x86-64-v2"), HasSubstr("%xmm"));
    EXPECT_THAT(assembly("x86-64-v2"), Not(HasSubstr("%ymm")));
    EXPECT_THAT(assembly("x86-64-v2"), Not(HasSubstr("%zmm")));
    EXPECT_THAT(assembly("x86-64-v3"), HasSubstr("%ymm"));
    EXPECT_THAT(assembly("x86-64-v3"), Not(HasSubstr("%zmm")));
    EXPECT_THAT(assembly("x86-64-v4"), HasSubstr("%zmm"));
    EXPECT_THAT(assembly("x86-64-v4:tune=sapphirerapids"), HasSubstr("%zmm"));
    EXPECT_THAT(assembly("x86-64-v4:tune=skylake-avx512"), HasSubstr("%zmm"));
    EXPECT_THAT(assembly("aarch64"), HasSubstr(".2d"));
}

TEST(CompileHost, GathersWhereTheyAreFast) {
    const auto assembly = [](const char* target) {
        return compile_host(kernel_source(gather_text, target), BinaryKind::assembly).bytes;
    };
    EXPECT_THAT(assembly("x86-64-v4"), HasSubstr("vgather"));
    EXPECT_THAT(assembly("x86-64-v4:tune=sapphirerapids"), HasSubstr("vgather"));
    for (auto* amd : {"x86-64-v4:tune=znver5", "x86-64-v4:tune=znver4", "x86-64-v3:tune=znver3"}) {
        EXPECT_THAT(assembly(amd), Not(HasSubstr("vgather"))) << amd;
    }
}

TEST(CompileHost, ContractsAcrossStatements) {
    const auto assembly = [](const char* target) {
        return compile_host(kernel_source(fma_text, target), BinaryKind::assembly).bytes;
    };
    EXPECT_THAT(assembly("x86-64-v2"), HasSubstr("mulsd"));
    EXPECT_THAT(assembly("x86-64-v3"), HasSubstr("vfmadd"));
    EXPECT_THAT(assembly("aarch64"), HasSubstr("fmadd"));
}

TEST(CompileHost, DoesNotReorderSums) {
    // (1e16 + 1) + … in order keeps 1e16; a reordered sum of the ones would not
    const std::string text = R"(extern "C" void kernel_step0(void* const* arguments, int, int) {
    const double* x = *static_cast<const double* const*>(arguments[0]);
    double sum = 0;
    for (int i = 0; i < 64; ++i) sum += x[i];
    **static_cast<double* const*>(arguments[1]) = sum;
}
)";
    double x[64];
    std::fill(x, x + 64, 1.0);
    x[0] = 1e16;
    double y = 0;
    LoadedKernel(compile_host(kernel_source(text)).bytes).call("kernel_step0", &x[0], &y);
    EXPECT_EQ(y, 1e16);
}

TEST(CompileHost, LlvmIr) {
    const auto ir = compile_host(kernel_source(double_text), BinaryKind::llvm_ir).bytes;
    EXPECT_THAT(ir, StartsWith("; ModuleID = 'kernel.cpp'\n"));
    EXPECT_THAT(ir, HasSubstr("void @kernel_step0("));
}

TEST(CompileHost, LibraryCallsAreResolvedByTheProcess) {
    const std::string text = R"(extern "C" void kernel_step0(void* const* arguments, int, int) {
    const long n = *static_cast<const long*>(arguments[0]);
    double* y = *static_cast<double* const*>(arguments[1]);
    for (long i = 0; i < n; ++i) y[i] = 0;
}
)";
    const auto binary = compile_host(kernel_source(text));
    EXPECT_THAT(binary.bytes, HasSubstr("memset"));
    double y[3] = {1, 2, 3};
    LoadedKernel(binary.bytes).call("kernel_step0", 2L, &y[0]);
    EXPECT_THAT(y, testing::ElementsAre(0, 0, 3));
}

TEST(CompileHost, ResultLargerThanAPipe) {
    std::string text = "static const int table[] = {";
    for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919 % 100'003) + ",";
    text += R"(};
extern "C" void kernel_step0(void* const* arguments, int, int) {
    **static_cast<int* const*>(arguments[1]) = table[*static_cast<const long*>(arguments[0])];
}
)";
    const auto binary = compile_host(kernel_source(text));
    EXPECT_GT(binary.bytes.size(), 400'000u);
    int value = 0;
    LoadedKernel(binary.bytes).call("kernel_step0", 99'999L, &value);
    EXPECT_EQ(value, 99'999 * 7919 % 100'003);
}

TEST(CompileHost, SameBytesInEveryFolder) {
    const auto here = std::filesystem::current_path();
    for (auto kind : {BinaryKind::shared_object, BinaryKind::object, BinaryKind::assembly,
                      BinaryKind::llvm_ir}) {
        const auto first = compile_host(kernel_source(double_text), kind);
        const auto elsewhere = std::filesystem::path(testing::TempDir()) / "spmvgen_elsewhere";
        std::filesystem::create_directories(elsewhere);
        std::filesystem::current_path(elsewhere);
        setenv("TMPDIR", elsewhere.c_str(), 1);
        setenv("SOURCE_DATE_EPOCH", "12345", 1);
        const auto second = compile_host(kernel_source(double_text), kind);
        unsetenv("SOURCE_DATE_EPOCH");
        unsetenv("TMPDIR");
        std::filesystem::current_path(here);
        std::filesystem::remove_all(elsewhere);
        EXPECT_TRUE(first.bytes == second.bytes);
        EXPECT_THAT(first.bytes, Not(HasSubstr(here.string())));
    }
}

TEST(CompileHost, FromSeveralThreads) {
    const std::string expected = compile_host(kernel_source(double_text)).bytes;
    std::vector<std::thread> threads;
    std::vector<std::string> results(4 * 4);
    for (std::size_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (std::size_t i = 0; i < 4; ++i)
                results[4 * t + i] = compile_host(kernel_source(double_text)).bytes;
        });
    for (auto& thread : threads) thread.join();
    for (auto& result : results) EXPECT_TRUE(result == expected);
}

TEST(CompileHost, DiagnosticsNameTheLine) {
    EXPECT_EQ(error_text(kernel_source("int ok;\nint broken = row_pointer;\n"), ErrorCode::compile),
              "Clang cannot compile kernel.cpp:\n"
              "kernel.cpp:2:14: error: use of undeclared identifier 'row_pointer'\n"
              "    2 | int broken = row_pointer;\n"
              "      |              ^\n");
    EXPECT_THAT(error_text(kernel_source("#include <math.h>\n"), ErrorCode::compile),
                HasSubstr("kernel.cpp:1:10: fatal error: 'math.h' file not found"));
}

TEST(CompileHost, StepWithAnotherType) {
    EXPECT_THAT(
        error_text(kernel_source("extern \"C\" void kernel_step0(int) {}\n"), ErrorCode::compile),
        HasSubstr("kernel.cpp:1:17: error: conflicting types for 'kernel_step0'"));
}

TEST(CompileHost, StepThatIsNotDefined) {
    EXPECT_EQ(error_text(kernel_source("int nothing;\n"), ErrorCode::compile),
              "the text of kernel kernel does not define its step 'kernel_step0'");
}

TEST(CompileHost, UnknownFunction) {
    EXPECT_EQ(error_text(kernel_source("extern \"C\" void printf(const char*, ...);\n"
                                       "extern \"C\" void kernel_step0(void* const*, int, int) { "
                                       "printf(\"%d\", 1); }\n"),
                         ErrorCode::compile),
              "kernel kernel calls 'printf', which its text does not define: emitted text must "
              "stand alone");
}

TEST(CompileHost, RefusesWhatItCannotServe) {
    EXPECT_EQ(error_text(kernel_source("", "x86-64-v2", "a;b"), ErrorCode::invalid_argument),
              "step 'a;b' of kernel kernel is no C identifier");
    KernelSource no_steps = kernel_source(double_text);
    no_steps.launch.steps.clear();
    EXPECT_EQ(error_text(no_steps, ErrorCode::invalid_argument), "kernel kernel has no steps");
    EXPECT_THAT(error_text(kernel_source(double_text, "x86-64-v4:tune=pentium9"),
                           ErrorCode::invalid_argument),
                testing::MatchesRegex("unknown CPU model 'pentium9' to tune for \\(.*clang version "
                                      "19.*\\): use one of .*sapphirerapids.*"));
    EXPECT_THAT(
        error_text(kernel_source(double_text, "aarch64:tune=haswell"), ErrorCode::invalid_argument),
        HasSubstr("neoverse-v2"));
}

}  // namespace
