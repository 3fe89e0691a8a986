#pragma once
#include <vector>

#include "registry.hpp"

namespace spmvgen {

/// The kernels of format strips, as kernel_registry() lists them.
std::vector<KernelEntry> strips_kernels();

}  // namespace spmvgen
