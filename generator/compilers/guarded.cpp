#include "compilers/guarded.hpp"

#include <clang/Basic/Stack.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>

#include <csignal>
#include <cstring>
#include <exception>
#include <mutex>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr unsigned stack_bytes = 8u << 20;

/// Where the fatal error of this thread's run is noted; null outside run_guarded.
thread_local std::string* fatal_reason = nullptr;

void on_fatal_error(void*, const char* reason, bool) {
    if (fatal_reason == nullptr) return;  // not ours: LLVM goes on to end the process
    *fatal_reason = reason;
    if (auto* context = llvm::CrashRecoveryContext::GetCurrent()) context->HandleExit(70);
}

/// Crash recovery is process-wide: on while at least one run is under way.
class Recovery {
  public:
    Recovery() {
        std::lock_guard lock(state().mutex);
        if (state().users++ > 0) return;
        llvm::CrashRecoveryContext::Enable();
        llvm::install_fatal_error_handler(on_fatal_error);
    }
    ~Recovery() {
        std::lock_guard lock(state().mutex);
        if (--state().users > 0) return;
        llvm::remove_fatal_error_handler();
        llvm::CrashRecoveryContext::Disable();
    }
    Recovery(const Recovery&) = delete;
    Recovery& operator=(const Recovery&) = delete;

  private:
    struct State {
        std::mutex mutex;
        int users = 0;
    };
    static State& state() {
        static State state;
        return state;
    }
};

/// How LLVM numbers the end of a run: 128 + signal, or an exit status.
std::string describe(int code) {
    if (code > 128)
        if (const char* name = sigdescr_np(code - 128)) return name;
    return "exit status " + std::to_string(code);
}

}  // namespace

void run_guarded(const std::string& what, llvm::function_ref<void()> work) {
    std::string reason;
    std::exception_ptr thrown;
    Recovery recovery;
    llvm::CrashRecoveryContext context;
    const bool ended = context.RunSafelyOnThread(
        [&] {
            fatal_reason = &reason;
            clang::noteBottomOfStack();
            try {
                work();
            } catch (...) {
                thrown = std::current_exception();
            }
        },
        stack_bytes);
    if (!ended)
        throw Error(ErrorCode::internal,
                    what + " crashed: " + (reason.empty() ? describe(context.RetCode) : reason));
    if (thrown) std::rethrow_exception(thrown);
}

}  // namespace spmvgen
