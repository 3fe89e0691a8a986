#pragma once
#include <complex>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "formats/stored_matrix.hpp"

/// Kernel templates called directly, as plain C++, without specialiser and JIT.
namespace spmvgen::direct {

/// One product: α, β as modes and numbers; k right-hand sides; a number of threads.
struct Problem {
    Scale alpha = Scale::one, beta = Scale::zero;
    int num_rhs = 1;
    int threads = 1;
};

/// Whether the build instantiates the kernels for this problem: every mode of α and β in f64,
/// elsewhere two modes; three right-hand sides and 64-bit integers less often still. All the rest,
/// which is the same text with other types, is compiled at run time by jit_table_test.
constexpr bool is_instantiated(ValueType value, IndexType integers, Scale alpha, Scale beta,
                               int num_rhs) {
    const bool general = alpha == Scale::general && beta == Scale::general;
    const bool plain = alpha == Scale::one && beta == Scale::zero;
    if (value != ValueType::f64)
        return integers == IndexType::i32 && (general || (plain && num_rhs == 1));
    if (integers == IndexType::i64) return num_rhs == 1 && (general || plain);
    return num_rhs == 1 || general || plain || (alpha == Scale::one && beta == Scale::one);
}

/// One row of the kernel table: a kernel with parameters that the build instantiates.
struct KernelCase {
    std::string kernel;
    Params params;
    /// Runs a product. Shares are called one after the other, the last thread's first, so that
    /// anything that counts on an order among threads fails.
    void (*run)(const StoredMatrix&, ValueType, IndexType, const Problem&, const void* alpha,
                const void* x, const void* beta, void* y);
};

/// "csr_vector_lanes4_unroll1".
std::string name(const KernelCase& kernel);
inline std::ostream& operator<<(std::ostream& out, const KernelCase& kernel) {
    return out << name(kernel);
}

/// Every kernel; each with the parameters that reach its different paths. To add a kernel: one row
/// in table_csr.cpp or table_others.cpp.
const std::vector<KernelCase>& kernel_table();

/// Numbers that a general α and β have.
template <typename Value>
Value general_alpha() {
    if constexpr (requires { typename Value::value_type; })
        return Value(-1.25F, 0.7F);
    else
        return Value(-1.3F);
}
template <typename Value>
Value general_beta() {
    if constexpr (requires { typename Value::value_type; })
        return Value(0.6F, -2.1F);
    else
        return Value(2.7F);
}

}  // namespace spmvgen::direct
