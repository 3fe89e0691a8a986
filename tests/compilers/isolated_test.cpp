#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <thread>

#include "compilers/gpu/dynamic_library.hpp"
#include "compilers/gpu/isolated.hpp"
#include "gpu_kernels.hpp"

using namespace spmvgen;
using namespace std::chrono_literals;

namespace {

std::string failure(ErrorCode code, const std::function<std::string()>& work,
                    std::chrono::milliseconds limit = 10s) {
    return error_text(code, [&] { (void)run_isolated("hiprtc", limit, work); });
}

TEST(Isolated, GivesBackWhatTheChildReturns) {
    const std::string large(3'000'000, 'x');
    EXPECT_EQ(run_isolated("test", 10s, [&] { return large + std::string(1, '\0'); }),
              large + std::string(1, '\0'));
    EXPECT_EQ(run_isolated("test", 10s, [] { return ""; }), "");
}

TEST(Isolated, ErrorsKeepTheirCodeAndText) {
    EXPECT_EQ(failure(ErrorCode::compile,
                      []() -> std::string { throw Error(ErrorCode::compile, "k.hip:1: no"); }),
              "k.hip:1: no");
    EXPECT_EQ(
        failure(ErrorCode::internal, []() -> std::string { throw std::runtime_error("other"); }),
        "other");
}

TEST(Isolated, ACrashIsAnErrorWithWhatTheChildSaidLast) {
    EXPECT_EQ(failure(ErrorCode::internal,
                      []() -> std::string {
                          std::fprintf(stderr, "LLVM ERROR: invalid ISA\n");
                          std::abort();
                      }),
              "hiprtc crashed: Aborted\nLLVM ERROR: invalid ISA\n");
    EXPECT_EQ(failure(ErrorCode::internal,
                      []() -> std::string {
                          raise(SIGSEGV);
                          return "";
                      }),
              "hiprtc crashed: Segmentation fault");
    EXPECT_EQ(failure(ErrorCode::internal, []() -> std::string { _exit(3); }),
              "hiprtc crashed: exit status 3");
}

TEST(Isolated, AHangIsStopped) {
    EXPECT_EQ(failure(
                  ErrorCode::internal,
                  []() -> std::string {
                      for (;;) pause();
                  },
                  200ms),
              "hiprtc did not end within 200 ms and was stopped");
}

TEST(Isolated, ACrashIsSeenWhileAnotherProcessHoldsThePipe) {
    EXPECT_EQ(failure(ErrorCode::internal,
                      []() -> std::string {
                          if (fork() == 0) {
                              std::this_thread::sleep_for(3s);
                              _exit(0);
                          }
                          _exit(4);
                      }),
              "hiprtc crashed: exit status 4");
}

TEST(DynamicLibrary, NamesWhatWasLookedForAndWhatIsMissing) {
    EXPECT_EQ(error_text(ErrorCode::unsupported,
                         [] { DynamicLibrary("NVRTC", {"libno_such.so.1", "/none/libx.so"}); }),
              "NVRTC is not found: looked for libno_such.so.1, /none/libx.so");
    const DynamicLibrary c("libc", {"libno_such.so.1", "libc.so.6"});
    EXPECT_THAT(c.path(), testing::EndsWith("/libc.so.6"));
    EXPECT_EQ(c.function<int(int)>("abs")(-3), 3);
    EXPECT_EQ(error_text(ErrorCode::unsupported, [&] { c.function<int()>("no_such_function"); }),
              c.path() + " has no function no_such_function");
}

}  // namespace
