// What gathers of x cost on GPUs: how the sample tells of neighbouring sectors, of columns that are
// near each other, and of columns that many rows have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "h200_choice.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/suites/gallery.hpp"
#include "tuner/cost/figures/sampled_hubs.hpp"
#include "tuner/cost/figures/sampled_rows.hpp"
#include "tuner/cost/predict.hpp"
#include "tuner/plan/kernel_plan.hpp"

namespace spmvgen {
namespace {

/// Rows of `length` columns, `step` apart.
CsrMatrix combs(std::int64_t rows, std::int64_t length, std::int64_t step) {
    CsrMatrix m;
    m.rows = rows;
    m.cols = length * step;
    m.nnz = rows * length;
    m.row_ptr = make_buffer<std::int32_t>(rows + 1);
    m.col_idx = make_buffer<std::int32_t>(m.nnz);
    m.values = make_buffer<double>(m.nnz);
    for (std::int64_t row = 0; row <= rows; ++row)
        m.row_ptr.as<std::int32_t>()[static_cast<std::size_t>(row)] =
            static_cast<std::int32_t>(row * length);
    for (std::int64_t k = 0; k < m.nnz; ++k) {
        m.col_idx.as<std::int32_t>()[static_cast<std::size_t>(k)] =
            static_cast<std::int32_t>(k % length * step);
        m.values.as<double>()[static_cast<std::size_t>(k)] = 1;
    }
    return m;
}

MatrixFigures figures_of(const CsrMatrix& m) {
    return {m.view(), analyse_row_lengths(m.view())};
}

double cost(const GpuCosts& all, std::string_view name) {
    const auto found = std::ranges::find(gpu_cost_names, name);
    return all[static_cast<std::size_t>(found - gpu_cost_names.begin())];
}

TEST(SampledRows, PiecesOfLongRowsLieAnywhereButAlikeInNeighbours) {
    const CsrMatrix m = combs(640, 4096, 1);
    const SampledRows sample = SampledRows::of_choice(m.view(), gpu_sample);
    const CsrView rows = sample.view();
    ASSERT_FALSE(sample.is_whole());
    const auto* columns = rows.col_idx_as<std::int32_t>();
    std::vector<std::int32_t> firsts;
    for (std::int64_t row = 0; row < rows.rows; ++row) {
        const std::int64_t begin = rows.row_begin(row), last = rows.row_begin(row + 1) - 1;
        ASSERT_LT(rows.row_length(row), 4096);
        int pieces = 1;
        for (std::int64_t k = begin; k < last; ++k) pieces += columns[k + 1] != columns[k] + 1;
        EXPECT_EQ(pieces, (last - begin + 1) / 64) << "of 64 entries and more";
        EXPECT_GT(columns[last], 4096 / 2) << "not the beginning alone";
        firsts.push_back(columns[begin]);
    }
    EXPECT_EQ(firsts[0], firsts[63]) << "neighbours";
    std::ranges::sort(firsts);
    EXPECT_GT(firsts.front(), 256) << "not the beginning of any row";
    EXPECT_GT(firsts.back() - firsts.front(), 512) << "all beginnings would be at column 0";
}

TEST(SampledRows, OfFewWideRowsTheBeginningsAreNotAll) {
    for (const char* drawn : {"random:seed=1096024,max_nnz=500000",      // several pieces of a row
                              "random:seed=1110013,max_nnz=1000000"}) {  // one
        const CsrMatrix m = make_gallery_matrix(drawn);
        ASSERT_LT(m.rows, 128);
        for (const char* arch : {"x86-64-v3", "x86-64-v4"})
            EXPECT_NE(choose_for(m.view(), analyse_row_lengths(m.view()),
                                 {.target = parse_target(arch), .units = 2})
                          .signature.kernel,
                      "bcsr")
                << "only the first columns are used so often that blocks are full";
    }
}

TEST(SampledHubs, LongRowsOfAllColumnsHaveNone) {
    const CsrMatrix m = combs(640, 4096, 1);
    const SampledRows sample = SampledRows::of_choice(m.view(), gpu_sample);
    EXPECT_LT(SampledHubs(sample).share(512), 0.3) << "an eighth";
}

TEST(MatrixFigures, SectorsBesideOthersAreOfTheSameLine) {
    EXPECT_DOUBLE_EQ(figures_of(combs(10, 160, 1)).sectors_beside(), 0.75);
    EXPECT_DOUBLE_EQ(figures_of(combs(10, 160, 8)).sectors_beside(), 0.5);
    EXPECT_DOUBLE_EQ(figures_of(combs(10, 160, 16)).sectors_beside(), 0);
}

TEST(MatrixFigures, SpreadIsTheShareOfTheColumnsThatNeighboursHave) {
    const auto spread = [](const char* spec) {
        return figures_of(make_gallery_matrix(spec)).spread();
    };
    EXPECT_LT(spread("banded:n=100000,lower=25,upper=25,fill=0.2"), 0.01);
    EXPECT_GT(spread("random:rows=20000,cols=20000,per_row=8"), 0.9);
    EXPECT_NEAR(spread("stencil5:nx=100,ny=100"), 0.02, 0.015) << "two grid lines of a hundred";
}

TEST(GpuCosts, OfNearColumnsOnlyWhatIsInUseHasToBeKept) {
    DeviceProfile profile;
    profile.units = 100;
    profile.read = {{.bytes = 1e6, .per_s = 1e12}};
    profile.gather = {{.bytes = 4e6, .per_s = 1e12}, {.bytes = 1e9, .per_s = 1e11}};
    const RowFeatures rows{.rows = 100'000'000, .cols = 100'000'000, .nnz = 400'000'000};
    const Signature s = signature("csr_classical_f64_i32_o32_a1_b0_k1_block256_subwarp4_unroll1");
    const auto far = [&](double spread, double beside, double warps) {
        GpuWork work;
        work.bytes = 6e9;
        work.far = 4e8;
        work.warps = warps;
        work.spread = spread;
        work.beside = beside;
        return cost(gpu_costs(work, rows, s, profile), "far");
    };
    const double anywhere = far(1, 0, 1e4);
    EXPECT_LT(far(0, 0, 1e4), anywhere) << "half of the warps at a time";
    EXPECT_DOUBLE_EQ(far(0, 0, 1e9), anywhere / 10) << "small pieces, little of A at a time";
    EXPECT_DOUBLE_EQ(far(1, 0, 1e9), anywhere);
    EXPECT_DOUBLE_EQ(far(1, 0.5, 1e4), 0.75 * anywhere);
}

// Of y, 80 MB beside a cache of 60: a quarter is gone before the second part is written.
TEST(GpuCosts, SectorsInTwoPartsAreReadAgainWhereTheCacheHasLostThem) {
    DeviceProfile profile;
    profile.read = {{.bytes = 1e6, .per_s = 1e12}};
    profile.gather = {{.bytes = 1e9, .per_s = 1e11}};
    const RowFeatures rows{.rows = 10'000'000, .cols = 1000, .nnz = 1'000'000};
    const Signature s =
        signature("tiles_f64_i32_o32_a1_b0_k1_block128_gaps1_items8_run1_staged64_value_code0");
    const auto stream = [&](double l2, double in_parts) {
        profile.rated.l2_bytes = l2;
        GpuWork work;
        work.bytes = 1e9;
        work.in_parts = in_parts;
        return cost(gpu_costs(work, rows, s, profile), "stream");
    };
    EXPECT_DOUBLE_EQ(stream(60e6, 0), 1000);
    EXPECT_DOUBLE_EQ(stream(60e6, 1e8), 1000 + 2 * 100 * 0.25);
    EXPECT_DOUBLE_EQ(stream(90e6, 1e8), 1000) << "the cache keeps all";
    EXPECT_DOUBLE_EQ(stream(0, 1e8), 1000) << "a cache that nobody knows";
}

TEST(GpuWork, HubsAreLoadedBeforeAnythingElse) {
    const CsrMatrix m = make_gallery_matrix("rmat:scale=16,edges=1500000");
    MatrixFigures figures = figures_of(m);
    const auto depth = [&](const char* hubs) {
        return gpu_work(figures,
                        signature("tiles_hubs_f64_i32_o32_a1_b0_k1_block512_gaps0_hubs" +
                                  std::string(hubs) +
                                  "_items8_per_unit2_run1_staged64_value_code0_warm0"),
                        132)
            ->depth;
    };
    // 98 304 bytes beside 4096, of two blocks, at 8192 in the time of a load.
    EXPECT_DOUBLE_EQ(depth("12288") - depth("512"), 24 - 1);
}

}  // namespace
}  // namespace spmvgen
