#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "registry.hpp"
#include "rule_features.hpp"

namespace spmvgen {
namespace {

TEST(GpuSeveralVectors, LanesOfAnEntryMoveLines) {
    // Rows of 10 entries; 2, 4, 8 and 16 lanes an entry.
    EXPECT_EQ(parameter(even_features(), of_vectors(4), "subwarp"), 4);
    EXPECT_EQ(parameter(even_features(9.9), of_vectors(4), "subwarp"), 2)
        << "each has two entries at a time";
    EXPECT_EQ(parameter(even_features(20), of_vectors(4), "subwarp"), 8);
    // Twice as many where threads are few, if rows have three entries for each lane.
    EXPECT_EQ(parameter(even_features(24, 20'000), of_vectors(4), "subwarp"), 16);
    EXPECT_EQ(parameter(even_features(23, 20'000), of_vectors(4), "subwarp"), 8);
    EXPECT_EQ(parameter(even_features(19.9), of_vectors(8), "subwarp"), 4)
        << "each has eight entries under way";
    EXPECT_EQ(parameter(even_features(20), of_vectors(8), "subwarp"), 8);
    EXPECT_EQ(parameter(even_features(12, 32'767), of_vectors(8), "subwarp"), 8) << "few threads";
    EXPECT_EQ(parameter(even_features(12, 32'768), of_vectors(8), "subwarp"), 4);
    EXPECT_EQ(parameter(even_features(), of_vectors(16), "subwarp"), 8);
    EXPECT_EQ(parameter(even_features(), of_vectors(32), "subwarp"), 8);
    EXPECT_EQ(parameter(even_features(40), of_vectors(16), "subwarp"), 16);
    EXPECT_EQ(parameter(even_features(40, 2200), of_vectors(16), "subwarp"), 32) << "few rows";
    EXPECT_EQ(parameter(even_features(5), of_vectors(8), "unroll"), 8);
    EXPECT_EQ(parameter(even_features(4.9, 131'071), of_vectors(8), "unroll"), 4);
    EXPECT_EQ(parameter(even_features(4.9, 131'072), of_vectors(8), "unroll"), 2) << "more warps";
    EXPECT_EQ(parameter(even_features(), of_vectors(16), "unroll"), 4);
    EXPECT_EQ(parameter(even_features(4), of_vectors(16), "unroll"), 2) << "more warps";
    EXPECT_EQ(parameter(even_features(4), of_vectors(32), "unroll"), 2);
}

TEST(GpuSeveralVectors, LanesOfAnEntryMoveTwoLines) {
    const auto both = [](const Features& f) {
        return std::array{parameter(f, of_vectors(32), "subwarp"),
                          parameter(f, of_vectors(32), "unroll")};
    };
    EXPECT_EQ(both(even_features(6, 46'875)), (std::array<std::int64_t, 2>{8, 4}));
    EXPECT_EQ(both(even_features(20, 46'875)), (std::array<std::int64_t, 2>{16, 2}));
    EXPECT_EQ(both(even_features(5.9, 46'875)), (std::array<std::int64_t, 2>{8, 2}))
        << "short rows";
    Features f = even_features(20, 8192);
    f.max_row = 31;
    EXPECT_EQ(both(f), (std::array<std::int64_t, 2>{16, 4}));
    f.max_row = 40;
    EXPECT_EQ(both(f), (std::array<std::int64_t, 2>{16, 8})) << "waits for its longest row";
    f.max_row = 31;
    f.rows = 8191;
    EXPECT_EQ(both(f), (std::array<std::int64_t, 2>{16, 8})) << "few threads";
    EXPECT_EQ(parameter(even_features(40, 5000), of_vectors(32), "subwarp"), 32) << "few rows";
    EXPECT_EQ(parameter(even_features(40, 5000), of_vectors(32), "unroll"), 4);
    Signature s;
    s.kernel = "csr_classical";
    s.target = parse_target("sm_90");
    for (const auto& [subwarp, k, lanes, group] : {std::array{8, 32, 8, 4},
                                                   {16, 32, 16, 2},
                                                   {32, 32, 8, 4},
                                                   {16, 16, 8, 2},
                                                   {4, 32, 4, 4}}) {
        s.params = {{"subwarp", subwarp}};
        s.num_rhs = k;
        EXPECT_EQ(rhs_lanes(complete(s)), lanes) << subwarp;
        EXPECT_EQ(rhs_group(complete(s)), group) << subwarp;
    }
}

TEST(GpuSeveralVectors, LanesShareRowsThatTheyDoNotDivide) {
    const auto sharing = [](ValueType value, int k, std::int64_t subwarp = 8) {
        Signature s;
        s.kernel = "csr_classical";
        s.target = parse_target("sm_90");
        s.value = value;
        s.num_rhs = k;
        s.params = {{"subwarp", subwarp}};
        s = complete(s);
        return std::array{rhs_lanes(s), rhs_group(s)};
    };
    using Sharing = std::array<int, 2>;
    EXPECT_EQ(sharing(ValueType::f64, 3), (Sharing{4, 1}));
    EXPECT_EQ(sharing(ValueType::f64, 5), (Sharing{8, 1}));
    EXPECT_EQ(sharing(ValueType::f64, 6), (Sharing{4, 2})) << "three loads of two numbers";
    EXPECT_EQ(sharing(ValueType::f64, 11), (Sharing{8, 2}));
    EXPECT_EQ(sharing(ValueType::f64, 12), (Sharing{8, 2}));
    EXPECT_EQ(sharing(ValueType::f64, 20), (Sharing{8, 4}));
    EXPECT_EQ(sharing(ValueType::f64, 20, 16), (Sharing{8, 4}));
    EXPECT_EQ(sharing(ValueType::f64, 32, 16), (Sharing{16, 2})) << "two lines";
    EXPECT_EQ(sharing(ValueType::f32, 2), (Sharing{1, 2})) << "one load of 8 bytes";
    EXPECT_EQ(sharing(ValueType::f32, 6), (Sharing{4, 2}));
    EXPECT_EQ(sharing(ValueType::f32, 12), (Sharing{4, 4}));
    EXPECT_EQ(sharing(ValueType::c64, 3), (Sharing{4, 1}));
    EXPECT_EQ(sharing(ValueType::f64, 3, 1), (Sharing{1, 3})) << "no lanes to share with";
    EXPECT_EQ(sharing(ValueType::f64, 5, 1), (Sharing{1, 1})) << "more sums than registers";
    EXPECT_EQ(sharing(ValueType::f64, 40), (Sharing{4, 2})) << "likewise";
}

TEST(GpuSeveralVectors, FewShortRowsHaveMoreLanes) {
    EXPECT_EQ(parameter(even_features(16, 8191), of_vectors(16), "subwarp"), 16);
    EXPECT_EQ(parameter(even_features(15, 8192), of_vectors(16), "subwarp"), 8);
    Features f = with_longest(32, 5);
    f.rows = 60'000;
    f.nnz = 300'000;
    EXPECT_EQ(parameter(f, of_vectors(8), "subwarp"), 8) << "waits for its longest row";
    EXPECT_EQ(parameter(f, of_vectors(16), "unroll"), 8);
    f.max_row = 31;
    EXPECT_EQ(parameter(f, of_vectors(8), "subwarp"), 4);
    EXPECT_EQ(parameter(f, of_vectors(16), "unroll"), 4);
    f.max_row = 32;
    f.nnz = 1'000'000;
    EXPECT_EQ(parameter(f, of_vectors(8), "subwarp"), 4) << "a large product";
}

TEST(GpuSeveralVectors, LanesOfRowsOfHardlyAnyEntriesHaveTwoPieces) {
    const auto lanes_and_pieces = [](int k, double mean, std::int64_t rows) {
        const Features f = even_features(mean, rows);
        return std::pair(parameter(f, of_vectors(k), "subwarp"),
                         parameter(f, of_vectors(k), "unroll"));
    };
    using Both = std::pair<std::int64_t, std::int64_t>;
    EXPECT_EQ(lanes_and_pieces(3, 0.1, 65'536), Both(2, 2));
    EXPECT_EQ(lanes_and_pieces(4, 0.1, 65'536), Both(2, 4)) << "two lanes share an entry anyway";
    EXPECT_EQ(lanes_and_pieces(5, 0.1, 65'536), Both(2, 2));
    EXPECT_EQ(lanes_and_pieces(8, 0.1, 65'536), Both(2, 2));
    EXPECT_EQ(lanes_and_pieces(9, 0.1, 65'536), Both(4, 1));
    EXPECT_EQ(lanes_and_pieces(16, 0.1, 65'536), Both(4, 1));
    EXPECT_EQ(lanes_and_pieces(32, 0.1, 65'536), Both(8, 1));
    EXPECT_EQ(lanes_and_pieces(32, 1.4, 65'536), Both(8, 1));
    EXPECT_EQ(lanes_and_pieces(16, 1.4, 65'535), Both(8, 2)) << "few threads";
    EXPECT_EQ(lanes_and_pieces(16, 1.5, 65'536), Both(8, 2));
    EXPECT_EQ(lanes_and_pieces(5, 2.2, 65'536), Both(2, 2)) << "else three of eight are idle";
    EXPECT_EQ(lanes_and_pieces(5, 2.3, 65'536).first, 4);
}

TEST(GpuSeveralVectors, LanesOfShortRowsHaveMoreThanHalfAPiece) {
    const auto lanes = [](int k, double mean, std::int64_t rows) {
        return parameter(even_features(mean, rows), of_vectors(k), "subwarp");
    };
    EXPECT_EQ(lanes(5, 4.4, 65'536), 4);
    EXPECT_EQ(lanes(7, 4.4, 65'536), 4);
    EXPECT_EQ(lanes(5, 4.5, 65'536), 8);
    EXPECT_EQ(lanes(5, 4.4, 65'535), 8) << "few threads";
    EXPECT_EQ(lanes(9, 4.4, 65'536), 8) << "nine numbers fit no eight halves";
    Features f = even_features(4.4, 70'000);
    f.nnz = 308'000;
    f.max_row = 31;
    EXPECT_EQ(parameter(f, of_vectors(5), "subwarp"), 4);
    f.max_row = 32;
    EXPECT_EQ(parameter(f, of_vectors(5), "subwarp"), 8) << "waits for its longest row";
}

TEST(GpuSeveralVectors, ManyShortRowsBesideLongOnesHaveFewLanes) {
    const auto lanes_and_pieces = [](int k, std::int64_t rows, double mean = 5,
                                     ValueType value = ValueType::f64) {
        Features f = with_longest(5000, mean);
        f.rows = rows;
        f.value_type = value;
        return std::pair(parameter(f, of_vectors(k), "subwarp"),
                         parameter(f, of_vectors(k), "unroll"));
    };
    using Both = std::pair<std::int64_t, std::int64_t>;
    EXPECT_EQ(lanes_and_pieces(5, 65'536), Both(4, 4)) << "else a lane has half a piece";
    EXPECT_EQ(lanes_and_pieces(5, 65'535).first, 8) << "few rows";
    EXPECT_EQ(lanes_and_pieces(5, 262'143), Both(4, 4));
    EXPECT_EQ(lanes_and_pieces(5, 262'144), Both(2, 4));
    EXPECT_EQ(lanes_and_pieces(5, 262'144, 10), Both(2, 4));
    EXPECT_EQ(lanes_and_pieces(8, 262'143), Both(4, 4));
    EXPECT_EQ(lanes_and_pieces(8, 262'144), Both(2, 4));
    EXPECT_EQ(lanes_and_pieces(8, 262'144, 6), Both(4, 4)) << "rows take more than a round";
    EXPECT_EQ(lanes_and_pieces(16, 131'071).first, 8);
    EXPECT_EQ(lanes_and_pieces(16, 131'072), Both(4, 4));
    EXPECT_EQ(lanes_and_pieces(16, 131'072, 10), Both(4, 4));
    EXPECT_EQ(lanes_and_pieces(16, 262'144), Both(4, 4)) << "two pieces are all that a lane takes";
    EXPECT_EQ(lanes_and_pieces(16, 262'144, 5, ValueType::f32), Both(4, 4)) << "or four numbers";
    EXPECT_EQ(lanes_and_pieces(32, 262'144).first, 8) << "two lines";
}

}  // namespace
}  // namespace spmvgen
