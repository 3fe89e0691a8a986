#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "spmvgen/params.hpp"
#include "spmvgen/target.hpp"
#include "spmvgen/types.hpp"

namespace spmvgen {

/// What a kernel is specialised for: all that the generator needs to know, and nothing of any
/// matrix.
struct Signature {
    std::string kernel;                         ///< id of a kernel in the registry: "csr_rows"
    ValueType value = ValueType::f64;           ///< type of x, y, α and β
    std::optional<ValueType> storage = {};      ///< narrower type that A's values are stored in;
                                                ///< nothing = `value`
    std::optional<ValueType> accumulator = {};  ///< wider type of the sums: f64 for f32, c64 for
                                                ///< c32; nothing = `value`
    IndexType index = IndexType::i32;           ///< type of column indices
    IndexType offset =
        IndexType::i32;  ///< type of row offsets and of entry counts; wide enough for nnz
    Scale alpha = Scale::one;
    Scale beta = Scale::zero;
    int num_rhs = 1;                        ///< right-hand sides k; x is n×k and y is m×k
    VectorForm x_form = VectorForm::dense;  ///< how x lies; another one takes argument ld_x
    VectorForm y_form = VectorForm::dense;  ///< how y lies; another one takes argument ld_y
    Params params = {};  ///< the kernel's own parameters, each present: "lanes" → 8
    /// An expression in C++ of `value` (the element αAx + βy, of the type of y) and `row` (its
    /// number, a long), which is stored in y instead: "value > 0 ? value : 0". "" = value itself.
    std::string epilogue = {};
    Target target = {};
    bool operator==(const Signature&) const = default;
};

/// The type that A's values are stored in.
inline ValueType storage_type(const Signature& s) {
    return s.storage.value_or(s.value);
}

/// The type of the sums.
inline ValueType accumulator_type(const Signature& s) {
    return s.accumulator.value_or(s.value);
}

/// The readable kernel name, which holds every field but the target and is a C identifier:
/// `csr_vector_f64_i32_o32_a1_b0_k1_lanes8_prefetch0_unroll2` (α, β: 0, 1 or x for general). A
/// storage type of its own follows the value type (`f32_sbf16`), then an accumulator type
/// (`f32_accf64`); forms of x and y that are not dense follow k (`k4_xcolumns_yrows`); an epilogue
/// is named by a hash of its text.
std::string kernel_name(const Signature& signature);

/// What the kernel's functions are called, at most 64 characters with what follows it in the names
/// of launchers and steps: kernel_name() where that is short, else `strips_f64_i32_a1_b0_9f3c2a71`
/// with a hash of it.
std::string kernel_symbol(const Signature& signature);

/// kernel_name + "@" + target: the canonical text.
std::string to_string(const Signature& signature);

}  // namespace spmvgen
