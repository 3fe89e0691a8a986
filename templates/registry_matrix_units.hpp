#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "registry.hpp"

namespace spmvgen {

/// The architectures whose GPUs multiply tiles of f64: tensor cores, MFMA instructions.
std::span<const std::string_view> architectures_with_matrix_units();

/// Kernels that multiply with the GPU's matrix units for f64, where there are such; for
/// kernel_registry().
std::vector<KernelEntry> matrix_unit_kernels();

}  // namespace spmvgen
