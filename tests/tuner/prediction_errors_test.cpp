#include "tuner/search/prediction_errors.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace spmvgen {
namespace {

TEST(PredictionErrors, OfOneKernelAreAlike) {
    const Prediction prediction{100, 0.2};
    PredictionErrors errors;
    EXPECT_NEAR(errors.promise_us("a", prediction), 100 * std::exp(-0.1), 1e-9);
    EXPECT_NEAR(errors.least_us("a", prediction), 100 * std::exp(-0.4), 1e-9);
    for (int i = 0; i < 1000; ++i) errors.add("a", 150, prediction);
    // The error of the parameters alone is left, a quarter of the variance.
    EXPECT_NEAR(errors.promise_us("a", prediction), 150 * std::exp(-0.05), 0.1);
    EXPECT_NEAR(errors.least_us("a", prediction), 150 * std::exp(-0.2), 0.1);
    EXPECT_NEAR(errors.promise_us("b", prediction), 100 * std::exp(-0.1), 1e-9);
}

TEST(PredictionErrors, OneTrialCountsByThreeQuarters) {
    PredictionErrors errors;
    errors.add("a", 200, {100, 0.2});
    const double expected = std::log(2.0) * 0.75;
    const double deviation = 0.2 * std::sqrt(0.75 * 0.25 + 0.25);
    EXPECT_NEAR(errors.promise_us("a", {100, 0.2}), 100 * std::exp(expected - deviation / 2), 1e-9);
}

TEST(PredictionErrors, WhatIsKnownExactlyStays) {
    PredictionErrors errors;
    errors.add("a", 200, {100, 0});
    EXPECT_EQ(errors.promise_us("a", {100, 0}), 100);
}

}  // namespace
}  // namespace spmvgen
