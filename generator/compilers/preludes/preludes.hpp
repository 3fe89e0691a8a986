#pragma once
#include <string_view>

namespace spmvgen {

/// The texts of amdgpu.hpp and nvptx.hpp of this folder, embedded by CMake.
extern const std::string_view amdgpu_prelude;
extern const std::string_view nvptx_prelude;

}  // namespace spmvgen
