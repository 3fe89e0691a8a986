#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "matrix/suites/gallery.hpp"
#include "spmvgen/spmvgen.hpp"

/// A matrix whose product with ones tells the length of each row.
namespace spmvgen {

inline CsrMatrix grid_of_ones(const std::string& spec = "stencil5:nx=60,ny=50") {
    CsrMatrix a = make_gallery_matrix(spec);
    std::ranges::fill(a.values.as<double>(), 1.0);
    return a;
}

/// Of A with `number` at each entry times x of ones.
inline void expect_row_sums(const Handle& handle, const CsrView& a, double number = 1) {
    const std::vector<double> x(static_cast<std::size_t>(a.cols), 1);
    std::vector<double> y(static_cast<std::size_t>(a.rows), -1);
    handle.apply(1.0, x.data(), 0.0, y.data());
    for (std::int64_t row = 0; row < a.rows; ++row)
        ASSERT_EQ(y[static_cast<std::size_t>(row)], number * static_cast<double>(a.row_length(row)))
            << row;
}

}  // namespace spmvgen
