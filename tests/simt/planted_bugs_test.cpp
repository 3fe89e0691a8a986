// Wrong kernels and wrong launches: each is caught.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernel_module.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

SimtLaunch how(unsigned threads, unsigned warp = 32, ThreadOrder order = ThreadOrder::forward) {
    SimtLaunch launch;
    launch.block.x = threads;
    launch.warp = warp;
    launch.order = order;
    return launch;
}

/// The message of the Error that a launch of `kernel` throws; y has room for 256 elements.
std::string message(const std::string& kernel, const SimtLaunch& launch_of,
                    ErrorCode code = ErrorCode::internal) {
    std::vector<int> y(256);
    try {
        launch(kernel, launch_of, y.data());
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), code);
        return error.what();
    }
    return "nothing was thrown";
}

const std::string must =
    "; every thread of the block must reach the same __syncthreads(), and every thread that a mask "
    "names the same warp operation";

/// Whether y[i] = i + shift for all but the last in that direction, for 64 threads.
bool right(const std::string& kernel, ThreadOrder order, int shift) {
    std::vector<double> y(64);
    launch(kernel, how(64, 32, order), y.data());
    for (int i = shift < 0 ? 1 : 0; i < (shift < 0 ? 64 : 63); i++)
        if (y[i] != i + shift) return false;
    return true;
}

TEST(SimtPlanted, MissingBarrierShowsInOneOrder) {
    EXPECT_TRUE(right("missing_barrier_up", ThreadOrder::forward, -1));
    EXPECT_FALSE(right("missing_barrier_up", ThreadOrder::reverse, -1));
    EXPECT_FALSE(right("missing_barrier_down", ThreadOrder::forward, 1));
    EXPECT_TRUE(right("missing_barrier_down", ThreadOrder::reverse, 1));
}

TEST(SimtPlanted, MaskWithoutTheCaller) {
    EXPECT_EQ(message("mask_without_self", how(32)),
              "simt: kernel 'simt_mask_without_self', block (0, 0, 0): thread 16: __shfl_down_sync "
              "in line 201 has mask 0xffff, which does not name the calling lane 16");
}

TEST(SimtPlanted, MaskOfThreadsThatWaitElsewhere) {
    EXPECT_EQ(message("mask_of_others", how(40)),
              "simt: kernel 'simt_mask_of_others', block (0, 0, 0): threads 0-7 wait at "
              "__shfl_down_sync with mask 0xffffffff in line 204; threads 8-39 wait at "
              "__syncthreads() in line 205" +
                  must);
}

TEST(SimtPlanted, MaskOf32LanesInAWavefrontOf64) {
    EXPECT_NE(message("mask_without_self", how(64, 64)).find("lane 16"), std::string::npos);
}

TEST(SimtPlanted, ValueOfALaneThatTakesNoPart) {
    std::vector<int> y(32);
    launch("mask_too_small", how(32), y.data());
    EXPECT_EQ(y[2], 1);
    EXPECT_EQ(y[3], -1);
    launch("returned_lane", how(32), y.data());
    EXPECT_EQ(y[0], -1);
}

TEST(SimtPlanted, WidthThatIsNoPowerOfTwo) {
    EXPECT_EQ(message("wrong_width", how(32)),
              "simt: kernel 'simt_wrong_width', block (0, 0, 0): thread 0: __shfl in line 211 has "
              "width 12; it must be a power of two, at most the warp of 32");
}

TEST(SimtPlanted, DivergentBarrier) {
    EXPECT_EQ(message("divergent_barrier", how(48)),
              "simt: kernel 'simt_divergent_barrier', block (0, 0, 0): threads 0-15 wait at "
              "__syncthreads() in line 302; threads 16-47 wait at __syncthreads() in line 304" +
                  must);
}

TEST(SimtPlanted, BarrierAfterAReturn) {
    auto blocks = how(32);
    blocks.grid.x = 100;
    EXPECT_EQ(message("barrier_after_return", how(32)),
              "simt: kernel 'simt_barrier_after_return', block (0, 0, 0): threads 0-4 wait at "
              "__syncthreads() in line 309; thread 5 has returned; threads 6-31 wait at "
              "__syncthreads() in line 309" +
                  must);
    EXPECT_NE(message("barrier_after_return", blocks).find("thread 5 has returned"),
              std::string::npos);
}

