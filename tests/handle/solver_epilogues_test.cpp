// The epilogues of BiCGSTAB and of Chebyshev smoothing that examples and benchmarks use.
#include "../../examples/common/epilogues.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fused_handles.hpp"
#include "matrix/suites/gallery.hpp"

namespace spmvgen {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& u, const Vector& v) {
    double sum = 0;
    for (std::size_t i = 0; i < u.size(); ++i) sum += u[i] * v[i];
    return sum;
}

/// The grid's matrix with other values: dominated by its diagonal, and not symmetric.
CsrMatrix grid_with_wind() {
    CsrMatrix a = make_gallery_matrix("stencil5:nx=30,ny=40");
    const auto row_ptr = a.row_ptr.as<std::int32_t>(), col_idx = a.col_idx.as<std::int32_t>();
    for (std::int32_t i = 0; i < a.rows; ++i)
        for (std::int32_t e = row_ptr[static_cast<std::size_t>(i)];
             e < row_ptr[static_cast<std::size_t>(i) + 1]; ++e) {
            const std::int32_t j = col_idx[static_cast<std::size_t>(e)];
            a.values.as<double>()[static_cast<std::size_t>(e)] =
                i == j ? 4 + 0.01 * (i % 5) : (j == i - 1 ? -1.3 : (j == i + 1 ? -0.7 : -1));
        }
    return a;
}

Vector times(const CsrMatrix& a, const Vector& x) {
    const auto row_ptr = a.row_ptr.as<std::int32_t>(), col_idx = a.col_idx.as<std::int32_t>();
    Vector y(row_ptr.size() - 1);
    for (std::size_t i = 0; i < y.size(); ++i)
        for (auto e = static_cast<std::size_t>(row_ptr[i]);
             e < static_cast<std::size_t>(row_ptr[i + 1]); ++e)
            y[i] += a.values.as<double>()[e] * x[static_cast<std::size_t>(col_idx[e])];
    return y;
}

/// r·r after each of so many iterations, by the textbook's loop.
Vector plain_bicgstab(const CsrMatrix& a, const Vector& b, int count) {
    Vector r = b, p = b, history;
    double rho = dot(r, r);
    for (int k = 0; k < count; ++k) {
        const Vector v = times(a, p);
        const double alpha = rho / dot(b, v);
        for (std::size_t i = 0; i < r.size(); ++i) r[i] -= alpha * v[i];
        const Vector t = times(a, r);
        const double omega = dot(t, r) / dot(t, t);
        for (std::size_t i = 0; i < r.size(); ++i) r[i] -= omega * t[i];
        const double next = dot(b, r), beta = next / rho * alpha / omega;
        for (std::size_t i = 0; i < p.size(); ++i) p[i] = r[i] + beta * (p[i] - omega * v[i]);
        rho = next;
        history.push_back(dot(r, r));
    }
    return history;
}

class SolverEpilogues : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, SolverEpilogues, testing::Values("host", "simt:sm_90", "simt:gfx90a"),
                         [](auto& test) {
                             return test.param == "host" ? test.param : test.param.substr(5);
                         });

TEST_P(SolverEpilogues, OfBiCgStabGiveTheResidualsOfAPlainLoop) {
    const CsrMatrix a = grid_with_wind();
    Vector shadow(static_cast<std::size_t>(a.rows));
    for (std::size_t i = 0; i < shadow.size(); ++i)
        shadow[i] = 1 + 0.1 * static_cast<double>(i % 7);
    Vector x(shadow.size()), r = shadow, p = shadow, v(x), t(x);
    double rho[2] = {dot(shadow, shadow), 0}, rv, ts, tt, ss, st, rr;
    const FusedHandles handles{GetParam()};
    const Handle of_p = handles.product(a.view(), bicgstab::product_of_p);
    const Handle half = handles.vectors(a.rows, bicgstab::half_step);
    const Handle of_s = handles.product(a.view(), bicgstab::product_of_s);
    const Handle update = handles.vectors(a.rows, bicgstab::update);
    const double* const nothing = nullptr;
    const auto in = [](const auto& vector) -> const double* { return vector.data(); };
    const auto number = [](const double& one) -> const double* { return &one; };
    const Vector wanted = plain_bicgstab(a, shadow, 12);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        double &now = rho[k % 2], &next = rho[1 - k % 2];
        of_p.apply_with(1.0, in(p), 0.0, v.data(), {{"shadow", in(shadow)}, {"rv", &rv}});
        half.apply_with(0.0, nothing, 1.0, r.data(),
                        {{"rho", number(now)}, {"rv", number(rv)}, {"v", in(v)}});
        of_s.apply_with(1.0, in(r), 0.0, t.data(),
                        {{"r", in(r)},
                         {"shadow", in(shadow)},
                         {"ts", &ts},
                         {"tt", &tt},
                         {"ss", &ss},
                         {"st", &st}});
        update.apply_with(0.0, nothing, 1.0, p.data(),
                          {{"rho", number(now)},
                           {"rv", number(rv)},
                           {"ts", number(ts)},
                           {"tt", number(tt)},
                           {"ss", number(ss)},
                           {"st", number(st)},
                           {"next", &next},
                           {"x", x.data()},
                           {"r", r.data()},
                           {"t", in(t)},
                           {"v", in(v)},
                           {"rr", &rr}});
        EXPECT_NEAR(rr, wanted[k], 1e-10 * wanted[k]) << "iteration " << k;
    }
    // x belongs to that residual.
    const Vector ax = times(a, x);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(shadow[i] - ax[i], r[i], 1e-12) << i;
}

