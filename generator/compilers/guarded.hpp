#pragma once
#include <llvm/ADT/STLFunctionalExtras.h>

#include <string>

namespace spmvgen {

/// Runs `work`, which calls into Clang, LLVM or lld, on a stack of its own that is large enough for
/// them, and returns when it has ended. Exceptions thrown by `work` pass through. A crash inside it
/// (a signal, report_fatal_error, exit) becomes Error(internal) "WHAT crashed: …" where LLVM can
/// recover from it; what the crashed run had allocated is lost, and a lock that it held stays
/// locked. Thread safe. While it runs, LLVM's handlers for SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV
/// and SIGTRAP are installed; signals of other threads go on to the handlers before them.
void run_guarded(const std::string& what, llvm::function_ref<void()> work);

}  // namespace spmvgen
