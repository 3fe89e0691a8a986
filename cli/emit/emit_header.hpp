#pragma once
#include <string>

#include "spmvgen/kernel.hpp"

namespace spmvgen::cli {

/// A header for C and C++ by which a program calls the kernel, whatever its full name is: `name` is
/// what the macros in it begin with. Of a CPU's source it declares the OpenMP driver as
/// NAME_multiply; of a CPU's binary (`compiled`), which has none, the steps as NAME_step0, …. Of a
/// GPU's kernel it tells the steps' symbols, blocks and shared memory, and the launcher of the
/// source as NAME_launch.
std::string kernel_header(const KernelSource& source, bool compiled, const std::string& name);

/// What the macros of the header at `path` begin with: the file's name without its suffix. Throws
/// UsageError when that is no name in C.
std::string header_name(const std::string& path);

}  // namespace spmvgen::cli
