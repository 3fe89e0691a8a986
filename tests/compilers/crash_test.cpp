// Crashes of the compiler are planted with Clang's own debugging pragmas.
#include <gmock/gmock.h>

#include <csignal>
#include <future>

#include "compiled_kernel.hpp"
#include "compilers/guarded.hpp"
#include "compilers/host.hpp"
#include "gpu_kernels.hpp"
#include "spmvgen/error.hpp"

using namespace spmvgen;

/// A crashed run leaks what it had allocated; AddressSanitizer need not say so.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
    return "leak:libclang-cpp.so\nleak:libLLVM.so\n";
}

namespace {

const std::string good_text = "extern \"C\" void kernel_step0(void* const*, int, int) {}\n";

std::string internal_error(const std::string& text) {
    try {
        compile_host(kernel_source(text));
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::internal);
        return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
}

TEST(CompilerCrash, BecomesAnErrorAndTheNextCompileWorks) {
    EXPECT_EQ(internal_error("#pragma clang __debug crash\n"),
              "Clang crashed: Illegal instruction");
    EXPECT_FALSE(compile_host(kernel_source(good_text)).bytes.empty());
}

TEST(CompilerCrash, FatalErrorCarriesItsReason) {
    EXPECT_EQ(internal_error("#pragma clang __debug llvm_fatal_error\n"),
              "Clang crashed: #pragma clang __debug llvm_fatal_error");
    EXPECT_FALSE(compile_host(kernel_source(good_text)).bytes.empty());
}

TEST(CompilerCrash, OfAGpuCompileBecomesAnErrorAndTheNextWorks) {
    const auto compile = [](const std::string& text) {
        return compile_gpu(Compiler::clang,
                           gpu_job(text, parse_target("gfx1030"), BinaryKind::hsaco));
    };
    EXPECT_EQ(error_text(ErrorCode::internal, [&] { compile("#pragma clang __debug crash\n"); }),
              "Clang crashed: Illegal instruction");
    EXPECT_FALSE(compile("extern \"C\" __global__ void k() {}\n").empty());
}

TEST(CompilerCrash, SignalHandlersOfTheProgramComeBack) {
    struct sigaction mine{};
    mine.sa_handler = [](int) {};
    struct sigaction before{};
    sigaction(SIGBUS, &mine, &before);
    compile_host(kernel_source(good_text));
    struct sigaction after{};
    sigaction(SIGBUS, &before, &after);
    EXPECT_EQ(after.sa_handler, mine.sa_handler);
}

TEST(RunGuarded, PassesExceptionsOn) {
    EXPECT_THROW(run_guarded("test", []() -> std::string { throw std::bad_alloc(); }),
                 std::bad_alloc);
}

TEST(RunGuarded, LeavesARunThatDoesNotEnd) {
    const auto release = std::make_shared<std::promise<void>>();
    const auto ended = std::make_shared<std::promise<void>>();
    const auto hang = [release, ended]() -> std::string {
        release->get_future().wait();
        ended->set_value();
        return "late";
    };
    try {
        run_guarded("test", hang, std::chrono::milliseconds(50));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::internal);
        EXPECT_STREQ(error.what(), "test did not end within 0.05 s and is left to itself");
    }
    release->set_value();
    ended->get_future().wait();
    EXPECT_EQ(run_guarded("test", [] { return std::string("next"); }), "next");
}

}  // namespace
