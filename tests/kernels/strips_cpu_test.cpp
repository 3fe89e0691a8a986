// strips_cpu: coded values, alone and with fill, whatever x holds; long rows that threads share.
// Holes in diagonals, there and in strips on the SIMT executor.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "matrix/suites/gallery.hpp"
#include "modes.hpp"
#include "spmvgen/spmvgen.hpp"
#include "verify/reference.hpp"

namespace spmvgen {
namespace {

/// Values that a code holds: small integers, one value, or a few that are neither.
void set_values(CsrMatrix& matrix, std::int64_t value_code) {
    auto* values = matrix.values.as<double>().data();
    for (std::int64_t k = 0; k < matrix.nnz; ++k)
        values[k] = value_code == 1   ? static_cast<double>(k % 7 - 3)
                    : value_code == 2 ? -0.3
                                      : 0.1 * static_cast<double>(k % 5 + 1);
}

class Product {
  public:
    Product(const CsrMatrix& matrix, Options options)
        : matrix_(matrix), options_(std::move(options)), handle_(matrix.view(), fixed(options_)) {}

    /// y = Ax − 2y, with x[special] = Inf when that is an element.
    CheckResult check(std::int64_t special = -1) const {
        const auto k = static_cast<std::size_t>(options_.num_rhs);
        std::vector<double> x(static_cast<std::size_t>(matrix_.cols) * k);
        std::vector<double> y(static_cast<std::size_t>(matrix_.rows) * k);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.5 + static_cast<double>(i % 11) / 7;
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = 1 - static_cast<double>(i % 5) / 3;
        if (special >= 0)
            x[static_cast<std::size_t>(special)] = std::numeric_limits<double>::infinity();
        const auto before = y;
        const double alpha = 1, beta = -2;
        handle_.apply(alpha, x.data(), beta, y.data());
        return check_product(matrix_.view(),
                             {&alpha, x.data(), &beta, before.data(), y.data(), options_.num_rhs});
    }

  private:
    static const Options& fixed(Options& o) {
        o.kernel = o.device == "host" ? "strips_cpu" : "strips";
        o.copy = false;
        o.updatable = false;
        o.strict = true;
        o.cache = CacheMode::memory;
        o.memory_limit = 1 << 30;
        return o;
    }

