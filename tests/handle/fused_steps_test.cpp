// Conjugate gradient of products with epilogues: the residuals of a plain loop, and nothing on the
// way but launches.
#include <gtest/gtest.h>

#include <cmath>

#include "arrays_on_device.hpp"
#include "fused_handles.hpp"
#include "matrix/suites/gallery.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {
namespace {

/// Counts what an iteration must not do beside launching.
class CountedSteps : public CountingDevice {
  public:
    CountedSteps() : CountingDevice("simt:sm_90") {}
    int launches = 0, allocations = 0;

    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        ++allocations;
        return CountingDevice::allocate(bytes);
    }
    void launch(const DeviceKernel& kernel, std::size_t step, const GridLaunch& grid,
                void* const* arguments, StreamRef stream) override {
        ++launches;
        CountingDevice::launch(kernel, step, grid, arguments, stream);
    }
};

/// √(r·r) after each of so many iterations, by a plain loop.
std::vector<double> plain_residuals(const CsrView& a, const std::vector<double>& b, int count) {
    const auto* row_ptr = static_cast<const std::int32_t*>(a.row_ptr);
    const auto* col_idx = static_cast<const std::int32_t*>(a.col_idx);
    const auto* values = static_cast<const double*>(a.values);
    const auto dot = [](const std::vector<double>& u, const std::vector<double>& v) {
        double sum = 0;
        for (std::size_t i = 0; i < u.size(); ++i) sum += u[i] * v[i];
        return sum;
    };
    std::vector<double> r = b, p = b, q(b.size()), residuals;
    double rr = dot(r, r);
    for (int k = 0; k < count; ++k) {
        for (std::size_t i = 0; i < q.size(); ++i) {
            q[i] = 0;
            for (std::int32_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e)
                q[i] += values[e] * p[static_cast<std::size_t>(col_idx[e])];
        }
        const double alpha = rr / dot(p, q);
        for (std::size_t i = 0; i < r.size(); ++i) r[i] -= alpha * q[i];
        const double next = dot(r, r);
        for (std::size_t i = 0; i < p.size(); ++i) p[i] = r[i] + next / rr * p[i];
        rr = next;
        residuals.push_back(std::sqrt(rr));
    }
    return residuals;
}

/// Conjugate gradient as three products with epilogues an iteration.
class FusedSolver {
  public:
    FusedSolver(const CsrView& a, const std::vector<double>& b, const FusedHandles& handles)
        : r_(b),
          p_(b),
          product_(handles.product(a, "pq += p[row] * value; value")),
          update_(handles.vectors(a.rows,
                                  "alpha = rr / pq; x[row] = x[row] + alpha * p[row]; "
                                  "t = value - alpha * q[row]; next += t * t; t")),
          turn_(handles.vectors(a.rows, "r[row] + next / rr * value")) {
        for (const double v : b) sums_[0] += v * v;
    }
    /// Gives √(r·r).
    double iterate() {
        const double* const now = &sums_[even_ ? 0 : 1];
        double* const then = &sums_[even_ ? 1 : 0];
        const double *p = p_.data(), *q = q_.data(), *r = r_.data(), *pq = &pq_, *made = then;
        product_.apply_with(1.0, p, 0.0, q_.data(), {{"p", p}, {"pq", &pq_}});
        update_.apply_with(
            0.0, nothing_, 1.0, r_.data(),
            {{"rr", now}, {"pq", pq}, {"x", x_.data()}, {"p", p}, {"q", q}, {"next", then}});
        turn_.apply_with(0.0, nothing_, 1.0, p_.data(), {{"r", r}, {"next", made}, {"rr", now}});
        even_ = !even_;
        return std::sqrt(*then);
    }

  private:
    std::vector<double> r_, p_;
    std::vector<double> x_ = std::vector<double>(r_.size()), q_ = x_;
    double sums_[2] = {0, 0}, pq_ = 0;
    const double* nothing_ = nullptr;
    bool even_ = true;
    Handle product_, update_, turn_;
};

class FusedSteps : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, FusedSteps, testing::Values("host", "simt:sm_90"),
                         [](auto& test) { return test.param.substr(0, 4); });

TEST_P(FusedSteps, GiveTheResidualsOfAPlainLoop) {
    const CsrMatrix a = make_gallery_matrix("stencil5:nx=40,ny=50");
    const std::vector<double> b(static_cast<std::size_t>(a.rows), 1);
    FusedSolver solver(a.view(), b, {GetParam()});
    for (const double wanted : plain_residuals(a.view(), b, 25))
        EXPECT_NEAR(solver.iterate(), wanted, 1e-10 * wanted);
}

TEST(FusedStepsOnADevice, LaunchAndDoNothingElse) {
    const CsrMatrix a = make_gallery_matrix("stencil5:nx=40,ny=50");
    const std::vector<double> b(static_cast<std::size_t>(a.rows), 1);
    const auto device = std::make_shared<CountedSteps>();
    FusedSolver solver(a.view(), b, {"simt:sm_90", device});
    solver.iterate();
    device->launches = device->allocations = device->waits = 0;
    solver.iterate();
    EXPECT_EQ(device->launches, 3);
    EXPECT_EQ(device->allocations, 0);
    EXPECT_EQ(device->waits, 0);
}

}  // namespace
}  // namespace spmvgen
