#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "errors.hpp"
#include "rule_features.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(GpuRules, EvenRowsGoToSlices) {
    EXPECT_EQ(chosen(even_features(), request()),
              "sell_slices: padding 1.00 in slices of 32: sell_slices");
    EXPECT_EQ(parameter(even_features(), request(), "sigma"), 1);
    EXPECT_EQ(chosen(uneven_features(1.1), request("gfx90a")),
              "sell_slices: padding 3.00 in slices of 32, 1.10 when sorted: sell_slices");
    EXPECT_EQ(parameter(uneven_features(1.1), request(), "sigma"), 1024);
    Features f = even_features(4);  // sorting would save less than an entry a row
    f.sell_padding = {1.05, 1.05, 1.05};
    EXPECT_EQ(parameter(f, request(), "sigma"), 1);
}

TEST(GpuRules, ShortRowsInTheCacheHaveALaneOrTwo) {
    Features f = uneven_features(1.2);
    f.rows = f.cols = 1'000'000;
    f.mean_row = 5;
    f.nnz = 5'000'000;
    f.sell_padding = {1.5, 1.5, 1.5};
    EXPECT_THAT(chosen(f, request()), StartsWith("csr_classical: ")) << "for few applies";
    Request r = request();
    r.strips = {1e9, 9, 1.2};
    EXPECT_THAT(chosen(f, r),
                StartsWith("bcsr_fused: rows of 5.0 entries in the L2 cache: bcsr_fused"));
    EXPECT_GE(parameter(f, r, "subwarp"), 2);
    EXPECT_EQ(parameter(f, r, "block_rows"), 1);
    f.mean_row = 2.5;
    f.nnz = 2'500'000;
    for (const ValueType type : {ValueType::f64, ValueType::f32}) {
        f.value_type = type;
        EXPECT_EQ(parameter(f, r, "subwarp"), 1);
        EXPECT_THAT(chosen(f, r), StartsWith("bcsr_fused: "));
    }
    f.mean_row = 1.4;
    f.nnz = 1'400'000;
    EXPECT_THAT(chosen(f, r), StartsWith("csr_classical: "));
}

TEST(GpuRules, RowsThatShareXLieInOneBlock) {
    Request r = request();
    r.saved_gathers = 0.2;
    EXPECT_EQ(chosen(uneven_features(1.1), r),
              "sell_slices: blocks of 1024 rows fetch 20 % fewer bytes than blocks of 256: "
              "sell_slices");
    EXPECT_EQ(parameter(uneven_features(1.1), r, "block"), 1024);
    EXPECT_EQ(parameter(uneven_features(1.1), r, "sigma"), 4096);
    r.params["block"] = 128;
    EXPECT_EQ(parameter(uneven_features(1.1), r, "block"), 128) << "the caller's";
    r.params.clear();
    r.saved_gathers = 0.12;
    EXPECT_EQ(parameter(uneven_features(1.1), r, "block"), 256);
    r.saved_gathers = 0.2;
    const double nnz = static_cast<double>(uneven_features(1.1).nnz);
    r.strips = {9 * nnz, 1, 1.1};
    EXPECT_THAT(chosen(uneven_features(1.1), r), StartsWith("strips: ")) << "bytes decide";
    Features short_rows = uneven_features(1.1);
    short_rows.mean_row = 3.4;
    r.strips = {9 * nnz, 2, 1.1};
    EXPECT_NE(parameter(short_rows, r, "block"), 1024) << "they fetch little at a time";
    r.strips.reset();
    Features long_row = uneven_features(1.1);
    long_row.max_row = static_cast<std::int64_t>(5 * long_row.mean_row);
    EXPECT_NE(parameter(long_row, r, "block"), 1024) << "a block would wait for it";
}

