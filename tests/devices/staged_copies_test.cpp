// Copies of much memory to a device, against the stand-in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <numeric>
#include <thread>

#include "vendor_fixture.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::size_t mib = std::size_t{1} << 20;

class StagedCopies : public VendorDevice {
  protected:
    void SetUp() override {
        VendorDevice::SetUp();
        omp_set_num_threads(2);
    }
    void TearDown() override {
        omp_set_num_threads(threads_);
        VendorDevice::TearDown();
    }

    static std::vector<int> numbers(std::size_t bytes, int first) {
        std::vector<int> made(bytes / sizeof(int));
        std::iota(made.begin(), made.end(), first);
        return made;
    }
    /// So many have to be copied before page-locked memory repays itself.
    static void make_memory(Device& own) { (void)upload(own, numbers(16 * mib, 0)); }
    std::string locks() const { return name("cuMemHostAlloc", "hipHostMalloc"); }
    std::string fetches() const { return name("cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync"); }
    std::string sends() const { return name("cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync"); }

  private:
    const int threads_ = omp_get_max_threads();
};

INSTANTIATE_TEST_SUITE_P(Devices, StagedCopies, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "cuda" : "hip"; });

// The stand-in reads page-locked memory as late as it may.
TEST_P(StagedCopies, AllBytesArriveInOrder) {
    const auto own = device();
    make_memory(*own);
    for (const std::size_t bytes : {mib / 2, 2 * mib, 5 * mib + 4, 2 * mib - 4, 9 * mib}) {
        const auto sent = numbers(bytes, static_cast<int>(bytes));
        standin.calls();
        const auto memory = own->allocate(bytes);
        own->enqueue_to_device(memory->data(), sent.data(), bytes);
        EXPECT_THAT(standin.calls(), HasSubstr(sends()));
        EXPECT_EQ(download<int>(*own, *memory), sent) << bytes;
        EXPECT_THAT(standin.calls(), HasSubstr(fetches()));
        EXPECT_EQ(download<int>(*own, *upload(*own, sent)), sent) << bytes;
    }
}

TEST_P(StagedCopies, SeveralAtOnceFollowOneAnother) {
    const auto own = device();
    make_memory(*own);
    std::vector<std::unique_ptr<DeviceMemory>> memory;
    std::vector<std::vector<int>> sent;
    for (int i = 0; i < 4; ++i) {
        sent.push_back(numbers(3 * mib, i * 1000));
        memory.push_back(own->allocate(3 * mib));
    }
    for (std::size_t i = 0; i < 4; ++i) {
        std::vector<int> passing = sent[i];
        own->enqueue_to_device(memory[i]->data(), passing.data(), 3 * mib);
        std::ranges::fill(passing, -1);  // the host's bytes may change once the call returns
    }
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(download<int>(*own, *memory[i]), sent[i]);
}

TEST_P(StagedCopies, NoMemoryIsLockedForLittle) {
    const auto own = device();
    (void)upload(*own, numbers(15 * mib, 0));
    EXPECT_THAT(standin.calls(), Not(HasSubstr(locks())));
    (void)upload(*own, numbers(mib / 8, 0));
    EXPECT_THAT(standin.calls(), Not(HasSubstr(locks()))) << "a small copy is the driver's";
    (void)upload(*own, numbers(mib, 0));
    EXPECT_THAT(standin.calls(), HasSubstr(locks()));
    (void)upload(*own, numbers(32 * mib, 0));
    EXPECT_THAT(standin.calls(), Not(HasSubstr(locks()))) << "once";
}

TEST_P(StagedCopies, OneThreadLeavesItToTheDriver) {
    const auto own = device();
    omp_set_num_threads(1);
    make_memory(*own);
    EXPECT_THAT(standin.calls(), Not(HasSubstr(locks())));
}

TEST_P(StagedCopies, WithoutPageLockedMemoryTheDriverCopies) {
    const auto own = device();
    standin.fail_next(locks(), 2);
    const auto sent = numbers(20 * mib, 1);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(download<int>(*own, *upload(*own, sent)), sent);
    const std::string calls = standin.calls();
    EXPECT_EQ(calls.find(locks()), calls.rfind(locks())) << "asked for once";
    EXPECT_THAT(calls, Not(HasSubstr(sends())));
}

TEST_P(StagedCopies, WhatFailsIsTold) {
    const auto own = device();
    make_memory(*own);
    const auto memory = own->allocate(3 * mib);
    const auto sent = numbers(3 * mib, 1);
    standin.fail_next(sends(), 999);
    EXPECT_EQ(error_of([&] { own->enqueue_to_device(memory->data(), sent.data(), 3 * mib); }),
              io() + sends() + ": " + unknown());
    standin.fail_next(fetches(), 999);
    EXPECT_EQ(error_of([&] { (void)download<int>(*own, *memory); }),
              io() + fetches() + ": " + unknown());
    own->enqueue_to_device(memory->data(), sent.data(), 3 * mib);
    EXPECT_EQ(download<int>(*own, *memory), sent);
}

TEST_P(StagedCopies, ManyThreadsAtOnce) {
    const auto own = device();
    make_memory(*own);
    std::vector<std::thread> threads;
    std::vector<std::vector<int>> results(4);
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            results[static_cast<std::size_t>(t)] =
                download<int>(*own, *upload(*own, numbers(3 * mib, t)));
        });
    for (auto& thread : threads) thread.join();
    for (int t = 0; t < 4; ++t)
        EXPECT_EQ(results[static_cast<std::size_t>(t)], numbers(3 * mib, t));
}

}  // namespace
}  // namespace spmvgen
