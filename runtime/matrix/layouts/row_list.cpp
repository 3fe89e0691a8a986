#include "matrix/layouts/row_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "matrix/csr_matrix.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

[[noreturn]] void broken_list(const std::string& what) {
    throw Error(ErrorCode::invalid_argument, "broken list of rows: " + what);
}

void check_sizes(const RowListView& a) {
    validate_shape(a.matrix);
    if (a.num_rows < 0) broken_list(fmt::format("num_rows is {}", a.num_rows));
    if (a.num_rows > INT32_MAX)
        broken_list(
            fmt::format("num_rows is {}, but at most {} can be numbered", a.num_rows, INT32_MAX));
    if (a.matrix.rows > a.num_rows)
        broken_list(fmt::format("{} rows of {}", a.matrix.rows, a.num_rows));
    if (a.rows == nullptr && a.matrix.rows > 0) broken_list("rows is null");
}

/// Throws when a row is there twice.
void check_different(const std::vector<std::int32_t>& rows, int base) {
    if (std::ranges::adjacent_find(rows, std::ranges::greater_equal()) == rows.end()) return;
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rows[i]; });
    const auto twice = std::ranges::adjacent_find(
        order, [&](std::size_t i, std::size_t j) { return rows[i] == rows[j]; });
    if (twice != order.end())
        broken_list(fmt::format("rows[{}] is {}, as rows[{}]: list each row once", twice[1],
                                rows[*twice] + base, *twice));
}

}  // namespace

std::vector<std::int32_t> checked_rows(const RowListView& a, int base) {
    check_sizes(a);
    std::vector<std::int32_t> rows(static_cast<std::size_t>(a.matrix.rows));
    dispatch(a.matrix.index_type, [&]<typename Index>(Index) {
        const auto* const given = static_cast<const Index*>(a.rows);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto row = static_cast<std::int64_t>(given[i]);
            if (row < base || row - base >= a.num_rows)
                broken_list(fmt::format("rows[{}] is {}, outside {}…{}", i, row, base,
                                        a.num_rows - 1 + base));
            rows[i] = static_cast<std::int32_t>(row - base);
        }
    });
    check_different(rows, base);
    return rows;
}

}  // namespace spmvgen
