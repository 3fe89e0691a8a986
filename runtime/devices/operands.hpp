#pragma once

namespace spmvgen {

/// What one apply brings: pointers to α and β, x and y, all of the kernel's value type.
struct Operands {
    const void* alpha = nullptr;
    const void* x = nullptr;
    const void* beta = nullptr;
    void* y = nullptr;
};

}  // namespace spmvgen
