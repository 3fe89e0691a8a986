#include "devices/gpu/grid.hpp"

#include <gtest/gtest.h>

#include "device_kernels.hpp"

namespace spmvgen {
namespace {

using Grid = std::array<unsigned, 2>;

Step step_of(std::int64_t items_per_block, int block, std::int64_t blocks_per_unit = 0,
             int groups = 1) {
    Step step;
    step.symbol = "f";
    step.rule = StepRule::grid;
    step.grid = {"nnz", items_per_block, blocks_per_unit, groups};
    step.block = block;
    return step;
}

Grid grid(const Step& step, std::int64_t items, TargetKind kind = TargetKind::cuda) {
    return grid_of(step, {{"num_rows", 3}, {"nnz", items}}, 4, kind).grid;
}

std::string refusal(const Step& step, std::int64_t items, TargetKind kind = TargetKind::cuda) {
    return error_of([&] { grid(step, items, kind); });
}

TEST(Grid, CeilingOfItemsAndAtLeastOneBlock) {
    EXPECT_EQ(grid(step_of(128, 256), 0), (Grid{1, 1}));
    EXPECT_EQ(grid(step_of(128, 256), 1), (Grid{1, 1}));
    EXPECT_EQ(grid(step_of(128, 256), 128), (Grid{1, 1}));
    EXPECT_EQ(grid(step_of(128, 256), 129), (Grid{2, 1}));
}

TEST(Grid, NoOverflowNearTheLargestNumber) {
    EXPECT_EQ(grid(step_of(INT64_MAX, 32), INT64_MAX), (Grid{1, 1}));
    EXPECT_EQ(grid(step_of(INT64_MAX - 1, 32), INT64_MAX), (Grid{2, 1}));
    EXPECT_EQ(grid(step_of(1, 32, 16), INT64_MAX), (Grid{64, 1}));
}

TEST(Grid, BlocksPerUnitLimitOnlyFromAbove) {
    EXPECT_EQ(grid(step_of(10, 64, 8), 1000), (Grid{32, 1}));
    EXPECT_EQ(grid(step_of(10, 64, 8), 311), (Grid{32, 1}));
    EXPECT_EQ(grid(step_of(10, 64, 8), 310), (Grid{31, 1}));
}

TEST(Grid, CarriesBlockSharedBytesAndGroups) {
    Step step = step_of(10, 192, 0, 5);
    step.shared_bytes = 4096;
    const GridLaunch launch = grid_of(step, {{"nnz", 25}}, 1);
    EXPECT_EQ(launch.grid, (Grid{3, 5}));
    EXPECT_EQ(launch.block, 192u);
    EXPECT_EQ(launch.shared_bytes, 4096u);
}

TEST(Grid, LargestInX) {
    EXPECT_EQ(grid(step_of(1, 1024), 2147483647), (Grid{2147483647, 1}));
    EXPECT_EQ(refusal(step_of(1, 1024), 2147483648),
              "invalid_argument: step 'f' over nnz = 2147483648: a grid of 2147483648 blocks of "
              "1024 threads; NVIDIA's devices take 2147483647 such blocks; split the matrix by "
              "rows and apply the parts one after another");
    EXPECT_EQ(grid(step_of(1024, 1024), 2147483647ll * 1024), (Grid{2147483647, 1}));
    EXPECT_NE(refusal(step_of(1024, 1024), 2147483647ll * 1024 + 1), "nothing was thrown");
    EXPECT_NE(refusal(step_of(1, 32), INT64_MAX), "nothing was thrown");
}

TEST(Grid, HipTakesFewerThan2To32ThreadsInX) {
    EXPECT_EQ(grid(step_of(1, 256), 16777215, TargetKind::hip), (Grid{16777215, 1}));
    EXPECT_EQ(refusal(step_of(1, 256), 16777216, TargetKind::hip),
              "invalid_argument: step 'f' over nnz = 16777216: a grid of 16777216 blocks of 256 "
              "threads; AMD's devices take 16777215 such blocks; split the matrix by rows and "
              "apply the parts one after another");
    EXPECT_EQ(grid(step_of(1, 1), 2147483647, TargetKind::hip), (Grid{2147483647, 1}));
    EXPECT_NE(refusal(step_of(1, 1), 2147483648, TargetKind::hip), "nothing was thrown");
    EXPECT_EQ(grid(step_of(1, 3), 1431655765, TargetKind::hip), (Grid{1431655765, 1}));
    EXPECT_NE(refusal(step_of(1, 3), 1431655766, TargetKind::hip), "nothing was thrown");
}

TEST(Grid, LargestInY) {
    EXPECT_EQ(grid(step_of(1, 32, 0, 65535), 7), (Grid{7, 65535}));
    EXPECT_EQ(refusal(step_of(1, 32, 0, 65536), 7),
              "invalid_argument: step 'f' over nnz = 7: a grid of 65536 groups of right-hand "
              "sides; a device takes 65535; multiply with fewer right-hand sides at a time");
}

TEST(Grid, DefectsOfTheStep) {
    EXPECT_EQ(error_of([] { grid_of(step_of(1, 32), {{"num_rows", 3}}, 4); }),
              "internal: step 'f': its grid counts 'nnz', which the matrix does not have");
    EXPECT_EQ(refusal(step_of(1, 32), -1), "internal: step 'f': its grid counts nnz = -1");
    EXPECT_EQ(refusal(step_of(0, 32), 5),
              "internal: step 'f': bad grid rule: 0 items a block, 0 blocks a unit, 1 groups, 32 "
              "threads, 0 bytes of shared memory");
    EXPECT_NE(refusal(step_of(1, 0), 5), "nothing was thrown");
    EXPECT_NE(refusal(step_of(1, 32, -1), 5), "nothing was thrown");
    EXPECT_NE(refusal(step_of(1, 32, 0, 0), 5), "nothing was thrown");
    EXPECT_EQ(refusal(step_of(1, 1025), 5),
              "invalid_argument: step 'f' over nnz = 5: blocks of 1025 threads; a device takes 1 "
              "to 1024");
    EXPECT_EQ(error_of([] { grid_of(step_of(1, 32, 2), {{"nnz", 3}}, 0); }),
              "internal: step 'f': its grid counts units, of which there are 0");
    Step cpu = step_of(1, 32);
    cpu.rule = StepRule::per_thread;
    EXPECT_EQ(refusal(cpu, 5), "internal: step 'f': it has no grid");
}

TEST(Grid, EmptyLaunches) {
    EXPECT_EQ(why_not_launchable({{0, 1}, 32, 0}, TargetKind::cuda),
              "a grid of 0 x 1 blocks is empty");
    EXPECT_EQ(why_not_launchable({{1, 0}, 32, 0}, TargetKind::hip),
              "a grid of 1 x 0 blocks is empty");
    EXPECT_EQ(why_not_launchable({{1, 1}, 32, 0}, TargetKind::hip), "");
}

}  // namespace
}  // namespace spmvgen
