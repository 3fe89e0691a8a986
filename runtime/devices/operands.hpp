#pragma once
#include <cstdint>
#include <span>

#include "spmvgen/types.hpp"

namespace spmvgen {

struct WorkspaceMemory;

/// What one apply brings: pointers to α and β, x and y, all of the kernel's value type.
struct Operands {
    const void* alpha = nullptr;
    const void* x = nullptr;
    const void* beta = nullptr;
    void* y = nullptr;
    const WorkspaceMemory* workspace =
        nullptr;                  ///< the caller's, large enough; null = the handle's own
    int num_rhs = 0;              ///< right-hand sides; 0 = as many as the handle is planned for
    bool device_scalars = false;  ///< of a GPU: α and β are in its memory, too
    /// How several vectors lie, and the leading dimensions of forms that are not dense.
    VectorForm x_form = VectorForm::dense, y_form = VectorForm::dense;
    std::int64_t ld_x = 0, ld_y = 0;
    std::span<void* const> epilogue = {};  ///< its operands, as the program names them
};

}  // namespace spmvgen
