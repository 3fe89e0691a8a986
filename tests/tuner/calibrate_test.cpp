// Calibration: what the micro-kernels do, on the SIMT executor, and that every figure is there.
#include "calibrate/calibrate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <set>

#include "calibrate/parts.hpp"
#include "handle/kernels/compile_kernel.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using calibration::MicroKernel;

/// Arrays of doubles on a device with the micro-kernels.
class MicroKernels : public ::testing::TestWithParam<const char*> {
  protected:
    std::shared_ptr<Device> device_ = open_device(std::string("simt:") + GetParam());
    std::unique_ptr<DeviceKernel> kernels_ = device_->load(
        compile_source(load_generator(), calibration::micro_kernels(device_->facts().target),
                       std::vector{BinaryKind::simt}));

    std::unique_ptr<DeviceMemory> array(const std::vector<double>& values) {
        auto memory = device_->allocate(values.size() * sizeof(double));
        device_->copy_to_device(memory->data(), values.data(), memory->bytes());
        return memory;
    }
    std::vector<double> values(const DeviceMemory& memory) {
        std::vector<double> values(memory.bytes() / sizeof(double));
        device_->copy_to_host(values.data(), memory.data(), memory.bytes());
        return values;
    }
    template <typename... Arguments>
    void launch(MicroKernel kernel, unsigned blocks, Arguments... arguments) {
        void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))...};
        device_->launch(*kernels_, static_cast<std::size_t>(kernel), {{blocks, 1}, 256, 0},
                        pointers, {});
        device_->synchronize({});
    }
};

TEST_P(MicroKernels, CopyCopiesAll) {
    // Three blocks of 256 pairs, four at a time, and some that are left.
    std::vector<double> numbers(2 * 5000);
    std::iota(numbers.begin(), numbers.end(), 1);
    const auto x = array(numbers), y = array(std::vector<double>(numbers.size(), 0));
    launch(MicroKernel::copy, 3, 5000L, 2, x->data(), y->data());
    EXPECT_EQ(values(*y), numbers);
}

TEST_P(MicroKernels, ReadLooksAtAll) {
    const auto out = array({0});
    for (const std::size_t place : {0u, 4095u, 9999u}) {
        std::vector<double> numbers(2 * 5000, 0);
        numbers[place] = 1;
        const auto x = array(numbers);
        const double none = 0;
        device_->copy_to_device(out->data(), &none, sizeof(none));
        launch(MicroKernel::read, 3, 5000L, 1, static_cast<const void*>(x->data()), out->data());
        EXPECT_EQ(values(*out)[0], 1) << place;
        launch(MicroKernel::read, 1, 5000L, 3, static_cast<const void*>(x->data()), out->data());
        EXPECT_EQ(values(*out)[0], 3) << place << ", met in each pass by the same thread";
    }
}

TEST_P(MicroKernels, GathersAndAtomicsAreSpreadOverAll) {
    const auto y = array(std::vector<double>(64, 0));
    launch(MicroKernel::atomics, 4, 63u, 16, y->data());
    const std::vector<double> hits = values(*y);
    EXPECT_EQ(std::accumulate(hits.begin(), hits.end(), 0.0), 4 * 256 * 16);
    // 256 each on average; a hash that favours some places would measure something else.
    EXPECT_THAT(hits, ::testing::Each(::testing::AllOf(::testing::Gt(170), ::testing::Lt(350))));
    const auto out = array({0});
    launch(MicroKernel::gather, 4, 63u, 2, static_cast<const void*>(y->data()), out->data());
    EXPECT_GT(values(*out)[0], 0);
}

INSTANTIATE_TEST_SUITE_P(On, MicroKernels, ::testing::Values("sm_90", "gfx906"));

/// Whether a compiler that is here knows the target; whatever else keeps it from compiling fails.
bool compiles_micro_kernels(const Target& target, TargetKind vendor) {
    const KernelSource source = calibration::micro_kernels(target);
    for (const BinaryKind kind : loadable_kinds(vendor)) {
        try {
            EXPECT_FALSE(load_generator().compile(source, kind, Compiler::automatic).bytes.empty());
            return true;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::unsupported) << error.what();
        }
    }
    return false;
}

