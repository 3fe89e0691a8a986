#pragma once
#include <cstdint>
#include <vector>

#include "matrix/csr_matrix.hpp"

namespace spmvgen::testing {

inline std::vector<std::int64_t> row_ptr(const CsrView& a) {
    std::vector<std::int64_t> result;
    for (std::int64_t i = 0; i <= a.rows; ++i) result.push_back(a.row_begin(i));
    return result;
}

inline std::vector<std::int64_t> columns(const CsrView& a) {
    std::vector<std::int64_t> result;
    for (std::int64_t k = 0; k < a.nnz; ++k) result.push_back(a.col(k));
    return result;
}

/// The columns of each row.
inline std::vector<std::vector<std::int64_t>> rows(const CsrView& a) {
    std::vector<std::vector<std::int64_t>> result;
    for (std::int64_t i = 0; i < a.rows; ++i) {
        result.emplace_back();
        for (std::int64_t k = a.row_begin(i); k < a.row_begin(i + 1); ++k)
            result.back().push_back(a.col(k));
    }
    return result;
}

/// The values of a matrix of type f64.
inline std::vector<double> values(const CsrView& a) {
    return {a.values_as<double>(), a.values_as<double>() + a.nnz};
}

}  // namespace spmvgen::testing
