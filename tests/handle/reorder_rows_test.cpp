// Handles of matrices whose rows alone are in another order, in clusters: x and y stay the
// caller's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fixtures.hpp"
#include "matrix/suites/gallery.hpp"
#include "modes.hpp"
#include "reordered.hpp"
#include "verify/reference.hpp"

namespace spmvgen {
namespace {

using reordered::options_of;
using reordered::refusal;

/// Rows alone, in clusters: x and y are the caller's, in one launch.
template <typename Value>
void check_rows(const fixtures::Fixture& f, const std::string& device, int num_rhs,
                fixtures::ModesByKernel& modes) {
    SCOPED_TRACE(f.name);
    fixtures::TypedMatrix<Value, std::int32_t, std::int32_t> matrix(f);
    Options options = options_of({device, "rows"});
    options.num_rhs = num_rhs;
    Handle handle(matrix.view(), options);
    EXPECT_LE(handle.info().launches, 1);
    EXPECT_EQ(to_string(handle.info()).find("which costs"), std::string::npos);
    const auto x = fixtures::make_x<Value>(f, num_rhs);
    const auto check = [&](Value alpha, Value beta) {
        const auto before = fixtures::make_y<Value>(f, num_rhs, beta == Value(0));
        auto y = before;
        handle.apply(alpha, x.data(), beta, y.data());
        const CheckResult result = check_product(
            matrix.view(), {&alpha, x.data(), &beta, before.data(), y.data(), num_rhs});
        EXPECT_TRUE(result.passed) << "α = " << alpha << ", β = " << beta << ": " << result.message;
    };
    const fixtures::Modes own = modes.of(f, handle.info().kernel);
    for (const float alpha : {1.0F, -1.5F, 0.0F})
        for (const float beta : {0.0F, 1.0F, 2.5F})
            if (fixtures::has_mode(own, alpha, beta)) check(Value(alpha), Value(beta));
    for (std::size_t k = 0; k < matrix.values.size(); ++k)
        matrix.values[k] = fixtures::number<Value>(static_cast<std::int64_t>(k), 5);
    handle.update_values(matrix.values.data());
    check(Value(1), Value(0));
}

class ReorderedRows : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, ReorderedRows, testing::Values("simt:sm_90", "simt:gfx906"),
                         [](auto& test) { return test.param.substr(5); });

TEST_P(ReorderedRows, MultiplyEveryOddMatrix) {
    fixtures::ModesByKernel modes(fixtures::Modes::every);
    for (auto* fixture : fixtures::matrices_of(true)) {
        check_rows<double>(fixtures::squared(*fixture), GetParam(), 1, modes);
        check_rows<double>(*fixture, GetParam(), 1, modes);
    }
}

TEST_P(ReorderedRows, MultiplyInOtherTypesWithSeveralRightHandSides) {
    const fixtures::Fixture f = fixtures::squared(fixtures::find("every_length"));
    fixtures::ModesByKernel modes(fixtures::Modes::every);
    check_rows<float>(f, GetParam(), 3, modes);
    check_rows<std::complex<double>>(f, GetParam(), 2, modes);
    check_rows<double>(f, GetParam(), 8, modes);
}

/// Several vectors are multiplied by CSR whose rows are told where those of y are, any number of
/// them, and where they lie by columns.
TEST_P(ReorderedRows, OfSeveralVectorsAreListed) {
    const CsrMatrix a = make_gallery_matrix("delaunay:n=700,spatial=0,seed=3");
    Options options = options_of({GetParam(), "rows"});
    options.num_rhs = 8;
    const Handle handle(a.view(), options);
    EXPECT_TRUE(handle.info().kernel.starts_with("csr_classical_")) << handle.info().kernel;
    EXPECT_FALSE(std::ranges::is_sorted(handle.row_order()));
    const auto rows = static_cast<std::size_t>(a.rows);
    const double one = 1, zero = 0;
    for (const std::size_t k : {1, 3, 8}) {
        std::vector<double> x(k * rows), y(k * rows, -1), x_columns(x.size()), y_columns(y);
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t rhs = 0; rhs < k; ++rhs)
                x[i * k + rhs] = x_columns[rhs * rows + i] =
                    static_cast<double>((5 * i + 3 * rhs) % 17) - 8;
        handle.apply_many(static_cast<std::int64_t>(k), 1.0, x.data(), static_cast<std::int64_t>(k),
                          VectorLayout::row, 0.0, y.data(), static_cast<std::int64_t>(k),
                          VectorLayout::row);
        const CheckResult result = check_product(
            a.view(), {&one, x.data(), &zero, nullptr, y.data(), static_cast<int>(k)});
        EXPECT_TRUE(result.passed) << k << ": " << result.message;
        handle.apply_many(static_cast<std::int64_t>(k), 1.0, x_columns.data(), a.rows,
                          VectorLayout::column, 0.0, y_columns.data(), a.rows,
                          VectorLayout::column);
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t rhs = 0; rhs < k; ++rhs)
                EXPECT_DOUBLE_EQ(y_columns[rhs * rows + i], y[i * k + rhs]);
    }
}

