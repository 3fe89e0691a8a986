// The choice on GPUs by counted work: counts worked out by hand, constants, and what comes of them.
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
#include "tuner/cost/gpu_costs.hpp"
#include "tuner/cost/predict.hpp"
#include "tuner/plan/kernel_plan.hpp"
#include "tuner/records/signature_name.hpp"
#include "tuner/rules/candidates.hpp"

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

TEST(GpuCosts, OfFewBlocksWhatIsDoneBeforeTheWaitIsHidden) {
    const auto depth = [](const char* matrix, const char* target) {
        const CsrMatrix m = make_gallery_matrix(matrix);
        const RowFeatures rows = analyse_row_lengths(m.view());
        MatrixFigures figures(m.view(), rows);
        Signature s = signature("csr_classical_f64_i32_o32_a1_b0_k1_block256_subwarp1_unroll4");
        s.target = parse_target(target);
        const auto w = gpu_work(figures, s, 132);
        EXPECT_EQ(w->ahead, 1.7 + 2) << "the start, where a row is, and its columns";
        return gpu_costs(*w, rows, s, round_profile())[1] / 0.6;
    };
    EXPECT_NEAR(depth("stencil5:nx=64,ny=256", "sm_90"), 4 - 3.7, 1e-9) << "64 blocks";
    EXPECT_NEAR(depth("stencil5:nx=64,ny=257", "sm_90"), 4, 1e-9);
    EXPECT_NEAR(depth("stencil5:nx=64,ny=256", "sm_80"), 4, 1e-9) << "no launch overlaps";
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
                          signature("csr_classical_f64_i32_o32_a1_b0_k2_block256_subwarp1_"
                                    "unroll8"),
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

TEST(GpuChoice, FewRowsOfManyEntriesAreNoStrips) {
    const CsrMatrix m = make_gallery_matrix("random:seed=8");
    ASSERT_EQ(choice_on_h200(m, false).signature.kernel, "strips")
        << "what the rules say, and takes twelve times as long";
    const Choice choice = choice_on_h200(m, true);
    EXPECT_EQ(choice.signature.kernel, "csr_by_length");
    EXPECT_THAT(choice.reason, testing::StartsWith("predicted "));
    EXPECT_THAT(choice.reason, HasSubstr(" %, the rules' strips_f64"));
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
        return CountedChoice(m.view(), rows, profile, 0, constants, chooser)
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

TEST(GpuChoice, FewLongRowsDoNotRuleStripsOut) {
    const CsrMatrix m = make_gallery_matrix("random:seed=1007181");
    ASSERT_GT(analyse_row_lengths(m.view()).max_row, 10'000);
    const Signature chosen = choice_on_h200(m, true).signature;
    ASSERT_EQ(chosen.kernel, "strips");
    EXPECT_EQ(chosen.params.at("long_rows"), 1);
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
    const CsrMatrix m = make_gallery_matrix("stencil5:nx=18,ny=18");
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

}  // namespace
}  // namespace spmvgen
