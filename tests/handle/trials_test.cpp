// What trials of kernels on a device make, and what they expect of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <mutex>
#include <thread>

#include "handle/conversion/conversion_on_device.hpp"
#include "handle/conversion/csr_on_device.hpp"
#include "handle/plan/trial_costs.hpp"
#include "handle/plan/trials.hpp"
#include "levels_fixture.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// A GPU to which the values of one matrix are copied slowly.
class SlowDevice : public FakeDevice {
  public:
    static constexpr int slow_ms = 100;
    const void* slow = nullptr;
    int slow_copies = 0;
    void copy_to_device(void* device, const void* host, std::size_t bytes) override {
        if (host == slow) {
            ++slow_copies;
            std::this_thread::sleep_for(std::chrono::milliseconds(slow_ms));
        }
        FakeDevice::copy_to_device(device, host, bytes);
    }
    std::size_t free_bytes() override { return std::size_t{1} << 30; }
};

struct TrialsOnDevice : Levels {
    static Signature of_kernel(const std::string& kernel) {
        Signature s;
        s.kernel = kernel;
        s.target = parse_target("sm_90");
        return complete(s);
    }
    std::unique_ptr<Trials> trials(CsrOnDevice& csr, const TrialTerms& terms,
                                   CacheMode mode = CacheMode::memory) {
        return gpu_trials(view, csr, 2, 1, slow, terms, fake.provider,
                          {.mode = mode, .directory = {}});
    }
    std::vector<std::string> made() const {
        std::vector<std::string> kernels;
        for (auto& signature : fake.generator.made) kernels.push_back(signature.kernel);
        return kernels;
    }

    /// What trials are expected to take, and all that it is told by.
    struct Expected {
        Expected(TrialsOnDevice& t, const Trials& trials)
            : rows(analyse_row_lengths(t.view)),
              chooser(t.view, rows, 1),
              problem{t.view, rows, request, options, t.fake.provider, t.policy, t.slow, chooser},
              speed(request.target, t.slow.get(), 0),
              costs(problem, speed, trials, 0) {}
        const RowFeatures rows;
        const Options options = gpu_options();
        const Request request{.target = parse_target("sm_90")};
        Chooser chooser;
        const LevelProblem problem;
        const DeviceSpeed speed;
        TrialCosts costs;
    };

    const CsrView view = tiny.view();
    const KernelPolicy policy{.mode = CacheMode::memory, .directory = {}};
    std::shared_ptr<SlowDevice> slow = std::make_shared<SlowDevice>();
    const Choice sell{of_kernel("sell_slices"), "", ""};
    const Signature converter = conversion_to(sell.signature, view);
};

// Only how many entries there are is looked at.
TEST_F(TrialsOnDevice, CopyingToConvertPaysFromSomeEntriesOn) {
    CsrView large = view;
    const auto pays = [&](std::int64_t nnz, bool is_there, bool compile) {
        large.nnz = nnz;
        return CsrOnDevice(*slow, large, is_there ? &large : nullptr).pays(compile);
    };
    EXPECT_FALSE(pays((1 << 18) - 1, false, false));
    EXPECT_TRUE(pays(1 << 18, false, false));
    EXPECT_FALSE(pays(1'999'999, false, true)) << "compiling takes longer than it saves";
    EXPECT_TRUE(pays(2'000'000, false, true));
    EXPECT_TRUE(pays(1, true, false));
    EXPECT_FALSE(pays((1 << 17) - 1, true, true));
    EXPECT_TRUE(pays(1 << 17, true, true));
}

TEST_F(TrialsOnDevice, AKernelIsMadeWithWhatConvertsForIt) {
    CsrOnDevice csr(*slow, view, &view);
    const auto all = trials(csr, trial_terms(gpu_options()));
    EXPECT_EQ(all->storing_on_device_ms(sell.signature), 0);
    EXPECT_THAT(all->converters_of(sell.signature), ElementsAre(converter));
    Making& making = all->making([] { return 0.0; });
    EXPECT_TRUE(making.goes_beside_trials());
    making.begin(sell, 0, 1);
    making.wait_for_all();
    EXPECT_THAT(made(), UnorderedElementsAre("sell_slices", converter.kernel));
}

