#include "tuner/search/measure.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "scripted_measure.hpp"

namespace spmvgen {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Measure, TheRulesChoiceIsFirstAndTiesGoToIt) {
    Scripted scripted;
    const Choice rule = choose(scripted.features, scripted.request);
    scripted.otherwise_us = 99.5;  // within 1 % of the rule's
    scripted.us["csr_vector"] = 100;
    const Measured m = scripted.run();
    EXPECT_EQ(rule.signature.kernel, "csr_vector");
    EXPECT_EQ(m.choice.signature, rule.signature);
    EXPECT_EQ(m.us, 100);
    EXPECT_EQ(scripted.order[0], kernel_name(rule.signature));
    EXPECT_EQ(m.kernels[0].kernel, kernel_name(rule.signature));
    EXPECT_THAT(m.choice.reason, HasSubstr(rule.reason + "; measured 100.00 µs, none of "));
    EXPECT_THAT(m.choice.reason, HasSubstr(" others is faster by more than 1 %"));
}

TEST(Measure, AFasterKernelWinsWithItsBestNeighbour) {
    Scripted scripted;
    scripted.us = {{"sell", 80}, {"sell lanes=4", 60}};
    const Measured m = scripted.run();
    EXPECT_EQ(m.choice.signature.kernel, "sell");
    EXPECT_EQ(m.choice.signature.params.at("lanes"), 4);
    EXPECT_EQ(m.us, 60);
    EXPECT_THAT(m.choice.reason, HasSubstr("measured 60.00 µs, the fastest of "));
    EXPECT_THAT(m.choice.reason, HasSubstr("the rule's csr_vector_f64"));
    EXPECT_THAT(m.choice.reason, HasSubstr("takes 100.00 µs (mean row 10.0"));
}

TEST(Measure, EachKernelIsRunOnceAndTheFastestFewAgain) {
    Scripted scripted;
    scripted.us = {{"sell", 80}};
    const Measured m = scripted.run();
    auto names = scripted.order;
    names.resize(m.kernels.size());
    std::ranges::sort(names);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
    ASSERT_GT(scripted.order.size(), m.kernels.size());
    for (std::size_t i = m.kernels.size(); i < scripted.order.size(); ++i)
        EXPECT_THAT(scripted.order[i],
                    testing::AnyOf(testing::StartsWith("sell_"), testing::Eq(scripted.order[0])));
}

TEST(Measure, NothingIsTriedThatPadsTwiceAsMuch) {
    Scripted scripted;
    scripted.run();
    EXPECT_THAT(scripted.order, Not(Contains(testing::StartsWith("ell_f64"))));
    scripted.features.ell_padding = 1.5;
    scripted.order.clear();
    scripted.run();
    EXPECT_THAT(scripted.order, Contains(testing::StartsWith("ell_f64")));
}

TEST(Measure, TheBudgetEndsIt) {
    Scripted scripted;
    scripted.cost_ms = 10;
    scripted.us = {{"csr_rows", 50}};
    const Measured m = scripted.run(25);  // a third kernel would end at 30 ms
    EXPECT_EQ(scripted.order.size(), 2u);
    EXPECT_EQ(m.choice.signature.kernel, "csr_rows") << "what was measured counts";
    EXPECT_THAT(m.choice.reason, HasSubstr(" not measured, for the budget of 25 ms was spent"));
}

TEST(Measure, EvenWithoutABudgetTheRulesChoiceIsMeasured) {
    Scripted scripted;
    const Measured m = scripted.run(0);
    EXPECT_EQ(scripted.order.size(), 1u);
    EXPECT_EQ(m.us, 100);
    EXPECT_THAT(m.choice.reason,
                HasSubstr(fmt::format("; measured 100.00 µs, no other kernel was, {} not ",
                                      scripted.others())));
}

