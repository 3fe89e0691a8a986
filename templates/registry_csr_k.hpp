#pragma once
#include <vector>

#include "registry.hpp"

namespace spmvgen {

/// The entries of the kernels of CSR-k: one for CPUs, one for GPUs.
std::vector<KernelEntry> csr_k_kernels();

}  // namespace spmvgen
