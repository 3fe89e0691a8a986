#include "peers/cusparse_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "peers/peer.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::peers {
namespace {

void refuse_fill(std::int64_t stored, std::int64_t nnz, double most) {
    if (static_cast<double>(stored) > most * static_cast<double>(nnz) ||
        stored > std::numeric_limits<std::int32_t>::max())
        throw Error(ErrorCode::unsupported,
                    fmt::format("{:.2f} entries stored for each nonzero",
                                static_cast<double>(stored) / static_cast<double>(nnz)));
}

PeerArrays allocate(std::int64_t groups, std::int64_t columns, std::int64_t values,
                    std::size_t value_bytes) {
    PeerArrays arrays{.offsets = make_buffer<std::int32_t>(groups + 1),
                      .col_idx = make_buffer<std::int32_t>(columns),
                      .values = Buffer(static_cast<std::size_t>(values) * value_bytes),
                      .stored = values};
    return arrays;
}

/// Sorted block columns of block row `i`.
void block_columns(const CsrView& a, std::int64_t i, std::int64_t b,
                   std::vector<std::int32_t>& columns) {
    columns.clear();
    for (std::int64_t k = a.row_begin(i * b); k < a.row_begin((i + 1) * b); ++k)
        columns.push_back(static_cast<std::int32_t>(a.col(k) / b));
    std::ranges::sort(columns);
    columns.erase(std::ranges::unique(columns).begin(), columns.end());
}

}  // namespace

Buffer row_indices(const CsrMatrix& a) {
    require_int32(a);
    Buffer rows = make_buffer<std::int32_t>(a.nnz);
    const auto of = rows.as<std::int32_t>();
    const CsrView v = a.view();
#pragma omp parallel for
    for (std::int64_t i = 0; i < a.rows; ++i)
        std::fill(of.begin() + v.row_begin(i), of.begin() + v.row_begin(i + 1),
                  static_cast<std::int32_t>(i));
    return rows;
}

PeerArrays sliced_ell(const CsrMatrix& a, std::int64_t slice, double most) {
    require_int32(a);
    const CsrView v = a.view();
    const std::int64_t slices = (a.rows + slice - 1) / slice;
    std::vector<std::int64_t> begin(static_cast<std::size_t>(slices) + 1, 0);
    for (std::int64_t s = 0; s < slices; ++s) {
        std::int64_t width = 0;
        for (std::int64_t i = s * slice; i < std::min((s + 1) * slice, a.rows); ++i)
            width = std::max(width, v.row_length(i));
        begin[static_cast<std::size_t>(s) + 1] = begin[static_cast<std::size_t>(s)] + width * slice;
    }
    refuse_fill(begin.back(), a.nnz, most);
    const std::size_t size = size_of(a.value_type);
    PeerArrays sell = allocate(slices, begin.back(), begin.back(), size);
    std::ranges::transform(begin, sell.offsets.as<std::int32_t>().begin(),
                           [](std::int64_t o) { return static_cast<std::int32_t>(o); });
    auto* columns = sell.col_idx.as<std::int32_t>().data();
    auto* values = static_cast<char*>(sell.values.data());
#pragma omp parallel for
    for (std::int64_t s = 0; s < slices; ++s) {
        const auto first = static_cast<std::size_t>(begin[static_cast<std::size_t>(s)]),
                   last = static_cast<std::size_t>(begin[static_cast<std::size_t>(s) + 1]);
        std::fill(columns + first, columns + last, -1);
        std::memset(values + first * size, 0, (last - first) * size);
    }
#pragma omp parallel for
    for (std::int64_t i = 0; i < a.rows; ++i) {
        std::int64_t at = begin[static_cast<std::size_t>(i / slice)] + i % slice;
        for (std::int64_t k = v.row_begin(i); k < v.row_begin(i + 1); ++k, at += slice) {
            columns[at] = static_cast<std::int32_t>(v.col(k));
            std::memcpy(values + static_cast<std::size_t>(at) * size,
                        v.values_as<char>() + static_cast<std::size_t>(k) * size, size);
        }
    }
    return sell;
}

PeerArrays blocked(const CsrMatrix& a, std::int64_t b, double most) {
    require_int32(a);
    if (a.rows % b != 0 || a.cols % b != 0)
        throw Error(ErrorCode::unsupported, fmt::format("no multiple of {} rows and columns", b));
    const CsrView v = a.view();
    const std::int64_t block_rows = a.rows / b;
    std::vector<std::int64_t> begin(static_cast<std::size_t>(block_rows) + 1, 0);
#pragma omp parallel
    {
        std::vector<std::int32_t> columns;
#pragma omp for
        for (std::int64_t i = 0; i < block_rows; ++i) {
            block_columns(v, i, b, columns);
            begin[static_cast<std::size_t>(i) + 1] = static_cast<std::int64_t>(columns.size());
        }
    }
    for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    refuse_fill(begin.back() * b * b, a.nnz, most);
    const std::size_t size = size_of(a.value_type);
    PeerArrays bsr = allocate(block_rows, begin.back(), begin.back() * b * b, size);
    std::ranges::transform(begin, bsr.offsets.as<std::int32_t>().begin(),
                           [](std::int64_t o) { return static_cast<std::int32_t>(o); });
    std::memset(bsr.values.data(), 0, bsr.values.bytes());
    auto* columns_of = bsr.col_idx.as<std::int32_t>().data();
    auto* values = static_cast<char*>(bsr.values.data());
#pragma omp parallel
    {
        std::vector<std::int32_t> columns;
#pragma omp for
        for (std::int64_t i = 0; i < block_rows; ++i) {
            const std::int64_t first = begin[static_cast<std::size_t>(i)];
            block_columns(v, i, b, columns);
            std::ranges::copy(columns, columns_of + first);
            for (std::int64_t row = i * b; row < (i + 1) * b; ++row)
                for (std::int64_t k = v.row_begin(row); k < v.row_begin(row + 1); ++k) {
                    const std::int64_t column = v.col(k);
                    const auto place = std::ranges::lower_bound(columns, column / b);
                    const std::int64_t block = first + (place - columns.begin());
                    const std::int64_t at = (block * b + row % b) * b + column % b;
                    std::memcpy(values + static_cast<std::size_t>(at) * size,
                                v.values_as<char>() + static_cast<std::size_t>(k) * size, size);
                }
        }
    }
    return bsr;
}

}  // namespace spmvgen::peers