TEST(MeasureBudget, NothingIsCompiledThatWouldEndBeyondIt) {
    Scripted scripted;
    scripted.costs = true;
    scripted.cost_ms = 3;
    scripted.kernel_ms = scripted.told_kernel_ms = 70;
    const Measured m = scripted.run(50);
    EXPECT_EQ(scripted.order.size(), 1u) << "the rule's, whose kernel is needed anyway";
    EXPECT_EQ(scripted.made.size(), 1u);
    EXPECT_EQ(m.us, 100);
    EXPECT_THAT(
        m.choice.reason,
        HasSubstr(fmt::format(
            "; measured 100.00 µs, no other kernel was, {} not measured, for the budget of 50 "
            "ms was spent (the first of them after 3.0 ms; expected of it: kernel 70.0 ms, "
            "conversion 0.0 ms, check 0.0 ms, timing 2.8 ms)",
            scripted.others())));
}

TEST(MeasureBudget, IsKeptWhenCompilationsTakeLongerThanExpected) {
    Scripted scripted;
    scripted.costs = true;
    scripted.cost_ms = 3;
    scripted.kernel_ms = 600;
    scripted.told_kernel_ms = 70;
    scripted.run(1000);
    EXPECT_EQ(scripted.made.size(), 2u) << "one beside the rule's: a further one ends at 1200 ms";
    EXPECT_LE(scripted.now, 600 + 1000);
}

TEST(MeasureBudget, KernelsThatAreMadeSideBySideSlowEachOther) {
    const auto made_ready = [](double kernel_ms, int makers) {
        Scripted scripted;
        scripted.costs = true;
        scripted.cost_ms = 3;
        scripted.kernel_ms = scripted.told_kernel_ms = kernel_ms;
        scripted.makers = makers;
        scripted.run(200);
        return scripted.made_ready;
    };
    EXPECT_EQ(made_ready(60, 1), 2u) << "one after the other";
    EXPECT_GT(made_ready(60, 16), 4u);
    EXPECT_LE(made_ready(60, 16), 9u) << "1.5 (60 + 9 · 60 / 16) + 9 · 2.8 ms are 166 of 170";
    EXPECT_EQ(made_ready(120, 16), 0u) << "even one takes 1.5 · 120 ms then";
}

TEST(MeasureBudget, OthersAreMadeBesideTheRulesWhereThatDisturbsNoTrial) {
    const auto made_before_the_first = [](bool beside_trials) {
        Scripted scripted;
        scripted.costs = true;
        scripted.kernel_ms = scripted.told_kernel_ms = 60;
        scripted.makers = 16;
        scripted.beside_trials = beside_trials;
        scripted.predict = [](const Signature& s) -> std::optional<Prediction> {
            return Prediction{s.kernel == "csr_vector" ? 90.0 : 100.0, 0.1};
        };
        scripted.run(200);
        return scripted.made_before_first;
    };
    EXPECT_EQ(made_before_the_first(false), 0u);
    EXPECT_GE(made_before_the_first(true), 2u) << "the rule's is one of them";
}

TEST(MeasureBudget, OfKernelsThatAreMadeSideBySideTheFirstThatIsThereIsTried) {
    Scripted scripted;
    scripted.costs = true;
    scripted.makers = 16;
    scripted.beside_trials = true;
    scripted.predict = [](const Signature& s) -> std::optional<Prediction> {
        return Prediction{s.kernel == "csr_vector" ? 90.0 : 100.0, 0.1};
    };
    scripted.run(1000);
    const std::string before = scripted.order.at(1);
    Scripted turned = scripted;
    turned.order.clear();
    turned.now = 0;
    turned.last_is_first = true;
    turned.run(1000);
    EXPECT_NE(turned.order.at(1), before);
}

