#pragma once
#include <string>
#include <vector>

#include "compilers/gpu/dynamic_library.hpp"
#include "compilers/gpu/gpu_compiler.hpp"

namespace spmvgen {

/// NVRTC and hiprtc have one interface under two prefixes; this is it.
class RtcLibrary {
  public:
    /// `prefix`: "nvrtc" or "hiprtc". Throws Error(unsupported) when `library` lacks a function.
    RtcLibrary(const DynamicLibrary& library, const std::string& prefix);

    /// "13.0"
    std::string version() const;

    /// Compiles `source` and returns what the function pair PREFIXGet`kind`Size, PREFIXGet`kind`
    /// gives. `what` names compiler and target in messages. Throws Error(compile) with the log.
    std::string compile(const std::string& what, const VirtualFile& source,
                        const std::vector<std::string>& options, const std::string& kind) const;

  private:
    using Program = void*;
    using GetSize = int(Program, std::size_t*);
    using GetText = int(Program, char*);

    void check(int status, const std::string& call) const;
    std::string get(Program program, const std::string& kind) const;

    const DynamicLibrary* library_;
    std::string prefix_;
    int (*version_)(int*, int*);
    int (*create_)(Program*, const char*, const char*, int, const char* const*, const char* const*);
    int (*destroy_)(Program*);
    int (*compile_)(Program, int, const char* const*);
    const char* (*error_text_)(int);
};

}  // namespace spmvgen
