// The choice on GPUs by counted work: counts worked out by hand, and constants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "errors.hpp"
#include "fitted_numbers.hpp"
#include "h200_choice.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/suites/gallery.hpp"
#include "registry.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/chooser/counted_choice.hpp"
#include "tuner/cost/figures/length_histogram.hpp"
#include "tuner/cost/figures/sampled_hubs.hpp"
#include "tuner/cost/predict.hpp"
#include "tuner/cost/work/gpu_problem.hpp"
#include "tuner/plan/kernel_plan.hpp"
#include "tuner/records/signature_name.hpp"
#include "tuner/rules/choose.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

/// Round numbers: a terabyte a second, 10^12 sectors of a near cache and 10^11 of a far one.
DeviceProfile round_profile() {
    DeviceProfile profile;
    profile.device = "round";
    profile.units = 100;
    profile.launch_us.value = 1;
    profile.read = {{.bytes = 1e6, .per_s = 1e12}};
    profile.gather = {{.bytes = 65536, .per_s = 1e12}, {.bytes = 1e7, .per_s = 1e11}};
    profile.atomics = {{.bytes = 1e6, .per_s = 1e9}};
    return profile;
}

TEST(GpuCosts, SizesOfCachesAreTheDevices) {
    DeviceProfile profile = round_profile();
    profile.read = {{.bytes = 1e6, .per_s = 1e12},
                    {.bytes = 8e6, .per_s = 4e12},
                    {.bytes = 16e6, .per_s = 3.99e12},
                    {.bytes = 64e6, .per_s = 1e12}};
    profile.gather = {{.bytes = 65536, .per_s = 1e12},
                      {.bytes = 1e6, .per_s = 2e11},
                      {.bytes = 4e6, .per_s = 1e11}};
    const RowFeatures few_columns{.rows = 1000, .cols = 1000, .nnz = 1000};
    const Signature s = signature("csr_classical_f64_i32_o32_a1_b0_k1_block256_subwarp4_unroll1");
    const auto costs = [&](double bytes) {
        GpuWork work;
        work.bytes = bytes;
        work.far = 1000;
        work.blocks = 1000;
        return gpu_costs(work, few_columns, s, profile);
    };
    const auto cost = [](const GpuCosts& all, std::string_view name) {
        return all[static_cast<std::size_t>(std::ranges::find(gpu_cost_names, name) -
                                            gpu_cost_names.begin())];
    };
    EXPECT_DOUBLE_EQ(cost(costs(1e6), "stream"), 0.25) << "the cache's rate, not few threads'";
    EXPECT_DOUBLE_EQ(cost(costs(16e6), "stream"), 4) << "as far as the cache reaches";
    EXPECT_DOUBLE_EQ(cost(costs(64e6), "stream"), 64);
    // 250 of the 1000 requests are the first of their sector, and counted with the bytes.
    EXPECT_DOUBLE_EQ(cost(costs(1e6), "far"), 7.5e-3);
    profile.rated.l2_bytes = 64e6;
    EXPECT_DOUBLE_EQ(cost(costs(1e6), "far"), 7.5e-3);
    profile.rated.l2_bytes = 8e6;
    EXPECT_DOUBLE_EQ(cost(costs(1e6), "far"), 3.75e-3) << "4 MB are no part of a small cache";
    EXPECT_DOUBLE_EQ(cost(costs(16e6), "far"), 7.5e-3)
        << "4 MB of A come between two requests of a sector";
}

TEST(GpuCosts, XThatACacheDoesNotHoldIsRequestedAgainUnlessRowsWalkOverItInStep) {
    const Signature s = signature("csr_classical_f64_i32_o32_a1_b0_k1_block256_subwarp4_unroll1");
    const std::size_t far = 5;
    ASSERT_EQ(gpu_cost_names[far], "far");
    const auto cost = [&](std::int64_t cols, bool in_step, double deviation = 0) {
        GpuWork work;
        work.far = 1e8;
        work.in_step = in_step;
        const double mean = 1e5;
        const RowFeatures f{.rows = 1000,
                            .cols = cols,
                            .nnz = 100'000'000,
                            .mean_row = mean,
                            .variance_row = deviation * deviation * mean * mean};
        return gpu_costs(work, f, s, round_profile())[far];
    };
    constexpr std::int64_t kept = 8192, sixteen_times = 16 * kept;  // columns of 8 bytes
    EXPECT_DOUBLE_EQ(cost(kept, false), cost(kept, true));
    EXPECT_GT(cost(sixteen_times, false), 20 * cost(sixteen_times, true))
        << "15 of 16 requests beside one of each sector for each multiprocessor";
    EXPECT_DOUBLE_EQ(cost(sixteen_times, false), cost(sixteen_times, true, 1))
        << "rows of such different lengths are not in step";
    EXPECT_GT(cost(sixteen_times, true, 0.2), 5 * cost(sixteen_times, true));
}