TEST_P(SolverEpilogues, OfChebyshevReduceAnErrorAsItsPolynomialDoes) {
    constexpr int steps = 4;
    constexpr double lowest = 0.2, highest = 2;
    const int grid = 30;
    const CsrMatrix a = make_gallery_matrix("stencil5:nx=30,ny=30");
    const chebyshev::Numbers<steps> numbers(lowest, highest);
    const Handle step = FusedHandles{GetParam()}.product(a.view(), chebyshev::step);
    const double wave = std::acos(-1.0) * 22 / (grid + 1), eigenvalue = 1 - std::cos(wave);
    Vector error;
    for (int i = 1; i <= grid; ++i)
        for (int j = 1; j <= grid; ++j) error.push_back(std::sin(wave * i) * std::sin(wave * j));
    const Vector b(error.size()), inverse(error.size(), 0.25);
    Vector x = error, other(x.size()), d(x.size());
    for (int k = 0; k < steps; ++k) {
        const Vector& from = k % 2 == 0 ? x : other;
        step.apply_with(1.0, from.data(), 0.0, (k % 2 == 0 ? other : x).data(),
                        {{"x", from.data()},
                         {"b", b.data()},
                         {"inverse", inverse.data()},
                         {"d", d.data()},
                         {"keep", numbers.keep + k},
                         {"add", numbers.add + k}});
    }
    const auto t4 = [](double s) { return 8 * s * s * s * s - 8 * s * s + 1; };
    const double middle = (highest + lowest) / 2, half = (highest - lowest) / 2;
    const double left = t4((middle - eigenvalue) / half) / t4(middle / half);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], left * error[i], 1e-13) << i;
}

Vector factors(std::int64_t count, int period) {
    Vector all;
    for (std::int64_t i = 0; i < count; ++i)
        all.push_back(0.5 + 0.37 * static_cast<double>(i % period) + 1e-3 * static_cast<double>(i));
    return all;
}

/// D₁AD₂.
CsrMatrix scaled(const CsrMatrix& a, const Vector& d1, const Vector& d2) {
    CsrMatrix s = convert_values(a.view(), ValueType::f64);
    const auto row_ptr = s.row_ptr.as<std::int32_t>(), col_idx = s.col_idx.as<std::int32_t>();
    for (std::size_t i = 0; i < d1.size(); ++i)
        for (auto e = static_cast<std::size_t>(row_ptr[i]);
             e < static_cast<std::size_t>(row_ptr[i + 1]); ++e)
            s.values.as<double>()[e] *= d1[i] * d2[static_cast<std::size_t>(col_idx[e])];
    return s;
}

// A solver that scales multiplies with A, whose few numbers stay, and with D₁ and D₂ in epilogues.
TEST_P(SolverEpilogues, ScaleALinearProgramThatKeepsItsFewNumbers) {
    const CsrMatrix a = make_gallery_matrix("lp:seed=1000003,family=precedence,max_nnz=1e6");
    const Vector d1 = factors(a.rows, 7), d2 = factors(a.cols, 11);
    const CsrMatrix whole = scaled(a, d1, d2);
    const FusedHandles handles{GetParam()};
    const Handle product = handles.product(a.view(), "d1[row] * value");
    const Handle x_of = handles.vectors(a.cols, "x[row] = value; d2[row] * value");
    Vector t = factors(a.cols, 5), x(t), y(d1.size());
    const double* const nothing = nullptr;
    const double *from_d1 = d1.data(), *from_d2 = d2.data(), *from_t = t.data();
    x_of.apply_with(0.0, nothing, 1.0, t.data(), {{"x", x.data()}, {"d2", from_d2}});
    product.apply_with(1.0, from_t, 0.0, y.data(), {{"d1", from_d1}});
    const Vector expected = times(whole, x);
    CsrMatrix sizes = scaled(a, d1, d2);
    for (double& value : sizes.values.as<double>()) value = std::fabs(value);
    const Vector largest = times(sizes, x);  // x is positive
    for (std::size_t i = 0; i < y.size(); ++i)
        ASSERT_NEAR(y[i], expected[i], 1e-12 * largest[i]) << i;
    EXPECT_LT(product.info().matrix_bytes,
              handles.product(whole.view(), "value").info().matrix_bytes);
}

}  // namespace
}  // namespace spmvgen
