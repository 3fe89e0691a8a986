#pragma once
#include <string>
#include <string_view>

#include "emission/kernel_file.hpp"

namespace spmvgen {

/// What an argument of a kernel is, in one line: "row_ptr[num_rows + 1]: first entry of each row".
/// Throws Error(internal) for one that the registry does not know.
std::string argument_text(const KernelFile& file, const std::string& name);

/// The same as comment lines, of at most 100 characters each.
std::string argument_lines(const KernelFile& file, const std::string& name);

}  // namespace spmvgen