TEST(GpuWork, OfCsrByHand) {
    const CsrMatrix m = make_gallery_matrix("stencil5:nx=64,ny=100");
    const RowFeatures rows = analyse_row_lengths(m.view());
    MatrixFigures figures(m.view(), rows);
    const auto w = gpu_work(
        figures, signature("csr_classical_f64_i32_o32_a1_b0_k1_block256_subwarp1_unroll8"), 132);
    ASSERT_TRUE(w);
    const auto n = static_cast<double>(m.rows), nnz = static_cast<double>(m.nnz);
    EXPECT_EQ(w->launches, 1);
    EXPECT_EQ(w->bytes, nnz * 12 + n * 4 + 16 * n) << "values, columns, offsets, x and y";
    EXPECT_EQ(w->warps, n / 32);
    EXPECT_EQ(w->blocks, n / 256);
    EXPECT_EQ(w->rows, n);
    EXPECT_EQ(w->atomics, 0);
    EXPECT_EQ(w->depth, 3) << "a row of five is one round of eight, and two loads come before it";
    EXPECT_GT(w->far, 0);
    EXPECT_LT(w->far, w->near);
}

TEST(GpuWork, PartsOfALongRowOfTilesMeetInATree) {
    // One row has as many entries as 32 tiles, which are 32 runs or eight.
    const auto depth = [](std::int64_t longest, const char* run) {
        const CsrMatrix m = make_gallery_matrix(
            "random:rows=64,cols=40000,per_row=256,long_rows=1,longest=" + std::to_string(longest));
        const RowFeatures rows = analyse_row_lengths(m.view());
        MatrixFigures figures(m.view(), rows);
        const auto s =
            signature(std::string("tiles_f64_i32_o32_a1_b0_k1_block128_gaps0_items8_run") + run +
                      "_staged64_value_code0");
        return gpu_work(figures, s, 132)->depth;
    };
    EXPECT_DOUBLE_EQ(depth(32 * 256, "1") - depth(256, "1"), 5);
    EXPECT_DOUBLE_EQ(depth(32 * 256, "4") - depth(256, "4"), 3);
}

TEST(GpuCosts, OfFewBlocksWhatIsDoneBeforeTheWaitIsHidden) {
    constexpr double ahead = gpu::start_waits + gpu::begin_waits;
    const auto depth = [&](const char* matrix, const char* target) {
        const CsrMatrix m = make_gallery_matrix(matrix);
        const RowFeatures rows = analyse_row_lengths(m.view());
        MatrixFigures figures(m.view(), rows);
        Signature s = signature("csr_classical_f64_i32_o32_a1_b0_k1_block256_subwarp1_unroll4");
        s.target = parse_target(target);
        DeviceProfile profile = round_profile();
        profile.units = 128;
        const auto w = gpu_work(figures, s, profile.units);
        EXPECT_EQ(w->ahead, ahead) << "the start, where a row is, and its columns";
        return gpu_costs(*w, rows, s, profile)[1] / 0.6;
    };
    EXPECT_NEAR(depth("stencil5:nx=16,ny=16", "sm_90"), 4 - ahead, 1e-9) << "one block";
    EXPECT_NEAR(depth("stencil5:nx=64,ny=256", "sm_90"), 4 - (1 - 6 * 0.038) * ahead, 1e-9)
        << "64 blocks, half as many as multiprocessors";
    EXPECT_NEAR(depth("stencil5:nx=64,ny=257", "sm_90"), 4, 1e-9);
    EXPECT_NEAR(depth("stencil5:nx=64,ny=256", "sm_80"), 4, 1e-9) << "no launch overlaps";
}