    const CsrMatrix& matrix_;
    Options options_;
    Handle handle_;
};

void check_codes(const std::string& name, const Params& params) {
    CsrMatrix matrix = make_gallery_matrix(name);
    for (const std::int64_t value_code : {1, 2, 3}) {
        set_values(matrix, value_code);
        for (const int num_rhs : {1, 2}) {
            SCOPED_TRACE(name + ", value_code " + std::to_string(value_code) + ", k " +
                         std::to_string(num_rhs));
            Options options;
            options.params = params;
            options.params["value_code"] = value_code;
            options.num_rhs = num_rhs;
            options.threads = 3;
            options.all_threads = true;
            const Product product(matrix, options);
            for (const std::int64_t special : {std::int64_t{-1}, std::int64_t{0}, matrix.cols / 2})
                EXPECT_TRUE(product.check(special).passed) << product.check(special).message;
        }
    }
}

TEST(StripsCpu, DecodesValuesOfEntries) {
    check_codes("road:nx=32,ny=33", {{"sigma", 64}, {"prefetch", 1024}});
    check_codes("stencil5:nx=23", {{"lanes", 16}});
}

TEST(StripsCpu, DecodesValuesOfBlocksAndLeavesFillOut) {
    check_codes("stencil9:nx=23", {{"block_rows", 2}, {"block_cols", 3}, {"lanes", 4}});
}

struct StripsCpuTargets : testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(All, StripsCpuTargets,
                         testing::Values("x86-64-v4:tune=sapphirerapids", "x86-64-v4:tune=znver5",
                                         "x86-64-v3", "x86-64-v2", "aarch64"));

/// Deltas are decoded in registers for gathers, and one by one for single loads.
TEST_P(StripsCpuTargets, GatherXOrLoadItSingly) {
    const std::string target = GetParam();
    if (const std::string why = why_not_runnable(parse_target(target)); !why.empty())
        GTEST_SKIP() << why;
    for (const auto& [name, codes, block] : {std::tuple{"random:rows=250,cols=250", 2, 1},
                                             {"random:rows=250,cols=250", 4, 3},
                                             {"random:rows=250,cols=250", 8, 1},
                                             {"stencil9:nx=23", 15, 1}}) {
        SCOPED_TRACE(target + ", " + name + ", codes " + std::to_string(codes));
        const CsrMatrix matrix = make_gallery_matrix(name);
        Options options;
        options.target = target;
        options.params = {{"codes", codes},
                          {"lanes", 8},
                          {"block_rows", block},
                          {"block_cols", block},
                          {"fill", block > 1}};
        const Product product(matrix, options);
        EXPECT_TRUE(product.check().passed) << product.check().message;
        EXPECT_TRUE(product.check(7).passed) << product.check(7).message;
    }
}

TEST(StripsCpu, ThreadsShareLongRows) {
    const CsrMatrix matrix = make_gallery_matrix("arrow:n=700");
    for (const int threads : {1, 2, 5, 16}) {
        Options options;
        options.params = {{"long_from", 16}, {"sigma", 64}};
        options.threads = threads;
        options.all_threads = true;
        const Product product(matrix, options);
        EXPECT_TRUE(product.check().passed) << threads;
        EXPECT_TRUE(product.check(699).passed) << threads;
    }
}

/// For a device holes in slices of the narrowest and of wider ones.
std::vector<Options> with_holes() {
    std::vector<Options> all;
    for (const auto& [device, parameter, lanes] : {std::tuple{"host", "lanes", 4},
                                                   {"host", "lanes", 16},
                                                   {"simt:sm_90", "slice", 32},
                                                   {"simt:gfx906", "slice", 32},
                                                   {"simt:gfx906", "slice", 64}}) {
        Options options;
        options.device = device;
        options.params = {{parameter, lanes}, {"sigma", 1}, {"fill", 1}, {"codes", 15}};
        options.threads = 3;
        options.all_threads = true;
        all.push_back(options);
    }
    return all;
}

/// x[special] = Inf for each element in turn: what a hole would have met is not there.
TEST(StripsHoles, MeetNoX) {
    CsrMatrix matrix = make_gallery_matrix("stencil7:nx=7,ny=6,nz=5");
    for (Options options : with_holes())
        for (const std::int64_t value_code : {0, 1, 3})
            for (const int num_rhs : {1, 2}) {
                // How values are decoded and how many vectors there are meet in no statement.
                const bool is_both = value_code != 0 && num_rhs != 1;
                if (is_both && !fixtures::is_every_mode_wanted()) continue;
                SCOPED_TRACE(options.device + ", value_code " + std::to_string(value_code));
                set_values(matrix, value_code);
                options.params["value_code"] = value_code;
                options.num_rhs = num_rhs;
                const Product product(matrix, options);
                EXPECT_TRUE(product.check().passed);
                const std::int64_t step = value_code == 0 ? 1 : 7;
                for (std::int64_t k = 0; k < matrix.cols * num_rhs; k += step)
                    EXPECT_TRUE(product.check(k).passed) << product.check(k).message;
            }
}

void expect_new_values_around_holes(Options options, const std::vector<double>& few) {
    CsrMatrix matrix = make_gallery_matrix("stencil7:nx=7,ny=6,nz=5");
    auto values = matrix.values.as<double>();
    const auto set = [&](double scale) {
        for (std::size_t k = 0; k < values.size(); ++k)
            values[k] =
                scale * (few.empty() ? 1 / (1 + static_cast<double>(k)) : few[k % few.size()]);
    };
    options.kernel = options.device == "host" ? "strips_cpu" : "strips";
    options.params["value_code"] = few.empty() ? 0 : 3;
    options.cache = CacheMode::memory;
    options.strict = true;
    options.updatable = true;
    options.memory_limit = 1 << 30;
    set(1);
    Handle handle(matrix.view(), options);
    EXPECT_NE(handle.info().kernel.find("fill1"), std::string::npos) << handle.info().kernel;
    set(-0.3);
    handle.update_values(values.data());
    const std::vector<double> x(static_cast<std::size_t>(matrix.cols), 0.75);
    std::vector<double> y(static_cast<std::size_t>(matrix.rows), 0);
    const auto before = y;
    const double alpha = 1, beta = 0;
    handle.apply(alpha, x.data(), beta, y.data());
    const CheckResult found =
        check_product(matrix.view(), {&alpha, x.data(), &beta, before.data(), y.data(), 1});
    EXPECT_TRUE(found.passed) << found.message;
}

TEST(StripsHoles, TakeNewValuesAroundThem) {
    for (const Options& options : with_holes()) {
        SCOPED_TRACE(options.device);
        expect_new_values_around_holes(options, {});
        expect_new_values_around_holes(options, {0.1, 0.7, -2.3});
        std::vector<double> as_many_as_go(255);
        for (std::size_t k = 0; k < as_many_as_go.size(); ++k)
            as_many_as_go[k] = 0.1 * static_cast<double>(k + 1);
        expect_new_values_around_holes(options, as_many_as_go);
    }
}

}  // namespace
}  // namespace spmvgen
