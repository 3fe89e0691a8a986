#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "registry.hpp"
#include "rule_features.hpp"

namespace spmvgen {
namespace {

using testing::Not;
using testing::StartsWith;

TEST(GpuSeveralVectors, GoToRows) {
    EXPECT_THAT(chosen(even_features(), of_vectors(2)), StartsWith("sell_slices: "));
    for (const int k : {3, 4, 8, 32}) {
        const std::string why = std::to_string(k) + " right-hand sides: ";
        EXPECT_EQ(chosen(even_features(), of_vectors(k)),
                  "csr_classical: " + why + "csr_classical");
        EXPECT_EQ(parameter(even_features(), of_vectors(k), "block"), 128);
        EXPECT_EQ(chosen(with_longest(5000), of_vectors(k)),
                  "csr_by_length: " + why + "csr_by_length");
    }
    EXPECT_EQ(chosen(with_longest(5000), of_vectors(2)),
              "csr_by_length: 2 right-hand sides: csr_by_length");
}

TEST(GpuSeveralVectors, RowsThatOthersWaitForAreCut) {
    EXPECT_THAT(chosen(with_longest(300, 50), of_vectors(3)), StartsWith("csr_by_length: "));
    EXPECT_THAT(chosen(with_longest(300, 50), of_vectors(2)), Not(StartsWith("csr_by_length: ")));
    Features f = with_longest(60);
    EXPECT_THAT(chosen(f, of_vectors(8)), StartsWith("csr_classical: "));
    f.rows = 100'000;
    f.nnz = 1'000'000;
    EXPECT_THAT(chosen(f, of_vectors(8)), StartsWith("csr_by_length: ")) << "a small product";
    f.max_row = 40;
    EXPECT_THAT(chosen(f, of_vectors(8)), StartsWith("csr_classical: "));
}

TEST(GpuSeveralVectors, FewerLanesShareABlockWhereLoadsAreShort) {
    const auto sharing = [](ValueType value, int k) {
        Signature s;
        s.kernel = "bcsr_fused";
        s.target = parse_target("sm_90");
        s.value = value;
        s.num_rhs = k;
        s.params = {{"subwarp", 16}, {"block_rows", 4}, {"block_cols", 1}};
        s = complete(s);
        return std::array{rhs_lanes(s), rhs_group(s)};
    };
    using Sharing = std::array<int, 2>;
    EXPECT_EQ(sharing(ValueType::f64, 3), (Sharing{4, 1}));
    EXPECT_EQ(sharing(ValueType::f64, 5), (Sharing{4, 2})) << "not 8 with one number each";
    EXPECT_EQ(sharing(ValueType::f64, 7), (Sharing{4, 2}));
    EXPECT_EQ(sharing(ValueType::f64, 9), (Sharing{8, 2}));
    EXPECT_EQ(sharing(ValueType::f32, 6), (Sharing{4, 2}));
    EXPECT_EQ(sharing(ValueType::f64, 16), (Sharing{8, 2})) << "a line";
    EXPECT_EQ(sharing(ValueType::f64, 20), (Sharing{16, 2})) << "more than a line";
    EXPECT_EQ(sharing(ValueType::f32, 5), (Sharing{2, 3}));
    EXPECT_EQ(sharing(ValueType::f32, 10), (Sharing{4, 4}));
}

TEST(GpuSeveralVectors, RegistersHoldThePiecesUnderWay) {
    const auto resident = [](int k, std::int64_t subwarp, std::int64_t block,
                             std::int64_t unroll = 4, const char* kernel = "csr_classical") {
        Signature s;
        s.kernel = kernel;
        s.target = parse_target("sm_90");
        s.num_rhs = k;
        s.params = {{"subwarp", subwarp}, {"block", block}, {"unroll", unroll}};
        if (s.kernel == "bcsr_fused") s.params.merge(Params{{"block_rows", 4}, {"block_cols", 1}});
        return kernel_entry(kernel).steps.front().resident_blocks(complete(s));
    };
    EXPECT_EQ(resident(1, 8, 128), 0);
    EXPECT_EQ(resident(4, 8, 128), 0) << "few lanes, few pieces";
    EXPECT_EQ(resident(8, 4, 128), 8);
    EXPECT_EQ(resident(16, 32, 256), 4);
    EXPECT_EQ(resident(32, 16, 128), 8);
    EXPECT_EQ(resident(32, 32, 128), 6);
    EXPECT_EQ(resident(32, 32, 1024), 1);
    EXPECT_EQ(resident(16, 8, 128, 2), 0) << "as many warps as there may be";
    EXPECT_EQ(resident(32, 8, 128, 2), 8);
    EXPECT_EQ(resident(4, 8, 128, 8, "bcsr_fused"), 0);
    EXPECT_EQ(resident(8, 8, 128, 8, "bcsr_fused"), 5);
}

TEST(GpuSeveralVectors, SmallProductsWaitForALongRowInLargerBlocks) {
    Features f = with_longest(256);
    f.rows = 29'999;
    f.nnz = 299'999;
    for (const int k : {8, 16}) EXPECT_EQ(parameter(f, of_vectors(k), "block"), 256) << k;
    EXPECT_EQ(parameter(f, of_vectors(4), "block"), 128);
    f.max_row = 255;
    EXPECT_EQ(parameter(f, of_vectors(8), "block"), 128);
    f.max_row = 256;
    f.rows = 125'000;
    EXPECT_EQ(parameter(f, of_vectors(8), "block"), 128) << "much of y";
    f.rows = 29'999;
    f.nnz = 300'000;
    EXPECT_EQ(parameter(f, of_vectors(8), "block"), 128);
}

TEST(GpuSeveralVectors, MoreLoadsAreUnderWayWhereAProductWaitsForALongRow) {
    const auto found = [](std::int64_t rows, std::int64_t entries, int k) {
        Features f = with_longest(256);
        f.rows = rows;
        f.nnz = entries;
        f.mean_row = static_cast<double>(entries) / static_cast<double>(rows);
        return std::array{parameter(f, of_vectors(k), "block"),
                          parameter(f, of_vectors(k), "unroll")};
    };
    using Found = std::array<std::int64_t, 2>;
    EXPECT_EQ(found(29'999, 299'999, 8), (Found{256, 4})) << "four lanes an entry";
    EXPECT_EQ(found(39'062, 299'999, 16), (Found{256, 8})) << "5 MB of y";
    EXPECT_EQ(found(39'063, 299'999, 16), (Found{256, 4}));
    EXPECT_EQ(found(15'624, 99'999, 32), (Found{256, 8}));
    EXPECT_EQ(found(15'626, 99'999, 32), (Found{128, 8})) << "4 MB of y";
    EXPECT_EQ(found(15'624, 100'000, 32), (Found{128, 8}));
    EXPECT_EQ(found(31'249, 419'999, 32), (Found{128, 8}));
    EXPECT_EQ(found(31'251, 299'999, 32), (Found{256, 4})) << "8 MB of y";
    EXPECT_EQ(found(31'251, 300'000, 32), (Found{128, 4})) << "does not wait";
}

TEST(GpuSeveralVectors, BlocksOfRowsShareX) {
    Features f = even_features(40, 100'000);
    const auto of_blocks = [](int k, int rows, double fill) {
        Request r = of_vectors(k);
        r.blocks = BlockChoice{.rows = rows, .cols = 1, .fill = fill};
        return r;
    };
    EXPECT_THAT(chosen(f, of_blocks(8, 4, 1.1)), StartsWith("bcsr_fused: 8 right-hand sides"));
    EXPECT_EQ(parameter(f, of_blocks(8, 4, 1.1), "block_rows"), 4);
    EXPECT_EQ(parameter(f, of_blocks(8, 4, 1.1), "subwarp"), 16);
    EXPECT_EQ(parameter(f, of_blocks(16, 4, 1.1), "unroll"), 8);
    EXPECT_EQ(parameter(f, of_blocks(32, 4, 1.1), "subwarp"), 16);
    EXPECT_EQ(parameter(f, of_blocks(32, 4, 1.1), "unroll"), 8);
    for (const Request& none : {of_blocks(8, 1, 1), of_blocks(8, 2, 1.4), of_blocks(8, 4, 1.7)})
        EXPECT_THAT(chosen(f, none), StartsWith("csr_classical: "));
    EXPECT_THAT(chosen(f, of_blocks(3, 4, 1)), StartsWith("bcsr_fused: "));
    Features narrow = f;
    narrow.value_type = ValueType::f32;
    for (const int k : {3, 8})
        EXPECT_THAT(chosen(narrow, of_blocks(k, 4, 1)), StartsWith("bcsr_fused: ")) << k;
    EXPECT_THAT(chosen(narrow, of_blocks(4, 4, 1)), StartsWith("csr_classical: "))
        << "a lane has all vectors";
    f.max_row = 5000;
    EXPECT_THAT(chosen(f, of_blocks(8, 4, 1)), StartsWith("csr_by_length: "));
    f = even_features(40, 4000);
    EXPECT_THAT(chosen(f, of_blocks(8, 4, 1)), StartsWith("csr_classical: ")) << "few rows";
}

TEST(GpuSeveralVectors, FewLongRowsOfBlocksHaveABlockOfTheGrid) {
    const auto of_blocks = [](int k) {
        Request r = of_vectors(k);
        r.blocks =
            BlockChoice{.rows = 4, .cols = 1, .fill = 1.4, .fill_of_rows = {1, 1.5, 1.5, 1.4}};
        return r;
    };
    for (const int k : {8, 16, 32}) {
        EXPECT_THAT(chosen(even_features(110, 528), of_blocks(k)), StartsWith("bcsr_fused: ")) << k;
        EXPECT_EQ(parameter(even_features(110, 528), of_blocks(k), "subwarp"), 128) << k;
        EXPECT_THAT(chosen(even_features(110, 527), of_blocks(k)), StartsWith("csr_by_length: "))
            << k << ": fewer than multiprocessors";
        EXPECT_EQ(parameter(even_features(69, 2116), of_blocks(k), "subwarp"), 128) << k;
        EXPECT_THAT(chosen(even_features(68, 2116), of_blocks(k)), StartsWith("csr_classical: "))
            << k << ": too short";
    }
    EXPECT_EQ(parameter(even_features(80, 5119), of_blocks(16), "subwarp"), 128);
    EXPECT_LE(parameter(even_features(80, 5120), of_blocks(16), "subwarp"), 32);
    EXPECT_THAT(chosen(even_features(110, 528), of_blocks(4)), StartsWith("csr_by_length: "));
}

TEST(GpuSeveralVectors, EvenRowsSoFewThatEachHasSeveralWarps) {
    const auto lanes = [](double mean, std::int64_t rows, std::int64_t longest, int k) {
        Features f = even_features(mean, rows);
        f.max_row = longest;
        Request r = of_vectors(k);
        r.blocks = BlockChoice{.rows = 1, .cols = 1, .fill = 1};
        const std::string found = chosen(f, r);
        return found.starts_with("bcsr_fused: ") ? parameter(f, r, "subwarp") : 0;
    };
    Request single = of_vectors(8);
    single.blocks = BlockChoice{.rows = 1, .cols = 1, .fill = 1, .reason = "fill"};
    EXPECT_EQ(chosen(even_features(50, 500), single),
              "bcsr_fused: 8 right-hand sides, 128 lanes for each of 500 rows: bcsr_fused; fill");
    single.blocks->rows = 2;
    single.blocks->fill = 1.4;
    EXPECT_EQ(chosen(even_features(50, 500), single),
              "bcsr_fused: 8 right-hand sides, 128 lanes for each of 500 rows: bcsr_fused")
        << "blocks of another size";
    EXPECT_THAT(chosen(even_features(50, 500), of_vectors(8)), StartsWith("csr_by_length: "))
        << "kernels that are made without a matrix";
    for (const int k : {4, 8, 16, 32}) {
        EXPECT_EQ(lanes(40, 792, 40, k), 128) << k << ": six for each of 132 multiprocessors";
        EXPECT_EQ(lanes(40, 793, 40, k), 64) << k;
        EXPECT_EQ(lanes(40, 1584, 40, k), 64) << k;
        EXPECT_EQ(lanes(40, 1585, 40, k), 0) << k << ": too many";
        EXPECT_EQ(lanes(35.9, 500, 36, k), 0) << k << ": too short";
        EXPECT_EQ(lanes(99.9, 500, 100, k), 128) << k;
        EXPECT_EQ(lanes(100, 500, 100, k), 0) << k << ": too long";
    }
    EXPECT_EQ(lanes(40, 500, 40, 2), 0) << "no lanes share an entry";
    EXPECT_EQ(lanes(38.3, 500, 40, 4), 64) << "0.6 of 128 lanes have no entry in a round";
    EXPECT_EQ(lanes(70, 500, 256, 16), 128) << "16 rounds of loads";
    EXPECT_EQ(lanes(70, 500, 257, 16), 0);

    Request blocks = of_vectors(8);
    blocks.blocks = BlockChoice{.rows = 4, .cols = 1, .fill = 1.3};
    EXPECT_EQ(parameter(even_features(50, 1584), blocks, "block_rows"), 2);
    EXPECT_EQ(parameter(even_features(50, 1584), blocks, "subwarp"), 128) << "two rows each";
    EXPECT_EQ(parameter(even_features(50, 1585), blocks, "subwarp"), 64);
    EXPECT_EQ(parameter(even_features(50, 2112), blocks, "subwarp"), 64);
    EXPECT_THAT(chosen(even_features(50, 2113), blocks), StartsWith("csr_classical: "));
    blocks.blocks->fill = 1.31;
    EXPECT_EQ(parameter(even_features(50, 500), blocks, "block_rows"), 1);
}

TEST(GpuSeveralVectors, LongRowsThatShareXHaveSeveralWarpsTogether) {
    Request blocks = of_vectors(4);
    blocks.blocks =
        BlockChoice{.rows = 4, .cols = 1, .fill = 1.3, .fill_of_rows = {1, 1.1, 1.2, 1.3}};
    using Wide = std::array<std::int64_t, 2>;
    const auto wide = [&](double mean, std::int64_t rows) {
        const Features f = even_features(mean, rows);
        if (!chosen(f, blocks).starts_with("bcsr_fused: ")) return Wide{};
        return Wide{parameter(f, blocks, "block_rows"), parameter(f, blocks, "subwarp")};
    };
    EXPECT_EQ(chosen(even_features(150, 1848), blocks),
              "bcsr_fused: 4 right-hand sides, 64 lanes for two of 1848 rows: bcsr_fused");
    EXPECT_EQ(wide(150, 660), (Wide{2, 128})) << "2.5 blocks for each multiprocessor";
    EXPECT_NE(wide(150, 659), (Wide{2, 128})) << "fewer are cut";
    EXPECT_EQ(wide(150, 1584), (Wide{2, 128})) << "six for each";
    EXPECT_EQ(wide(150, 1585), (Wide{2, 64}));
    EXPECT_EQ(wide(150, 3696), (Wide{2, 64})) << "seven of two rows' halves";
    EXPECT_EQ(wide(150, 3697), (Wide{3, 64}));
    EXPECT_EQ(wide(150, 4752), (Wide{3, 64})) << "six of three";
    EXPECT_EQ(wide(150, 4755), (Wide{4, 64}));
    EXPECT_EQ(wide(150, 7392), (Wide{4, 64})) << "seven of the last";
    EXPECT_EQ(wide(150, 7396), (Wide{4, 32}));
    EXPECT_EQ(wide(511, 2000), (Wide{2, 64}));
    EXPECT_NE(wide(512, 2000), (Wide{2, 64})) << "long enough to be cut";
    Features uneven = even_features(150, 2000);
    uneven.max_row = 450;
    EXPECT_EQ(parameter(uneven, blocks, "subwarp"), 64);
    uneven.max_row = 451;
    EXPECT_THAT(chosen(uneven, blocks), StartsWith("csr_by_length: "));
    blocks.blocks->fill_of_rows = {1, 1.1, 1.31, 1.5};
    EXPECT_EQ(wide(150, 3696), (Wide{2, 64})) << "no more rows go into a block";
    EXPECT_NE(wide(150, 3697)[1], 64);
    blocks.blocks->fill_of_rows = {1, 1.45, 1.6, 1.7};
    EXPECT_EQ(wide(150, 2000), (Wide{2, 64}));
    blocks.blocks->fill_of_rows = {1, 1.46, 1.6, 1.7};
    EXPECT_NE(wide(150, 2000), (Wide{2, 64}));

    blocks.num_rhs = 8;
    blocks.blocks->fill_of_rows = {1, 1.1, 1.2, 1.3};
    EXPECT_EQ(wide(150, 3696), (Wide{2, 64}));
    EXPECT_EQ(wide(150, 3697), (Wide{4, 128})) << "fewer than 1280 rows of blocks";
    EXPECT_EQ(wide(150, 5120), (Wide{4, 64}));
    blocks.num_rhs = 32;
    EXPECT_EQ(wide(150, 1000), (Wide{4, 128})) << "two pieces each";
}

TEST(GpuSeveralVectors, PartsOfLongRowsAreSmallInSmallProducts) {
    Features apart = with_longest(5000);
    EXPECT_EQ(parameter(apart, of_vectors(2), "share"), 1024);
    EXPECT_EQ(parameter(apart, of_vectors(32), "share"), 2048) << "a join's cost grows with k";
    EXPECT_EQ(parameter(apart, of_vectors(32), "most_middle"), 512);
    apart.rows = 16'383;
    EXPECT_EQ(parameter(apart, of_vectors(32), "share"), 1024) << "few rows make few parts";
    apart.rows = 16'384;
    EXPECT_EQ(parameter(apart, of_vectors(32), "share"), 2048);
    apart.nnz = 200'000;
    EXPECT_EQ(parameter(apart, of_vectors(32), "share"), 512);
    EXPECT_EQ(parameter(apart, of_vectors(32), "most_middle"), 128);
}

TEST(GpuSeveralVectors, FewLongRowsHaveBlocks) {
    Features few = even_features();
    few.rows = 80;
    few.mean_row = 40'000;
    few.max_row = 41'000;
    EXPECT_THAT(chosen(few, of_vectors(2)), StartsWith("csr_by_length: "));
    EXPECT_THAT(chosen(few, of_vectors(32)), StartsWith("csr_by_length: "));
    EXPECT_EQ(parameter(few, of_vectors(32), "block"), 128);
    EXPECT_EQ(parameter(few, of_vectors(8), "unroll"), 4);
    EXPECT_EQ(parameter(few, of_vectors(16), "unroll"), 8);
    EXPECT_EQ(parameter(few, of_vectors(32), "unroll"), 4) << "a lane has two pieces";
    few.mean_row = 400;
    few.max_row = 600;
    few.nnz = 32'000;
    EXPECT_EQ(parameter(few, of_vectors(32), "block"), 256) << "fewer than 350 parts";
}

TEST(GpuSeveralVectors, PartsOfFewLongRowsAreResidentAtOnce) {
    const auto share = [](std::int64_t rows, std::int64_t entries) {
        Features f = even_features();
        f.rows = rows;
        f.nnz = entries;
        f.mean_row = static_cast<double>(entries) / static_cast<double>(rows);
        f.max_row = static_cast<std::int64_t>(2 * f.mean_row);
        return parameter(f, of_vectors(8), "share");
    };
    constexpr std::int64_t most = 1056;  // parts
    EXPECT_EQ(share(300, most * 512), 512);
    EXPECT_EQ(share(300, most * 512 + 1), 1024);
    EXPECT_EQ(share(300, most * 1024 + 1), 2048);
    EXPECT_EQ(share(300, most * 2048 + 1), 1024) << "many rounds of parts";
    EXPECT_EQ(share(most + 1, (most + 1) * 2047), 512) << "more rows than blocks";
    EXPECT_EQ(share(most + 1, (most + 1) * 2048), 1024);
}

TEST(GpuSeveralVectors, FewRowsLeaveNoMultiprocessorIdle) {
    Features few = even_features(100, 1535);
    for (const int k : {4, 8, 16, 32}) {
        EXPECT_THAT(chosen(few, of_vectors(k)), StartsWith("csr_by_length: ")) << k;
        EXPECT_EQ(parameter(few, of_vectors(k), "most_middle"), 64) << k;
    }
    EXPECT_THAT(chosen(few, of_vectors(2)), Not(StartsWith("csr_by_length: ")));
    few = even_features(100, 1536);
    for (const int k : {8, 16, 32})
        EXPECT_THAT(chosen(few, of_vectors(k)), StartsWith("csr_classical: ")) << k;
    few = even_features(48, 3000);
    few.max_row = 110;
    EXPECT_THAT(chosen(few, of_vectors(16)), StartsWith("csr_by_length: "));
    few = even_features(47, 3000);
    few.max_row = 110;
    EXPECT_THAT(chosen(few, of_vectors(16)), StartsWith("csr_classical: "));
}

TEST(GpuSeveralVectors, FewRowsWaitForTheLongest) {
    Features few = even_features(100, 8191);
    few.max_row = 219;
    for (const int k : {4, 8, 16, 32})
        EXPECT_THAT(chosen(few, of_vectors(k)), StartsWith("csr_classical: ")) << k;
    few.max_row = 221;
    for (const int k : {4, 8, 16, 32})
        EXPECT_THAT(chosen(few, of_vectors(k)), StartsWith("csr_by_length: ")) << k;
    EXPECT_EQ(parameter(few, of_vectors(32), "most_middle"), 128);
    Request blocks = of_vectors(8);
    blocks.blocks = BlockChoice{.rows = 4, .cols = 1, .fill = 1.25};
    EXPECT_THAT(chosen(few, blocks), StartsWith("bcsr_fused: "));
    blocks.blocks->fill = 1.3;
    EXPECT_THAT(chosen(few, blocks), StartsWith("csr_by_length: "));
    few.rows = 8192;
    EXPECT_THAT(chosen(few, of_vectors(32)), StartsWith("csr_classical: "));
    EXPECT_THAT(chosen(few, blocks), StartsWith("bcsr_fused: "));
    few = even_features(800, 3660);
    EXPECT_THAT(chosen(few, of_vectors(8)), StartsWith("csr_classical: "));
    EXPECT_THAT(chosen(few, of_vectors(2)), StartsWith("csr_by_length: "));
    EXPECT_THAT(chosen(even_features(1024, 3660), of_vectors(8)), StartsWith("csr_by_length: "));
}

TEST(GpuSeveralVectors, FewRowsOfBlocks) {
    const auto of_blocks = [](int rows, double fill) {
        Request r = of_vectors(16);
        r.blocks = BlockChoice{.rows = rows, .cols = 1, .fill = fill};
        return r;
    };
    Features uneven = even_features(70, 1536);
    uneven.max_row = 257;
    EXPECT_THAT(chosen(uneven, of_blocks(2, 1)), StartsWith("bcsr_fused: "));
    uneven = even_features(70, 1534);
    uneven.max_row = 257;
    EXPECT_THAT(chosen(uneven, of_blocks(2, 1)), StartsWith("csr_by_length: "));
    EXPECT_THAT(chosen(even_features(48, 2114), of_blocks(2, 1)), StartsWith("bcsr_fused: "));
    EXPECT_THAT(chosen(even_features(47, 2114), of_blocks(2, 1)), StartsWith("csr_classical: "));
    EXPECT_THAT(chosen(even_features(48, 8000), of_blocks(4, 1.85)), StartsWith("bcsr_fused: "));
    EXPECT_THAT(chosen(even_features(48, 8192), of_blocks(4, 1.85)), StartsWith("csr_classical: "));
    EXPECT_THAT(chosen(even_features(23, 5399), of_blocks(3, 1.25)), StartsWith("bcsr_fused: "));
    EXPECT_THAT(chosen(even_features(23, 5399), of_blocks(3, 1.3)), StartsWith("csr_classical: "));
    EXPECT_THAT(chosen(even_features(24, 5399), of_blocks(3, 1.3)), StartsWith("bcsr_fused: "));
    EXPECT_THAT(chosen(even_features(23, 5400), of_blocks(3, 1.3)), StartsWith("bcsr_fused: "));
}

TEST(GpuSeveralVectors, FewShortRowsHaveLargerBlocks) {
    // 4 and 8 lanes a row: 23 blocks of 128 threads for each of 132 multiprocessors.
    EXPECT_EQ(parameter(even_features(4, 97'151), of_vectors(8), "block"), 256);
    EXPECT_EQ(parameter(even_features(4, 97'152), of_vectors(8), "block"), 128);
    EXPECT_EQ(parameter(even_features(4, 48'575), of_vectors(16), "block"), 256);
    EXPECT_EQ(parameter(even_features(4, 48'576), of_vectors(32), "block"), 128);
    EXPECT_EQ(parameter(even_features(6, 40'000), of_vectors(8), "block"), 128);
    EXPECT_EQ(parameter(even_features(4, 40'000), of_vectors(4), "block"), 128);
    Request half = of_vectors(8);
    half.units = 66;
    EXPECT_EQ(parameter(even_features(4, 48'575), half, "block"), 256);
    EXPECT_EQ(parameter(even_features(4, 48'576), half, "block"), 128);
}

TEST(GpuSeveralVectors, RowsOfTwoEntriesHaveTwoUnderWay) {
    for (const int k : {8, 16, 32}) {
        EXPECT_EQ(parameter(even_features(2.2, 90'000), of_vectors(k), "unroll"), 2) << k;
        EXPECT_EQ(parameter(even_features(2.3, 40'000), of_vectors(k), "unroll"), 4) << k;
    }
    EXPECT_EQ(parameter(even_features(2, 90'000), of_vectors(4), "unroll"), 4);
}

TEST(GpuSeveralVectors, PiecesUnderWay) {
    EXPECT_EQ(parameter(even_features(4, 99'999), of_vectors(16), "unroll"), 4) << "few wait";
    EXPECT_EQ(parameter(even_features(4, 100'000), of_vectors(16), "unroll"), 2);
    const auto by_length = [](double mean, std::int64_t entries, std::int64_t longest, int k,
                              std::int64_t rows = 40'000) {
        Features f = with_longest(longest, mean);
        f.nnz = entries;
        f.rows = rows;
        return parameter(f, of_vectors(k), "unroll");
    };
    EXPECT_EQ(by_length(10, 500'000, 5000, 16), 8);
    EXPECT_EQ(by_length(5, 310'000, 5000, 16), 8);
    EXPECT_EQ(by_length(5, 299'999, 5000, 16), 4) << "larger blocks wait for a long row";
    EXPECT_EQ(by_length(5, 400'000, 5000, 16), 4) << "many short rows";
    EXPECT_EQ(by_length(5, 200'000, 5000, 16, 125'000), 4) << "much of y";
    EXPECT_EQ(by_length(10, 310'000, 5000, 32), 8) << "waits for a long row";
    EXPECT_EQ(by_length(10, 299'999, 5000, 32), 4) << "in larger blocks";
    EXPECT_EQ(by_length(10, 200'000, 500, 32), 4);
    EXPECT_EQ(by_length(10, 200'000, 5000, 32, 62'500), 4) << "much of y";
    EXPECT_EQ(by_length(10, 400'000, 5000, 32), 4);
}

}  // namespace
}  // namespace spmvgen