TEST(MeasureBudget, CachedKernelsCostNoCompilation) {
    Scripted scripted;
    scripted.costs = true;
    scripted.cost_ms = 3;
    scripted.run(1000);
    Scripted few = scripted;
    few.order.clear();
    few.now = 0;
    few.kernel_ms = few.told_kernel_ms = 600;
    few.run(200);
    EXPECT_GT(few.order.size(), 5u);
    EXPECT_EQ(few.made, scripted.made) << "nothing was compiled";
    EXPECT_LE(few.now, 200);
}

TEST(MeasureBudget, ConversionsCount) {
    Scripted scripted;
    scripted.costs = true;
    scripted.cost_ms = 3;
    scripted.convert_ms = 400;
    const Measured m = scripted.run(1000);
    EXPECT_EQ(scripted.order.size(), 2u);
    EXPECT_LE(scripted.now, 1000);
    EXPECT_THAT(m.choice.reason, HasSubstr("conversion 400.0 ms, check 0.0 ms, timing "));
}

TEST(MeasureBudget, VectorsThatTakeLongerThanItAreNotMade) {
    Scripted scripted;
    scripted.costs = true;
    scripted.first_check_ms = 300;
    const Choice rule = choose(scripted.features, scripted.request);
    const Measured m = scripted.run(200);
    EXPECT_EQ(m.choice.signature, rule.signature);
    EXPECT_EQ(m.us, 0);
    EXPECT_THAT(scripted.order, IsEmpty());
    EXPECT_EQ(scripted.now, 0);
    EXPECT_THAT(m.choice.reason, HasSubstr("conversion 0.0 ms, check 300.0 ms, timing "));
}

TEST(MeasureBudget, ChecksCount) {
    Scripted scripted;
    scripted.costs = true;
    scripted.cost_ms = 2.5;  // as it is expected
    scripted.check_ms = 60;
    const Measured m = scripted.run(200);
    EXPECT_EQ(m.kernels.size(), 3u) << "two others: a third one ends at 190 of 170 ms";
    EXPECT_LE(scripted.now, 200);
    EXPECT_THAT(m.choice.reason, HasSubstr("conversion 0.0 ms, check 60.0 ms, timing "));
}

TEST(MeasureBudget, KernelsAreNotMadeForWhichThereIsNoTimeToCheck) {
    Scripted scripted;
    scripted.costs = true;
    scripted.kernel_ms = scripted.told_kernel_ms = 20;
    scripted.makers = 16;
    scripted.check_ms = 150;
    scripted.run(200);
    EXPECT_EQ(scripted.made_ready, 0u) << "20 + 150 + 2.8 ms are more than 170";
    EXPECT_EQ(scripted.made.size(), 1u);
}

TEST(MeasureBudget, ChoosingParametersCounts) {
    Scripted scripted;
    scripted.costs = true;
    scripted.look_ms = 100;  // a pass over a large matrix
    const Measured m = scripted.run(250);
    EXPECT_LE(scripted.now, 250 + scripted.look_ms) << "one that has begun ends";
    EXPECT_EQ(scripted.order.size(), 1u);
    EXPECT_THAT(m.choice.reason, testing::ContainsRegex(
                                     "no other kernel was, .*for the budget of 250 ms was spent"));
}

TEST(MeasureBudget, WithoutRoomForTheRulesChoiceItStandsUntimed) {
    Scripted scripted;
    scripted.costs = true;
    scripted.kernel_ms = scripted.told_kernel_ms = 600;
    const Choice rule = choose(scripted.features, scripted.request);
    const Measured m = scripted.run(1);
    EXPECT_EQ(m.choice.signature, rule.signature);
    EXPECT_EQ(m.us, 0);
    EXPECT_THAT(scripted.order, IsEmpty());
    EXPECT_THAT(scripted.made, IsEmpty());
    EXPECT_EQ(
        m.choice.reason,
        rule.reason + "; not measured: " + kernel_name(rule.signature) +
            ": the budget of 1 ms has no room for it: 0.0 ms spent, kernel 0.0 ms, conversion "
            "0.0 ms, check 0.0 ms, timing 2.5 ms expected");
}

