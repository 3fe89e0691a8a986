#include "tuner/cost/sampled_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spmvgen {
namespace {

constexpr std::int64_t window_multiple = 64;  ///< rows: whole slices
constexpr std::int64_t most_window = 16384;   ///< rows
constexpr std::int64_t most_rows = 4;         ///< for each entry wanted, of a matrix taken whole

/// Columns of these rows, of each at most `most` entries, as a matrix of its own.
CsrMatrix copy_rows(const CsrView& a, const std::vector<std::int64_t>& rows, std::int64_t most) {
    CsrMatrix m;  // without values: nothing that is estimated from it reads any
    m.rows = std::ssize(rows);
    m.cols = a.cols;
    m.index_type = a.index_type;
    m.value_type = a.value_type;
    m.row_ptr = make_buffer<std::int32_t>(m.rows + 1);
    auto* ptr = static_cast<std::int32_t*>(m.row_ptr.data());
    ptr[0] = 0;
    for (std::int64_t i = 0; i < m.rows; ++i)
        ptr[i + 1] = ptr[i] + static_cast<std::int32_t>(
                                  std::min(a.row_length(rows[static_cast<std::size_t>(i)]), most));
    m.nnz = ptr[m.rows];
    dispatch(a.index_type, [&]<typename Index>(Index) {
        m.col_idx = make_buffer<Index>(m.nnz);
        auto* to = static_cast<Index*>(m.col_idx.data());
        const Index* from = a.col_idx_as<Index>();
        for (std::int64_t i = 0; i < m.rows; ++i)
            std::copy_n(from + a.row_begin(rows[static_cast<std::size_t>(i)]), ptr[i + 1] - ptr[i],
                        to + ptr[i]);
    });
    return m;
}

}  // namespace

SampledRows::SampledRows(const CsrView& matrix, std::int64_t entries, std::int64_t windows,
                         std::int64_t period)
    : matrix_(matrix), whole_(matrix.nnz <= entries && matrix.rows <= most_rows * entries) {
    if (whole_) return;
    const std::int64_t of_window = entries / windows;
    const double mean = static_cast<double>(matrix.nnz) / static_cast<double>(matrix.rows);
    const auto wanted = static_cast<std::int64_t>(static_cast<double>(of_window) / mean);
    const std::int64_t height =
        std::clamp<std::int64_t>((wanted + window_multiple - 1) / window_multiple * window_multiple,
                                 window_multiple, most_window);
    const std::int64_t count = std::min(windows, (matrix.rows + height - 1) / height);
    std::vector<std::int64_t> rows;
    const std::int64_t places = (matrix.rows + height - 1) / height;  // whole windows
    for (std::int64_t w = 0; w < count; ++w) {
        const std::int64_t at = (2 * w + 1) * places / (2 * count) * height;
        const std::int64_t behind = ((at - std::ssize(rows)) % period + period) % period;
        const std::int64_t begin = behind <= at ? at - behind : at;
        for (std::int64_t row = begin; row < std::min(begin + height, matrix.rows); ++row)
            rows.push_back(row);
    }
    sample_ = copy_rows(matrix, rows, of_window);
}

SampledRows::SampledRows(const CsrView& matrix, const std::vector<std::int64_t>& rows)
    : matrix_(matrix), sample_(copy_rows(matrix, rows, matrix.nnz)) {}

double SampledRows::scale() const {
    return static_cast<double>(matrix_.nnz) /
           static_cast<double>(std::max<std::int64_t>(view().nnz, 1));
}

CsrMatrix SampledRows::sorted(std::int64_t sigma) const {
    const CsrView a = view();
    std::vector<std::int64_t> rows(static_cast<std::size_t>(a.rows));
    std::iota(rows.begin(), rows.end(), std::int64_t{0});
    for (std::int64_t begin = 0; begin < a.rows; begin += sigma)
        std::stable_sort(
            rows.begin() + begin, rows.begin() + std::min(begin + sigma, a.rows),
            [&](std::int64_t i, std::int64_t j) { return a.row_length(i) > a.row_length(j); });
    return copy_rows(a, rows, a.nnz);
}

}  // namespace spmvgen
