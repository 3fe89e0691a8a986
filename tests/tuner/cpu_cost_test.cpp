// The choice on CPUs by counted work: counts worked out by hand, constants, and what comes of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "errors.hpp"
#include "fitted_numbers.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/suites/gallery.hpp"
#include "registry.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/chooser/counted_choice.hpp"
#include "tuner/cost/predict.hpp"
#include "tuner/plan/kernel_plan.hpp"
#include "tuner/records/signature_name.hpp"
#include "tuner/rules/choose.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

constexpr int team = 4;

Signature cpu_signature(const std::string& name) {
    return *parse_kernel_name(name, parse_target("x86-64-v4"));
}

/// Round numbers: with one thread 10 gigabytes a second and 10^9 loads from a first cache, 10^8
/// from memory; with four threads four times as much.
DeviceProfile round_cpu() {
    DeviceProfile profile;
    profile.device = "round";
    profile.launch_us.value = 2;
    for (const int threads : {1, team}) {
        profile.read.push_back({.threads = threads, .bytes = 1e6, .per_s = 1e10 * threads});
        profile.gather.push_back({.threads = threads, .bytes = 32768, .per_s = 1e9 * threads});
        profile.gather.push_back({.threads = threads, .bytes = 1e8, .per_s = 1e8 * threads});
    }
    return profile;
}

Request cpu_request(const DeviceProfile* profile = nullptr) {
    Request request{.target = parse_target("x86-64-v4"), .threads = team};
    request.profile = profile;
    return request;
}

/// Rows of these lengths, of neighbouring columns from 0 on.
CsrMatrix with_lengths(const std::vector<std::int64_t>& lengths, std::int64_t cols) {
    CsrMatrix m;
    m.rows = std::ssize(lengths);
    m.cols = cols;
    m.index_type = IndexType::i32;
    m.offset_type = IndexType::i32;
    m.value_type = ValueType::f64;
    for (const std::int64_t length : lengths) m.nnz += length;
    m.row_ptr = make_buffer<std::int32_t>(m.rows + 1);
    m.col_idx = make_buffer<std::int32_t>(m.nnz);
    m.values = make_buffer<double>(m.nnz);
    auto* ptr = static_cast<std::int32_t*>(m.row_ptr.data());
    auto* col = static_cast<std::int32_t*>(m.col_idx.data());
    std::fill_n(static_cast<double*>(m.values.data()), m.nnz, 1.5);
    std::int32_t k = 0;
    ptr[0] = 0;
    for (std::size_t row = 0; row < lengths.size(); ++row) {
        for (std::int32_t i = 0; i < lengths[row]; ++i) col[k++] = i;
        ptr[row + 1] = k;
    }
    return m;
}

/// A matrix with its figures.
struct Counted {
    explicit Counted(CsrMatrix of)
        : matrix(std::move(of)),
          rows(analyse_row_lengths(matrix.view())),
          figures(matrix.view(), rows, 1) {}
    CpuWork work(const std::string& name, int threads = 1) {
        return *cpu_work(figures, cpu_signature(name), threads);
    }
    CsrMatrix matrix;
    RowFeatures rows;
    MatrixFigures figures;
};

