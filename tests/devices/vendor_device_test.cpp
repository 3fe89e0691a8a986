// What CUDA and HIP have in common, against the stand-in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "calibrate/calibrate.hpp"
#include "vendor_fixture.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

INSTANTIATE_TEST_SUITE_P(Devices, VendorDevice, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "cuda" : "hip"; });

TEST_P(VendorDevice, Facts) {
    const auto facts = device(1)->facts();
    EXPECT_EQ(facts.name, "Stand-in 1");
    EXPECT_EQ(facts.text, text(1));
    EXPECT_EQ(facts.target, parse_target(arch()));
    EXPECT_EQ(facts.loads, kind());
    EXPECT_EQ(facts.units, 7);
    EXPECT_EQ(facts.rated, (cuda ? DeviceSheet{1.41, 1.5552e12, 1 << 20} : DeviceSheet{}));
    EXPECT_EQ(facts.memory_bytes, 1 << 30);
    EXPECT_EQ(facts.driver, cuda ? "CUDA 13.0" : "HIP 6.3.42134");
}

TEST_P(VendorDevice, CalibrationWritesDownWhatTheDriverTells) {
    const CalibrationPlan plan{device(), 0, 0.1, 1e7};
    const DeviceProfile profile = empty_profile(plan);
    EXPECT_EQ(profile.units, 7);
    EXPECT_EQ(profile.rated, device()->facts().rated);
}

TEST_P(VendorDevice, RunsAKernel) {
    const auto own = device();
    EXPECT_EQ(axpy(*own, *own), sum);
}

// A kernel of device 1 reads memory of device 0.
TEST_P(VendorDevice, ReachesTheMemoryOfAnother) {
    {
        const auto own = device(1), other = device(0);
        EXPECT_TRUE(own->reach(*other));
        EXPECT_TRUE(own->reach(*other)) << "again";
        EXPECT_EQ(axpy(*own, *other), sum);
        EXPECT_FALSE(own->reach(*open_device("simt:sm_90")));
        standin.fail_next(name("cuCtxEnablePeerAccess", "hipDeviceEnablePeerAccess"), 2);
        EXPECT_EQ(error_of([&] { own->reach(*other); }),
                  "io: " + text(1) + ": memory of " + text(0) + ": " +
                      name("cuCtxEnablePeerAccess", "hipDeviceEnablePeerAccess") + ": " +
                      out_of_memory());
    }
    standin.reset({.archs = {arch(), arch()}});  // the contexts that stay
}

TEST_P(VendorDevice, ReachesItAfterBothWereClosedToo) {
    EXPECT_TRUE(device(1)->reach(*device(0)));
    EXPECT_EQ(standin.alive(),
              name("the context of device 0, 1 times\nthe context of device 1, 1 times\n", ""));
    EXPECT_EQ(axpy(*device(1), *device(0)), sum);
    standin.reset({.archs = {arch(), arch()}});  // the contexts that stay
}

TEST_P(VendorDevice, SaysWhereItCannotReach) {
    standin.reset({.archs = {arch(), arch()}, .peers = false});
    EXPECT_FALSE(device(1)->reach(*device(0)));
}

TEST_P(VendorDevice, EveryStepIsFoundAndGridsHaveTwoDimensions) {
    const auto own = device();
    const auto out = own->allocate(7 * sizeof(int));
    const auto kernel = own->load(binary({"axpy", "block_sum"}));
    EXPECT_EQ(kernel->launch().steps.size(), 2u);
    void* pointer = out->data();
    void* arguments[] = {&pointer};
    own->launch(*kernel, 1, {{3, 2}, 4, 16}, arguments, {});
    EXPECT_EQ(download<int>(*own, *out), (std::vector<int>{6, 6, 6, 6, 6, 6, cuda ? 32 : 64}));
}

