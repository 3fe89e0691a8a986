#pragma once
#include <shared_mutex>
#include <string>
#include <vector>

#include "spmvgen/target.hpp"

namespace spmvgen {

enum class ClangOutput { object, assembly, llvm_ir };

/// A file that Clang sees. It sees no others: neither those of the disk nor its own headers.
struct VirtualFile {
    std::string name;  ///< relative: "csr_rows.cpp"; diagnostics show it as it is here
    std::string text;
};

/// One run of Clang's cc1 in this process.
struct ClangJob {
    std::vector<std::string> arguments;  ///< of cc1, without input, output and kind of output
    VirtualFile source;
    std::vector<VirtualFile> headers;    ///< included before the source, in this order
    TargetKind kind = TargetKind::host;  ///< decides the language (C++, CUDA, HIP) and which code
                                         ///< generators LLVM needs; the triple is in arguments
};

/// What Clang makes of the job; the same job gives the same bytes. Thread safe. Throws
/// Error(compile) with Clang's diagnostics, Error(internal) when Clang crashes.
std::string run_clang(const ClangJob& job, ClangOutput output);

/// Throws Error(invalid_argument), listing what is known, when Clang cannot tune code of `triple`
/// for `cpu`.
void check_tune_cpu(const std::string& triple, const std::string& cpu);

/// The CPU names that Clang knows for `triple`. Throws Error(unsupported) for an unknown triple.
std::vector<std::string> known_cpus(const std::string& triple);

/// Guards LLVM's list of targets, which has no lock of its own: held shared by who reads it
/// (run_clang), held alone by who adds to it (the first compile of a kind; the first link: lld
/// makes all targets known).
std::shared_mutex& target_registry();

/// The full version of the Clang that is loaded, as it tells it: "Debian clang version 19.1.7 (…)".
std::string clang_version();

}  // namespace spmvgen
