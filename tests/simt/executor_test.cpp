// Correct kernels give right results for both warps and both thread orders.
#include <gtest/gtest.h>

#include <numeric>
#include <tuple>
#include <vector>

#include "kernel_module.hpp"

namespace spmvgen {
namespace {

class Executor : public ::testing::TestWithParam<std::tuple<unsigned, ThreadOrder>> {
  protected:
    SimtLaunch how(unsigned blocks, unsigned threads) const {
        SimtLaunch launch;
        launch.grid.x = blocks;
        launch.block.x = threads;
        launch.warp = std::get<0>(GetParam());
        launch.order = std::get<1>(GetParam());
        return launch;
    }
    unsigned warp() const { return std::get<0>(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(
    Simt, Executor,
    ::testing::Combine(::testing::Values(32u, 64u),
                       ::testing::Values(ThreadOrder::forward, ThreadOrder::reverse)),
    [](const auto& test) {
        return (std::get<0>(test.param) == 32 ? std::string("warp32") : std::string("wave64")) +
               (std::get<1>(test.param) == ThreadOrder::forward ? "_forward" : "_reverse");
    });

TEST_P(Executor, BlockReductionThroughSharedMemory) {
    std::vector<double> x(10000);
    std::iota(x.begin(), x.end(), 1.0);
    double sum = 0;
    launch("block_sum", how(40, 256), 10000, static_cast<const double*>(x.data()), &sum);
    EXPECT_EQ(sum, 50005000.0);
}

TEST_P(Executor, DynamicSharedMemoryOfTwoTypes) {
    std::vector<double> x{1, 2, 3, 4, 5, 6}, y(6);
    auto launch3 = how(2, 3);
    launch3.dynamic_shared_bytes = 24;
    launch("turned_f64", launch3, static_cast<const double*>(x.data()), y.data());
    EXPECT_EQ(y, (std::vector<double>{3, 2, 1, 6, 5, 4}));
    std::vector<int> i{1, 2, 3, 4, 5, 6}, j(6);
    launch3.dynamic_shared_bytes = 12;
    launch("turned_i32", launch3, static_cast<const int*>(i.data()), j.data());
    EXPECT_EQ(j, (std::vector<int>{3, 2, 1, 6, 5, 4}));
}

TEST_P(Executor, WarpReductions) {
    std::vector<int> x(128);
    std::iota(x.begin(), x.end(), 0);
    std::vector<int> y(128 / warp());
    launch("warp_sum_masked", how(1, 128), static_cast<const int*>(x.data()), y.data());
    const std::vector<int> of32{496, 1520, 2544, 3568}, of64{2016, 6112};
    EXPECT_EQ(y, warp() == 32 ? of32 : of64);
    std::vector<float> xf(x.begin(), x.end()), yf(128 / warp());
    launch("warp_sum_unmasked", how(1, 128), static_cast<const float*>(xf.data()), yf.data());
    EXPECT_EQ(std::vector<int>(yf.begin(), yf.end()), y);
}

TEST_P(Executor, SubwarpsOfEight) {
    std::vector<double> x(64), y(64);
    std::iota(x.begin(), x.end(), 0.0);
    launch("subwarp_sum", how(1, 64), static_cast<const double*>(x.data()), y.data());
    for (int i = 0; i < 64; i++) EXPECT_EQ(y[i], 64 * (i / 8) + 28) << i;
}

TEST_P(Executor, SegmentedScan) {
    std::vector<int> key(192), value(192), out(192);
    for (int i = 0; i < 192; i++) key[i] = i < 5 ? 0 : i < 6 ? 1 : i < 100 ? 2 : i;
    for (int i = 0; i < 192; i++) value[i] = i % 7 + 1;
    launch("segmented_scan", how(1, 192), static_cast<const int*>(key.data()),
           static_cast<const int*>(value.data()), out.data());
    int sum = 0;
    for (int i = 0; i < 192; i++) {
        if (i % static_cast<int>(warp()) == 0 || key[i] != key[i - 1]) sum = 0;
        sum += value[i];
        EXPECT_EQ(out[i], sum) << i;
    }
}

TEST_P(Executor, AtomicsOfEveryType) {
    float f = 0;
    double d = 0;
    int i = 0;
    unsigned u = 0;
    unsigned long long l = 0;
    launch("add_everywhere", how(50, 100), &f, &d, &i, &u, &l);
    EXPECT_EQ(f, 5000.0f);
    EXPECT_EQ(d, 2500.0);
    EXPECT_EQ(i, -5000);
    EXPECT_EQ(u, 10000u);
    EXPECT_EQ(l, 5000ull << 32);
}

TEST_P(Executor, TwoDimensions) {
    auto launch2 = how(2, 7);
    launch2.grid.y = 3;
    launch2.block.y = 5;
    std::vector<unsigned> out(14 * 15);
    launch("where", launch2, out.data());
    for (unsigned row = 0; row < 15; row++)
        for (unsigned column = 0; column < 14; column++)
            EXPECT_EQ(out[row * 14 + column], 350000 + row * 100 + column);
}

TEST_P(Executor, PartialLastWarp) {
    std::vector<unsigned long long> out(40);
    launch("ballots", how(1, 40), out.data());
    if (warp() == 32) {
        EXPECT_EQ(out[31], 0x55555555ull);
        EXPECT_EQ(out[32], 0x55ull);
    } else {
        EXPECT_EQ(out[0], 0x5555555555ull);
    }
}

TEST_P(Executor, EarlyExitBeforeShufflesWithAMask) {
    std::vector<int> out(64, -1);
    launch("early_exit", how(1, 64), 5, out.data());
    for (unsigned first = 0; first < 64; first += warp()) {
        const std::vector<int> head(out.begin() + first, out.begin() + first + 6);
        EXPECT_EQ(head, (std::vector<int>{10, 10, 9, 7, 4, -1}));
    }
}

TEST_P(Executor, UnmaskedBallotSeesTheLanesThatAreThere) {
    std::vector<unsigned long long> inside(64), after(64);
    launch("diverging_loop", how(1, 64), inside.data(), after.data());
    const auto all = warp() == 64 ? ~0ull : 0xffffffffull;
    const unsigned long long still[] = {0xffffffffffffffffull, 0xeeeeeeeeeeeeeeeeull,
                                        0xccccccccccccccccull, 0x8888888888888888ull};
    for (int i = 0; i < 64; i++) {
        EXPECT_EQ(inside[i], still[i % 4] & all) << i;
        EXPECT_EQ(after[i], all) << i;
    }
}

TEST_P(Executor, HalvesOfAWarpApart) {
    std::vector<int> out(64);
    launch("halves", how(1, 64), out.data());
    const int half = static_cast<int>(warp()) / 2;
    for (int i = 0; i < 64; i++) EXPECT_EQ(out[i], i / half % 2 == 0 ? 3 : half + 5) << i;
}

TEST_P(Executor, Votes) {
    std::vector<int> out(3 * 64);
    launch("votes", how(1, 64), out.data());
    for (int i = 0; i < 64; i++) {
        EXPECT_EQ(out[3 * i], 1);
        EXPECT_EQ(out[3 * i + 1], 0);
        EXPECT_EQ(out[3 * i + 2], 1);
    }
}

TEST_P(Executor, SyncwarpOrdersSharedMemory) {
    std::vector<int> out(128);
    launch("syncwarp", how(1, 128), out.data());
    const int w = static_cast<int>(warp());
    for (int i = 0; i < 128; i++) EXPECT_EQ(out[i], i / w * w + w - 1) << i;
}

TEST_P(Executor, OneExecutorTakesLaunchesOfDifferentSizes) {
    SimtExecutor executor;
    std::vector<double> x(1024, 1.0);
    const double* values = x.data();
    for (const unsigned threads : {32u, 256u, 1u, 128u}) {
        int n = 1024;
        double sum = 0;
        double* out = &sum;
        void* arguments[] = {&n, &values, &out};
        executor.run(test_kernel("block_sum"), arguments, how(1024 / threads, threads));
        EXPECT_EQ(sum, 1024.0) << threads;
    }
}

}  // namespace
}  // namespace spmvgen