TEST_P(VendorDevice, LaunchesOnTheCallersStream) {
    const auto own = device(1);
    const auto out = own->allocate(2 * sizeof(int));
    const auto kernel = own->load(binary({"block_sum"}));
    const StreamRef stream{standin.make_stream(1)};
    void* pointer = out->data();
    void* arguments[] = {&pointer};
    own->launch(*kernel, 0, {{1, 1}, 4, 16}, arguments, stream);
    own->synchronize(stream);
    EXPECT_EQ(download<int>(*own, *out)[0], 6);
}

TEST_P(VendorDevice, FreeBytes) {
    const auto own = device();
    EXPECT_EQ(own->free_bytes(), std::size_t{1} << 30);
    const auto memory = own->allocate(1000);
    EXPECT_EQ(own->free_bytes(), (std::size_t{1} << 30) - 1000);
}

TEST_P(VendorDevice, NothingIsCalledForNoBytes) {
    const auto own = device();
    standin.calls();
    const auto nothing = own->allocate(0);
    EXPECT_EQ(nothing->data(), nullptr);
    own->copy_to_device(nullptr, nullptr, 0);
    own->copy_to_host(nullptr, nullptr, 0);
    own->copy_on_device(nullptr, nullptr, 0);
    EXPECT_EQ(standin.calls(), "");
}

TEST_P(VendorDevice, CopiesWithinTheDeviceAreCompleteWhenTheyReturn) {
    const auto own = device();
    const auto from = upload<int>(*own, {1, 2, 3}), to = upload<int>(*own, {0, 0, 0});
    standin.calls();
    own->copy_on_device(to->data(), from->data(), 8);
    EXPECT_THAT(standin.calls(), HasSubstr(cuda ? "cuMemcpyDtoD_v2 cuStreamSynchronize"
                                                : "hipMemcpyDtoD hipStreamSynchronize"));
    EXPECT_EQ(download<int>(*own, *to), (std::vector<int>{1, 2, 0}));
}

TEST_P(VendorDevice, GathersPiecesAndWaitsOnce) {
    const auto own = device();
    const auto memory = upload<int>(*own, {1, 2, 3, 4, 5, 6});
    const auto* from = static_cast<const int*>(memory->data());
    const DevicePiece pieces[] = {{from + 4, 8}, {from, 0}, {from + 1, 4}};
    std::vector<int> gathered(4);
    standin.calls();
    own->gather_to_host(gathered.data(), pieces);
    EXPECT_EQ(gathered, (std::vector<int>{5, 6, 2, 0}));
    const std::string calls = standin.calls();
    EXPECT_THAT(calls, HasSubstr(cuda ? "cuMemcpyDtoD_v2 cuMemcpyDtoD_v2 "
                                      : "hipMemcpyDtoD hipMemcpyDtoD "));
    EXPECT_THAT(calls, HasSubstr(cuda ? "cuMemcpyDtoH_v2" : "hipMemcpyDtoH"));
    EXPECT_THAT(calls, testing::Not(HasSubstr("StreamSynchronize")));
}