TEST(SimtPlanted, AnExecutorGoesOnAfterAnError) {
    SimtExecutor executor;
    std::vector<int> y(32);
    int* out = y.data();
    void* arguments[] = {&out};
    EXPECT_THROW(executor.run(test_kernel("mask_of_others"), arguments, how(32)), Error);
    executor.run(test_kernel("halves"), arguments, how(32));
    EXPECT_EQ(y[0], 3);
    EXPECT_EQ(y[31], 21);
}

TEST(SimtPlanted, UninitialisedSharedMemory) {
    auto blocks = how(1);
    blocks.grid.x = 64;
    std::vector<double> y(64);
    launch("uninitialised_static", blocks, y.data());
    for (const double v : y) EXPECT_TRUE(std::isnan(v));
    y.assign(64, 0);
    blocks.dynamic_shared_bytes = 8;
    launch("uninitialised_dynamic", blocks, y.data());
    for (const double v : y) EXPECT_TRUE(std::isnan(v));
}

#ifdef __SANITIZE_ADDRESS__
TEST(SimtPlantedDeathTest, OutOfBounds) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    auto four = how(1);
    four.dynamic_shared_bytes = 32;
    EXPECT_DEATH(launch("beyond_dynamic", four, 4), "use-after-poison");
    std::vector<double> x(5), y(1);
    EXPECT_DEATH(launch("beyond_array", how(1), 5, static_cast<const double*>(x.data()), y.data()),
                 "heap-buffer-overflow");
}
#else
TEST(SimtPlanted, WriteBeyondDynamicSharedMemory) {
    auto four = how(1);
    four.dynamic_shared_bytes = 32;
    launch("beyond_dynamic", four, 3);
    try {
        launch("beyond_dynamic", four, 4);
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        // The first byte of 1.0 that differs from the poison is its first.
        EXPECT_STREQ(error.what(),
                     "simt: kernel 'simt_beyond_dynamic', block (0, 0, 0): byte 32 of the dynamic "
                     "shared memory was written, which has 32 bytes in this launch");
    }
}
#endif

TEST(SimtLaunch, RefusesWhatCannotBe) {
    const auto refusal = [](const SimtLaunch& launch_of) {
        return message("halves", launch_of, ErrorCode::invalid_argument);
    };
    const std::string start = "simt: launch of kernel 'simt_halves': ";
    EXPECT_EQ(refusal(how(0)), start + "block (0, 1, 1) must have 1 to 1024 threads");
    EXPECT_EQ(refusal(how(1025)), start + "block (1025, 1, 1) must have 1 to 1024 threads");
    EXPECT_EQ(refusal(how(32, 16)), start + "warp 16 must be 32 or 64");
    auto launch_of = how(32);
    launch_of.dynamic_shared_bytes = 8;
    EXPECT_EQ(refusal(launch_of),
              start + "8 bytes of dynamic shared memory, the kernel has room for 0");
    launch_of = how(32);
    launch_of.grid.y = 0;
    EXPECT_EQ(refusal(launch_of),
              start + "grid (1, 0, 1) must be within (1, 1, 1) and (2147483647, 65535, 65535)");
    auto old = test_kernel("halves");
    old.version = 0;
    try {
        SimtExecutor().run(old, nullptr, how(32));
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_STREQ(
            error.what(),
            "simt: the kernel was compiled for version 0 of the executor's interface, this "
            "is version 2; compile it again");
    }
}

TEST(SimtDialect, TextStandsAlone) {
    const auto text = simt_dialect();
    EXPECT_EQ(text.find("#include"), std::string_view::npos);
    EXPECT_NE(text.find("struct spmvgen_simt_kernel {"), std::string_view::npos);
    EXPECT_NE(text.find("__shfl_down_sync"), std::string_view::npos);
    EXPECT_EQ(text.substr(text.size() - 8), "#line 1\n");
}

}  // namespace
}  // namespace spmvgen
