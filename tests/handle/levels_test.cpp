// options.level and .budget_ms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "errors.hpp"
#include "levels_fixture.hpp"
#include "spmvgen/batch.hpp"

namespace spmvgen {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST_F(Levels, WrongOptionsAreRefused) {
    const auto refusal = [&](const std::function<void(Options&)>& change) {
        Options o;
        change(o);
        return code_and_text([&] { make(o); });
    };
    EXPECT_EQ(refusal([](auto& o) { o.level = "slow"; }),
              "invalid_argument: options.level is 'slow': use rule, lazy, recorded, measure or "
              "exhaustive");
    EXPECT_EQ(refusal([](auto& o) { o.budget_ms = -1; }),
              "invalid_argument: options.budget_ms is -1: use milliseconds, 0 or more");
    EXPECT_EQ(refusal([](auto& o) { o.budget_ms = std::numeric_limits<double>::quiet_NaN(); }),
              "invalid_argument: options.budget_ms is nan: use milliseconds, 0 or more");
    EXPECT_EQ(refusal([](auto& o) { o.expected_applies = -5; }),
              "invalid_argument: options.expected_applies is -5: use 0 (many) or their number");
}

TEST_F(Levels, APapersRuleGoesWithNothingElseThatChooses) {
    const auto refusal = [&](const std::function<void(Options&)>& change) {
        Options o;
        o.rule = "gospmv";
        change(o);
        return code_and_text([&] { make(o); });
    };
    EXPECT_EQ(refusal([](auto& o) { o.rule = "best"; }),
              "invalid_argument: 'best' is no rule of a paper: use ginkgo, csr-k, gospmv or "
              "lightspmv");
    EXPECT_EQ(refusal([](auto& o) { o.level = "measure"; }),
              "invalid_argument: options.rule is gospmv, of which level measure knows nothing: "
              "leave out one of them");
    EXPECT_EQ(refusal([](auto& o) { o.kernel = "csr_rows"; }),
              "invalid_argument: options.rule is gospmv, which chooses the kernel: leave out "
              "kernel csr_rows");
    EXPECT_EQ(refusal([](auto& o) { o.cache = CacheMode::off; }),
              "invalid_argument: options.rule cannot be had with cache mode off (options.cache, "
              "SPMVGEN_CACHE), which always runs the generic CSR kernel: use another mode");
    EXPECT_EQ(refusal([](auto& o) { o.op = "T", o.transpose_by_atomics = true; }),
              "invalid_argument: options.transpose_by_atomics runs kernel csr_transposed_cpu, of "
              "which rule gospmv knows nothing: leave one of them out");
}

TEST_F(Levels, APapersRuleIsNotReplaced) {
    Options o;
    o.rule = "csr-k";
    EXPECT_THAT(make(o).info().kernel, StartsWith("csr_k_rows"));
    o.expected_applies = 1;
    EXPECT_THAT(make(o).info().kernel, StartsWith("csr_k_rows"));
    o.memory_limit = 1;
    o.rule = "gospmv";
    EXPECT_THAT(code_and_text([&] { make(o); }), testing::HasSubstr("memory"))
        << "in place of plain CSR";
}

TEST_F(Levels, BatchesTakeNone) {
    const std::vector<CsrView> systems{tiny.view()};
    Options o;
    o.level = "measure";
    EXPECT_EQ(code_and_text([&] { BatchHandle(systems, o); }),
              "invalid_argument: options.level is measure, but batches are chosen by rules: leave "
              "it \"rule\"");
    o.level = "rule";
    o.expected_applies = 3;
    EXPECT_EQ(code_and_text([&] { BatchHandle(systems, o); }),
              "invalid_argument: options.expected_applies is for single matrices: leave it 0");
    o.rule = "ginkgo";
    EXPECT_EQ(code_and_text([&] { BatchHandle(systems, o); }),
              "invalid_argument: options.rule is ginkgo, but batches are chosen by rules of their "
              "own: leave it empty");
}

TEST_F(Levels, ABudgetThatHasNoRoomIsKept) {
    Options o = measure_options();
    o.budget_ms = 0;
    const Handle handle = make(o);
    EXPECT_EQ(multiplied(handle), product);
    EXPECT_EQ(fake.generator.compiled, 1) << "the rule's, which serves";
    EXPECT_THAT(handle.info().measured, IsEmpty());
    EXPECT_EQ(handle.info().measured_us, 0);
    EXPECT_THAT(handle.info().reason, HasSubstr(": the budget of 0 ms has no room for it: "));
}

TEST_F(Levels, WhatCompilationsTookIsKnown) {
    EXPECT_EQ(fake.provider.compile_times(nullptr).first_ms(), std::nullopt);
    make(measure_options());
    EXPECT_GT(fake.provider.compile_times(nullptr).usual_ms(), 0);
    EXPECT_EQ(fake.provider.compile_times(device).first_ms(), std::nullopt)
        << "of each device its own";
}

TEST(CompileTimes, TheFirstAndThoseThatWaitedForOthersDoNotCount) {
    CompileTimes times;
    EXPECT_EQ(times.first_ms(), std::nullopt);
    times.add(20);  // may load the compiler, or find it loaded
    EXPECT_EQ(times.first_ms(), 20);
    EXPECT_EQ(times.usual_ms(), std::nullopt);
    EXPECT_EQ(times.recent_slowness(), 1);
    times.add(80);
    times.add(60);
    EXPECT_EQ(times.recent_slowness(), 70.0 / 60);
    times.add(300);
    EXPECT_EQ(times.usual_ms(), 60);
    for (int i = 0; i < 100; ++i) times.add(120);
    EXPECT_NEAR(times.recent_slowness(), 2, 1e-3) << "of the last ones";
}

TEST_F(Levels, RuleMeasuresNothing) {
    Options o;
    o.format = "csr";
    const Handle handle = make(o);
    EXPECT_THAT(handle.info().measured, IsEmpty());
    EXPECT_EQ(handle.info().measured_us, 0);
    EXPECT_EQ(handle.info().measure_ms, 0);
    EXPECT_EQ(fake.generator.compiled, 1);
}

TEST_F(Levels, PartsOfThePreparationAreNoMoreThanAllOfIt) {
    Options transposed;
    transposed.op = "T";
    for (const Options& o : {Options{}, transposed, measure_options(), gpu_options()}) {
        const Info info = make(o).info();
        EXPECT_GT(info.analysis_ms, 0) << o.device;
        EXPECT_GT(info.choice_ms, 0) << o.device;
        EXPECT_GT(info.convert_ms, 0) << o.device;
        EXPECT_LE(
            info.analysis_ms + info.choice_ms + info.kernel_ms + info.convert_ms + info.measure_ms,
            info.prepare_ms)
            << o.device;
    }
}

TEST_F(Levels, MeasureTimesWhatIsFree) {
    Options by_rule;
    by_rule.format = "csr";
    const std::string rule = make(by_rule).info().kernel;
    const Handle handle = make(measure_options());
    const Info& info = handle.info();
    EXPECT_EQ(multiplied(handle), product);
    ASSERT_GE(info.measured.size(), 3u) << info.reason;
    EXPECT_EQ(info.measured[0].kernel, rule) << "the rule's choice is measured first";
    EXPECT_THAT(names(info), Contains(info.kernel));
    EXPECT_LE(info.measured_us, info.measured[0].us);
    EXPECT_GT(info.measured_us, 0);
    EXPECT_GT(info.measure_ms, 0);
    EXPECT_GE(info.prepare_ms, info.measure_ms);
    EXPECT_THAT(info.reason, HasSubstr("measured "));
    EXPECT_THAT(to_string(info),
                AllOf(HasSubstr("time:     measured "), HasSubstr("measured: "), HasSubstr(rule)));
}

TEST_F(Levels, KernelsThatCannotBeHadAreLeftOutWithAWarning) {
    Options o = measure_options();
    o.format = "auto";  // the fake kernel takes CSR's arrays only
    o.params = {};
    const Info info = make(o).info();
    EXPECT_THAT(info.warning, HasSubstr("measuring left out bcsr_f64"));
    EXPECT_EQ(fake.provider.counters().fallbacks, 0);
}

TEST_F(Levels, WithoutACompilerTheRuleStandsAndTheGenericKernelServes) {
    fake.generator.failure = "no compiler";
    const Handle handle = make(measure_options());
    EXPECT_EQ(multiplied(handle), product);
    EXPECT_EQ(handle.info().origin, "generic");
    EXPECT_THAT(handle.info().reason, HasSubstr("; not measured: "));
    EXPECT_EQ(fake.provider.counters().fallbacks, 1) << "the handle's, not those of the trials";
}

TEST_F(Levels, ACacheThatIsOnlyLoadedFromNeedNotHaveEveryKernel) {
    Options by_rule;
    by_rule.format = "csr";
    const std::string rule = make(by_rule).info().kernel;
    Options o = measure_options();
    o.cache = CacheMode::load;
    const Info info = make(o).info();
    EXPECT_THAT(names(info), testing::ElementsAre(rule));
    EXPECT_EQ(info.kernel, rule);
    EXPECT_EQ(info.warning, "");
}

TEST_F(Levels, MeasureRunsOnADevice) {
    const Handle handle = make(gpu_options());
    EXPECT_EQ(multiplied(handle), product);
    EXPECT_GE(handle.info().measured.size(), 2u);
    EXPECT_GT(device->log->synchronisations, 0);
    EXPECT_THAT(handle.info().warning, IsEmpty());
}

TEST_F(Levels, TrialsLeaveNothingOnTheDevice) {
    {
        const Handle handle = make(gpu_options());
    }
    device->empty_pool();
    EXPECT_THAT(device->log->memory, IsEmpty());
    Options measure = gpu_options();
    measure.kernel = "csr_classical";  // whichever parameters win, the arrays are the same
    Options by_rule = measure;
    by_rule.level = "rule";
    const Handle measured = make(measure);
    device->empty_pool();
    const std::size_t bytes = device->log->bytes_in_use();
    const Handle ruled = make(by_rule);
    device->empty_pool();
    EXPECT_EQ(device->log->bytes_in_use(), 2 * bytes);
}

TEST_F(Levels, AWrongProductIsDiscardedWithAWarning) {
    device->wrong = "csr_light";  // not what the rules choose for this matrix
    const Handle handle = make(gpu_options());
    EXPECT_EQ(multiplied(handle), product);
    EXPECT_THAT(names(handle.info()), Not(Contains(StartsWith("csr_light"))));
    EXPECT_THAT(handle.info().warning,
                HasSubstr(": 1 of 3 elements of its product differ, the first is 0"));
}

TEST_F(Levels, AnEpilogueIsNotPartOfWhatIsCompared) {
    Options o = gpu_options();
    o.epilogue = "value > 0 ? 1 : 0";
    const Info info = make(o).info();
    EXPECT_THAT(info.warning, IsEmpty());
    EXPECT_THAT(info.kernel, HasSubstr("_e")) << "the handle's kernel has it";
    EXPECT_GE(info.measured.size(), 2u);
}

TEST_F(Levels, TheSimtExecutorsTimesSayNothing) {
    Options o = gpu_options();
    o.device = "simt:sm_90";
    const Info info = make_handle(tiny.view(), o, fake.provider, device).info();
    EXPECT_THAT(info.reason, HasSubstr("times of the SIMT executor say nothing about a GPU"));
}

}  // namespace
}  // namespace spmvgen
