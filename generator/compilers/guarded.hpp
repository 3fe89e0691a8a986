#pragma once
#include <chrono>
#include <functional>
#include <string>

namespace spmvgen {

/// Runs `work`, which calls into Clang, LLVM, lld or NVRTC, on a stack of its own that is large
/// enough for them, and returns what it returns. Exceptions thrown by `work` pass through. A crash
/// inside it (a signal, report_fatal_error, exit) becomes Error(internal) "WHAT crashed: …" where
/// LLVM can recover from it; what the crashed run had allocated is lost, and a lock that it held
/// stays locked. A run that takes longer than `limit` becomes Error(internal), too, and goes on by
/// itself: `work` must own all that it uses. Thread safe. While it runs, LLVM's handlers for
/// SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV and SIGTRAP are installed; signals of other threads go
/// on to the handlers before them.
std::string run_guarded(const std::string& what, std::function<std::string()> work,
                        std::chrono::milliseconds limit = std::chrono::minutes(2));

}  // namespace spmvgen