/// Three architectures, and with $SPMVGEN_EVERY_ARCHITECTURE, as the long tests have it, all.
TEST(MicroKernelText, CompilesForGpusThatACompilerKnows) {
    const bool every = std::getenv("SPMVGEN_EVERY_ARCHITECTURE") != nullptr;
    const std::set<std::string_view> some{"sm_90", "gfx906", "gfx1100"};
    int compiled = 0;
    for (auto& row : architectures()) {
        if (row.kind == TargetKind::host || !(every || some.contains(row.name))) continue;
        SCOPED_TRACE(row.name);
        compiled += compiles_micro_kernels(parse_target(row.name), row.kind);
    }
    EXPECT_GT(compiled, every ? 10 : 2) << "Clang is always there and knows more";
}

/// Every figure that a calibration has.
void expect_all(const DeviceProfile& p) {
    for (auto* figure : {&p.launch_us, &p.kernel_ms, &p.load_ms, &p.convert_bytes_per_s}) {
        EXPECT_GT(figure->value, 0);
        EXPECT_GE(figure->spread, 0);
    }
    EXPECT_GT(p.first_kernel_ms.value, 0);
    for (auto* list : {&p.read, &p.copy, &p.gather, &p.atomics}) {
        EXPECT_FALSE(list->empty());
        for (auto& rate : *list) EXPECT_GT(rate.per_s, 0) << rate.bytes;
    }
    EXPECT_EQ(parse_device_profile(to_json(p)), p);
}

TEST(Calibration, MeasuresAllOfAGpu) {
    const CalibrationPlan plan{open_device("simt:gfx906"), 0, 0.1, 1e7};
    std::vector<DeviceProfile> rounds(2, empty_profile(plan));
    for (auto& step : calibration_steps(plan)) {
        EXPECT_NE(step.name, "");
        for (auto& round : rounds) step.measure(round);
    }
    const DeviceProfile profile = combined(rounds);
    expect_all(profile);
    EXPECT_EQ(profile.device, "SIMT executor");
    EXPECT_EQ(profile.arch, "gfx906");
    EXPECT_EQ(profile.read.front().threads, 0);
}

TEST(Calibration, MeasuresAllOfACpu) {
    const CalibrationPlan plan{nullptr, 1, 0.1, 1e7};
    DeviceProfile profile = empty_profile(plan);
    for (auto& step : calibration_steps(plan)) step.measure(profile);
    profile = combined({profile});
    expect_all(profile);
    EXPECT_EQ(profile.arch, parse_target("native").arch);
    EXPECT_EQ(profile.read.front().threads, 1);
    EXPECT_TRUE(profile.regions.empty()) << "one thread is no team";
}

TEST(Calibration, MeasuresTheBeginOfEachTeam) {
    const CalibrationPlan plan{nullptr, 3, 0.1, 1e5};
    DeviceProfile profile = empty_profile(plan);
    for (auto& step : calibration_steps(plan))
        if (step.name == "parallel regions") step.measure(profile);
    ASSERT_EQ(profile.regions.size(), 2u);
    EXPECT_EQ(profile.regions[0].threads, 2);
    EXPECT_GT(profile.regions[0].us, 0);
    EXPECT_EQ(profile.regions[1].threads, 3);
    EXPECT_EQ(profile.regions[1].us, profile.launch_us.value);
}

TEST(Calibration, RoundsBecomeMediansAndTheirSpread) {
    const auto round = [](double launch, double launch_spread, double rate) {
        DeviceProfile p;
        p.launch_us = {launch, launch_spread};
        p.kernel_ms = p.load_ms = p.convert_bytes_per_s = {1, 0.25};
        p.first_kernel_ms = {launch, 0};
        p.read = {{0, 1e6, rate, 0}};
        p.regions = {{2, 2 * launch, launch_spread}};
        return p;
    };
    const DeviceProfile p = combined({round(2, 0.5, 1e9), round(3, 0.25, 1e9), round(5, 0.5, 1e9)});
    EXPECT_EQ(p.launch_us, (Figure{3, 0.5}));  // quartiles 2.5 and 4, over 3
    EXPECT_EQ(p.kernel_ms, (Figure{1, 0.25}));
    EXPECT_EQ(p.first_kernel_ms, (Figure{2, 0}));
    EXPECT_EQ(p.read[0], (DeviceRate{0, 1e6, 1e9, 0}));
    EXPECT_EQ(p.regions[0], (RegionTime{2, 6, 0.5}));
}

}  // namespace
}  // namespace spmvgen
