// z = αAx + βy, and products with the conjugate.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

#include "vector_blocks.hpp"

namespace spmvgen {
namespace {

using namespace vector_blocks;

/// z = αAx + βy leaves y as it is.
TEST(ApplyOutOfPlace, ReadsYAndWritesZ) {
    const CsrMatrix a = whole_numbers("stencil5:nx=9,ny=10");
    for (const char* device : {"host", "simt:sm_90"})
        for (const char* level : {"rule", "lazy"}) {
            Options o = in_memory();
            o.device = device;
            o.level = level;
            const Handle handle(a.view(), o);
            const Block x = x_block(by_row, a.cols, 1, 0);
            Block y(by_row, a.rows, 1, 0);
            for (std::int64_t i = 0; i < a.rows; ++i) y.at(i, 0) = y_number(i, 0);
            for (const double beta : {0.0, 1.0, -2.0}) {
                std::vector<double> z(y.data.size(), std::numeric_limits<double>::quiet_NaN());
                const std::vector<double> before = y.data;
                handle.apply_out_of_place(2.0, x.data.data(), beta, y.data.data(), z.data());
                EXPECT_EQ(z, product(a, false, 2, beta, by_row, 1, 0).data) << device << beta;
                EXPECT_EQ(y.data, before);
                z = before;
                handle.apply_out_of_place(2.0, x.data.data(), beta, z.data(), z.data());
                EXPECT_EQ(z, product(a, false, 2, beta, by_row, 1, 0).data) << "in place";
            }
        }
}

TEST(ApplyOutOfPlace, RefusesWhatDoesNotFit) {
    const CsrMatrix a = whole_numbers("stencil5:nx=9,ny=10");
    const Handle handle(a.view(), in_memory());
    std::vector<double> x(200), y(200), z(200, untouched);
    EXPECT_EQ(
        refusal([&] { handle.apply_out_of_place(1.0, x.data(), 1.0, y.data(), y.data() + 1); }),
        "apply_out_of_place: y and z overlap; use one array, or two");
    EXPECT_EQ(
        refusal([&] { handle.apply_out_of_place<double>(1.0, x.data(), 1.0, nullptr, z.data()); }),
        "apply_out_of_place: y is null, but has 90 elements");
    EXPECT_EQ(
        refusal([&] { handle.apply_out_of_place<double>(1.0, nullptr, 1.0, y.data(), z.data()); }),
        "apply: x is null, but has 90 elements");
    EXPECT_EQ(z, std::vector<double>(200, untouched)) << "nothing was written";
}

/// Op C: the conjugate of A, whose new values are conjugated as well.
TEST(OpC, MultipliesWithTheConjugate) {
    using Complex = std::complex<double>;
    CsrMatrix a = convert_values(make_gallery_matrix("random:rows=40,cols=70,per_row=5").view(),
                                 ValueType::c64);
    const auto fill = [&](double step) {
        double number = 0;
        for (Complex& value : a.values.as<Complex>()) {
            number += step;
            value = {std::fmod(number, 7), std::fmod(number, 5) - 2};
        }
    };
    const auto conj_product = [&] {
        std::vector<Complex> y(static_cast<std::size_t>(a.rows));
        for (std::size_t i = 0; i < y.size(); ++i)
            for (auto e = a.row_ptr.as<std::int32_t>()[i]; e < a.row_ptr.as<std::int32_t>()[i + 1];
                 ++e) {
                const auto at = static_cast<std::size_t>(e);
                const std::int64_t j = a.col_idx.as<std::int32_t>()[at];
                y[i] += std::conj(a.values.as<Complex>()[at]) * Complex(x_number(j, 0), 1);
            }
        return y;
    };
    for (const char* device : {"host", "simt:sm_90"}) {
        fill(1);
        Options o = in_memory();
        o.device = device;
        o.op = "C";
        Handle handle(a.view(), o);
        EXPECT_EQ(handle.info().op, "C");
        std::vector<Complex> x(static_cast<std::size_t>(a.cols)),
            y(static_cast<std::size_t>(a.rows));
        for (std::size_t j = 0; j < x.size(); ++j)
            x[j] = {x_number(static_cast<std::int64_t>(j), 0), 1};
        handle.apply(Complex(1), x.data(), Complex(0), y.data());
        EXPECT_EQ(y, conj_product());
        fill(2);
        handle.update_values(a.values.as<Complex>().data());
        handle.apply(Complex(1), x.data(), Complex(0), y.data());
        EXPECT_EQ(y, conj_product()) << "with new values";
    }
    const CsrMatrix real = whole_numbers("stencil5:nx=9,ny=10");
    Options o = in_memory();
    o.op = "C";
    const Handle handle(real.view(), o);
    std::vector<double> y(90);
    handle.apply(1.0, x_block(by_row, 90, 1, 0).data.data(), 0.0, y.data());
    EXPECT_EQ(y, product(real, false, 1, 0, by_row, 1, 0).data) << "real values stay";
    o.transpose_by_atomics = true;
    EXPECT_EQ(refusal([&] { const Handle refused(real.view(), o); }),
              "options.transpose_by_atomics is for options.op T and H: leave it out, or use "
              "one of them");
}

}  // namespace
}  // namespace spmvgen
