// Level model: costs and predictions worked out by hand, and files of models.
#include "tuner/model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "matrix/gallery.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "tuner/row_steps.hpp"

namespace spmvgen {
namespace {

using ::testing::ElementsAre;

double cost(const Costs& costs, std::string_view name) {
    return costs.at(
        static_cast<std::size_t>(std::ranges::find(cost_names, name) - cost_names.begin()));
}

/// 1 GB/s whatever the footprint, 1e8 gathers a second, 2 µs a launch.
DeviceProfile profile(int threads) {
    DeviceProfile p;
    p.device = "Some GPU";
    p.arch = "sm_90";
    p.units = 10;
    p.launch_us = {2, 0};
    p.read = {{threads, 1e6, 1e9, 0}};
    p.gather = {{threads, 1e6, 1e8, 0}};
    p.atomics = {{threads, 1e6, 1e7, 0}};
    return p;
}

Signature signature(const std::string& kernel, const char* target) {
    Signature s;
    s.kernel = kernel;
    s.target = parse_target(target);
    return complete(s);
}

/// 64 rows of 4 entries: a diagonal block of 4×4 for each 4 rows.
Features blocks() {
    return analyse(make_gallery_matrix("fem:nx=16,ny=1,dofs=4,random_values=0").view());
}

Features diagonal() {
    return analyse(make_gallery_matrix("diagonal:n=64").view());
}

TEST(ModelCosts, OfCsrOnAGpu) {
    Signature s = signature("csr_classical", "sm_90");
    s.params["subwarp"] = 1;
    const Costs c = costs_of(diagonal(), s, profile(0), 0).value();
    EXPECT_DOUBLE_EQ(cost(c, "apply"), 2);
    EXPECT_DOUBLE_EQ(cost(c, "launches"), 2);
    // 64·12 bytes of entries, 65·4 of offsets, x and y: 2052 bytes at 1 GB/s.
    EXPECT_DOUBLE_EQ(cost(c, "stream"), (64 * 12 + 65 * 4 + 2 * 64 * 8) * 1e-3);
    // A quarter of a sector of x an entry, of the values a quarter, of the columns an eighth.
    EXPECT_DOUBLE_EQ(cost(c, "near"), 64 * (0.25 + 0.25 + 0.125) / 100);
    EXPECT_DOUBLE_EQ(cost(c, "far"), 64 * 0.25 / 100);
    // Two warps: a step for the entry and one for the row.
    EXPECT_DOUBLE_EQ(cost(c, "steps"), 2 * 2 * 1e-3 / 10);
    EXPECT_DOUBLE_EQ(cost(c, "waits"), 2 * 0.6 / 10 / 64);
    EXPECT_DOUBLE_EQ(cost(c, "atomics"), 0);
}

TEST(ModelCosts, OfCooOnAGpu) {
    const Costs c = costs_of(diagonal(), signature("coo", "sm_90"), profile(0), 0).value();
    EXPECT_DOUBLE_EQ(cost(c, "launches"), 4) << "y is set to 0 first";
    EXPECT_DOUBLE_EQ(cost(c, "stream"), (64 * 16 + 3 * 64 * 8) * 1e-3) << "y twice";
    // An addition a row, and one more for each chunk of 32·4 entries, at 10 a microsecond.
    EXPECT_DOUBLE_EQ(cost(c, "atomics"), (64 + 0.5) / 10);
}

TEST(ModelCosts, OfCsrOnACpu) {
    const Costs c = costs_of(diagonal(), signature("csr_rows", "x86-64-v4"), profile(2), 2).value();
    EXPECT_DOUBLE_EQ(cost(c, "stream"), (64 * 12 + 65 * 4 + 2 * 64 * 8) * 1e-3);
    EXPECT_DOUBLE_EQ(cost(c, "launches"), 2);
    EXPECT_DOUBLE_EQ(cost(c, "steps"), 64 * 1e-3 / 2);
    EXPECT_DOUBLE_EQ(cost(c, "rows"), 64 * 1e-3 / 2);
    EXPECT_DOUBLE_EQ(cost(c, "depth"), 0) << "no row is more than a thread's share";
}

TEST(ModelCosts, EveryPlainProductHasThem) {
    for (auto& entry : kernel_registry()) {
        if (!is_plain_product(entry) || entry.id == "gather_rows" || entry.id == "scatter_rows")
            continue;  // permutations
        // What the columns decide, features do not tell.
        if (std::ranges::any_of(entry.params, &Parameter::of_matrix)) continue;
        const auto s = signature(std::string(entry.id), entry.gpu ? "sm_90" : "x86-64-v4");
        const auto costs = costs_of(blocks(), s, profile(entry.gpu ? 0 : 2), entry.gpu ? 0 : 2);
        ASSERT_TRUE(costs.has_value()) << entry.id;
        for (std::size_t i = 0; i < costs->size(); ++i) {
            EXPECT_GE((*costs)[i], 0) << entry.id << ", " << cost_names[i];
            EXPECT_TRUE(std::isfinite((*costs)[i])) << entry.id << ", " << cost_names[i];
        }
        EXPECT_GT(cost(*costs, "stream"), 0) << entry.id;
    }
}

TEST(RowSteps, OfAHistogram) {
    RowFeatures f;
    f.rows = 10;
    f.min_row = 0;
    f.max_row = 3;
    f.row_histogram[0] = 2;  // empty
    f.row_histogram[2] = 8;  // of 2 and 3 entries, as many each
    EXPECT_DOUBLE_EQ(mean_steps(f, 1), 8 * 2.5 / 10);
    EXPECT_DOUBLE_EQ(mean_steps(f, 2), 8 * 1.5 / 10);
    EXPECT_DOUBLE_EQ(row_tails(f, 2).entries, 4);
    EXPECT_DOUBLE_EQ(row_tails(f, 2).rows, 4);
    EXPECT_DOUBLE_EQ(row_tails(f, 3).entries, 0);
    EXPECT_DOUBLE_EQ(row_quantile(f, 0.1), 0);
    EXPECT_DOUBLE_EQ(row_quantile(f, 0.2), 3);
}

DeviceModel sample_model() {
    KernelModel csr{"csr_classical", {}, {}, 0.125, 42};
    csr.coefficients[0] = 0.5;  // apply
    csr.coefficients[2] = 3;    // stream
    csr.coefficients[4] = 25;   // far
    csr.factors = {{"unroll", "4", {0.5, -0.25, 1}}, {"value", "f32", {-1, -1, -1}}};
    return {"Some GPU", "sm_90", "2026-11-21", "by hand", 2, {csr}};
}

TEST(Model, AddsWhatFollowsAndOverlapsTheRest) {
    const std::vector<DeviceModel> models{sample_model()};
    const Signature s = signature("csr_classical", "sm_90");
    const auto p = predict(models, diagonal(), s, profile(0), 0);
    ASSERT_TRUE(p.has_value());
    // stream 2.052 · 3, far 0.16 · 25; (2.052 + 0.16) / 2 launches: the first class of sizes.
    const double overlapped = std::sqrt(6.156 * 6.156 + 4.0 * 4.0);
    EXPECT_NEAR(p->us, (1 + overlapped) * std::exp(0.5), 1e-9);
    EXPECT_EQ(p->error, 0.125);
    EXPECT_EQ(predict(models, diagonal(), signature("coo", "sm_90"), profile(0), 0), std::nullopt);
}

TEST(Model, IsLessSureElsewhere) {
    const std::vector<DeviceModel> models{sample_model()};
    const auto error = [&](const char* device, const char* arch) {
        DeviceProfile p = profile(0);
        p.device = device;
        p.arch = arch;
        return predict(models, diagonal(), signature("csr_classical", arch), p, 0)->error;
    };
    EXPECT_DOUBLE_EQ(error("Some GPU", "sm_90"), 0.125);
    EXPECT_DOUBLE_EQ(error("another", "sm_90"), 0.225);
    EXPECT_DOUBLE_EQ(error("A100", "sm_80"), 0.325);
    EXPECT_DOUBLE_EQ(error("MI50", "gfx906"), 0.525);
    DeviceProfile cpu = profile(2);
    cpu.arch = "x86-64-v4";
    EXPECT_EQ(predict(models, diagonal(), signature("csr_rows", "x86-64-v4"), cpu, 2),
              std::nullopt);
}

TEST(Model, SurvivesItsText) {
    EXPECT_EQ(parse_device_model(to_json(sample_model())), sample_model());
}

TEST(Model, SaysWhatIsWrongWithAText) {
    const auto refusal = [](const std::string& from, const std::string& to) -> std::string {
        std::string text = to_json(sample_model());
        const auto at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        try {
            parse_device_model(text.replace(at, from.size(), to));
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::invalid_input);
            return error.what();
        }
        return "accepted";
    };
    EXPECT_EQ(refusal("kernel-model", "device-profile"), "it is no kernel-model");
    EXPECT_EQ(refusal("\"schema\": 1", "\"schema\": 2"),
              "its schema is 2, but this version reads 1");
    EXPECT_EQ(refusal("\"arch\"", "\"march\""), "field 'arch' is missing or of another type");
    EXPECT_EQ(refusal("\"exponent\": 2.0", "\"exponent\": 0.5"),
              "field 'exponent' is not within 1 … 8");
    EXPECT_EQ(refusal("\"stream\"", "\"streams\""), "there is no cost 'streams'");
    EXPECT_EQ(refusal(":3.0", ":-3.0"), "the coefficient of 'stream' is not within 0 … 1000000");
    EXPECT_EQ(refusal("[0.5,", "["), "the factor of 'unroll' = 4 is no list of 3 numbers");
    EXPECT_EQ(refusal("[0.5,", "[99,"), "the factor of 'unroll' = 4 is not within -10 … 10");
    EXPECT_EQ(refusal("\"samples\": 42", "\"samples\": -1"),
              "field 'samples' is no number of samples");
}

TEST(Model, WhatIsShippedIsSoundAndKnowsItsError) {
    std::vector<std::string> warnings;
    const auto files = tuning_files("model-");
    const auto models = read_device_models(files, warnings);
    EXPECT_THAT(warnings, ::testing::IsEmpty());
    ASSERT_GE(models.size(), 2u);
    for (auto& model : models)
        for (auto& kernel : model.kernels) {
            EXPECT_NO_THROW(kernel_entry(kernel.kernel));
            EXPECT_GT(kernel.error, 0) << kernel.kernel;
            EXPECT_LT(kernel.error, 0.5) << kernel.kernel;
        }
    const auto p = predict(blocks(), signature("csr_classical", "sm_90"),
                           *find_device_profile("NVIDIA H200"), 0);
    ASSERT_TRUE(p.has_value());
    EXPECT_GT(p->us, 0);
}

}  // namespace
}  // namespace spmvgen
