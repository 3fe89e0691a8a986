// What comes from memory on CPUs: which kernels prefetch it, and what it takes where they do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "chosen.hpp"
#include "matrix/suites/gallery.hpp"
#include "tuner/cost/predict.hpp"
#include "tuner/records/signature_name.hpp"

namespace spmvgen {
namespace {

/// `rows` rows of `length` entries each, anywhere in `cols` columns.
CsrMatrix anywhere(std::int64_t rows, std::int64_t cols, std::int64_t length) {
    return make_gallery_matrix("random:rows=" + std::to_string(rows) + ",cols=" +
                               std::to_string(cols) + ",per_row=" + std::to_string(length));
}

/// Of one thread that reads 10 gigabytes a second and gathers 10^8 elements.
DeviceProfile even_cpu() {
    DeviceProfile profile;
    profile.device = "even";
    profile.launch_us.value = 1;
    profile.read.push_back({.threads = 1, .bytes = 1e6, .per_s = 1e10});
    profile.gather.push_back({.threads = 1, .bytes = 1e6, .per_s = 1e8});
    return profile;
}

/// What the cost of that name takes, in µs, of a kernel for one thread.
double cost_of(const CsrMatrix& m, const std::string& cost, const std::string& kernel) {
    const RowFeatures rows = analyse_row_lengths(m.view());
    MatrixFigures figures(m.view(), rows, 1);
    const Signature s = *parse_kernel_name(kernel + "_unroll1", parse_target("x86-64-v4"));
    const auto costs = costs_of_cpu(figures, s, even_cpu(), 1);
    const auto& names = cpu_scheme.costs;
    const auto at = std::ranges::find(names, cost) - names.begin();
    return costs.at(static_cast<std::size_t>(at));
}

constexpr const char* plain = "csr_vector_f64_i32_o32_a1_b0_k1_lanes8_prefetch0";
constexpr const char* ahead = "csr_vector_f64_i32_o32_a1_b0_k1_lanes8_prefetch4096";

TEST(CpuPrefetch, WhatIsNotPrefetchedTakesLongerFromMemory) {
    const CsrMatrix large = anywhere(1000, 2000, 800), small = anywhere(1000, 2000, 400);
    EXPECT_NEAR(cost_of(large, "stream", plain), 1.3 * cost_of(large, "stream", ahead), 1e-6);
    EXPECT_EQ(cost_of(small, "stream", plain), cost_of(small, "stream", ahead)) << "4.8 MB";
}

TEST(CpuPrefetch, RowsThatEndAmongLoadsFromMemoryHoldThemUp) {
    const CsrMatrix m = anywhere(20'000, 1'000'000, 10);
    const double rows = cost_of(m, "far", plain);
    const double slices = cost_of(m, "far", "sell_f64_i32_o32_a1_b0_k1_lanes8_prefetch0_sigma1");
    EXPECT_GT(slices, 0);
    // Of ten entries a row one end, of eighty a slice two; each as much as eight loads.
    EXPECT_NEAR(rows / slices, (1 + 8 / 10.0) / (1 + 8 * 2 / 80.0), 1e-6);
}

TEST(CpuPrefetch, KernelsPrefetchWhatAThreadHasOfMemory) {
    const CsrMatrix large = anywhere(1000, 2000, 800);
    for (const char* kernel : {"csr_vector", "csr_balanced", "sell", "strips_cpu"}) {
        Request request = request_for("x86-64-v3");
        request.kernel = kernel;
        request.threads = 1;
        EXPECT_EQ(chosen(large, request).param("prefetch"), 4096) << kernel;
        request.threads = 2;
        EXPECT_EQ(chosen(large, request).param("prefetch"), 0) << kernel << ", 4.8 MB each";
    }
    Request several = request_for("x86-64-v3");
    several.threads = 1;
    several.kernel = "csr_vector";
    several.num_rhs = 4;
    EXPECT_EQ(chosen(large, several).param("prefetch"), 0) << "rows of X take longer";
    several.kernel = "strips_cpu";
    EXPECT_EQ(chosen(large, several).param("prefetch"), 4096) << "which does so with any number";
}

TEST(KernelName, HasThePresetOfAParameterThatItLacks) {
    const auto s = parse_kernel_name("csr_vector_f64_i32_o32_a1_b0_k1_lanes4_unroll2",
                                     parse_target("x86-64-v3"));
    ASSERT_TRUE(s.has_value());
    EXPECT_EQ(kernel_name(*s), "csr_vector_f64_i32_o32_a1_b0_k1_lanes4_prefetch0_unroll2");
}

}  // namespace
}  // namespace spmvgen
