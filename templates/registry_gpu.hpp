#pragma once
#include <vector>

#include "registry.hpp"

namespace spmvgen {

/// The GPUs' kernels, for kernel_registry().
std::vector<KernelEntry> gpu_kernels();

}  // namespace spmvgen
