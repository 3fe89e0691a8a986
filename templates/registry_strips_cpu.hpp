#pragma once
#include "registry.hpp"

namespace spmvgen {

/// The CPU kernels of format strips.
std::vector<KernelEntry> strips_cpu_kernels();

}  // namespace spmvgen
