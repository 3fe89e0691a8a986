// Format strips: plans, and products with parameters fitted to a matrix.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "fixtures.hpp"
#include "format_cases.hpp"
#include "formats/plans/strips_plan.hpp"
#include "matrix/features/features.hpp"
#include "matrix/suites/gallery.hpp"
#include "spmvgen/spmvgen.hpp"
#include "strips_rows.hpp"
#include "tuner/chooser/chooser.hpp"
#include "verify/reference.hpp"

namespace spmvgen {
namespace {

using namespace format_cases;
using namespace strips_rows;
using testing::ElementsAre;

const std::array kinds{"stencil5:nx=40,ny=40", "arrow:n=3000", "powerlaw:n=600,max_row=300",
                       "random:rows=300,cols=90000,per_row=20", "fem:nx=12,ny=12,dofs=3"};

TEST(StripsPlan, SaysWhatAConversionMakes) {
    for (const char* kind : kinds) {
        SCOPED_TRACE(kind);
        const CsrMatrix matrix = make_gallery_matrix(kind);
        for (auto& s : {strips({{"long_from", 64}}), strips({{"block_rows", 3}, {"sigma", 64}})}) {
            const StripsPlan plan = plan_strips(matrix.view(), s);
            const StoredMatrix m = convert(matrix.view(), s, true, 1 << 30);
            EXPECT_EQ(plan.slices, m.scalars.at("num_slices"));
            EXPECT_EQ(plan.strips, m.scalars.at("num_strips"));
            EXPECT_EQ(plan.long_rows, m.scalars.at("num_long"));
            EXPECT_EQ(plan.stored, m.stored);
            EXPECT_EQ(plan.index_bytes + m.stored * 8, m.bytes);
            EXPECT_EQ(plan, plan_strips(matrix.view(), s, 3));
        }
    }
}

TEST(StripsPlan, CountsCodes) {
    const Rows diagonals = two_diagonals(64);
    const StripsPlan plan = plan_strips(diagonals.view(), strips());
    EXPECT_THAT(plan.strips_of_code, ElementsAre(4, 0, 0, 0));
    EXPECT_EQ(plan.codes(), 1);
    EXPECT_EQ(plan.ragged_slices, 0);
    const Rows far(100000, {{0, 5}, {300, 70000}});
    EXPECT_THAT(plan_strips(far.view(), strips()).strips_of_code, ElementsAre(0, 0, 0, 2));
    EXPECT_EQ(plan_strips(far.view(), strips()).codes(), 8);
}

/// The parameters that a matrix gets on a device.
Params chosen(const CsrMatrix& matrix, const char* arch, Params given = {}, int threads = 0) {
    Request request;
    request.kernel = "strips";
    request.target = parse_target(arch);
    request.params = std::move(given);
    const RowFeatures features = analyse_row_lengths(matrix.view());
    return choose_for(matrix.view(), features, request, threads).signature.params;
}

/// Products with the parameters that the matrix gets, on the SIMT executor.
class StripsOf : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, StripsOf, testing::ValuesIn(kinds), [](auto& test) {
    return std::string(test.param, std::strcspn(test.param, ":"));
});

TEST_P(StripsOf, AMatrixGiveItsProduct) {
    const CsrMatrix matrix = make_gallery_matrix(GetParam());
    for (const char* device : {"simt:sm_90", "simt:gfx906"}) {
        SCOPED_TRACE(device);
        Options options;
        options.device = device;
        options.kernel = "strips";
        options.strict = true;
        options.cache = CacheMode::memory;
        EXPECT_EQ(chosen(matrix, device + 5), chosen(matrix, device + 5, {}, 3));
        Handle handle(matrix.view(), options);
        std::vector<double> x(static_cast<std::size_t>(matrix.view().cols));
        for (std::size_t j = 0; j < x.size(); ++j)
            x[j] = fixtures::number<double>(static_cast<std::int64_t>(j), 2);
        std::vector<double> y(static_cast<std::size_t>(matrix.view().rows), 0);
        const double one = 1, zero = 0;
        const auto check = [&](const CsrView& a) {
            handle.apply(one, x.data(), zero, y.data());
            const CheckResult result =
                check_product(a, {&one, x.data(), &zero, y.data(), y.data(), 1});
            EXPECT_TRUE(result.passed) << result.message;
        };
        check(matrix.view());
        std::vector<double> fresh(static_cast<std::size_t>(matrix.view().nnz));
        for (std::size_t k = 0; k < fresh.size(); ++k)
            fresh[k] = fixtures::number<double>(static_cast<std::int64_t>(k), 3);
        handle.update_values(fresh.data());
        CsrView updated = matrix.view();
        updated.values = fresh.data();
        check(updated);
    }
}

TEST(StripsParams, FitTheMatrix) {
    const CsrMatrix stencil = make_gallery_matrix("stencil5:nx=40,ny=40");
    auto p = chosen(stencil, "sm_90");
    EXPECT_EQ(p.at("slice"), 32);
    EXPECT_EQ(p.at("block_rows"), 1);
    EXPECT_EQ(p.at("long_rows"), 0);
    EXPECT_EQ(p.at("sigma"), 1);
    EXPECT_EQ(p.at("unroll"), 5);
    EXPECT_EQ(chosen(stencil, "gfx906").at("slice"), 64);
    p = chosen(stencil, "sm_90", {{"sigma", 64}, {"value_code", 0}, {"unroll", 2}});
    EXPECT_EQ(p.at("sigma"), 64);
    EXPECT_EQ(p.at("unroll"), 2);
    const CsrMatrix elements = make_gallery_matrix("fem:nx=12,ny=12,dofs=3");
    EXPECT_EQ(chosen(elements, "sm_90").at("block_rows"), 1) << "too few blocks to fill a GPU";
    p = chosen(elements, "sm_90", {{"block_rows", 3}, {"block_cols", 3}});
    EXPECT_EQ(p.at("fill"), 0);
    p = chosen(make_gallery_matrix("curl_curl:nx=12,ny=11,nz=10,keep=0.85"), "sm_90",
               {{"threads_per_row", 1}});
    EXPECT_EQ(p.at("period"), 3) << "edges in three directions take turns";
    EXPECT_EQ(p.at("fill"), 1);
    EXPECT_EQ(p.at("sigma"), 1);
    EXPECT_EQ(chosen(stencil, "sm_90").at("period"), 1);
    p = chosen(make_gallery_matrix("arrow:n=3000"), "sm_90");
    EXPECT_EQ(p.at("long_rows"), 1);
    EXPECT_EQ(p.at("threads_per_row"), 1);
}

}  // namespace
}  // namespace spmvgen
