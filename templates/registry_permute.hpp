#pragma once
#include <span>

#include "registry.hpp"

namespace spmvgen {

/// Kernels that are no products: what handles launch around one. They are found by kernel_entry(),
/// so that they are specialised, compiled and kept as others are, but are not part of
/// kernel_registry(), from which products are chosen.
std::span<const KernelEntry> helper_kernels();

}  // namespace spmvgen