TEST_P(VendorDevice, ScratchMemoryIsUsedAgain) {
    auto own = device();
    const std::size_t all = own->free_bytes();
    void* const first = own->allocate_scratch(10'000)->data();
    standin.calls();
    auto again = own->allocate_scratch(9000);
    EXPECT_EQ(again->data(), first);
    EXPECT_EQ(again->bytes(), 9000U);
    EXPECT_EQ(standin.calls(), "");
    EXPECT_NE(own->allocate_scratch(9000)->data(), first) << "while it is in use";
    EXPECT_NE(own->allocate_scratch(4 << 20)->data(), first);
    EXPECT_EQ(own->allocate_scratch(0)->data(), nullptr);
    // More than the pool keeps is freed at once.
    const std::size_t before = own->free_bytes();
    (void)own->allocate_scratch(Device::most_pooled + 1);
    EXPECT_EQ(own->free_bytes(), before);
    // What it keeps makes room for what needs it.
    (void)own->allocate(all - 20'000);
    EXPECT_GT(own->free_bytes(), before);
    // Memory may outlive the device, and its pool.
    own.reset();
    EXPECT_NE(standin.alive(), "");
    again.reset();
    EXPECT_EQ(standin.alive(), "");
}

TEST_P(VendorDevice, KeptMemoryIsUsedAgainOnceThatIsAllowed) {
    constexpr std::size_t large = 4 << 20;
    auto own = device();
    (void)own->allocate_kept(large);
    EXPECT_EQ(standin.alive().find("bytes"), std::string::npos) << "freed with its object";
    auto memory = own->allocate_kept(large);
    void* const first = memory->data();
    memory->let_reuse();
    memory.reset();
    standin.calls();
    memory = own->allocate_kept(large - 1000);
    EXPECT_EQ(memory->data(), first);
    EXPECT_EQ(memory->bytes(), large - 1000);
    const std::string calls = standin.calls();
    EXPECT_THAT(calls, HasSubstr("StreamSynchronize")) << "another stream may use it next";
    EXPECT_THAT(calls, testing::Not(HasSubstr("Alloc")));
    EXPECT_NE(own->allocate_kept(large)->data(), first) << "while it is in use";
    memory->let_reuse();
    memory.reset();
    EXPECT_NE(own->allocate_kept(large / 2)->data(), first) << "far smaller";
    EXPECT_EQ(own->allocate_scratch(large / 2)->data(), first);
    // Small blocks are sooner allocated than looked for.
    const std::size_t before = own->free_bytes();
    own->allocate_kept(1000)->let_reuse();
    EXPECT_EQ(own->free_bytes(), before);
    own.reset();
    EXPECT_EQ(standin.alive(), "");
}

TEST_P(VendorDevice, ThePoolKeepsWhatCameBackLast) {
    constexpr std::size_t quarter = Device::most_pooled / 4;
    auto own = device();
    const std::size_t all = own->free_bytes();
    std::vector<std::unique_ptr<DeviceMemory>> blocks;
    for (int i = 0; i < 5; ++i) blocks.push_back(own->allocate_scratch(quarter));
    std::set<void*> kept;
    for (auto& block : blocks) {
        if (block != blocks.front()) kept.insert(block->data());
        block.reset();
    }
    EXPECT_EQ(own->free_bytes(), all - Device::most_pooled);
    standin.calls();
    std::set<void*> taken;
    for (int i = 0; i < 4; ++i)
        taken.insert(blocks.emplace_back(own->allocate_scratch(quarter))->data());
    EXPECT_EQ(taken, kept);
    EXPECT_EQ(standin.calls(), "");
}

TEST_P(VendorDevice, ManyThreadsTakeScratchMemory) {
    const auto own = device();
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&] {
            for (int i = 1; i < 200; ++i) {
                const auto a = own->allocate_scratch(static_cast<std::size_t>(i) * 100);
                const auto b = own->allocate_scratch(static_cast<std::size_t>(i) * 100);
                ASSERT_NE(a->data(), b->data());
            }
        });
    for (auto& thread : threads) thread.join();
}

TEST_P(VendorDevice, MemoryAndKernelsOutliveTheDevice) {
    auto own = device();
    auto memory = own->allocate(8);
    auto kernel = own->load(binary({"axpy"}));
    own.reset();
    EXPECT_THAT(standin.alive(), HasSubstr("8 bytes on device 0\na module on device 0\n"));
    memory.reset();
    kernel.reset();
    EXPECT_EQ(standin.alive(), "");
}

TEST_P(VendorDevice, OneDeviceForOneTextWhileItHasAnOwner) {
    auto own = device();
    EXPECT_EQ(own, device());
    EXPECT_EQ(own, open_device(cuda ? "cuda" : "hip"));
    EXPECT_NE(own, device(1));
    standin.calls();
    own.reset();
    own = device();
    EXPECT_THAT(standin.calls(), HasSubstr(cuda ? "cuInit" : "hipInit"));
}

