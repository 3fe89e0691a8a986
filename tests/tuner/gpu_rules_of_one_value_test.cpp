#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rule_features.hpp"

namespace spmvgen {
namespace {

using testing::StartsWith;

TEST(GpuRulesOfOneValue, StripsHaveColumnsAlone) {
    Request r = request();
    r.exact = {ValueType::bf16, 2};
    r.strips = {.bytes = 1e6, .index_bytes = 4, .padding = 1.5, .whole_columns = true};
    Features f = uneven_features(1.01);
    f.mean_row = 6;
    f.sell_padding = {1.5, 1.5, 1.5};
    EXPECT_THAT(chosen(f, r),
                StartsWith("strips: pattern without values, as all values are one: strips"));
    f.mean_row = 3;
    EXPECT_THAT(chosen(f, r), testing::Not(StartsWith("strips: "))) << "short and uneven";
    r.strips->padding = 1.1;
    EXPECT_THAT(chosen(f, r), StartsWith("strips: "));
    r.hubs = {.hubs = 10'000, .share = 0.15};
    f.cols = 1'000'000;
    EXPECT_THAT(chosen(f, r), StartsWith("tiles_hubs: 15 % of the entries in 10000 columns"));
    f.value_type = ValueType::f32;
    EXPECT_THAT(chosen(f, r), StartsWith("strips: ")) << "hubs of narrow x gain less";
    r.hubs->share = 0.28;
    EXPECT_THAT(chosen(f, r), StartsWith("tiles_hubs: "));
    r.hubs->share = 0.15;
    f.value_type = ValueType::f64;
    r.exact = {ValueType::f64, 0};
    EXPECT_THAT(chosen(f, r), StartsWith("strips: ")) << "values have to be read: hubs gain less";
}

TEST(GpuRulesOfOneValue, TilesTakeShortRowsInTheCache) {
    Request r = request();
    r.strips = {1e9, 5, 1.01};
    Features f = uneven_features(1.3);
    f.mean_row = 5;
    f.nnz = 1'640'000;
    f.sell_padding = {1.59, 1.59, 1.59};
    EXPECT_THAT(chosen(f, r), StartsWith("bcsr_fused: rows of 5.0 entries in the L2 cache"));
    r.exact = {ValueType::bf16, 2};
    EXPECT_THAT(chosen(f, r),
                StartsWith("tiles: rows of 5.0 entries in the L2 cache, all of one value: tiles"));
}

TEST(GpuRulesOfOneValue, StripsTakeVeryShortNarrowRowsInTheCache) {
    Request r = request();
    r.strips = {1e9, 4, 1.43};
    r.exact = {ValueType::bf16, 2};
    Features f = uneven_features(1.0);
    f.value_type = ValueType::f32;
    f.mean_row = 2.8;
    f.nnz = 5'500'000;
    f.sell_padding = {1.43, 1.43, 1.43};
    EXPECT_THAT(chosen(f, r),
                StartsWith("strips: rows of 2.8 entries in the L2 cache, all of one value"));
    f.sell_padding = {1.6, 1.7, 1.8};
    EXPECT_THAT(chosen(f, r), StartsWith("bcsr_fused: ")) << "longer rows hold a warp up";
    f.sell_padding = {1.43, 1.43, 1.43};
    f.value_type = ValueType::f64;
    EXPECT_THAT(chosen(f, r), StartsWith("bcsr_fused: "));
    f.value_type = ValueType::f32;
    r.exact = {ValueType::f32, 0};
    EXPECT_THAT(chosen(f, r), StartsWith("bcsr_fused: ")) << "values have to be read";
}

TEST(GpuRulesOfOneValue, NarrowRowsBecomeStripsOfMoreIndex) {
    Request r = request();
    Features f = uneven_features(1.0);
    f.value_type = ValueType::f32;
    f.mean_row = 6;
    f.nnz = 6'000'000;
    f.sell_padding = {1.5, 1.5, 1.5};
    r.exact = {ValueType::bf16, 2};
    r.strips = {3.2 * 6e6, 3.2, 1.03};
    EXPECT_THAT(chosen(f, r), StartsWith("strips: 3.2 bytes an entry as strips, "));
    r.strips = {3.7 * 6e6, 3.7, 1.03};
    EXPECT_THAT(chosen(f, r), StartsWith("tiles: "));
    r.strips = {7.2 * 6e6, 3.2, 1.03};
    r.exact = {ValueType::f32, 0};
    EXPECT_THAT(chosen(f, r), testing::Not(StartsWith("strips: "))) << "values have to be read";
}

}  // namespace
}  // namespace spmvgen
