#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "format_cases.hpp"
#include "spmvgen/matrix.hpp"
#include "spmvgen/signature.hpp"

/// What the tests of format strips are made of.
namespace spmvgen::strips_rows {

inline Signature strips(Params params = {}) {
    return format_cases::signature("strips", std::move(params));
}

/// Rows of columns with the values 1, 2, 3, ….
struct Rows {
    std::int64_t cols;
    std::vector<int> row_ptr{0}, col_idx;
    std::vector<double> values;

    Rows(std::int64_t columns, const std::vector<std::vector<int>>& rows) : cols(columns) {
        for (auto& row : rows) {
            col_idx.insert(col_idx.end(), row.begin(), row.end());
            row_ptr.push_back(static_cast<int>(col_idx.size()));
        }
        for (std::size_t k = 0; k < col_idx.size(); ++k)
            values.push_back(static_cast<double>(k) + 1);
    }
    CsrView view() const {
        return csr_view<double>(std::ssize(row_ptr) - 1, cols, row_ptr.data(), col_idx.data(),
                                values.data());
    }
};

/// `count` rows of two neighbouring columns, on and right of the diagonal.
inline Rows two_diagonals(int count) {
    std::vector<std::vector<int>> rows;
    for (int i = 0; i < count; ++i) rows.push_back({i, i + 1});
    return {count + 1, rows};
}

}  // namespace spmvgen::strips_rows
