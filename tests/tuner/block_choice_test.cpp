// The choice of a block size: GOSpMV's, with profiles made by hand, and by bytes without one.
#include "tuner/chooser/block_choice.hpp"

#include <gtest/gtest.h>

#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

BlockTable table(double everywhere) {
    BlockTable t;
    for (auto& row : t) row.fill(everywhere);
    return t;
}

void set(BlockTable& t, int r, int c, double number) {
    t[static_cast<std::size_t>(r - 1)][static_cast<std::size_t>(c - 1)] = number;
}

/// Full blocks of 2x2, nothing but fill in all others: r·c elements for each nonzero.
BlockFill two_by_two() {
    BlockFill fill;
    for (int r = 1; r <= most_block; ++r)
        for (int c = 1; c <= most_block; ++c) set(fill.ratio, r, c, r * c);
    set(fill.ratio, 1, 2, 1);
    set(fill.ratio, 2, 1, 1);
    set(fill.ratio, 2, 2, 1);
    fill.share = 0.25;
    return fill;
}

/// Two size classes for f64: small ones like 1x1 best, large ones 2x2 and 8x8.
FoundProfile profile() {
    DenseProfile p;
    p.device = "machine";
    p.generator = generator_digest();
    BlockTable small = table(2), large = table(3);
    set(small, 1, 1, 9);
    set(small, 2, 2, 8);
    set(large, 1, 1, 1);
    set(large, 2, 2, 4);
    set(large, 8, 8, 100);
    p.classes = {{ValueType::f64, 10, 100, small}, {ValueType::f64, 1000, 100, large}};
    return {p, "dense-machine.json", {}};
}

BlockProblem problem(std::int64_t nnz) {
    return {.rows = nnz / 20, .nnz = nnz};
}