TEST(Measure, KernelsInTroubleAreLeftOut) {
    Scripted scripted;
    scripted.us = {{"sell", 80}};
    scripted.troubles = {{"csr_balanced", {.trouble = "3 of 9 elements differ"}},
                         {"coo_segmented", {.trouble = "does not suit", .defect = false}}};
    const Measured m = scripted.run();
    EXPECT_EQ(m.choice.signature.kernel, "sell");
    EXPECT_EQ(m.left_out.size(), 2u);
    ASSERT_EQ(m.warnings.size(), 1u);
    EXPECT_THAT(m.warnings[0], testing::StartsWith("measuring left out csr_balanced_f64"));
    EXPECT_THAT(m.warnings[0], testing::EndsWith(": 3 of 9 elements differ"));
}

TEST(Measure, WithoutATimeOfTheRulesChoiceItStands) {
    Scripted scripted;
    scripted.troubles = {{"csr_vector", {.trouble = "no kernel"}}};
    const Measured m = scripted.run();
    EXPECT_EQ(m.choice.signature.kernel, "csr_vector");
    EXPECT_EQ(m.us, 0);
    EXPECT_THAT(m.kernels, IsEmpty());
    EXPECT_EQ(scripted.order.size(), 1u);
    EXPECT_THAT(m.choice.reason, HasSubstr("; not measured: csr_vector_f64"));
}

TEST(Measure, WhatTheRequestFixesStays) {
    Scripted scripted;
    scripted.request.format = "csr";
    scripted.request.params = {{"lanes", 4}};
    scripted.run();
    for (auto& name : scripted.order) {
        EXPECT_THAT(name, testing::StartsWith("csr_"));
        EXPECT_THAT(name, HasSubstr("lanes4"));
    }
}

TEST(Measure, EveryKernelOfAGpuThatIsDeterministicStaysSo) {
    Scripted scripted;
    scripted.request = {.target = parse_target("sm_90"), .units = 132, .deterministic = true};
    scripted.run();
    EXPECT_GT(scripted.order.size(), 5u);
    for (auto& name : scripted.order) EXPECT_THAT(name, Not(HasSubstr("deterministic0")));
}

/// Kernel names without repeats: the run-off times some once more.
std::set<std::string> tried(const Scripted& scripted) {
    return {scripted.order.begin(), scripted.order.end()};
}

TEST(Measure, ThePredictedBestComesFirstAndHopelessOnesAreNotTried) {
    Scripted scripted;
    scripted.predict = [](const Signature& s) -> std::optional<Prediction> {
        return Prediction{s.kernel == "csr_balanced" ? 50.0
                          : s.kernel == "sell"       ? 300.0
                                                     : 100.0,
                          0.1};
    };
    scripted.us = {{"csr_balanced", 60}};
    const Measured m = scripted.run();
    EXPECT_THAT(scripted.order[1], testing::StartsWith("csr_balanced"));
    EXPECT_THAT(tried(scripted), Not(Contains(testing::StartsWith("sell"))));
    EXPECT_EQ(m.choice.signature.kernel, "csr_balanced");
    EXPECT_EQ(m.kernels[1].predicted_us, 50);
}

TEST(Measure, WhatAKernelTakesLongerThanPredictedCountsForItsOtherParameters) {
    const auto trials_of_csr_balanced = [](double us) {
        Scripted scripted;
        scripted.predict = [](const Signature& s) -> std::optional<Prediction> {
            return Prediction{s.kernel == "csr_balanced" ? 80.0 : 100.0, 0.2};
        };
        scripted.us = {{"csr_balanced", us}};
        scripted.run();
        return std::ranges::count_if(tried(scripted), [](const std::string& name) {
            return name.starts_with("csr_balanced");
        });
    };
    EXPECT_EQ(trials_of_csr_balanced(300), 1) << "its others are predicted to take as long";
    EXPECT_GT(trials_of_csr_balanced(80), 2);
}

