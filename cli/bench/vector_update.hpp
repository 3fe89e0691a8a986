#pragma once
#include <cstdint>

#include "peers/cuda_driver.hpp"

namespace spmvgen::cli {

/// A kernel that moves what a solver's p = r + βp does: it reads y and z and writes x. On bits, not
/// on numbers: x is what z is, whatever the value type and whatever y holds. PTX, so that no
/// compiler is needed.
extern const char* const vector_update_ptx;
inline constexpr const char* vector_update_name = "vector_update";

/// What it works on: words of 4 bytes. Where x is longer than y, z alone counts.
struct VectorUpdate {
    void* x = nullptr;
    const void* y = nullptr;
    const void* z = nullptr;
    std::uint64_t x_words = 0, y_words = 0;
};

/// Enqueues it; `function` is that of the loaded PTX.
void launch_vector_update(const CudaDriver& driver, void* function, void* stream,
                          VectorUpdate what);

}  // namespace spmvgen::cli
