#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "spmvgen/signature.hpp"

namespace spmvgen {

/// One argument of an emitted function: by its name the runtime finds what to pass.
struct Argument {
    std::string name;  ///< "row_ptr"
    std::string type;  ///< as spelled in the emitted text: "const int*", "double"
    bool operator==(const Argument&) const = default;
};

/// How often a step runs.
enum class StepRule {
    per_thread,  ///< once for each thread of a team, with (thread, threads)
    once         ///< once, after the step before has ended in all threads
};

/// One function of a kernel, called through `symbol`: void symbol(void* const* arguments, int
/// thread, int threads), where arguments[i] points to the value of arguments[i] (as cuLaunchKernel
/// takes them).
struct Step {
    std::string symbol;
    StepRule rule = StepRule::per_thread;
    std::vector<Argument> arguments;
    bool operator==(const Step&) const = default;
};

/// Scratch memory that the caller lends for one apply; contents need not survive it.
struct Workspace {
    std::string name;  ///< the argument that gets it
    std::int64_t bytes_per_thread = 0;
    bool operator==(const Workspace&) const = default;
};

/// How a kernel is run; leaves the generator together with the source, is kept with the binary, and
/// is all that the runtime knows of it.
struct LaunchDescription {
    std::vector<Step> steps;  ///< in order, a barrier between
    std::vector<Workspace> workspace;
    bool operator==(const LaunchDescription&) const = default;
};

/// Freestanding source text of one kernel.
struct KernelSource {
    Signature signature;
    std::string name;  ///< kernel_name(signature)
    std::string text;  ///< no includes; compiles alone as C++17 with GCC and Clang
    LaunchDescription launch;
};

/// What a compiler is asked to make of a KernelSource.
enum class BinaryKind { shared_object, object, assembly, llvm_ir };

/// A compiled kernel: one blob and its facts.
struct KernelBinary {
    Signature signature;
    BinaryKind kind = BinaryKind::shared_object;
    std::string bytes;
    LaunchDescription launch;
    std::string compiler;       ///< identity queried from the loaded compiler: "clang 19.1.7 (…)"
    std::string flags;          ///< the flags that matter, in order
    std::string source_digest;  ///< SHA-256 (hex) of the exact source text
    std::string source;         ///< the source text itself, for people; "" when it was not kept
};

}  // namespace spmvgen
