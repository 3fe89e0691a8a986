// Which kernel predicted times lead to, of matrices that show one thing each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "h200_choice.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/reorder/reordering.hpp"
#include "matrix/suites/gallery.hpp"
#include "registry.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/chooser/counted_choice.hpp"
#include "tuner/plan/gpu_figures.hpp"
#include "tuner/records/signature_name.hpp"
#include "tuner/rules/choose.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

TEST(GpuChoice, FewRowsOfManyEntriesAreNoStrips) {
    const CsrMatrix m = make_gallery_matrix("random:rows=135,cols=97702,per_row=90000");
    for (const bool predicts : {false, true})
        EXPECT_EQ(choice_on_h200(m, predicts).signature.kernel, "csr_by_length");
}

TEST(GpuChoice, TheBetterKnownOfTwoKernelsComesFirst) {
    const CsrMatrix m = make_gallery_matrix("random:seed=412,max_nnz=200000");
    const RowFeatures rows = analyse_row_lengths(m.view());
    Request request{.target = parse_target("sm_90"), .units = 132};
    const DeviceProfile& profile = *find_device_profile("NVIDIA H200");
    Chooser chooser(m.view(), rows);
    chooser.sampled(request);
    CostConstants constants = *gpu_constants();
    const auto first = [&] {
        return CountedChoice(m.view(), rows, profile, 0, constants, nullptr, chooser)
            .ranked(request)
            .front();
    };
    for (auto& [name, kernel] : constants.kernels) kernel.error = 0;
    const CountedChoice::Candidate least = first();
    constants.kernels.at(least.kernel).error = 10;
    const CountedChoice::Candidate milder = first();
    EXPECT_NE(milder.kernel, least.kernel);
    EXPECT_GE(milder.prediction.us, least.prediction.us);
}

TEST(GpuChoice, OneSizeOfBlocksSaysNothingOfOthers) {
    const Choice choice = choice_on_h200(make_gallery_matrix("random:seed=305"), true);
    EXPECT_EQ(choice.signature.kernel, "bcsr_fused") << choice.reason;
    EXPECT_EQ(choice.signature.params.at("block_rows"), 3) << "with 1x1 it is not near the best";
    EXPECT_THAT(choice.reason, testing::StartsWith("predicted "));
    EXPECT_THAT(choice.reason, HasSubstr(" %, the rules' "));
}