TEST(GpuCosts, FewBlocksHaveAShareOfTheDevice) {
    const RowFeatures rows{.rows = 1000, .cols = 1000, .nnz = 1000};
    const Signature s = signature("csr_classical_f64_i32_o32_a1_b0_k1_block256_subwarp4_unroll1");
    const auto costs = [&](double blocks) {
        GpuWork work;
        work.near = work.steps = work.rows = 1e4;
        work.blocks = blocks;
        return gpu_costs(work, rows, s, round_profile());
    };
    const double units = units_of(round_profile());
    const GpuCosts one = costs(1), half = costs(units / 2), all = costs(units), more = costs(1e4);
    for (const std::size_t i : {4, 6, 8}) {  // near, steps, rows
        EXPECT_GT(one[i], 20 * all[i]) << gpu_cost_names[i];
        EXPECT_LT(one[i], units * all[i]) << "alone, it has more than its share";
        EXPECT_GT(half[i], all[i]);
        EXPECT_DOUBLE_EQ(all[i], more[i]);
    }
}

TEST(GpuCosts, TheBusiestOfFewBlocksIsWaitedFor) {
    CsrMatrix m = make_gallery_matrix("stencil5:nx=64,ny=64");
    auto offset = m.row_ptr.as<std::int32_t>();
    const RowFeatures rows = analyse_row_lengths(m.view());
    MatrixFigures figures(m.view(), rows);
    // 64 rows of a line of the grid, of which the ends have four entries, and in lines that are
    // inside five.
    const double most = 64 + (offset[128] - offset[64]);
    EXPECT_DOUBLE_EQ(figures.busiest_rows(64, 1), most / (static_cast<double>(m.nnz) / 64 + 64));
    EXPECT_EQ(figures.busiest_rows(m.rows, 1), 1);
    EXPECT_GT(figures.busiest_rows(64, 4096), figures.busiest_rows(64, 1))
        << "sorted, the last rows are the short ones of all";
    const auto work = [&](const char* kernel) { return *gpu_work(figures, signature(kernel), 40); };
    EXPECT_EQ(work("csr_classical_f64_i32_o32_a1_b0_k1_block128_subwarp1_unroll4").busiest,
              figures.busiest_rows(128, 1));
    EXPECT_EQ(work("csr_classical_f64_i32_o32_a1_b0_k1_block64_subwarp1_unroll4").busiest, 1)
        << "64 blocks for 40 multiprocessors: most have several";
    GpuWork even;
    even.near = 1e4;
    even.blocks = round_profile().units;
    GpuWork uneven = even;
    uneven.busiest = 2;
    GpuWork half = even;
    half.blocks = even.blocks / 2;
    const Signature s = signature("csr_classical_f64_i32_o32_a1_b0_k1_block256_subwarp4_unroll1");
    const auto near = [&](const GpuWork& w) { return gpu_costs(w, rows, s, round_profile())[4]; };
    EXPECT_GT(near(uneven), near(even));
    EXPECT_DOUBLE_EQ(near(uneven), near(half)) << "as long as half of the blocks with all of it";
}

TEST(GpuCosts, WarpsThatHaveNoneToFollowWaitForTheirOwnLoadsOnly) {
    const RowFeatures rows{.rows = 1000, .cols = 1000, .nnz = 1000};
    const Signature s = signature("csr_classical_f64_i32_o32_a1_b0_k1_block256_subwarp4_unroll1");
    const auto waits = [&](double warps) {
        GpuWork work;
        work.warps = warps;
        work.waits = 3 * warps;
        work.blocks = warps / 8;
        return gpu_costs(work, rows, s, round_profile())[7] / 0.6;
    };
    ASSERT_EQ(gpu_cost_names[7], "waits");
    const double resident = GpuWork().resident * units_of(round_profile());
    EXPECT_NEAR(waits(resident), 0, 1e-9);
    EXPECT_NEAR(waits(3 * resident), 2 * 3, 1e-9);
}