// small: 1x1 9 / 1; large: 2x2 4 / 1 against 8x8 100 / 64.
TEST(BlockChoice, IsTheGreatestRateOverFill) {
    const BlockChoice small = choose_block(two_by_two(), problem(500), profile());
    EXPECT_EQ(small.rows, 1);
    EXPECT_EQ(small.cols, 1);
    const BlockChoice large = choose_block(two_by_two(), problem(200'000), profile());
    EXPECT_EQ(large.rows, 2);
    EXPECT_EQ(large.cols, 2);
    EXPECT_EQ(large.fill, 1);
    EXPECT_EQ(large.reason,
              "blocks 2x2: fill 1.00 (from 25.0 % of the rows), 4.00 GFLOP/s expected against 1.00 "
              "in 1x1, from dense-machine.json");
}

/// 8x8 has 64 times as many elements, which belong to the large class.
TEST(BlockChoice, LooksUpTheStoredEntriesNotTheNonzeros) {
    FoundProfile found = profile();
    found.profile->classes[0].gflops = table(1);
    found.profile->classes[1].gflops = table(1);
    set(found.profile->classes[1].gflops, 8, 8, 65);
    const BlockChoice choice = choose_block(two_by_two(), problem(2000), found);
    EXPECT_EQ(choice.rows, 8);  // 65 / 64 > 1, though the nonzeros belong to the small class
}

TEST(BlockChoice, SaysWhenTheProfileIsOfOtherKernels) {
    FoundProfile found = profile();
    found.profile->generator = "another";
    EXPECT_TRUE(choose_block(two_by_two(), problem(2000), found)
                    .reason.ends_with("from dense-machine.json (made with other kernels)"));
}

// 2x2: 8 + 4/4 + 4/40 = 9.1; 1x1: 12 + 4/20 = 12.2
TEST(BlockChoice, IsTheLeastBytesWithoutAProfile) {
    const BlockChoice choice = choose_block(two_by_two(), problem(1000), {});
    EXPECT_EQ(choice.rows, 2);
    EXPECT_EQ(choice.cols, 2);
    EXPECT_EQ(choice.reason,
              "blocks 2x2: fill 1.00 (from 25.0 % of the rows), 9.1 bytes a nonzero against 12.2 "
              "in 1x1, for there is no profile of this device");
    EXPECT_DOUBLE_EQ(block_bytes(two_by_two(), problem(1000), 2, 2), 9.1);
}

TEST(BlockChoice, NeedsAProfileOfTheValueType) {
    BlockProblem p = problem(1000);
    p.value = p.storage = ValueType::f32;
    EXPECT_EQ(choose_block(two_by_two(), p, profile()).reason,
              "blocks 2x2: fill 1.00 (from 25.0 % of the rows), 5.1 bytes a nonzero against 8.2 in "
              "1x1, for there is no profile of this device with f32 values");
}

TEST(BlockChoice, KeepsWhatIsGiven) {
    BlockProblem p = problem(200'000);
    p.rows_given = 1;
    const BlockChoice height = choose_block(two_by_two(), p, profile());
    EXPECT_EQ(height.rows, 1);
    EXPECT_EQ(height.cols, 2);
    p.cols_given = 5;
    const BlockChoice both = choose_block(two_by_two(), p, profile());
    EXPECT_EQ(both.cols, 5);
    EXPECT_EQ(both.reason, "blocks 1x5 given by the caller: fill 5.00 (from 25.0 % of the rows)");
}

TEST(BlockChoice, OfEqualOnesIsTheSmaller) {
    FoundProfile found = profile();
    for (auto& c : found.profile->classes) c.gflops = table(1);
    BlockFill fill;
    fill.ratio = table(1);
    const BlockChoice choice = choose_block(fill, problem(1000), found);
    EXPECT_EQ(choice.rows * choice.cols, 1);
    EXPECT_TRUE(choice.reason.starts_with("blocks 1x1: fill 1.00 (exact), ")) << choice.reason;
}

TEST(BlockChoice, IsMadeForBlockedCsrOnly) {
    Request r;
    EXPECT_FALSE(wants_blocks(r));
    r.params = {{"block_rows", 2}};
    EXPECT_TRUE(wants_blocks(r));
    r.format = "csr";
    EXPECT_FALSE(wants_blocks(r));
    r.format = "bcsr";
    EXPECT_TRUE(wants_blocks(r));
    r.kernel = "csr_rows";
    EXPECT_FALSE(wants_blocks(r));
    r.kernel = "bcsr_split";
    EXPECT_TRUE(wants_blocks(r));
}

/// Features of a matrix of 27 blocks of 3x3 in a row.
Features solid() {
    Features f;
    f.rows = f.cols = 3000;
    f.nnz = 81 * f.rows;
    f.mean_row = 81;
    f.max_row = 81;
    f.sell_padding = f.sell_sorted_padding = {1, 1, 1};
    return f;
}

TEST(BlockChoice, EndsInTheSignature) {
    Request r;
    r.format = "bcsr";
    r.target = parse_target("x86-64-v3");
    r.blocks = BlockChoice{2, 5, 1.5, "because", "beware"};
    const Choice host = choose(solid(), r);
    EXPECT_EQ(host.signature.kernel, "bcsr");
    EXPECT_EQ(host.signature.params.at("block_rows"), 2);
    EXPECT_EQ(host.signature.params.at("block_cols"), 5);
    EXPECT_EQ(host.reason, "the one kernel of format bcsr; because");
    EXPECT_EQ(host.warning, "beware");
    r.params = {{"block_cols", 7}};
    EXPECT_EQ(choose(solid(), r).signature.params.at("block_cols"), 7);
}

TEST(BlockChoice, GivesEachLaneOfAGpuTwoToFourBlocks) {
    Request r;
    r.format = "bcsr";
    r.target = parse_target("sm_90");
    r.blocks = BlockChoice{3, 3, 1, "because", ""};
    const Choice fused = choose(solid(), r);
    EXPECT_EQ(fused.signature.kernel, "bcsr_fused");
    EXPECT_EQ(fused.signature.params.at("subwarp"), 8);
    EXPECT_EQ(fused.reason, "longest row 81: bcsr_fused; because");
    Features skewed = solid();
    skewed.max_row = 3000;
    EXPECT_EQ(choose(skewed, r).signature.kernel, "bcsr_split");
}

TEST(BlockChoice, OfSeveralVectorsIsNoHigherThanKeepsAGpuBusy) {
    const auto rows_of = [](std::int64_t rows, std::int64_t mean) {
        BlockProblem problem{.rows = rows, .nnz = mean * rows};
        problem.num_rhs = 8;
        BlockFill fill;
        for (int r = 1; r <= most_block; ++r) set(fill.ratio, r, 1, 1);
        return choose_rows_of_block(fill, problem).rows;
    };
    EXPECT_EQ(rows_of(100, 95), 2);
    EXPECT_EQ(rows_of(4199, 95), 2);
    EXPECT_EQ(rows_of(4200, 95), 3);
    EXPECT_EQ(rows_of(5600, 95), 4);
    EXPECT_EQ(rows_of(1271, 96), 2) << "a block of threads for a row of blocks";
    EXPECT_EQ(rows_of(1272, 96), 3);
    EXPECT_EQ(rows_of(1696, 96), 4);
}

}  // namespace
}  // namespace spmvgen
