#pragma once
#include <cstdint>
#include <vector>

#include "registry.hpp"

namespace spmvgen {

/// The kernels of format tiles, for kernel_registry().
std::vector<KernelEntry> tiles_kernels();

/// Shared memory of a block of such a kernel, with its hubs.
std::int64_t tiles_shared_bytes(const Signature& signature);

/// Throws Error(invalid_argument) for a signature of one of them, its parameters filled in, that
/// needs more shared memory than a block has on its target.
void check_tiles(const Signature& signature);

}  // namespace spmvgen