// Three elements a row: bytes, and where rows end in no order half a sector each.
TEST(GpuCosts, OfAnEpilogueItsVectors) {
    const CsrMatrix m = make_gallery_matrix("stencil5:nx=100,ny=100");
    const RowFeatures rows = analyse_row_lengths(m.view());
    MatrixFigures figures(m.view(), rows);
    const DeviceProfile profile = round_profile();
    const auto added = [&](const std::string& kernel, std::string_view cost) {
        Signature s = signature(kernel);
        const auto place = std::ranges::find(gpu_cost_names, cost) - gpu_cost_names.begin();
        const auto of = [&] {
            return costs_of_gpu(figures, s, profile)[static_cast<std::size_t>(place)];
        };
        const double without = of();
        s.epilogue = "w[row] = w[row] + p[row] * value; value";
        return of() - without;
    };
    const std::string slices = "sell_slices_f64_i32_o32_a1_b0_k1_block256_sigma",
                      rest = "_slice32_threads_per_row1_unroll4";
    const std::string plain = "csr_classical_f64_i32_o32_a1_b0_k1_block256_subwarp1_unroll4";
    for (const std::string& kernel : {plain, slices + "1" + rest, slices + "256" + rest})
        EXPECT_NEAR(added(kernel, "stream"), 0.24, 1e-9) << kernel;
    const double sectors_us = 1e6 * 15'000 / profile.gather_rate(4e6, 0);
    EXPECT_NEAR(added(slices + "256" + rest, "far"), sectors_us, 1e-6);
    for (const std::string& kernel : {plain, slices + "1" + rest})
        EXPECT_NEAR(added(kernel, "far"), 0, 1e-6) << kernel;
}

TEST(GpuWork, EveryKernelThatRulesLeadToHasOne) {
    const RuleSet rules = gpu_rules();
    std::set<std::string> led_to;
    for (const auto& list : {rules.by_matrix, rules.rules})
        for (auto& rule : list) {
            led_to.insert(rule.kernels.begin(), rule.kernels.end());
            if (rule.always) break;  // what follows is for formats that were asked for
        }
    led_to.erase("");
    EXPECT_TRUE(led_to.contains("ell_groups"));
    for (auto& kernel : led_to) {
        EXPECT_NE(plan_of(kernel).gpu_work, nullptr) << kernel;
        EXPECT_TRUE(gpu_constants()->kernels.contains(kernel)) << kernel;
    }
}

TEST(GpuWork, EveryKernelOfASingleProductHasOneOrNone) {
    const CsrMatrix m = make_gallery_matrix("stencil5:nx=64,ny=100");
    const RowFeatures rows = analyse_row_lengths(m.view());
    MatrixFigures figures(m.view(), rows);
    const Request request{.target = parse_target("sm_90"), .units = 132};
    Chooser chooser(m.view(), rows);
    std::size_t counted = 0;
    for (const KernelEntry* entry : candidates(request)) {
        const auto choice = chooser.of_grid(*entry, {}, request);
        ASSERT_TRUE(choice) << entry->id;
        const auto work = gpu_work(figures, choice->signature, 132);
        if (!work) continue;
        ++counted;
        EXPECT_GE(work->bytes, static_cast<double>(m.nnz)) << entry->id;
        for (const double n : {work->near, work->far, work->steps, work->waits, work->depth,
                               work->warps, work->blocks})
            EXPECT_TRUE(n > 0 && std::isfinite(n)) << entry->id;
    }
    EXPECT_EQ(counted, gpu_constants()->kernels.size()) << "those that a choice weighs";
    EXPECT_FALSE(gpu_work(figures,
                          signature("sell_slices_f64_i32_o32_a1_b0_k2_block256_sigma1_slice32_"
                                    "threads_per_row1_unroll8"),
                          132))
        << "several vectors";
}

TEST(GpuTime, ConstantsWeighTheCosts) {
    const CsrMatrix m = make_gallery_matrix("stencil5:nx=64,ny=100");
    const RowFeatures rows = analyse_row_lengths(m.view());
    MatrixFigures figures(m.view(), rows);
    const Signature s = signature("csr_classical_f64_i32_o32_a1_b0_k1_block256_subwarp1_unroll8");
    CostConstants constants(gpu_scheme);
    constants.kernels["csr_classical"] = {.start_us = 2, .factor = 3, .error = 0.1};
    EXPECT_EQ(predict_gpu(figures, s, round_profile(), constants)->us, 2) << "an empty product";
    constants.coefficients[2] = 0.5;  // stream
    const double bytes = gpu_work(figures, s, 132)->bytes;
    const auto predicted = predict_gpu(figures, s, round_profile(), constants);
    EXPECT_NEAR(predicted->us, 2 + 3 * 0.5 * bytes / 1e6, 1e-9);
    EXPECT_EQ(predicted->error, 0.1);
    EXPECT_FALSE(predict_gpu(figures,
                             signature("coo_f64_i32_o32_a1_b0_k1_block256_deterministic0_entries4_"
                                       "omega8"),
                             round_profile(), constants))
        << "no constants of that kernel";
}

