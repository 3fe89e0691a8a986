#pragma once
#include <string_view>

namespace spmvgen {

/// The texts of amdgpu.hpp and nvptx.hpp of this folder, embedded by CMake.
extern const std::string_view amdgpu_prelude;
extern const std::string_view nvptx_prelude;

/// What stands ahead of a kernel for the SIMT executor (docs/explanation/simt-executor.md).
extern const std::string_view simt_prelude;

}  // namespace spmvgen
