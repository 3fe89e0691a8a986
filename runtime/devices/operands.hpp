#pragma once
#include <span>

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
    std::span<void* const> epilogue = {};  ///< its operands, as the program names them
};

}  // namespace spmvgen
