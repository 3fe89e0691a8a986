#pragma once
#include <vector>

#include "registry.hpp"

namespace spmvgen {

/// The entries of the kernels of blocked CSR, of CPUs and GPUs.
std::vector<KernelEntry> bcsr_kernels();

}  // namespace spmvgen
