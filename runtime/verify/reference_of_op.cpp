// Products with the transpose and the conjugate: of a matrix that is made so first. Plain on
// purpose, and nothing of what is checked: runtime/matrix/transpose.hpp.
#include <algorithm>
#include <complex>
#include <numeric>
#include <type_traits>
#include <vector>

#include "verify/reference.hpp"

namespace spmvgen {
namespace {

CheckResult check_conjugate(const CsrView& matrix, const Product& product) {
    return dispatch(matrix.value_type, [&]<typename Value>(Value) {
        const auto* from = static_cast<const Value*>(matrix.values);
        std::vector<Value> values(from, from + matrix.nnz);
        if constexpr (!std::is_floating_point_v<Value>)
            for (Value& value : values) value = std::conj(value);
        CsrView conjugated = matrix;
        conjugated.values = values.data();
        return check_product(conjugated, product);
    });
}

}  // namespace

CheckResult check_product(const CsrView& matrix, const Product& product, Op op) {
    if (op == Op::none) return check_product(matrix, product);
    if (op == Op::conjugate) return check_conjugate(matrix, product);
    const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    std::vector<std::int64_t> row_of(size(matrix.nnz)), order(size(matrix.nnz)), columns,
        row_ptr(size(matrix.cols + 1));
    for (std::int64_t row = 0; row < matrix.rows; ++row)
        for (std::int64_t k = matrix.row_begin(row); k < matrix.row_begin(row + 1); ++k)
            row_of[size(k)] = row;
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::int64_t k) { return matrix.col(k); });
    for (const std::int64_t k : order) {
        columns.push_back(row_of[size(k)]);
        ++row_ptr[size(matrix.col(k) + 1)];
    }
    std::partial_sum(row_ptr.begin(), row_ptr.end(), row_ptr.begin());
    return dispatch(matrix.value_type, [&]<typename Value>(Value) {
        std::vector<Value> values;
        for (const std::int64_t k : order) {
            Value value = matrix.values_as<Value>()[k];
            if constexpr (!std::is_floating_point_v<Value>)
                if (op == Op::conj_transpose) value = std::conj(value);
            values.push_back(value);
        }
        return check_product(
            csr_view(matrix.cols, matrix.rows, row_ptr.data(), columns.data(), values.data()),
            product);
    });
}

}  // namespace spmvgen
