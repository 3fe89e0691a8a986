#pragma once
#include <vector>

#include "registry.hpp"

namespace spmvgen {

/// The GPUs' kernels, for kernel_registry().
std::vector<KernelEntry> gpu_kernels();

/// Of steps that end in store_scaled of dialect/gpu_segments.hpp, for `items` rows of y.
inline GridRule rows_to_scale(const Signature& s, const char* items = "num_rows") {
    constexpr std::int64_t rows_of_thread = 4;  // scaled_rows there
    return {.items = items, .items_per_block = s.params.at("block") * rows_of_thread};
}

}  // namespace spmvgen
