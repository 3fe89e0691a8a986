#include "compilers/guarded.hpp"

#include <clang/Basic/Stack.h>
#include <fmt/format.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>

#include <csignal>
#include <cstring>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <thread>

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

/// One run and what became of it; outlives the caller that did not wait for its end.
struct Run {
    std::function<std::string()> work;
    std::string result, reason;
    std::exception_ptr thrown;
    int code = 0;
    bool ended = false;
    std::promise<void> done;
};

void run_to_the_end(Run& run) {
    const Recovery recovery;
    llvm::CrashRecoveryContext context;
    run.ended = context.RunSafelyOnThread(
        [&run] {
            fatal_reason = &run.reason;
            clang::noteBottomOfStack();
            try {
                run.result = run.work();
            } catch (...) {
                run.thrown = std::current_exception();
            }
        },
        stack_bytes);
    run.code = context.RetCode;
}

}  // namespace

std::string run_guarded(const std::string& what, std::function<std::string()> work,
                        std::chrono::milliseconds limit) {
    const auto run = std::make_shared<Run>();
    run->work = std::move(work);
    auto done = run->done.get_future();
    std::thread thread([run] {
        run_to_the_end(*run);
        run->done.set_value();
    });
    if (done.wait_for(limit) == std::future_status::timeout) {
        thread.detach();
        throw Error(ErrorCode::internal,
                    fmt::format("{} did not end within {} s and is left to itself", what,
                                static_cast<double>(limit.count()) / 1e3));
    }
    thread.join();
    if (!run->ended)
        throw Error(
            ErrorCode::internal,
            what + " crashed: " + (run->reason.empty() ? describe(run->code) : run->reason));
    if (run->thrown) std::rethrow_exception(run->thrown);
    return std::move(run->result);
}

}  // namespace spmvgen