TEST(CpuFigures, BlocksOfTheSampleAreThoseOfTheMatrix) {
    const CsrMatrix m = make_gallery_matrix("fem:nx=40,ny=40,nz=40,dofs=3");
    const RowFeatures rows = analyse_row_lengths(m.view());
    const Signature s = cpu_signature(
        "strips_cpu_f64_i32_o32_a1_b0_k1_block_cols3_block_rows3_codes15_fill1_lanes8_"
        "long_from4096_long_rows0_prefetch0_ragged1_sigma1_value_code0");
    const auto stored = [&](const SampledRows& sample) {
        return MatrixFigures(m.view(), rows, sample, 1, CountedFor::cpu).strips(s).stored /
               static_cast<double>(m.nnz);
    };
    EXPECT_LT(stored(SampledRows::of_choice(m.view(), host_sample)), 1.3);
    EXPECT_GT(stored(SampledRows(m.view(), 50'000)), 1.4) << "cut elsewhere";
}

TEST(CpuFigures, AFewLongRowsAreSampled) {
    const CsrMatrix m = with_lengths(std::vector<std::int64_t>(79, 4000), 4000);
    const SampledRows sample(m.view(), 50'000, 16, block_sample_period);
    EXPECT_GE(sample.view().rows, 64);
    EXPECT_LT(sample.scale(), 20);
}

TEST(CpuFigures, SlicesByHand) {
    Counted m(with_lengths({3, 1, 3, 1}, 8));
    const SlicesFigures& pairs = m.figures.slices(2, 1);
    EXPECT_EQ(pairs.padding, 1.5) << "two slices of three columns of two";
    EXPECT_NEAR(pairs.full, 2.0 / 6, 1e-12);
    EXPECT_EQ(pairs.turns, 0.5) << "the second is as the first";
    const SlicesFigures& sorted = m.figures.slices(2, 4);
    EXPECT_EQ(sorted.padding, 1);
    EXPECT_EQ(sorted.full, 1);
    EXPECT_EQ(sorted.turns, 1);
}

TEST(CpuFigures, TurnsOfRowsByHand) {
    Counted m(with_lengths({8, 9, 10, 16}, 16));
    EXPECT_EQ(m.figures.row_turns(1, 1), 1) << "each is of another length";
    EXPECT_EQ(m.figures.row_turns(8, 1), 0.75) << "9 and 10 are a vector and a part";
    EXPECT_EQ(m.figures.row_turns(16, 1), 0.5) << "all but the last are part of a vector";
}

TEST(CpuFigures, TheBusiestThreadByHand) {
    Counted m(with_lengths({93, 1, 1, 1}, 100));
    EXPECT_EQ(m.figures.busiest(1, false), 1);
    EXPECT_NEAR(m.figures.busiest(2, false), 94 / 50.0, 1e-12) << "no row is cut";
    EXPECT_NEAR(m.figures.busiest(2, true), 96 / 50.0, 1e-12) << "two rows each";
    Counted even(make_gallery_matrix("stencil5:nx=64,ny=64"));
    EXPECT_NEAR(even.figures.busiest(team, false), 1, 0.01);
}

TEST(CpuWork, OfTripletsOnlyRowsWithEntriesCount) {
    std::vector<std::int64_t> lengths(4096, 0);
    for (std::size_t row = 0; row < lengths.size(); row += 8) lengths[row] = 2;
    Counted m(with_lengths(lengths, 4));
    EXPECT_EQ(m.work("coo_segmented_f64_i32_o32_a1_b0_k1_lanes4").rows, 512);
    const CpuWork in_windows = m.work("coo_segmented_f64_i32_o32_a1_b0_k1_lanes1");
    EXPECT_EQ(in_windows.rows, 4) << "windows of 1024 rows";
    EXPECT_EQ(in_windows.turns, 4);
    EXPECT_EQ(in_windows.steps, 3 * 1024 + 4096 / 8);
    EXPECT_EQ(m.work("csr_rows_f64_i32_o32_a1_b0_k1").rows, 4096);
    Counted longer(with_lengths(std::vector<std::int64_t>(1024, 12), 12));
    EXPECT_EQ(longer.work("coo_segmented_f64_i32_o32_a1_b0_k1_lanes1").steps,
              (3 + 6) * 12 * 1024 + 1024 / 8)
        << "each entry waits for the sum that the one before stored";
}

TEST(CpuWork, OfRowsByHand) {
    Counted m(with_lengths(std::vector<std::int64_t>(64, 12), 16));
    const CpuWork w = m.work("csr_vector_f64_i32_o32_a1_b0_k1_lanes8_prefetch0_unroll1");
    EXPECT_EQ(w.bytes, 768 * 12 + 64 * 4 + 2 * 64 * 8 + 16 * 8)
        << "values, columns, offsets, y twice, and x";
    EXPECT_EQ(w.near, 64 * 16) << "two vectors each, the second half empty";
    EXPECT_EQ(w.steps, 64 * (2 + 3)) << "and three additions of halves";
    EXPECT_EQ(w.rows, 64);
    EXPECT_EQ(w.turns, 1) << "only the first";
    EXPECT_EQ(w.joins, 0);
    EXPECT_EQ(w.busiest, 1);
    const CpuWork single = m.work("csr_rows_f64_i32_o32_a1_b0_k1");
    EXPECT_EQ(single.near, 768);
    EXPECT_EQ(single.steps, 768);
    const CpuWork balanced = m.work("csr_balanced_f64_i32_o32_a1_b0_k1_lanes8_prefetch0_unroll1");
    EXPECT_EQ(balanced.joins, 1);
    EXPECT_EQ(balanced.steps, w.steps);
}

TEST(CpuWork, OfSlicesByHand) {
    std::vector<std::int64_t> lengths(64, 12);
    lengths[0] = 6;
    Counted m(with_lengths(lengths, 16));
    const CpuWork w = m.work("sell_f64_i32_o32_a1_b0_k1_lanes8_prefetch0_sigma1_unroll1");
    EXPECT_NEAR(w.near, 64 * 12, 1e-6);
    EXPECT_NEAR(w.steps, 8 * 12, 1e-6) << "a register a column";
    EXPECT_EQ(w.rows, 2 * 8) << "a slice counts two";
    EXPECT_EQ(w.turns, 2);
    EXPECT_NEAR(m.work("sell_f64_i32_o32_a1_b0_k1_lanes16_prefetch0_sigma1_unroll1").steps, 8 * 12,
                1e-6)
        << "16 lanes are two registers";
}

TEST(CpuWork, OfBlocksByHand) {
    Counted m(with_lengths(std::vector<std::int64_t>(64, 8), 8));
    const CpuWork w = m.work("bcsr_f64_i32_o32_a1_b0_k1_block_cols2_block_rows4");
    EXPECT_EQ(w.near, 16 * 4) << "two neighbours at once for each of four blocks";
    EXPECT_EQ(m.work("bcsr_f64_i32_o32_a1_b0_k1_block_cols8_block_rows1").near, 64)
        << "eight fill a register";
    EXPECT_EQ(w.steps, 16 * 4 * 2 + 64) << "a column of a block is a step";
    EXPECT_EQ(w.bytes, 64 * (8 * 8 + 4) + 16 * 4 + 2 * 64 * 8 + 8 * 8);
    EXPECT_EQ(w.rows, 16);
}

TEST(CpuWork, ALongRowIsOneThreadsUnlessItIsCut) {
    std::vector<std::int64_t> lengths(200, 1);
    lengths[7] = 1000;
    Counted m(with_lengths(lengths, 1000));
    EXPECT_GT(m.work("csr_vector_f64_i32_o32_a1_b0_k1_lanes8_prefetch0_unroll1", team).busiest,
              2.5);
    EXPECT_GT(m.work("sell_f64_i32_o32_a1_b0_k1_lanes8_prefetch0_sigma1_unroll1", team).busiest,
              2.5);
    EXPECT_EQ(m.work("csr_balanced_f64_i32_o32_a1_b0_k1_lanes8_prefetch0_unroll1", team).busiest,
              1);
    Counted wide(with_lengths(std::vector<std::int64_t>(79, 4000), 4000));
    EXPECT_EQ(wide.work("strips_cpu_f64_i32_o32_a1_b0_k1_block_cols1_block_rows1_codes1_fill0_"
                        "lanes16_long_from512_long_rows1_prefetch0_ragged1_sigma1_value_code0",
                        team)
                  .busiest,
              1)
        << "all rows are long";
}

TEST(CpuWork, OfStripsWithoutDeltasNothingIsGathered) {
    Counted m(make_gallery_matrix("stencil5:nx=4096,ny=2"));
    const std::string name =
        "strips_cpu_f64_i32_o32_a1_b0_k1_block_cols1_block_rows1_codes{}_fill1_lanes16_"
        "long_from4096_long_rows0_prefetch0_ragged1_sigma1_value_code0";
    const auto with_codes = [&](const std::string& codes) {
        std::string of = name;
        return m.work(of.replace(of.find("{}"), 2, codes));
    };
    EXPECT_LT(with_codes("15").near, 0.2 * with_codes("14").near);
    EXPECT_EQ(with_codes("15").steps, with_codes("14").steps);
}

TEST(CpuCosts, ByTheProfile) {
    CpuWork w;
    w.joins = 1;
    w.bytes = 4e6;
    w.near = 4e6;
    w.steps = 4e3;
    Features f;
    f.cols = f.nnz = 1000;
    const Signature s = cpu_signature("csr_rows_f64_i32_o32_a1_b0_k1");
    const CpuCosts costs = cpu_costs(w, f, s, round_cpu(), team);
    EXPECT_EQ(costs[0], 2) << "a team's start";
    EXPECT_EQ(costs[1], 2);
    EXPECT_NEAR(costs[2], 100, 1e-9) << "at 4·10^10 bytes a second";
    EXPECT_NEAR(costs[3], 1000, 1e-9) << "at 4·10^9 a second";
    EXPECT_NEAR(costs[6], 1.2, 1e-9) << "1 ns each where a core has 1.2·10^9 loads, four threads";
    const CpuCosts alone = cpu_costs(w, f, s, round_cpu(), 1);
    EXPECT_EQ(alone[0], 0) << "no team";
    EXPECT_EQ(alone[1], 0);
    w.busiest = 2;
    EXPECT_NEAR(cpu_costs(w, f, s, round_cpu(), team)[2], 200, 1e-9);
    EXPECT_NEAR(cpu_costs(w, f, s, round_cpu(), team)[6], 2.4, 1e-9);
}

TEST(CpuCosts, StepsGoWithTheSpeedOfACore) {
    CpuWork w;
    w.steps = w.rows = w.turns = w.near = 4e3;
    w.bytes = 4e6;
    Features f;
    f.cols = f.nnz = 1000;
    const Signature s = cpu_signature("csr_rows_f64_i32_o32_a1_b0_k1");
    const CpuCosts usual = cpu_costs(w, f, s, round_cpu(), team);
    const CpuCosts fast = cpu_costs(w, f, s, with_faster_cores(round_cpu(), 2), team);
    for (const std::size_t cost : {3, 6, 7, 8}) EXPECT_NEAR(fast[cost], usual[cost] / 2, 1e-9);
    EXPECT_EQ(fast[0], usual[0]) << "a team begins as before";
}

TEST(CpuCosts, EndsOfRowsAndLoopsHaveNumbersOfTheirOwnOnZen4) {
    CpuWork w;
    w.rows = 4e3;
    w.turns = 8e3;
    Features f;
    f.cols = f.nnz = 1000;
    Signature s = cpu_signature("csr_rows_f64_i32_o32_a1_b0_k1");
    const CpuCosts others = cpu_costs(w, f, s, round_cpu(), team);
    s.target = parse_target("x86-64-v4:tune=znver4");
    const CpuCosts zen4 = cpu_costs(w, f, s, round_cpu(), team);
    EXPECT_EQ(others[9] + others[10], 0);
    EXPECT_EQ(zen4[7] + zen4[8], 0);
    EXPECT_NEAR(zen4[9], others[7], 1e-9);
    EXPECT_NEAR(zen4[10], others[8], 1e-9);
    s.target = parse_target("x86-64-v3:tune=znver3");
    EXPECT_GT(cpu_costs(w, f, s, round_cpu(), team)[7], 0) << "Zen 3";
}

/// Matrices that are nothing like those which constants are fitted to.
std::vector<CsrMatrix> odd_matrices() {
    std::vector<CsrMatrix> all;
    all.push_back(with_lengths({0, 0, 0}, 3));
    all.push_back(with_lengths({0}, 1));
    all.push_back(with_lengths({30000}, 30000));
    std::vector<std::int64_t> one_dense(5000, 1);
    one_dense[100] = 20000;
    all.push_back(with_lengths(one_dense, 20000));
    all.push_back(with_lengths(std::vector<std::int64_t>(30000, 1), 1));
    std::vector<std::int64_t> empty_but_last(100000, 0);
    empty_but_last.back() = 25000;
    all.push_back(with_lengths(empty_but_last, 25000));
    return all;
}

TEST(CpuTime, OfEveryKernelIsANumberForOddMatrices) {
    const DeviceProfile profile = round_cpu();
    for (auto& m : odd_matrices()) {
        const RowFeatures rows = analyse_row_lengths(m.view());
        MatrixFigures figures(m.view(), rows, 1);
        Chooser chooser(m.view(), rows, 1);
        std::size_t counted = 0;
        for (const KernelEntry* entry : candidates(cpu_request())) {
            const auto choice = chooser.of_grid(*entry, {}, cpu_request());
            if (!choice) continue;  // there is no such blocked matrix
            const auto predicted =
                predict_cpu(figures, choice->signature, profile, team, *cpu_constants());
            ASSERT_TRUE(predicted) << entry->id;
            EXPECT_TRUE(std::isfinite(predicted->us) && predicted->us > 0)
                << entry->id << ", " << m.rows << " rows, " << m.nnz << " entries";
            ++counted;
        }
        EXPECT_GE(counted, 8u);
    }
}

TEST(CpuTime, NothingIsSaidOfSeveralVectors) {
    Counted m(make_gallery_matrix("stencil5:nx=20,ny=20"));
    EXPECT_FALSE(cpu_work(m.figures, cpu_signature("csr_rows_f64_i32_o32_a1_b0_k2"), 1));
}

TEST(CpuTime, WhatIsWrongIsSaid) {
    CostConstants some(cpu_scheme);
    some.exponent = 1.5;
    some.kernels["sell"] = {.start_us = 0, .factor = 1.5, .error = 0.25};
    EXPECT_EQ(parse_cost_constants(to_json(some, cpu_scheme), cpu_scheme), some);
    const auto refusal = [&](const std::string& from, const std::string& to) {
        std::string text = to_json(some, cpu_scheme);
        std::erase_if(text, [](char c) { return c == '\n' || c == ' '; });
        const auto at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from << " in " << text;
        text.replace(at, from.size(), to);
        return code_and_text([&] { parse_cost_constants(text, cpu_scheme); });
    };
    EXPECT_EQ(refusal("cpu-costs", "gpu-costs"), "invalid_input: it is no cpu-costs");
    EXPECT_EQ(refusal("\"schema\":3", "\"schema\":1"),
              "invalid_input: its schema is not 3, which this version reads");
    EXPECT_EQ(refusal("\"middle\"", "\"centre\""), "invalid_input: field 'middle' is missing");
    EXPECT_EQ(refusal("\"factor\":1.5", "\"factor\":-1"),
              "invalid_input: field 'factor' is -1: it must be within 0 and 1000000");
    EXPECT_EQ(refusal("\"kernels\":{", "\"kernels\":1,\"were\":{"),
              "invalid_input: field 'kernels' is no object");
    EXPECT_EQ(refusal("\"error\":0.25", "\"errors\":0.25"),
              "invalid_input: field 'error' is missing");
}

TEST(ShippedCpuCosts, AreFewAndOfKernelsThatThereAre) {
    const CostConstants* constants = cpu_constants();
    ASSERT_NE(constants, nullptr);
    EXPECT_LE(fitted_numbers(*constants), 8u) << "docs/explanation/choice.md has them";
    for (auto& [name, kernel] : constants->kernels) {
        EXPECT_FALSE(kernel_entry(name).gpu) << name;
        EXPECT_EQ(kernel.start_us, 0) << "a team's start is among the costs: " << name;
        EXPECT_GT(kernel.error, 0) << name;
    }
    for (const KernelEntry* entry : candidates(cpu_request()))
        EXPECT_TRUE(constants->kernels.contains(std::string(entry->id))) << entry->id;
}

TEST(CpuGrid, BeginsWithTheRulesOwnAndIsOfLegalParameters) {
    const CsrMatrix m = make_gallery_matrix("random:seed=412,max_nnz=200000");
    const RowFeatures rows = analyse_row_lengths(m.view());
    Chooser chooser(m.view(), rows, 1);
    for (const KernelEntry* entry : candidates(cpu_request())) {
        const std::vector<Params> grid = chooser.grid_params(*entry, cpu_request());
        EXPECT_TRUE(grid.front().empty()) << entry->id;
        for (auto& params : grid)
            EXPECT_TRUE(chooser.of_grid(*entry, params, cpu_request())) << entry->id;
    }
}

TEST(CpuChoice, IsOfTheMildestBadCase) {
    const CsrMatrix m = make_gallery_matrix("random:seed=412,max_nnz=200000");
    const RowFeatures rows = analyse_row_lengths(m.view());
    const DeviceProfile profile = round_cpu();
    Chooser chooser(m.view(), rows, 1);
    const std::vector<Ranked> ranked = chooser.ranked(cpu_request(&profile), 10);
    ASSERT_EQ(ranked.size(), 10u);
    for (std::size_t i = 1; i < ranked.size(); ++i)
        EXPECT_LE(ranked[i - 1].prediction.bad_us(), ranked[i].prediction.bad_us());
    EXPECT_TRUE(chooser.ranked(cpu_request(), 10).empty()) << "nothing is known of the CPU";
}

TEST(CpuChoice, ALongRowIsCut) {
    std::vector<std::int64_t> lengths(2000, 3);
    lengths[7] = 60000;
    const CsrMatrix m = with_lengths(lengths, 60000);
    const RowFeatures rows = analyse_row_lengths(m.view());
    const DeviceProfile profile = round_cpu();
    Chooser chooser(m.view(), rows, 1);
    const Signature best = chooser.ranked(cpu_request(&profile), 1).at(0).choice.signature;
    EXPECT_THAT((std::vector<std::string>{"csr_balanced", "coo_segmented", "strips_cpu"}),
                testing::Contains(best.kernel));
}

TEST(CpuChoice, TheSameForAnyNumberOfThreadsThatLook) {
    const CsrMatrix m = make_gallery_matrix("random:seed=412,max_nnz=500000");
    const RowFeatures rows = analyse_row_lengths(m.view());
    const DeviceProfile profile = round_cpu();
    EXPECT_EQ(choose_for(m.view(), rows, cpu_request(&profile), 1).signature,
              choose_for(m.view(), rows, cpu_request(&profile), 3).signature);
}

TEST(CpuChoice, WhatIsAskedForIsKept) {
    const CsrMatrix m = make_gallery_matrix("random:seed=412,max_nnz=200000");
    const RowFeatures rows = analyse_row_lengths(m.view());
    const DeviceProfile profile = round_cpu();
    Request request = cpu_request(&profile);
    request.format = "coo";
    EXPECT_EQ(choose_for(m.view(), rows, request).signature.kernel, "coo_segmented");
    request.format = "sell";
    request.params = {{"sigma", 64}};
    EXPECT_EQ(choose_for(m.view(), rows, request).signature.params.at("sigma"), 64);
}

}  // namespace
}  // namespace spmvgen