TEST(GpuRules, ShortUnevenRowsAreLeftAsTheyCome) {
    Request r = request();
    r.strips = {1e9, 3, 1.01};
    r.saved_gathers = 0.2;
    const auto rows = [](double mean, double padding) {
        Features f = uneven_features(1.01);
        f.mean_row = mean;
        f.sell_padding = {padding, padding, padding};
        f.value_type = ValueType::f32;
        return f;
    };
    EXPECT_EQ(chosen(rows(6, 1.35), r),
              "tiles: rows of 6.0 entries, padding 1.35 in slices of 32: tiles");
    Features wide = rows(6, 1.35);
    wide.value_type = ValueType::f64;
    EXPECT_EQ(parameter(wide, r, "block"), 256) << "blocks share much of x";
    EXPECT_EQ(parameter(wide, r, "run"), 4);
    r.saved_gathers = 0.12;
    EXPECT_EQ(parameter(wide, r, "block"), 128);
    r.saved_gathers = 0.2;
    EXPECT_THAT(chosen(rows(3.5, 3), r), StartsWith("tiles: "));
    for (const Features& f : {rows(6, 1.34), rows(6, 3.1), rows(3.4, 1.5), rows(8, 1.5)})
        EXPECT_THAT(chosen(f, r), StartsWith("sell_slices: ")) << f.mean_row;
    Features cached = rows(6, 1.5);
    cached.nnz = 5'000'000;
    EXPECT_THAT(chosen(cached, r), StartsWith("sell_slices: "));
    cached.sell_padding = {1.6, 1.6, 1.6};
    EXPECT_THAT(chosen(cached, r), StartsWith("tiles: "));
    r.strips->index_bytes = 1.9;
    EXPECT_THAT(chosen(rows(6, 1.5), r), testing::Not(StartsWith("tiles: "))) << "they compress";
}

TEST(GpuRules, WideValuesAreForSmallBlocks) {
    for (const char* kernel : {"strips", "tiles"}) {
        Request r = request();
        r.kernel = kernel;
        Features f = even_features(10, 1'000'000);
        f.value_type = ValueType::f64;
        EXPECT_EQ(parameter(f, r, "block"), 128) << kernel;
        f.value_type = ValueType::f32;
        EXPECT_EQ(parameter(f, r, "block"), 256) << kernel;
        f.value_type = ValueType::c64;
        EXPECT_EQ(parameter(f, r, "block"), 256) << kernel;
    }
}

TEST(GpuRules, FewLongRowsInPartsOfThem) {
    Features wide = even_features(6000, 2000);
    wide.cols = 3'000'000;
    EXPECT_THAT(chosen(wide, request()),
                StartsWith("csr_by_length: 12000000 entries, longest row"));
    ++wide.cols;
    for (Features f :
         {even_features(999, 2000), even_features(6000, 2001), even_features(1900, 2049), wide}) {
        f.cols = std::max<std::int64_t>(f.cols, 1'000'000);
        EXPECT_THAT(chosen(f, request()), testing::Not(StartsWith("csr_by_length: ")));
    }
}

