// Devices, memory and kernels from many threads at once, against the stand-in.
#include <gtest/gtest.h>

#include <thread>

#include "vendor_fixture.hpp"

namespace spmvgen {
namespace {

class DeviceThreads : public VendorFixture, public ::testing::WithParamInterface<bool> {
  public:
    DeviceThreads() : VendorFixture(GetParam()) {}
};

INSTANTIATE_TEST_SUITE_P(Devices, DeviceThreads, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "cuda" : "hip"; });

TEST_P(DeviceThreads, OpenAllocateCopyLoad) {
    std::vector<std::thread> threads;
    std::vector<std::vector<int>> results(8);
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            for (int round = 0; round < 20; ++round) {
                const auto own = device(t % 2);
                const auto memory = upload<int>(*own, {t, round});
                const auto kernel = own->load(binary({"axpy", "block_sum"}));
                results[static_cast<std::size_t>(t)] = download<int>(*own, *memory);
            }
        });
    for (auto& thread : threads) thread.join();
    for (int t = 0; t < 8; ++t)
        EXPECT_EQ(results[static_cast<std::size_t>(t)], (std::vector<int>{t, 19}));
}

TEST_P(DeviceThreads, OneDeviceForAll) {
    const auto own = device();
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&] {
            for (int round = 0; round < 20; ++round) EXPECT_EQ(device(), own);
        });
    for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace spmvgen
