#include "run/rounding.hpp"

#include "formats/narrow.hpp"

namespace spmvgen::cli {
namespace {

double rounded(double value, ValueType storage) {
    if (storage == ValueType::f16) return number_of(stored_value<HalfBits>(value));
    if (storage == ValueType::bf16) return number_of(stored_value<BfloatBits>(value));
    return static_cast<float>(value);
}

}  // namespace

void round_values(ValueType storage, CsrMatrix& matrix) {
    dispatch(matrix.value_type, [&]<typename Value>(Value) {
        const auto values = matrix.values.as<Value>();
#pragma omp parallel for schedule(static)
        for (std::int64_t k = 0; k < matrix.nnz; ++k) {
            Value& value = values[static_cast<std::size_t>(k)];
            if constexpr (std::is_floating_point_v<Value>)
                value = static_cast<Value>(rounded(value, storage));
            else
                value = static_cast<Value>(static_cast<std::complex<float>>(value));
        }
    });
}

}  // namespace spmvgen::cli