/// 100 µs of all but those that nothing is known of.
std::function<std::optional<Prediction>(const Signature&)> all_alike_but(
    std::set<std::string> unknown) {
    return [unknown = std::move(unknown)](const Signature& s) -> std::optional<Prediction> {
        if (unknown.contains(s.kernel)) return std::nullopt;
        return Prediction{100, 0.1};
    };
}

TEST(Measure, WhatNothingIsPredictedOfComesLast) {
    Scripted scripted;
    scripted.predict = all_alike_but({"csr_balanced", "coo_segmented"});
    scripted.us = {{"coo_segmented", 50}};
    const Measured m = scripted.run();
    EXPECT_EQ(m.choice.signature.kernel, "coo_segmented");
    const auto is_unknown = [](const std::string& name) {
        return name.starts_with("csr_balanced") || name.starts_with("coo_segmented");
    };
    const auto first = std::ranges::find_if(scripted.order, is_unknown);
    EXPECT_GT(first - scripted.order.begin(), 8);
    const auto other = std::find_if_not(first, scripted.order.end(), is_unknown);
    EXPECT_TRUE(other == scripted.order.end() || tried(scripted).contains(*other));
}

TEST(Measure, WhatIsRuledOutTakesNoPassOverTheMatrix) {
    Scripted scripted;
    scripted.samples = true;
    scripted.predict = [](const Signature& s) -> std::optional<Prediction> {
        return Prediction{s.kernel == "csr_vector" ? 100.0 : 300.0, 0.1};
    };
    scripted.run();
    for (auto& name : scripted.order) EXPECT_THAT(name, testing::StartsWith("csr_vector"));
    // One more than was tried: the rule's own, which is among those that are ranked.
    EXPECT_LE(scripted.passes, static_cast<int>(tried(scripted).size()) + 1);
}

TEST(MeasureBudget, APassOverTheMatrixIsNotBegunForWhatDoesNotFit) {
    Scripted scripted;
    scripted.samples = scripted.costs = true;
    scripted.convert_ms = 400;
    scripted.predict = all_alike_but({});
    scripted.run(500);
    EXPECT_EQ(scripted.passes, 0);
    EXPECT_EQ(scripted.order.size(), 1u);
}

TEST(Measure, TheCallerMayStopIt) {
    Scripted scripted;
    scripted.stop_after = 2;
    scripted.us = {{"csr_rows", 50}};
    const Measured m = scripted.run();
    EXPECT_EQ(m.kernels.size(), 2u);
    EXPECT_THAT(m.choice.reason, HasSubstr(", stopped by the caller"));
}

TEST(MeasureAll, FindsParametersThatAreFarFromTheRules) {
    Scripted scripted;
    // Neither is next to what the rules give, and each is worth something alone.
    scripted.us = {{"sell", 90}, {"sell lanes=2", 60}, {"sell sigma=16384", 80}};
    const Measured m = scripted.run_all();
    EXPECT_EQ(m.choice.signature.kernel, "sell");
    EXPECT_EQ(m.choice.signature.params.at("lanes"), 2);
    EXPECT_THAT(m.choice.reason, HasSubstr("exhaustive: 60.00 µs, the fastest of "));
}

TEST(MeasureAll, WhatIsTwiceAsSlowIsTriedOnce) {
    Scripted scripted;
    scripted.us = {{"csr_balanced", 201}, {"csr_rows", 199}};
    scripted.run_all();
    const auto count = [&](std::string_view kernel) {
        return std::ranges::count_if(tried(scripted),
                                     [&](auto& name) { return name.starts_with(kernel); });
    };
    EXPECT_EQ(count("csr_balanced"), 1);
    EXPECT_GT(count("csr_vector"), 4);
    EXPECT_GT(count("sell"), 4);
}

}  // namespace
}  // namespace spmvgen