CostConstants some_constants() {
    CostConstants constants(gpu_scheme);
    constants.exponent = 1.5;
    constants.margin = 0.3;
    constants.own_margin = 0.1;
    for (std::size_t i = 0; i < constants.coefficients.size(); ++i)
        constants.coefficients[i] = static_cast<double>(i);
    constants.kernels["coo"] = {1, 2, 0.25};
    constants.kernels["csr_classical"] = {1, 1, 0.25};
    return constants;
}

TEST(GpuTime, OfTwoAlikeTheBetterKnownHasTheMilderBadCase) {
    const Prediction known{.us = 10, .error = 0.1}, vague{.us = 9.9, .error = 0.3};
    EXPECT_LT(known.bad_us(), vague.bad_us());
    EXPECT_NEAR(known.bad_us(), 10 * std::exp(0.05), 1e-12) << "half of what it errs";
}

TEST(GpuTime, JsonAndBack) {
    EXPECT_EQ(parse_cost_constants(to_json(some_constants(), gpu_scheme), gpu_scheme),
              some_constants());
}

TEST(GpuTime, WhatIsWrongIsSaid) {
    const auto refusal = [](const std::string& from, const std::string& to) {
        std::string text = to_json(some_constants(), gpu_scheme);
        std::erase_if(text, [](char c) { return c == '\n' || c == ' '; });
        const auto at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from << " in " << text;
        text.replace(at, from.size(), to);
        return code_and_text([&] { parse_cost_constants(text, gpu_scheme); });
    };
    EXPECT_EQ(refusal("gpu-costs", "cpu-costs"), "invalid_input: it is no gpu-costs");
    EXPECT_EQ(refusal("\"schema\":3", "\"schema\":9"),
              "invalid_input: its schema is not 3, which this version reads");
    EXPECT_EQ(refusal("\"near\"", "\"nearer\""), "invalid_input: field 'near' is missing");
    EXPECT_EQ(refusal("\"exponent\":1.5", "\"exponent\":0.5"),
              "invalid_input: field 'exponent' is 0.5: it must be within 1 and 8");
    EXPECT_EQ(refusal("\"start_us\":1.0", "\"start_us\":\"1\""),
              "invalid_input: field 'start_us' is no number");
    EXPECT_EQ(refusal("{", "{{"), "invalid_input: it is not JSON");
    EXPECT_EQ(refusal("\"error\":0.25", "\"errors\":0.25"),
              "invalid_input: field 'error' is missing");
    EXPECT_EQ(refusal("{\"start_us\":1.0", "1,\"were\":{\"start_us\":1.0"),
              "invalid_input: field 'start_us' is missing");
}

TEST(GpuTime, WhatIsLeftOutOfAKernelIsAsTheProfileSays) {
    std::string text = to_json(some_constants(), gpu_scheme);
    const CostConstants::Kernel plain{.start_us = 0, .factor = 1, .error = 0.25};
    for (const std::string field : {"\"start_us\": 1.0,", "\"factor\": 2.0,"})
        text.erase(text.find(field), field.size());
    EXPECT_EQ(parse_cost_constants(text, gpu_scheme).kernels.at("coo"), plain);
}

TEST(ShippedGpuCosts, AreFewAndOfKernelsThatThereAre) {
    const CostConstants* constants = gpu_constants();
    ASSERT_NE(constants, nullptr);
    EXPECT_LE(fitted_numbers(*constants), 8u) << "docs/explanation/choice.md has them";
    for (auto& [name, kernel] : constants->kernels) {
        EXPECT_TRUE(kernel_entry(name).gpu) << name;
        EXPECT_GT(kernel.error, 0) << name;
    }
}

}  // namespace
}  // namespace spmvgen
