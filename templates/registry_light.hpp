#pragma once
#include <vector>

#include "registry.hpp"

namespace spmvgen {

/// LightSpMV's kernel, and those that multiply with Aᵀ from the stored rows of A; for
/// kernel_registry().
std::vector<KernelEntry> light_and_transposing_kernels();

}  // namespace spmvgen
