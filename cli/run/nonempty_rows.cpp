#include "run/nonempty_rows.hpp"

#include <algorithm>

#include "options/options.hpp"

namespace spmvgen::cli {
namespace {

Buffer in_type(const std::vector<std::int64_t>& from, IndexType type) {
    return dispatch(type, [&]<typename Number>(Number) {
        Buffer to = make_buffer<Number>(std::ssize(from));
        std::ranges::transform(from, to.as<Number>().begin(),
                               [](std::int64_t n) { return static_cast<Number>(n); });
        return to;
    });
}

}  // namespace

NonemptyRows::NonemptyRows(const CsrView& all) : list_{all, all.rows, nullptr} {
    std::vector<std::int64_t> rows, begins;
    for (std::int64_t i = 0; i < all.rows; ++i) {
        if (all.row_length(i) == 0) continue;
        rows.push_back(i);
        begins.push_back(all.row_begin(i));
    }
    begins.push_back(all.nnz);
    list_.matrix.rows = std::ssize(rows);
    offsets_ = in_type(begins, all.offset_type);
    rows_ = in_type(rows, all.index_type);
    list_.matrix.row_ptr = offsets_.data();
    list_.rows = rows_.data();
}

std::int64_t NonemptyRows::bytes_of_y(const Operands& p) const {
    if (p.beta == 0.0) return 0;
    if (is_transposed(p.op)) return static_cast<std::int64_t>(p.y.bytes());
    return list_.matrix.rows * p.num_rhs * static_cast<std::int64_t>(size_of(p.type));
}

void check_nonempty_rows(const RunOptions& o, const Operands& p) {
    if (!is_transposed(p.op) && p.beta != 1.0)
        throw UsageError(
            "--nonempty-rows: the other rows of y stay as they are, which is the product with "
            "--beta 1 only; give that");
    if (o.permuted_vectors)
        throw UsageError("--nonempty-rows: takes no --permuted-vectors; drop one of them");
}

}  // namespace spmvgen::cli
