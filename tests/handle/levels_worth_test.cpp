// options.expected_applies: what so many applies are worth, and what is predicted of kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "errors.hpp"
#include "handle/plan/planning.hpp"
#include "levels_fixture.hpp"
#include "matrix/suites/gallery.hpp"

namespace spmvgen {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST_F(Levels, ForOneApplyTheAnswerIsPlainCsrWhereTheArraysAre) {
    Options o;
    o.expected_applies = 1;
    o.copy = false;
    o.level = "measure";
    const Handle handle = make(o);
    EXPECT_EQ(multiplied(handle), product);
    EXPECT_EQ(handle.info().kernel, "generic_csr");
    EXPECT_EQ(handle.info().format, "csr");
    EXPECT_THAT(handle.info().reason, StartsWith("plain CSR: 1 apply expected"));
    EXPECT_EQ(handle.info().warning, "");
    EXPECT_EQ(fake.generator.compiled, 0);
    EXPECT_EQ(fake.provider.counters().fallbacks, 0) << "nothing failed";
    tiny.values[0] = 2;
    EXPECT_EQ(multiplied(handle), (std::vector<double>{60, 60, 40})) << "the caller's arrays";
}

TEST_F(Levels, FewAppliesDoNotRepayACompilation) {
    Options o;
    o.expected_applies = 100;
    const Info few = make(o).info();
    EXPECT_EQ(few.kernel, "generic_csr");
    EXPECT_THAT(few.reason,
                AllOf(StartsWith("plain CSR: 100 applies expected, "), HasSubstr("pays from "),
                      HasSubstr(" ms, conversion 0.0 ms; an apply takes ")));
    o.expected_applies = std::int64_t{1} << 60;
    const Info many = make(o).info();
    EXPECT_NE(many.kernel, "generic_csr");
    EXPECT_THAT(many.reason, HasSubstr("applies expected, "));
}

TEST_F(Levels, AKernelThatIsLoadedPaysAtOnce) {
    Options o;
    o.format = "csr";
    const Handle first = make(o);
    o.expected_applies = 2;
    EXPECT_EQ(make(o).info().kernel, first.info().kernel);
}

TEST_F(Levels, WhatIsAskedForIsNotReplaced) {
    Options o;
    o.kernel = "csr_vector";
    o.expected_applies = 1;
    EXPECT_THAT(make(o).info().kernel, StartsWith("csr_vector"));
}

TEST_F(Levels, MeasuringThatCannotBeRepaidIsLeftOut) {
    Options o = measure_options();
    o.kernel = "csr_vector";
    o.expected_applies = 10;
    const Info info = make(o).info();
    EXPECT_THAT(info.measured, IsEmpty());
    EXPECT_THAT(info.reason, AllOf(HasSubstr("not measured: 10 applies expected of "),
                                   HasSubstr(" µs cannot repay 20000 ms")));
}

TEST_F(Levels, OnADeviceFewAppliesAreWorthTheSimplestKernel) {
    Options o;
    o.device = "cuda:0";
    o.format = "auto";
    o.expected_applies = 1;
    const Handle handle = make(o);
    EXPECT_EQ(handle.info().format, "csr");
    EXPECT_EQ(multiplied(handle), product);
}

TEST_F(Levels, ThePredictionIsOfTheDevicesProfile) {
    Options by_rule = gpu_options();
    by_rule.level = "rule";
    const Info fake_gpu = make(by_rule).info();
    EXPECT_EQ(fake_gpu.predicted_us, 0) << "there is no profile of a fake GPU";
    EXPECT_EQ(fake_gpu.profile, "");
    Options o = gpu_options();
    o.kernel = "csr_classical";  // any kernel may win, and not of all the work is counted
    const Info known = make(o).info();
    EXPECT_GT(known.predicted_us, 0) << "by the profile of its architecture";
    EXPECT_THAT(known.profile, StartsWith("device-nvidia-"));
    o.kernel = "csr_light";
    const Info unknown = make(o).info();
    EXPECT_EQ(unknown.predicted_us, 0);
    EXPECT_EQ(unknown.profile, "");
    Options by_rule_here;
    by_rule_here.format = "csr";
    by_rule_here.threads = 2;  // for so many there are profiles
    const Info host = make(by_rule_here).info();
    EXPECT_EQ(host.predicted_us > 0,
              host.target.starts_with("x86-64-v4") || host.target.starts_with("x86-64-v3"));
    EXPECT_EQ(host.profile.empty(), host.predicted_us == 0);
}

TEST_F(Levels, WhatTheRulesChoiceIsPredictedToTakeIsTold) {
    const CsrMatrix m = make_gallery_matrix("stencil5:nx=70,ny=70");
    ASSERT_GT(m.nnz, 20'000);
    Options o = gpu_options();
    o.level = "rule";
    o.format = "csr";
    const Info counted = make_handle(m.view(), o, fake.provider, device).info();
    EXPECT_GT(counted.predicted_us, 0);
    EXPECT_THAT(counted.profile, StartsWith("device-nvidia-"));
    o.kernel = "csr_classical";
    EXPECT_EQ(make_handle(m.view(), o, fake.provider, device).info().predicted_us, 0)
        << "nothing was to be chosen";
}

TEST_F(Levels, TimesOfACpuArePredictedForTeamsThatWereNotMeasured) {
    for (const int threads : {3, 100}) {
        Options o;
        o.level = "rule";
        o.format = "csr";  // the fake knows only its kernels
        o.threads = threads;
        o.all_threads = true;
        const Info info = make_handle(make_gallery_matrix("stencil5:nx=70,ny=70").view(), o,
                                      fake.provider, nullptr)
                              .info();
        EXPECT_EQ(info.predicted_us > 0, !info.profile.empty());
        EXPECT_EQ(info.profile.empty(),
                  !info.target.starts_with("x86-64-v4") && !info.target.starts_with("x86-64-v3"))
            << threads;
    }
}

TEST_F(Levels, TimesAreOnlyPredictedByGathersThatWereMeasured) {
    const auto predicts = [](const char* arch) {
        const FakeDevice device(arch);
        return profile_to_predict(parse_target(arch), &device) != nullptr;
    };
    EXPECT_TRUE(predicts("sm_90")) << "another GPU of the architecture of an H200";
    EXPECT_FALSE(predicts("sm_80")) << "scaled to another GPU than this one";
    EXPECT_FALSE(predicts("sm_89")) << "another architecture's";
    EXPECT_FALSE(predicts("gfx942"));
}

TEST_F(Levels, TimesArePredictedByAScaledProfileWhereTheDriverTellsItsSheet) {
    const auto scaled_device = [](const char* arch) {
        return std::make_shared<FakeDevice>(arch, BinaryKind::cubin,
                                            DeviceSheet{2.5, 864e9, 100e6});
    };
    for (const char* arch : {"sm_80", "sm_89", "sm_90", "sm_100"}) {
        const auto own = scaled_device(arch);
        const DeviceProfile* profile = profile_to_predict(parse_target(arch), own.get());
        ASSERT_NE(profile, nullptr) << arch;
        EXPECT_EQ(profile->units, 3);
        EXPECT_EQ(profile_to_predict(parse_target(arch), scaled_device(arch).get()), profile)
            << "one a device";
    }
    EXPECT_EQ(profile_to_predict(parse_target("gfx942"), scaled_device("gfx942").get()), nullptr);
    const CsrMatrix m = make_gallery_matrix("stencil5:nx=70,ny=70");
    Options o = gpu_options();
    o.level = "rule";
    o.format = "csr";
    const auto scaled_from =
        AllOf(StartsWith("device-nvidia-"), HasSubstr(".json, scaled from NVIDIA H"),
              HasSubstr(" by memory bandwidth 0."));
    const Info counted = make_handle(m.view(), o, fake.provider, scaled_device("sm_89")).info();
    EXPECT_GT(counted.predicted_us, 0);
    EXPECT_THAT(counted.profile, scaled_from);
    o.kernel = "csr_classical";
    const Info streamed = make_handle(m.view(), o, fake.provider, scaled_device("sm_89")).info();
    EXPECT_GT(streamed.predicted_us, 0) << "nothing was to be chosen";
    EXPECT_THAT(streamed.profile, scaled_from);
}

}  // namespace
}  // namespace spmvgen