TEST_P(VendorDevice, LaunchMakesNoOtherCall) {
    const auto own = device();
    const auto kernel = own->load(binary({"axpy"}));
    standin.calls();
    launch(*own, *kernel, {{1, 1}, 64, 0}, 0l, 1.0, nullptr, nullptr);
    EXPECT_EQ(standin.calls(), cuda ? "cuCtxGetCurrent cuCtxSetCurrent cuLaunchKernel "
                                      "cuCtxSetCurrent"
                                    : "hipGetDevice hipModuleLaunchKernel");
}

TEST_P(VendorDevice, LaunchesAreCaptured) {
    const auto own = device();
    const auto x = upload<double>(*own, {1, 2, 3});
    const auto y = upload<double>(*own, {10, 20, 30});
    const auto kernel = own->load(binary({"axpy"}));
    const StreamRef stream{standin.make_stream(0)};
    standin.begin_capture(stream.native);
    {
        long n = 3;
        double alpha = 1;
        void* pointers[] = {x->data(), y->data()};
        void* arguments[] = {&n, &alpha, &pointers[0], &pointers[1]};
        own->launch(*kernel, 0, {{1, 1}, 64, 0}, arguments, stream);
        n = 0;
    }
    EXPECT_EQ(standin.end_capture(2), 1);
    EXPECT_EQ(download<double>(*own, *y), (std::vector<double>{12, 24, 36}));
}

TEST_P(VendorDevice, MemoryAndKernelsComeAndGoDuringACapture) {
    const auto own = device();
    auto memory = own->allocate(8);
    auto kernel = own->load(binary({"axpy"}));
    standin.begin_capture(standin.make_stream(0));
    memory = own->allocate(16);
    kernel = own->load(binary({"block_sum"}));
    EXPECT_EQ(standin.misuse(), "");
    memory.reset();
    kernel.reset();
    EXPECT_EQ(standin.end_capture(1), 0);
}

TEST_P(VendorDevice, KnowsWhetherAStreamIsCaptured) {
    const auto own = device();
    const StreamRef stream{standin.make_stream(0)}, other{standin.make_stream(0)};
    EXPECT_FALSE(own->is_capturing(stream));
    standin.begin_capture(stream.native);
    // The stand-in for HIP has no graphs.
    EXPECT_EQ(own->is_capturing(stream), cuda);
    EXPECT_FALSE(own->is_capturing(other));
    standin.end_capture(1);
    EXPECT_FALSE(own->is_capturing(stream));
}

TEST_P(VendorDevice, CopiesDuringACaptureAreRefused) {
    const auto own = device();
    const auto memory = own->allocate(8);
    standin.begin_capture(standin.make_stream(0));
    EXPECT_THAT(error_of([&] { own->copy_to_device(memory->data(), "1234567", 8); }),
                HasSubstr("operation not permitted when stream is capturing"));
    standin.end_capture(1);
    EXPECT_THAT(standin.misuse(), HasSubstr("forbidden while a stream is captured"));
}

TEST_P(VendorDevice, ManyThreadsAtOnce) {
    std::vector<std::thread> threads;
    std::vector<std::vector<double>> results(8);
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            for (int round = 0; round < 10; ++round) {
                const auto own = device(t % 2);
                const auto x = upload<double>(*own, {1.0 * t, 2, 3});
                const auto y = upload<double>(*own, {10, 20, 30});
                const auto kernel = own->load(binary({"axpy"}));
                launch(*own, *kernel, {{1, 1}, 64, 0}, 3l, 1.0, x->data(), y->data());
                own->synchronize({});
                results[static_cast<std::size_t>(t)] = download<double>(*own, *y);
            }
        });
    for (auto& thread : threads) thread.join();
    for (int t = 0; t < 8; ++t)
        EXPECT_EQ(results[static_cast<std::size_t>(t)], (std::vector<double>{10.0 + t, 22, 33}));
}

}  // namespace
}  // namespace spmvgen
