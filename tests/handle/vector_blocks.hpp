#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "matrix/csr_matrix.hpp"
#include "matrix/suites/gallery.hpp"
#include "spmvgen/spmvgen.hpp"

// Products of small integers, which are exact, with vectors in any layout.

namespace spmvgen::vector_blocks {

constexpr auto by_row = VectorLayout::row, by_column = VectorLayout::column;

/// What nobody may write.
constexpr double untouched = -77;

/// A matrix of the gallery whose values are 1 to 8.
inline CsrMatrix whole_numbers(const std::string& gallery) {
    CsrMatrix a = convert_values(make_gallery_matrix(gallery).view(), ValueType::f64);
    double number = 0;
    for (double& value : a.values.as<double>()) value = (number += 1) < 9 ? number : number = 1;
    return a;
}

/// Vectors in some layout, with room between that nobody may touch.
struct Block {
    VectorLayout layout;
    std::int64_t rows, k, ld;
    std::vector<double> data;

    Block(VectorLayout l, std::int64_t n, std::int64_t columns, std::int64_t gap)
        : layout(l), rows(n), k(columns), ld((l == VectorLayout::row ? columns : n) + gap) {
        data.assign(static_cast<std::size_t>(ld * (l == VectorLayout::row ? n : columns)),
                    untouched);
    }
    double& at(std::int64_t i, std::int64_t r) {
        return data[static_cast<std::size_t>(layout == VectorLayout::row ? i * ld + r
                                                                         : i + r * ld)];
    }
};

inline double x_number(std::int64_t i, std::int64_t r) {
    return static_cast<double>((i * 3 + r * 5) % 11 - 5);
}
inline double y_number(std::int64_t i, std::int64_t r) {
    return static_cast<double>((i + r * 7) % 13 - 6);
}

inline Block x_block(VectorLayout layout, std::int64_t n, std::int64_t k, std::int64_t gap) {
    Block x(layout, n, k, gap);
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t r = 0; r < k; ++r) x.at(i, r) = x_number(i, r);
    return x;
}

/// The y that ought to come out of one that holds y_number, or NaN where β = 0.
inline Block product(const CsrMatrix& a, bool transposed, double alpha, double beta,
                     VectorLayout layout, std::int64_t k, std::int64_t gap) {
    Block y(layout, transposed ? a.cols : a.rows, k, gap);
    for (std::int64_t i = 0; i < y.rows; ++i)
        for (std::int64_t r = 0; r < k; ++r) y.at(i, r) = beta == 0 ? 0 : beta * y_number(i, r);
    const auto* row_ptr = a.row_ptr.as<std::int32_t>().data();
    const auto* col_idx = a.col_idx.as<std::int32_t>().data();
    const auto* values = a.values.as<double>().data();
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int32_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e)
            for (std::int64_t r = 0; r < k; ++r) {
                const std::int64_t j = col_idx[e];
                y.at(transposed ? j : i, r) += alpha * values[e] * x_number(transposed ? i : j, r);
            }
    return y;
}

inline Options in_memory() {
    Options o;
    o.cache = CacheMode::memory;
    o.threads = 2;
    o.all_threads = true;
    return o;
}

/// What the work is refused with.
inline std::string refusal(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace spmvgen::vector_blocks
