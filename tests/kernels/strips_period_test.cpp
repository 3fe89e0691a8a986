// Format strips with rows that take turns: arrays, plans with holes, and products.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "format_cases.hpp"
#include "formats/plans/strips_plan.hpp"
#include "matrix/suites/gallery.hpp"
#include "spmvgen/spmvgen.hpp"
#include "strips_rows.hpp"
#include "verify/reference.hpp"

namespace spmvgen {
namespace {

using namespace format_cases;
using namespace strips_rows;
using testing::ElementsAre;

/// Rows of three kinds that take turns, 96 of them and five more.
Rows three_kinds() {
    std::vector<std::vector<int>> rows;
    for (int i = 0; i < 101; ++i)
        rows.push_back(i % 3 == 0   ? std::vector{i, i + 9}
                       : i % 3 == 1 ? std::vector{i, i + 3, i + 29}
                                    : std::vector{i + 1});
    return {140, rows};
}

TEST(StripsPeriod, PutRowsThatTakeTurnsIntoSlicesOfTheirOwn) {
    const Rows matrix = three_kinds();
    const StripsPlan apart = plan_strips(matrix.view(), strips({{"period", 3}}));
    EXPECT_THAT(apart.strips_of_code, ElementsAre(6, 3, 0, 0)) << "the last five keep their order";
    EXPECT_EQ(apart.ragged_slices, 1);
    EXPECT_THAT(plan_strips(matrix.view(), strips()).strips_of_code, ElementsAre(0, 12, 0, 0));
    const StoredMatrix m = convert(matrix.view(), strips({{"period", 3}}), true);
    EXPECT_EQ(array<int>(m, "slice_ptr", 5), (std::vector<int>{0, 2, 5, 6, 9}));
    const auto bases = array<int>(m, "bases", 6);
    EXPECT_EQ(bases, (std::vector<int>{0, 9, 1, 4, 30, 3}));
    const auto values = array<double>(m, "values", 9 * 32);
    EXPECT_EQ(values[1], 7) << "row 3, of six entries before it";
    EXPECT_EQ(values[2 * 32], 3) << "row 1";
    for (const auto& params :
         {Params{{"sigma", 64}}, {{"threads_per_row", 2}}, {{"block_rows", 2}}}) {
        auto with_period = params;
        with_period["period"] = 3;
        EXPECT_EQ(plan_strips(matrix.view(), strips(params)),
                  plan_strips(matrix.view(), strips(with_period)));
    }
}

/// The same without entry `entry` of row `row`.
void leave_out(Rows& matrix, std::size_t row, int entry) {
    matrix.col_idx.erase(matrix.col_idx.begin() + matrix.row_ptr[row] + entry);
    matrix.values.pop_back();
    for (std::size_t i = row + 1; i < matrix.row_ptr.size(); ++i) --matrix.row_ptr[i];
}

TEST(StripsPeriod, LeavesHolesInDiagonals) {
    Rows matrix = three_kinds();
    leave_out(matrix, 31, 1);  // of the second kind
    const StripsPlan plan = plan_strips(matrix.view(), strips({{"period", 3}}));
    EXPECT_EQ(plan.hole_mask_bytes, 3 * 32);
    EXPECT_THAT(plan.strips_of_code, ElementsAre(6, 3, 0, 0));
    EXPECT_EQ(plan_strips(matrix.view(), strips({{"period", 3}, {"fill", 0}})).hole_mask_bytes, 0);
    matrix.row_ptr.resize(95);
    EXPECT_EQ(plan_strips(matrix.view(), strips({{"period", 3}})).hole_mask_bytes, 0)
        << "no whole group of slices";
}

TEST(StripsPeriod, ADiagonalHasAColumnForEveryLane) {
    // The third diagonal of the second kind begins at column 30; lane 31, row 94, is 93 columns on.
    const auto holes = [](std::int64_t cols) {
        Rows matrix = three_kinds();
        matrix.row_ptr.resize(97);
        leave_out(matrix, 94, 2);
        leave_out(matrix, 31, 1);
        matrix.cols = cols;
        return plan_strips(matrix.view(), strips({{"period", 3}})).hole_mask_bytes;
    };
    EXPECT_EQ(holes(124), 3 * 32);
    EXPECT_EQ(holes(123), 0);
}

TEST(StripsPeriod, GivesTheProduct) {
    for (const char* kind : {"curl_curl:nx=6,ny=5,nz=4,keep=0.85",
                             "random:rows=700,cols=300,per_row=5", "arrow:n=500"})
        for (const char* device : {"simt:sm_90", "simt:gfx906"})
            for (const std::int64_t period : {2, 3, 4, 6})
                for (const std::int64_t fill : {0, 1}) {
                    SCOPED_TRACE(fmt::format("{} {} {} {}", kind, device, period, fill));
                    const CsrMatrix matrix = make_gallery_matrix(kind);
                    Options options;
                    options.device = device;
                    options.kernel = "strips";
                    options.strict = true;
                    options.cache = CacheMode::memory;
                    options.params = {{"period", period}, {"fill", fill}, {"sigma", 1}};
                    options.memory_limit = 1 << 30;
                    Handle handle(matrix.view(), options);
                    const std::vector<double> x(static_cast<std::size_t>(matrix.cols), 1.5);
                    std::vector<double> y(static_cast<std::size_t>(matrix.rows), -1);
                    const double one = 1, zero = 0;
                    handle.apply(one, x.data(), zero, y.data());
                    CsrView now = matrix.view();
                    CheckResult result =
                        check_product(now, {&one, x.data(), &zero, y.data(), y.data(), 1});
                    EXPECT_TRUE(result.passed) << result.message;
                    std::vector<double> fresh(static_cast<std::size_t>(matrix.nnz));
                    for (std::size_t k = 0; k < fresh.size(); ++k)
                        fresh[k] = fixtures::number<double>(static_cast<std::int64_t>(k), 3);
                    handle.update_values(fresh.data());
                    now.values = fresh.data();
                    handle.apply(one, x.data(), zero, y.data());
                    result = check_product(now, {&one, x.data(), &zero, y.data(), y.data(), 1});
                    EXPECT_TRUE(result.passed) << "new values: " << result.message;
                }
}

}  // namespace
}  // namespace spmvgen