TEST(GpuChoice, FewLongRowsDoNotRuleStripsOut) {
    const CsrMatrix m = make_gallery_matrix("random:seed=1007181");
    ASSERT_GT(analyse_row_lengths(m.view()).max_row, 10'000);
    Request request{.target = parse_target("sm_90"), .units = 132};
    request.profile = find_device_profile("NVIDIA H200");
    const RowFeatures rows = analyse_row_lengths(m.view());
    Chooser chooser(m.view(), rows);
    const std::vector<Ranked> ranked = chooser.ranked(request, 10);
    const auto strips = std::ranges::find_if(
        ranked, [](const Ranked& r) { return r.choice.signature.kernel == "strips"; });
    ASSERT_NE(strips, ranked.end());
    EXPECT_EQ(strips->choice.signature.params.at("long_rows"), 1);
}

/// The largest sorting window of strips that may be chosen.
std::int64_t widest_window(const CsrMatrix& m, const Params& params) {
    Request request{.target = parse_target("sm_90"), .units = 132};
    request.kernel = "strips";
    request.params = params;
    const RowFeatures rows = analyse_row_lengths(m.view());
    Chooser chooser(m.view(), rows);
    std::int64_t widest = chooser(request).signature.params.at("sigma");
    for (auto& set : chooser.grid_params(kernel_entry("strips"), request))
        if (set.contains("sigma")) widest = std::max(widest, set.at("sigma"));
    return widest;
}

TEST(GpuChoice, RowsInClustersAreSortedWithinEach) {
    const CsrMatrix m = make_gallery_matrix("near:n=300000,min_row=1,max_row=40,span=3000");
    EXPECT_GT(widest_window(m, {}), cluster_rows);
    EXPECT_EQ(widest_window(m, {{"any_order", 1}, {"block", cluster_rows}}), cluster_rows);
}

TEST(GpuChoice, ManyEntriesAreNotLeftToFewBlocks) {
    const auto largest_block = [](const char* matrix) {
        const CsrMatrix m = make_gallery_matrix(matrix);
        Request request{.target = parse_target("sm_90"), .units = 132};
        const RowFeatures rows = analyse_row_lengths(m.view());
        Chooser chooser(m.view(), rows);
        std::int64_t largest = 0;
        for (auto& set : chooser.grid_params(kernel_entry("csr_by_length"), request))
            if (set.contains("block")) largest = std::max(largest, set.at("block"));
        return largest;
    };
    EXPECT_EQ(largest_block("near:n=2000,min_row=1,max_row=40,span=300"), 1024);
    EXPECT_EQ(largest_block("near:n=2000,min_row=150,max_row=200,span=300"), 256);
}

TEST(GpuChoice, TheSameForAnyNumberOfThreads) {
    const CsrMatrix m = make_gallery_matrix("random:seed=412");
    Request request{.target = parse_target("sm_90"), .units = 132};
    request.device = "NVIDIA H200";
    request.profile = find_device_profile("NVIDIA H200");
    const RowFeatures rows = analyse_row_lengths(m.view());
    EXPECT_EQ(choose_for(m.view(), rows, request, 1).signature,
              choose_for(m.view(), rows, request, 3).signature);
}

TEST(GpuChoice, ASampleMayHaveNoEntries) {
    // All entries are in the first row, which no window of rows has.
    constexpr std::int32_t rows = 1'000'000, entries = 30'000;
    std::vector<std::int32_t> row_ptr(rows + 1, entries), col_idx(entries);
    row_ptr[0] = 0;
    std::iota(col_idx.begin(), col_idx.end(), 0);
    const std::vector<double> values(entries, 1.5);
    const CsrView m{rows,           rows,           entries,        IndexType::i32, IndexType::i32,
                    ValueType::f64, row_ptr.data(), col_idx.data(), values.data()};
    ASSERT_EQ(SampledRows(m, 50'000).view().nnz, 0);
    Request request{.target = parse_target("sm_90"), .units = 132};
    request.profile = find_device_profile("NVIDIA H200");
    const RowFeatures features = analyse_row_lengths(m);
    Chooser chooser(m, features);
    for (auto& ranked : chooser.ranked(request, 100))
        EXPECT_TRUE(std::isfinite(ranked.prediction.us) && ranked.prediction.us > 0)
            << kernel_name(ranked.choice.signature);
    EXPECT_NO_THROW(chooser(request));
}

TEST(GpuChoice, WhatIsAskedForIsKept) {
    const CsrMatrix m = make_gallery_matrix("random:seed=8");
    const RowFeatures rows = analyse_row_lengths(m.view());
    Request request{.format = "strips", .target = parse_target("sm_90"), .units = 132};
    request.device = "NVIDIA H200";
    request.profile = find_device_profile("NVIDIA H200");
    EXPECT_EQ(choose_for(m.view(), rows, request).signature.kernel, "strips");
    request.format = "auto";
    request.deterministic = true;
    EXPECT_NO_THROW(choose_for(m.view(), rows, request));
}

TEST(GpuChoice, SmallMatricesAreLeftToTheRules) {
    const CsrMatrix m = make_gallery_matrix("stencil5:nx=9,ny=9");
    EXPECT_EQ(choice_on_h200(m, true).reason, choice_on_h200(m, false).reason);
}

TEST(GpuChoice, RankedIsByTheBadCaseOfPredictedTimes) {
    const CsrMatrix m = make_gallery_matrix("random:seed=412,max_nnz=200000");
    const RowFeatures rows = analyse_row_lengths(m.view());
    Request request{.target = parse_target("sm_90"), .units = 132};
    request.profile = find_device_profile("NVIDIA H200");
    Chooser chooser(m.view(), rows);
    const std::vector<Ranked> ranked = chooser.ranked(request, 10);
    ASSERT_EQ(ranked.size(), 10u);
    for (std::size_t i = 1; i < ranked.size(); ++i)
        EXPECT_LE(ranked[i - 1].prediction.bad_us(), ranked[i].prediction.bad_us());
    request.profile = nullptr;
    EXPECT_TRUE(chooser.ranked(request, 10).empty()) << "nothing is known of the device";
}

// Counts that tiles_hubs may have, for six tenths of a multiprocessor's shared memory, on AMD half.
TEST(GpuChoice, HubsLeaveRoom) {
    const auto hubs = [](const char* arch, ValueType type, std::int64_t blocks) {
        return hub_columns(parse_target(arch), type, blocks);
    };
    EXPECT_EQ(hubs("sm_90", ValueType::f64, 1), 16384);
    EXPECT_EQ(hubs("sm_90", ValueType::f64, 2), 8192);
    EXPECT_EQ(hubs("sm_90", ValueType::f32, 2), 16384);
    EXPECT_EQ(hubs("sm_90", ValueType::c64, 2), 4096);
    EXPECT_EQ(hubs("sm_80", ValueType::f64, 2), 6144);
    EXPECT_EQ(hubs("sm_86", ValueType::f64, 2), 2048);
    EXPECT_EQ(hubs("gfx90a", ValueType::f64, 2), 2048);
}

/// Threads of a block, blocks of a multiprocessor and hubs that tiles_hubs gets.
std::array<std::int64_t, 3> chosen_blocks(const char* arch, ValueType type,
                                          const Params& params = {}, int num_rhs = 1) {
    const Request request{
        .kernel = "tiles_hubs", .params = params, .target = parse_target(arch), .num_rhs = num_rhs};
    RowFeatures f{.rows = 1'000'000, .cols = 1'000'000, .value_type = type};
    f.nnz = 10'000'000;
    const Params chosen = choose(f, request).signature.params;
    return {chosen.at("block"), chosen.at("per_unit"), chosen.at("hubs")};
}

TEST(GpuChoice, OneBlockOfHubsWhereItsThreadsHaveRegisters) {
    using Blocks = std::array<std::int64_t, 3>;
    EXPECT_EQ(chosen_blocks("sm_90", ValueType::f64), (Blocks{1024, 1, 16384}));
    EXPECT_EQ(chosen_blocks("sm_80", ValueType::f32), (Blocks{1024, 1, 24576}));
    EXPECT_EQ(chosen_blocks("sm_90", ValueType::c64), (Blocks{512, 2, 4096})) << "wide sums";
    EXPECT_EQ(chosen_blocks("sm_90", ValueType::f64, {}, 4)[0], 512) << "several sums";
    EXPECT_EQ(chosen_blocks("sm_120", ValueType::f64)[0], 512) << "ptxas spills";
    EXPECT_EQ(chosen_blocks("sm_75", ValueType::f64)[0], 512) << "no room for the sums";
    EXPECT_EQ(chosen_blocks("gfx90a", ValueType::f64), (Blocks{512, 2, 2048})) << "not timed";
    EXPECT_EQ(chosen_blocks("sm_90", ValueType::f64, {{"block", 256}}), (Blocks{256, 2, 8192}));
    EXPECT_EQ(chosen_blocks("sm_90", ValueType::f64, {{"per_unit", 1}}), (Blocks{512, 1, 16384}));
    EXPECT_EQ(chosen_blocks("sm_90", ValueType::f64, {{"per_unit", 4}}), (Blocks{512, 4, 4096}));
}

/// Tiles of a run, of so many entries.
std::int64_t chosen_run(const Request& request, double entries) {
    RowFeatures f{.rows = 1'000'000, .cols = 1'000'000};
    f.nnz = static_cast<std::int64_t>(entries);
    return choose(f, request).signature.params.at("run");
}

/// The same of hubs, where each warp of an H200 has so many tiles in all.
std::int64_t run_of_hubs(double tiles, const Params& params = {}) {
    const Request request{
        .kernel = "tiles_hubs", .params = params, .target = parse_target("sm_90"), .units = 132};
    constexpr double entries_of_tiles = 32 * 8 * 132 * 2 * 512 / 32;
    return chosen_run(request, tiles * entries_of_tiles);
}

TEST(GpuChoice, RunsOfHubsEndTogetherAndAreFew) {
    EXPECT_EQ(run_of_hubs(0.5), 1);
    EXPECT_EQ(run_of_hubs(2), 2) << "one run each";
    EXPECT_EQ(run_of_hubs(8), 8);
    EXPECT_EQ(run_of_hubs(8.5), 2) << "8 would leave most warps idle in a second round";
    EXPECT_EQ(run_of_hubs(15.2), 16);
    EXPECT_EQ(run_of_hubs(60), 32);
    EXPECT_EQ(run_of_hubs(1000), 32);
    EXPECT_EQ(run_of_hubs(15.2, {{"per_unit", 1}}), 32) << "half as many warps";
    EXPECT_EQ(run_of_hubs(15.2, {{"items", 16}}), 8) << "half as many tiles";
}

TEST(GpuChoice, RunsOfTilesAreThoseOfWarpsThatFit) {
    Request request{.kernel = "tiles", .target = parse_target("sm_90"), .units = 132};
    constexpr double entries_of_tiles = 32 * 8 * 132 * 32;
    const auto run = [&](double tiles) { return chosen_run(request, tiles * entries_of_tiles); };
    EXPECT_EQ(run(0.1), 1);
    EXPECT_EQ(run(1), 1);
    EXPECT_EQ(run(1.1), 2);
    EXPECT_EQ(run(3), 4);
    EXPECT_EQ(run(4.1), 2);
    EXPECT_EQ(run(100), 2);
    request.units = 0;
    EXPECT_EQ(run(0.1), 1) << "of a typical device";
}

TEST(GpuChoice, AFormatMayBeLeftOut) {
    Request request{.target = parse_target("sm_90")};
    const std::size_t all = candidates(request).size();
    request.without = Format::strips;
    EXPECT_EQ(candidates(request).size(), all - 1);
    request.format = "strips";
    EXPECT_EQ(candidates(request).size(), 1u) << "it is asked for";
}

}  // namespace
}  // namespace spmvgen
