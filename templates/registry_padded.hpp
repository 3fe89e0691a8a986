#pragma once
#include <vector>

#include "registry.hpp"

namespace spmvgen {

/// The entries of the GPU kernels of padded formats: ELL, SELL, HYB.
std::vector<KernelEntry> padded_kernels();

}  // namespace spmvgen
