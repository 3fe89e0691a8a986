#pragma once
#include <functional>
#include <string>
#include <vector>

#include "sets/manifest.hpp"
#include "sets/set_file.hpp"
#include "spmvgen/generator.hpp"

namespace spmvgen::cli {

/// How kernels are made ahead.
struct SetBuild {
    std::vector<BinaryKind> kinds;  ///< the first that a compiler makes is taken
    Compiler compiler = Compiler::automatic;
    int jobs = 1;
    bool sources = true;                         ///< keep the emitted text with each kernel
    std::function<void(const Signature&)> done;  ///< after each; called from any thread
    std::function<bool()> stop;                  ///< asked before each: no more are wanted
};

/// What was made, whatever the number of jobs.
struct BuiltSet {
    SetEntries entries;
    std::vector<Unfit> refused;  ///< that the target or its compiler does not take, in order
    std::int64_t code_bytes = 0, source_bytes = 0;
};

/// Compiles the kernels with `jobs` threads. hiprtc, whose locks are process-wide, is run by the
/// generator in a process of its own for each kernel, so that jobs do not wait for each other. What
/// Generator throws for a kernel is a refusal of that kernel.
BuiltSet build_set(Generator& generator, const std::vector<Signature>& signatures,
                   const SetBuild& how);

}  // namespace spmvgen::cli