TEST_F(TrialsOnDevice, TheHostConvertsWhereTheConverterCannotBeHad) {
    CsrOnDevice csr(*slow, view, &view);
    const auto all = trials(csr, {}, CacheMode::load);
    EXPECT_EQ(all->storing_on_device_ms(sell.signature), std::nullopt);
    EXPECT_THAT(all->converters_of(sell.signature), IsEmpty());
}

TEST_F(TrialsOnDevice, TakeAConverterThatIsThere) {
    CsrOnDevice csr(*slow, view, &view);
    load_converters(fake.provider, {.mode = CacheMode::memory, .directory = {}}, slow,
                    sell.signature, view);
    const auto all = trials(csr, {}, CacheMode::load);
    EXPECT_EQ(all->storing_on_device_ms(sell.signature), 0);
}

TEST_F(TrialsOnDevice, WhatIsMadeCostsNothingMoreAndWhatIsBeingMadeIsNotWaitedFor) {
    CsrOnDevice csr(*slow, view, &view);
    const auto all = trials(csr, {});
    Expected expected(*this, *all);
    const TrialCosts& costs = expected.costs;

    std::promise<void> begun, let;
    fake.generator.compiling = [&, first = std::make_shared<std::once_flag>()] {
        std::call_once(*first, [&] {
            begun.set_value();
            let.get_future().wait();
        });
    };
    Making& making = all->making([] { return 0.0; });
    making.begin(sell, 0, 1);
    begun.get_future().wait();
    EXPECT_GT(costs.of(sell.signature).kernel_ms, 0);
    let.set_value();
    making.wait_for_all();
    EXPECT_EQ(costs.of(sell.signature).kernel_ms, 0) << "what converts for it is there, too";
}

TEST_F(TrialsOnDevice, TheFirstCopyIsExpectedOnce) {
    slow->slow = tiny.values.data();
    CsrOnDevice csr(*slow, view, nullptr);
    const auto few = trials(csr, {});
    const Signature first = of_kernel("csr_classical"), next = of_kernel("csr_by_length");
    Expected expected(*this, *few);
    TrialCosts& costs = expected.costs;
    EXPECT_GT(costs.of(first).convert_ms, 0) << "the copy";

    ASSERT_EQ(few->time(first, 1e-4).trouble, "");
    costs.learn(first);
    EXPECT_EQ(slow->slow_copies, 1);
    EXPECT_EQ(few->storing_on_device_ms(next), 0) << "it is there";
    ASSERT_TRUE(few->last_conversion());
    EXPECT_LT(few->last_conversion()->ms, SlowDevice::slow_ms) << "without the copy";
    EXPECT_LT(costs.of(next).convert_ms, SlowDevice::slow_ms);

    ASSERT_EQ(few->time(next, 1e-4).trouble, "");
    EXPECT_EQ(slow->slow_copies, 1);
}

TEST_F(TrialsOnDevice, VectorsAreMadeOnceAndBoundsForTheSecondKernel) {
    CsrOnDevice csr(*slow, view, &view);
    const auto few = trials(csr, {});
    const Signature first = of_kernel("csr_classical"), next = of_kernel("csr_by_length");
    const auto rows = static_cast<double>(view.rows), cols = static_cast<double>(view.cols);
    EXPECT_EQ(few->next_check(first).written_bytes, 8 * (cols + 2 * rows)) << "x, y and its copy";
    EXPECT_EQ(few->next_check(first).read_bytes, 0);
    ASSERT_EQ(few->time(first, 1e-4).trouble, "");
    EXPECT_TRUE(few->last_check());
    EXPECT_EQ(few->next_check(next).written_bytes, 8 * (rows + 2 * rows)) << "y, bounds, a copy";
    EXPECT_GT(few->next_check(next).read_bytes, 0);
    ASSERT_EQ(few->time(next, 1e-4).trouble, "");
    EXPECT_EQ(few->next_check(first).written_bytes, 8 * rows);
    EXPECT_EQ(few->next_check(first).read_bytes, 0);
}

}  // namespace
}  // namespace spmvgen
