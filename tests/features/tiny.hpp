#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "matrix/features/features.hpp"

namespace spmvgen::testing {

/// A matrix of rows of columns, with given values or all ones.
template <typename Value = double, typename Index = std::int32_t, typename Offset = std::int32_t>
struct Tiny {
    std::int64_t cols = 0;
    std::vector<Offset> row_ptr{0};
    std::vector<Index> col_idx;
    std::vector<Value> values;

    Tiny(std::int64_t columns, const std::vector<std::vector<Index>>& rows,
         std::vector<Value> entries = {})
        : cols(columns), values(std::move(entries)) {
        for (const auto& row : rows) {
            col_idx.insert(col_idx.end(), row.begin(), row.end());
            row_ptr.push_back(static_cast<Offset>(col_idx.size()));
        }
        if (values.empty()) values.assign(col_idx.size(), Value{1});
    }
    CsrView view() const {
        return csr_view(static_cast<std::int64_t>(row_ptr.size()) - 1, cols, row_ptr.data(),
                        col_idx.data(), values.data());
    }
    Features features() const { return analyse(view()); }
};

/// Features of a matrix of one row with these values.
template <typename Value>
Features of_values(std::vector<Value> values) {
    std::vector<std::vector<std::int32_t>> rows(1);
    for (std::size_t k = 0; k < values.size(); ++k) rows[0].push_back(static_cast<std::int32_t>(k));
    const auto columns = static_cast<std::int64_t>(values.size());
    return Tiny<Value>(columns, rows, std::move(values)).features();
}

}  // namespace spmvgen::testing
