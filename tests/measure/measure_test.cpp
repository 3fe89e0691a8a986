#include <gtest/gtest.h>
#include <omp.h>

#include <chrono>
#include <complex>
#include <thread>
#include <vector>

#include "measure/bandwidth.hpp"
#include "measure/random_vector.hpp"
#include "measure/timing.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

TEST(Summarise, OddNumberOfSamples) {
    const Timing t = summarise({5, 1, 4, 2, 3}, 7);
    EXPECT_EQ(t.median_s, 3);
    EXPECT_EQ(t.min_s, 1);
    EXPECT_EQ(t.max_s, 5);
    EXPECT_DOUBLE_EQ(t.spread, (4.0 - 2.0) / 3.0);
    EXPECT_EQ(t.samples, 5);
    EXPECT_EQ(t.calls_per_sample, 7);
}

TEST(Summarise, EvenNumberTakesTheMiddle) {
    const Timing t = summarise({1, 2, 3, 10}, 1);
    EXPECT_DOUBLE_EQ(t.median_s, 2.5);
    EXPECT_DOUBLE_EQ(t.spread, (4.75 - 1.75) / 2.5);
}

TEST(Summarise, OneSampleHasNoSpread) {
    EXPECT_EQ(summarise({2}, 1).spread, 0);
}

TEST(Summarise, NoSampleIsAnError) {
    try {
        summarise({}, 1);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
        EXPECT_STREQ(error.what(), "no samples: a timing needs at least one");
    }
}

TEST(TimeApply, TakesAsManySamplesAsAsked) {
    std::int64_t calls = 0;
    const Timing t = time_apply(
        [&] { ++calls; }, {.warm_up_s = 0, .sample_s = 1e-5, .min_samples = 7, .max_samples = 7});
    EXPECT_EQ(t.samples, 7);
    EXPECT_GE(calls, 7 * t.calls_per_sample);
    EXPECT_GT(t.calls_per_sample, 1);
}

TEST(TimeApply, ALongCallIsASampleOfItsOwn) {
    const Timing t = time_apply([] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); },
                                {.warm_up_s = 0, .budget_s = 0, .min_samples = 2});
    EXPECT_EQ(t.calls_per_sample, 1);
    EXPECT_EQ(t.samples, 2);
    EXPECT_GE(t.min_s, 2e-3);
    EXPECT_LE(t.min_s, t.median_s);
    EXPECT_LE(t.median_s, t.max_s);
}

TEST(TimeApply, WhatTakesTooLongIsTimedOnce) {
    const Timing t =
        time_apply([] {}, {.warm_up_s = 0, .sample_s = 0, .min_samples = 7, .most_s = 0});
    EXPECT_EQ(t.samples, 1);
}

TEST(TimeApply, LetsErrorsThrough) {
    EXPECT_THROW(time_apply([] { throw Error(ErrorCode::io, "x"); }), Error);
}

std::vector<double> random_doubles(std::int64_t count, std::uint64_t seed, int threads) {
    const int before = omp_get_max_threads();
    omp_set_num_threads(threads);
    std::vector<double> v(static_cast<std::size_t>(count));
    fill_random(ValueType::f64, v.data(), count, seed);
    omp_set_num_threads(before);
    return v;
}

TEST(FillRandom, DoesNotDependOnThreads) {
    EXPECT_EQ(random_doubles(1001, 1, 1), random_doubles(1001, 1, 3));
}

TEST(FillRandom, LiesInItsRangeAndFillsIt) {
    const auto v = random_doubles(100000, 1, 2);
    double sum = 0, lowest = 2, highest = 0;
    for (double x : v) {
        ASSERT_GE(x, 0.5);
        ASSERT_LT(x, 1.5);
        sum += x;
        lowest = std::min(lowest, x);
        highest = std::max(highest, x);
    }
    EXPECT_NEAR(sum / 1e5, 1, 0.01);
    EXPECT_LT(lowest, 0.51);
    EXPECT_GT(highest, 1.49);
}

TEST(FillRandom, SeedsDiffer) {
    EXPECT_NE(random_doubles(10, 1, 1), random_doubles(10, 2, 1));
}

TEST(FillRandom, EveryTypeGetsTheSameNumbers) {
    const auto v = random_doubles(20, 5, 1);
    std::vector<float> f32(20);
    std::vector<std::complex<float>> c32(10);
    std::vector<std::complex<double>> c64(10);
    fill_random(ValueType::f32, f32.data(), 20, 5);
    fill_random(ValueType::c32, c32.data(), 10, 5);
    fill_random(ValueType::c64, c64.data(), 10, 5);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(f32[i], v[i]);
    for (std::size_t i = 0; i < 10; ++i) {
        EXPECT_EQ(c64[i], std::complex<double>(v[2 * i], v[2 * i + 1]));
        EXPECT_EQ(std::complex<double>(c32[i]), c64[i]);
    }
}

TEST(FillRandom, NothingToFill) {
    fill_random(ValueType::f64, nullptr, 0, 1);
}

TEST(MeasureBandwidth, SaysWhatItMeasured) {
    const Bandwidth b = measure_bandwidth(2, 3'000'000);
    EXPECT_EQ(b.threads, 2);
    EXPECT_LE(b.bytes, 3'000'000);
    EXPECT_GT(b.bytes, 2'999'000);
    EXPECT_GE(b.passes, 3);
    EXPECT_GT(b.read, 0);
    EXPECT_GT(b.triad, 0);
    EXPECT_EQ(b.best(), std::max(b.read, b.triad));
    EXPECT_EQ(b.cached, b.bytes <= last_level_cache_bytes());
}

TEST(MeasureBandwidth, FewBytesAndManyThreads) {
    const Bandwidth b = measure_bandwidth(4, 1);
    EXPECT_EQ(b.bytes, 3 * 64);
    EXPECT_GT(b.best(), 0);
}

}  // namespace
TEST(MedianOfAFew, EndsEarlyWhereACallTakesLong) {
    int calls = 0;
    const auto slow = [&] {
        ++calls;
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
    };
    EXPECT_GE(median_us_of_a_few(slow), 3000);
    EXPECT_EQ(calls, 2);
    calls = 0;
    EXPECT_GE(median_us_of_a_few([&] { ++calls; }), 0);
    EXPECT_LE(calls, 4 + 16);
}

TEST(ParallelRegion, IsMeasuredOnceForANumberOfThreads) {
    const double us = parallel_region_us(2);
    EXPECT_GT(us, 0);
    EXPECT_EQ(parallel_region_us(2), us);
}

TEST(CachedLoads, AreMeasuredOnce) {
    const double loads = cached_loads_per_s();
    EXPECT_GT(loads, 1e6);
    EXPECT_EQ(cached_loads_per_s(), loads);
}

}  // namespace spmvgen
