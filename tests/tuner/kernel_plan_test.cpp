// What the tuner knows of a kernel stands in one place, and one function gives values and lists.
#include "tuner/plan/kernel_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

TEST(KernelPlan, EachIsOfAKernelOfItsKind) {
    std::set<std::string_view> seen;
    for (auto& family : collected_plans())
        for (auto& plan : family) {
            SCOPED_TRACE(plan.kernel);
            const KernelEntry& entry = kernel_entry(plan.kernel);
            EXPECT_TRUE(seen.insert(plan.kernel).second);
            EXPECT_TRUE(plan.gpu_work == nullptr || entry.gpu);
            EXPECT_TRUE(plan.cpu_work == nullptr || !entry.gpu);
            EXPECT_EQ(&plan_of(plan.kernel).kernel, &plan_of(entry.id).kernel);
        }
    EXPECT_TRUE(plan_of("csr_merge_path").kernel.empty());
}

/// Lanes by the longest row; one lane loads more at a time. Rules may pick blocks of 512.
void choose_some(ParamChoice& c) {
    const std::int64_t lanes =
        c.set("subwarp", Values::powers(1, 4), [](const Situation& s) { return s.f.max_row; });
    if (lanes == 1 && c.when([](const Situation& s) { return s.f.rows > 10; })) c.put("unroll", 8);
    if (lanes == 4) c.may_be_picked({{{"block", 512}}});
}

TEST(ParamChoice, GivesTheValuesOfAMatrix) {
    const KernelEntry& kernel = kernel_entry("csr_classical");
    const Request request{.target = parse_target("sm_90")};
    Features f;
    const auto of = [&](std::int64_t rows, std::int64_t longest) {
        f.rows = rows;
        f.max_row = longest;
        return ParamChoice::of(choose_some, kernel, {f, request, {}});
    };
    EXPECT_EQ(of(5, 1), (Params{{"subwarp", 1}}));
    EXPECT_EQ(of(50, 1), (Params{{"subwarp", 1}, {"unroll", 8}}));
    EXPECT_EQ(of(50, 3), (Params{{"subwarp", 2}}));  // the largest legal value up to it
    EXPECT_EQ(of(50, 0), (Params{{"subwarp", 1}, {"unroll", 8}}));
    EXPECT_EQ(of(50, 4), (Params{{"subwarp", 4}}));  // what is picked comes from the rule
}

TEST(ParamChoice, ListsAllThatMayComeOut) {
    const Request request{.target = parse_target("sm_90")};
    EXPECT_THAT(
        ParamChoice::all(choose_some, kernel_entry("csr_classical"), request, ValueType::f64),
        testing::UnorderedElementsAre(Params{{"subwarp", 1}}, Params{{"subwarp", 1}, {"unroll", 8}},
                                      Params{{"subwarp", 2}}, Params{{"subwarp", 4}},
                                      Params{{"subwarp", 4}, {"block", 512}}));
}

TEST(ParamChoice, RefusesWhatTheKernelHasNot) {
    const Request request{.target = parse_target("sm_90")};
    try {
        ParamChoice::all([](ParamChoice& c) { c.put("lanes", 4); }, kernel_entry("csr_classical"),
                         request, ValueType::f64);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::internal);
        EXPECT_STREQ(error.what(),
                     "the plan of kernel csr_classical sets parameter lanes, which it has not");
    }
}

TEST(ParamChoice, ValuesOfRangesAreAnyWithin) {
    const Request request{.target = parse_target("x86-64-v3")};
    const auto all = ParamChoice::all(
        [](ParamChoice& c) {
            c.set("long_from", Values{1, 100, 100'000}, [](const Situation&) { return 0; });
        },
        kernel_entry("strips_cpu"), request, ValueType::f64);
    EXPECT_THAT(all,
                testing::UnorderedElementsAre(Params{{"long_from", 16}}, Params{{"long_from", 100}},
                                              Params{{"long_from", 65534}}));
}

}  // namespace
}  // namespace spmvgen