// Strips would take far more than CSR.
TEST_P(ReorderedRows, AreStoredOtherwiseWhereStripsWouldBeTooLarge) {
    const CsrMatrix a = make_gallery_matrix("web:n=40000,max_row=300");
    Options options = options_of({GetParam(), "rows"});
    for (const char* format : {"auto", "strips"}) {
        options.format = format;
        if (options.format == "strips") {
            EXPECT_THROW(Handle(a.view(), options), Error);
            continue;
        }
        Handle handle(a.view(), options);
        EXPECT_TRUE(handle.info().kernel.starts_with("tiles_")) << handle.info().kernel;
        EXPECT_TRUE(handle.info().reason.starts_with("format strips would store"))
            << handle.info().reason;
        EXPECT_FALSE(std::ranges::is_sorted(handle.row_order()));
        std::vector<double> x(static_cast<std::size_t>(a.cols)), y(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 17) - 8;
        const double one = 1, zero = 0;
        const auto check = [&](const CsrView& matrix) {
            handle.apply(1.0, x.data(), 0.0, y.data());
            const CheckResult result =
                check_product(matrix, {&one, x.data(), &zero, nullptr, y.data(), 1});
            EXPECT_TRUE(result.passed) << result.message;
        };
        check(a.view());
        std::vector<double> values(static_cast<std::size_t>(a.nnz));
        for (std::size_t k = 0; k < values.size(); ++k) values[k] = 0.37 * static_cast<double>(k);
        handle.update_values(values.data());
        CsrView fresh = a.view();
        fresh.values = values.data();
        check(fresh);
    }
}

TEST_P(ReorderedRows, AnEpilogueHasTheCallersRows) {
    const CsrMatrix a = make_gallery_matrix("delaunay:n=2000,spatial=0,seed=3");
    Options options = options_of({GetParam(), "rows"});
    options.epilogue = "0 * value + row";
    const Handle handle(a.view(), options);
    EXPECT_FALSE(std::ranges::is_sorted(handle.row_order()));
    std::vector<double> x(2000, 1), y(2000, -1);
    handle.apply(1.0, x.data(), 0.0, y.data());
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], static_cast<double>(i));
}

TEST(ReorderedRowsOnly, RefuseWhatTheyAreNotFor) {
    const CsrMatrix a = make_gallery_matrix("stencil5:nx=5,ny=5");
    Options options;
    options.reorder = "rows";
    EXPECT_EQ(refusal(a.view(), options),
              "invalid_argument: options.reorder rows is for GPUs: use rcm or band-k, or leave it "
              "out");
    options.device = "simt:sm_90";
    options.op = "T";
    options.transpose_by_atomics = true;
    EXPECT_EQ(refusal(a.view(), options),
              "invalid_argument: options.reorder rows is for kernels that do not transpose: use "
              "rcm or band-k, or leave it out");
    options.transpose_by_atomics = false;
    options.op = "N";
    options.kernel = "csr_classical";
    EXPECT_EQ(refusal(a.view(), options),
              "invalid_argument: options.reorder rows is for kernel strips: use rcm or band-k, or "
              "leave it out");
    options.num_rhs = 4;
    EXPECT_EQ(refusal(a.view(), options), "no error") << "several vectors are multiplied by that";
    options.num_rhs = 1;
    options.format = "strips";
    EXPECT_THAT(refusal(a.view(), options), testing::HasSubstr("rows is for kernel strips"))
        << "the kernel that was asked for is not dropped";
    options.kernel = "auto";
    options.permuted_vectors = true;
    EXPECT_EQ(refusal(a.view(), options),
              "invalid_argument: options.permuted_vectors is for reordered matrices: set "
              "options.reorder to rcm or band-k, or leave it false");
}

}  // namespace
}  // namespace spmvgen
