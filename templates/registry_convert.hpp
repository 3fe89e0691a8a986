#pragma once
#include <span>

#include "registry.hpp"

namespace spmvgen {

/// Kernels that are no products either: they store a matrix that is in the device's memory in
/// another format, or look at it for that. Their steps are launched one by one, by name (devices/gpu/kernel_steps.hpp),
/// with what the host finds out in between. Found by kernel_entry() as helper_kernels() are.
std::span<const KernelEntry> conversion_kernels();

/// What their steps take beside the arrays of the format that they make.
std::span<const ArgumentTemplate> conversion_arguments();

/// Whether the kernel of that id is one of them.
bool is_conversion(std::string_view id);

}  // namespace spmvgen