TEST(GpuRules, DenseRowsInPartsOfThem) {
    Features wide = even_features(100'000, 200);  // 20 million entries
    wide.cols = 1'600'000;
    EXPECT_THAT(chosen(wide, request()), StartsWith("csr_by_length: 20000000 entries"));
    ++wide.cols;
    EXPECT_THAT(chosen(wide, request()), testing::Not(StartsWith("csr_by_length: ")));
}

TEST(GpuRules, FewRowsFarLongerInSmallMatrices) {
    Features f = even_features(10, 129'999);
    f.max_row = 41;
    EXPECT_EQ(chosen(f, request()),
              "csr_by_length: 1299990 entries, longest row 41, mean 10.0: csr_by_length");
    EXPECT_EQ(parameter(f, request(), "subwarp"), 4);
    f.max_row = 40;
    EXPECT_THAT(chosen(f, request()), testing::Not(StartsWith("csr_by_length: ")));
    f = even_features(10, 130'000);
    f.max_row = 41;
    EXPECT_THAT(chosen(f, request()), testing::Not(StartsWith("csr_by_length: ")));
    f = even_features(1, 100'000);  // most have an entry or none
    f.max_row = 33;
    f.row_histogram = {};
    f.row_histogram[1] = f.rows;
    EXPECT_EQ(parameter(f, request("gfx90a"), "subwarp"), 2);
}

TEST(GpuRules, FlatBlocksStayStrips) {
    Request r = request();
    Features f = even_features(50, 50'000);
    r.strips = {10 * static_cast<double>(f.nnz), 2, 1};
    r.blocks = BlockChoice{.rows = 3, .cols = 3};
    EXPECT_THAT(chosen(f, r), StartsWith("bcsr_fused: "));
    r.blocks = BlockChoice{.rows = 1, .cols = 7};
    EXPECT_THAT(chosen(f, r), StartsWith("strips: "));
    r.blocks = BlockChoice{.rows = 7, .cols = 1};
    EXPECT_THAT(chosen(f, r), StartsWith("bcsr_fused: "));
}

TEST(GpuRules, SkewedRowsAreDivided) {
    Features f = uneven_features(1.2);
    f.max_row = 1025;
    EXPECT_EQ(chosen(f, request()),
              "tiles: longest row 1025, mean 10.0, padding 1.20 in sorted slices: tiles");
    EXPECT_EQ(chosen(uneven_features(1.6), request()),
              "tiles: longest row 20, mean 10.0, padding 1.60 in sorted slices: tiles");
    Request few_applies = request();  // for which tiles would not be made
    few_applies.look = false;
    EXPECT_EQ(chosen(f, few_applies),
              "csr_load_balance: longest row 1025, mean 10.0: csr_load_balance");
    EXPECT_EQ(chosen(uneven_features(1.6), few_applies),
              "csr_load_balance: longest row 20, mean 10.0: csr_load_balance");
    f = uneven_features(1.6);
    f.nnz = 17'300'000;
    EXPECT_EQ(parameter(f, request(), "items"), 16);
    EXPECT_EQ(parameter(f, request(), "run"), 2);
    f.cols = 12'500'001;
    EXPECT_EQ(chosen(f, request()),
              "csr_load_balance: longest row 20, mean 10.0, 100 MB of x: csr_load_balance");
    EXPECT_EQ(parameter(f, request(), "block"), 256);
    f = uneven_features(1.6);
    f.nnz = 1'999'999;
    EXPECT_EQ(chosen(f, few_applies), "coo: longest row 20, mean 10.0: coo");
}

TEST(GpuRules, BetweenThemCsrByAlgorithm3) {
    Features f = uneven_features(1.3);
    EXPECT_EQ(chosen(f, request()),
              "csr_load_balance: 10000000 entries, more than 1000000: csr_load_balance");
    EXPECT_EQ(chosen(f, request("gfx90a")),
              "csr_classical: 10000000 entries, longest row 20: csr_classical");
    f.nnz = 1'000'000;
    EXPECT_EQ(chosen(f, request("gfx90a")),
              "csr_classical: 1000000 entries, longest row 20: csr_classical");
    Request csr = request("gfx906");
    csr.format = "csr";
    f.nnz = 1'300'000;
    f.max_row = 769;
    EXPECT_EQ(chosen(f, csr), "csr_load_balance: longest row 769, more than 768: csr_load_balance");
    f.max_row = 768;
    EXPECT_THAT(chosen(f, csr), StartsWith("csr_classical: "));
    csr.target = parse_target("sm_80");
    f.max_row = 1024;
    EXPECT_THAT(chosen(f, csr), StartsWith("csr_classical: "));
}

TEST(GpuRules, UnevenRowsInTheCacheStayAsTheyAre) {
    Features f = uneven_features(1.1);
    f.nnz = 6'666'666;
    EXPECT_EQ(chosen(f, request()),
              "csr_classical: 80.0 MB of entries, padding 3.00 in slices of 32, 1.10 when sorted: "
              "csr_classical");
    f.nnz = 6'666'667;
    EXPECT_THAT(chosen(f, request()), StartsWith("sell_slices: "));
    f.value_type = ValueType::f32;
    f.nnz = 9'999'999;
    EXPECT_THAT(chosen(f, request()), StartsWith("csr_classical: "));
    f.mean_row = 24;
    EXPECT_THAT(chosen(f, request()), StartsWith("sell_slices: "));
    f.mean_row = 10;
    EXPECT_THAT(chosen(f, request("gfx90a")), StartsWith("sell_slices: "));
}

TEST(GpuRules, LongRowsOfSlicesAreShared) {
    const auto threads = [](double mean, std::int64_t longest, std::int64_t nnz) {
        Features f = even_features(mean);
        f.max_row = longest;
        f.nnz = nnz;
        return parameter(f, request(), "threads_per_row");
    };
    // A thread may have 20 entries of it, and one more for each 150 000 of the matrix.
    EXPECT_EQ(threads(30, 30, 1'500'000), 1);
    EXPECT_EQ(threads(30, 31, 1'500'000), 2);
    EXPECT_EQ(threads(30, 61, 1'500'000), 4);
    EXPECT_EQ(threads(30, 1000, 1'500'000), 8);  // the others would have none of most rows
    EXPECT_EQ(threads(30, 1000, 150'000'000), 1);
}

TEST(GpuRules, SmallMatricesTakeOneLaunch) {
    EXPECT_EQ(chosen(even_features(10, 20'000), request()),
              "csr_classical: 200000 entries: csr_classical");
}

TEST(GpuRules, FewLongRowsAreShared) {
    Features f = even_features(15000, 900);
    f.cols = 1'000'000;
    EXPECT_EQ(chosen(f, request()),
              "csr_load_balance: 900 rows of 15000 entries: csr_load_balance");
    f.ell_padding = 1.05;
    EXPECT_EQ(chosen(f, request()), "ell_groups: 900 rows of 15000 entries: ell_groups");
    EXPECT_THAT(chosen(even_features(5000, 100), request()), StartsWith("csr_by_length: "));
}

TEST(GpuRules, GroupsOfEllAreThoseOfAlgorithm5) {
    Request r = request();
    r.format = "ell";
    r.kernel = "ell_groups";
    const auto groups = [&](std::int64_t width, std::int64_t rows) {
        Features f = even_features(1, rows);
        f.max_row = width;
        return std::pair{parameter(f, r, "groups"), parameter(f, r, "blocks_per_row")};
    };
    EXPECT_EQ(groups(10, 1000), (std::pair<std::int64_t, std::int64_t>{1, 1})) << "10/1000 = 1e-2";
    EXPECT_EQ(groups(11, 1000), (std::pair<std::int64_t, std::int64_t>{16, 1})) << "2^⌈log2 11⌉";
    EXPECT_EQ(groups(6, 500), (std::pair<std::int64_t, std::int64_t>{8, 1}));
    // 132 units of 64 warps: 8448 warps; 8448 / 1000 = 8, 1000 / 16 = 62.
    EXPECT_EQ(groups(1000, 1000), (std::pair<std::int64_t, std::int64_t>{16, 8}));
    // 40 / 16 = 2
    EXPECT_EQ(groups(40, 100), (std::pair<std::int64_t, std::int64_t>{16, 2}));
}

TEST(GpuRules, OmegaIsThePapersAsFarAsItHelps) {
    const auto omega = [](const std::string& target, std::int64_t nnz) {
        Features f = even_features();
        f.nnz = nnz;
        Request r = request(target);
        r.kernel = "coo";
        return parameter(f, r, "omega");
    };
    EXPECT_EQ(omega("sm_90", 199'999), 8);
    EXPECT_EQ(omega("sm_90", 200'000'000), 8) << "the paper has 128";
    EXPECT_EQ(omega("gfx906", 99'999), 2);
    EXPECT_EQ(omega("gfx906", 100'000), 8);
    EXPECT_EQ(omega("gfx906", 10'000'000), 32);
}

TEST(GpuRules, WithinAFormat) {
    const auto of_format = [](const char* format, Features f = even_features()) {
        Request r = request();
        r.format = format;
        return chosen(f, r);
    };
    EXPECT_THAT(of_format("ell"), StartsWith("ell_groups: "));
    EXPECT_THAT(of_format("sell"), StartsWith("sell_slices: "));
    EXPECT_THAT(of_format("coo"), StartsWith("coo: "));
    EXPECT_EQ(of_format("hyb"), "hyb_fused: longest row 20: hyb_fused");
    Features f = uneven_features(2);
    f.max_row = 1025;
    EXPECT_EQ(of_format("hyb", f), "hyb: longest row 1025: hyb");
}

TEST(GpuRules, SubwarpsFitTheWavefront) {
    Features f = even_features(2000);
    f.row_histogram = {};
    f.row_histogram[11] = f.rows;
    f.max_row = 2000;
    Request r = request("gfx90a");
    r.kernel = "csr_classical";
    EXPECT_EQ(parameter(f, r, "subwarp"), 64);
    r.target = parse_target("sm_90");
    EXPECT_EQ(parameter(f, r, "subwarp"), 32);
    r.params = {{"subwarp", 2}};
    EXPECT_EQ(parameter(f, r, "subwarp"), 2);
}

TEST(GpuRules, DeterminismIsAParameterWhereItHasToBe) {
    Request r = request();
    r.kernel = "hyb";
    EXPECT_EQ(parameter(even_features(), r, "deterministic"), 0);
    r.deterministic = true;
    EXPECT_EQ(parameter(even_features(), r, "deterministic"), 1);
    r.params = {{"deterministic", 0}};
    EXPECT_EQ(code_and_text([&] { choose(even_features(), r); }),
              "invalid_argument: parameter deterministic=0 of kernel hyb contradicts the "
              "determinism that is requested: leave it out");
    r.params.clear();
    r.kernel = "sell_slices";
    EXPECT_EQ(choose(even_features(), r).signature.params.count("deterministic"), 0U);
}

TEST(GpuRules, StorageAndEpilogueReachTheSignature) {
    Request r = request();
    r.storage = ValueType::bf16;
    r.epilogue = "value > 0 ? value : 0";
    const Signature s = choose(even_features(), r).signature;
    EXPECT_EQ(s.storage, ValueType::bf16);
    EXPECT_EQ(s.epilogue, r.epilogue);
    EXPECT_EQ(s.accumulator, std::nullopt);
    r.accumulator = ValueType::f32;
    EXPECT_THAT(code_and_text([&] { choose(even_features(), r); }),
                HasSubstr("accumulator type f32 is not wider than value type f64: use f64 for f32, "
                          "c64 for c32, or leave it out"));
}

TEST(GpuRules, LightSpmvsVectorIsByTheMeanRow) {
    const std::pair<double, std::int64_t> sizes[]{{1, 2}, {2.4, 2},  {3, 4},   {4.4, 4},
                                                  {5, 8}, {64.4, 8}, {65, 32}, {1000, 32}};
    for (auto& [mean, subwarp] : sizes) {
        Request r = request();
        r.kernel = "csr_light";
        EXPECT_EQ(parameter(even_features(mean), r, "subwarp"), subwarp) << mean;
        r.target = parse_target("gfx906");
        EXPECT_EQ(parameter(even_features(mean), r, "subwarp"), subwarp == 32 ? 64 : subwarp);
    }
}

TEST(GpuRules, KernelsThatTransposeAreForOpsThatDo) {
    const auto refused = [](const Request& r) -> std::string {
        try {
            return choose(even_features(), r).signature.kernel;
        } catch (const Error& e) {
            return e.what();
        }
    };
    Request r = request();
    r.params = {{"conjugate", 1}};
    EXPECT_EQ(refused(r), "no kernel of format auto has all of the parameters 'conjugate'");
    r.params.clear();
    r.op = Op::transpose;
    EXPECT_EQ(refused(r), "csr_transposed_gpu");
    r.kernel = "csr_light";
    EXPECT_EQ(refused(r), "kernel csr_light does not transpose");
    r.kernel = "csr_transposed_gpu";
    r.deterministic = true;
    EXPECT_EQ(refused(r),
              "kernel csr_transposed_gpu adds its sums atomically, in any order, which contradicts "
              "the determinism that is requested: use another kernel");
}

}  // namespace
}  // namespace spmvgen
