#include "errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tuner/rules/choose.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;

/// A square matrix with rows of about one length, too large for a cache.
Features even_features(double mean = 10) {
    Features f;
    f.rows = f.cols = 10'000'000;
    f.mean_row = mean;
    f.nnz = static_cast<std::int64_t>(mean * 1e7);
    f.max_row = static_cast<std::int64_t>(2 * mean);
    f.sell_padding = f.sell_sorted_padding = {1, 1, 1};
    f.ell_padding = 2;
    return f;
}

/// The same of 10 000 rows and columns.
Features small_features(double mean = 8) {
    Features f = even_features(mean);
    f.rows = f.cols = 10'000;
    f.nnz = static_cast<std::int64_t>(mean * 1e4);
    return f;
}

/// The same with rows of very different lengths.
Features uneven_features(double mean = 10) {
    Features f = even_features(mean);
    f.sell_padding = {1.8, 2.1, 2.5};
    f.sell_sorted_padding = {1.2, 1.3, 1.4};
    return f;
}

Request request() {
    Request r;
    r.target = parse_target("x86-64-v4");
    r.threads = 4;
    return r;
}

Request request_of_two() {
    Request r = request();
    r.num_rhs = 2;
    return r;
}

std::string chosen(const Features& f, const Request& r) {
    const Choice choice = choose(f, r);
    return kernel_name(choice.signature) + " | " + choice.reason;
}

TEST(Choose, LongerRowsGoInVectors) {
    EXPECT_EQ(chosen(uneven_features(), request()),
              "csr_vector_f64_i32_o32_a1_b0_k1_lanes8_prefetch4096_unroll1 | "
              "mean row 10.0, padding 1.80 in slices: csr_vector");
    EXPECT_EQ(chosen(uneven_features(2.5), request()),
              "csr_vector_f64_i32_o32_a1_b0_k1_lanes4_prefetch4096_unroll1 | "
              "mean row 2.5, padding 1.80 in slices: csr_vector");
}

TEST(Choose, WhatAFirstCacheHoldsIsSorted) {
    Features f = uneven_features(6);
    f.rows = f.cols = 400;
    f.nnz = 2400;
    Request r = request();
    r.threads = 1;
    EXPECT_EQ(chosen(f, r),
              "sell_f64_i32_o32_a1_b0_k1_lanes8_prefetch0_sigma4096_unroll1 | "
              "2400 entries in a first cache, padding 1.80, 1.20 when sorted: sell");
    const auto kernel = [&] { return choose(f, r).signature.kernel; };
    f.nnz = 2700;
    EXPECT_EQ(kernel(), "csr_vector") << "more than 32 kB";
    f.nnz = 2400;
    f.rows = 31;
    EXPECT_EQ(kernel(), "csr_vector") << "three slices";
    f.rows = 32;
    EXPECT_EQ(kernel(), "sell");
    f.sell_sorted_padding = {1.61, 1.7, 1.8};
    EXPECT_EQ(kernel(), "csr_vector") << "padded too much";
    f.sell_sorted_padding = {1.6, 1.7, 1.8};
    r.target = parse_target("x86-64-v3");
    EXPECT_EQ(kernel(), "csr_vector") << "no gathers of x";
    r = request();
    EXPECT_EQ(kernel(), "csr_vector") << "four threads";
}

TEST(Choose, BlocksReadNarrowValuesWhereNoCacheHoldsThem) {
    Request r = request();
    r.threads = 2;
    r.exact = ExactValues{ValueType::bf16, 0};
    const auto storage = [&](const char* kernel, std::int64_t nnz) {
        Features f = even_features();
        f.nnz = nnz;
        r.kernel = kernel;
        return storage_type(choose(f, r).signature);
    };
    EXPECT_EQ(storage("bcsr", 999'999), ValueType::f64) << "less than 4 MB a thread";
    EXPECT_EQ(storage("bcsr", 1'000'000), ValueType::bf16);
    EXPECT_EQ(storage("sell", 100'000), ValueType::bf16);
}

TEST(Choose, AlmostEmptyRowsStayScalarUnlessTheyAreEven) {
    Features f = uneven_features(1);
    f.sell_sorted_padding = {1, 1, 1};
    EXPECT_EQ(chosen(f, request()), "csr_rows_f64_i32_o32_a1_b0_k1 | mean row 1.0: csr_rows");
    EXPECT_EQ(chosen(even_features(1), request()),
              "sell_f64_i32_o32_a1_b0_k1_lanes8_prefetch4096_sigma1_unroll1 | "
              "mean row 1.0, 30.0 MB of entries a thread, padding 1.00: sell");
}

TEST(Choose, AMatrixWithoutEntriesHasAKernelToo) {
    EXPECT_NE(choose(Features{}, request()).signature.kernel, "");
}

TEST(Choose, MostlyEmptyRowsGoToTriplets) {
    EXPECT_EQ(chosen(even_features(0.24), request()),
              "coo_segmented_f64_i32_o32_a1_b0_k1_lanes1 | mean row 0.24: coo_segmented");
    EXPECT_THAT(chosen(even_features(0.25), request()), testing::Not(HasSubstr("coo")));
    Features small = even_features(0.2);
    small.rows = 9'999;
    EXPECT_THAT(chosen(small, request()), testing::Not(HasSubstr("coo")));
}

TEST(Choose, LanesAreNoMoreThanARowFills) {
    const auto lanes = [](ValueType type, double mean, const char* target) {
        Features f = uneven_features(mean);
        f.value_type = type;
        Request r = request();
        r.kernel = "csr_vector";
        r.target = parse_target(target);
        return choose(f, r).signature.params.at("lanes");
    };
    EXPECT_EQ(lanes(ValueType::f64, 7.9, "x86-64-v4"), 4);
    EXPECT_EQ(lanes(ValueType::f64, 8, "x86-64-v4"), 8);
    EXPECT_EQ(lanes(ValueType::f64, 1000, "x86-64-v4"), 8);
    EXPECT_EQ(lanes(ValueType::f32, 5, "x86-64-v4"), 4);
    EXPECT_EQ(lanes(ValueType::f32, 1000, "x86-64-v4"), 16);
    EXPECT_EQ(lanes(ValueType::c64, 7, "x86-64-v4"), 2);
    EXPECT_EQ(lanes(ValueType::c64, 8, "x86-64-v4"), 4);
    EXPECT_EQ(lanes(ValueType::c64, 1000, "x86-64-v2"), 2);
}

TEST(Choose, ARowAsLongAsHalfAShareIsCut) {
    Features f = uneven_features();
    f.max_row = f.nnz / 8;
    EXPECT_THAT(chosen(f, request()), testing::Not(HasSubstr("balanced")));
    ++f.max_row;
    EXPECT_EQ(chosen(f, request()),
              "csr_balanced_f64_i32_o32_a1_b0_k1_lanes8_prefetch4096_unroll1 | "
              "longest row 12500001, a thread's share 25000000 entries: csr_balanced");
    f = uneven_features(1.4);
    f.max_row = f.nnz;
    EXPECT_THAT(chosen(f, request()), HasSubstr("csr_balanced_f64_i32_o32_a1_b0_k1_lanes1"));
    Request alone = request();
    alone.threads = 1;
    EXPECT_THAT(chosen(f, alone), testing::Not(HasSubstr("balanced")));
}

TEST(Choose, EvenRowsThatAreShortOrInCacheGoToSlices) {
    EXPECT_THAT(chosen(even_features(9), request()), HasSubstr("csr_vector"));
    EXPECT_EQ(chosen(even_features(7), request()),
              "sell_f64_i32_o32_a1_b0_k1_lanes8_prefetch4096_sigma1_unroll1 | "
              "mean row 7.0, 210.0 MB of entries a thread, padding 1.00: sell");
    Features f = even_features(20);
    f.nnz = 300'000;
    f.sell_padding = {1.4, 1.5, 1.6};
    f.sell_sorted_padding = {1.04, 1.2, 1.3};
    EXPECT_EQ(chosen(f, request()),
              "sell_f64_i32_o32_a1_b0_k1_lanes8_prefetch0_sigma4096_unroll1 | "
              "mean row 20.0, 0.9 MB of entries a thread, padding 1.40, 1.04 when sorted: sell");
    f.value_type = ValueType::f32;  // slices of 16 rows
    EXPECT_THAT(chosen(f, request()), HasSubstr("csr_vector_f32"));
    f = even_features(7);
    f.value_type = ValueType::c64;
    EXPECT_THAT(chosen(f, request()), HasSubstr("csr_vector_c64"));
}

TEST(Choose, ShortUnevenRowsGoToSortedSlices) {
    Features f = uneven_features(3.5);
    f.sell_sorted_padding = {1.08, 1.1, 1.2};
    EXPECT_EQ(chosen(f, request()),
              "sell_f64_i32_o32_a1_b0_k1_lanes8_prefetch4096_sigma4096_unroll1 | "
              "mean row 3.5, padding 1.80, 1.08 when sorted: sell");
}

TEST(Choose, EachThreadSortsInWindowsOfItsOwn) {
    Features f = uneven_features(3.5);
    f.sell_sorted_padding = {1.08, 1.1, 1.2};
    const auto window = [&](std::int64_t rows, int threads) {
        f.rows = rows;
        Request r = request();
        r.threads = threads;
        r.kernel = "sell";
        return choose(f, r).signature.params.at("sigma");
    };
    EXPECT_EQ(window(100, 1), 4096);
    EXPECT_EQ(window(2 * 16 * 4096, 16), 4096);
    EXPECT_EQ(window(2 * 16 * 4096 - 1, 16), 256);
    EXPECT_EQ(window(2 * 16 * 256 - 1, 16), 1);
}

TEST(Choose, SeveralRightHandSides) {
    Request r = request();
    r.num_rhs = 8;
    EXPECT_EQ(chosen(small_features(), r),
              "csr_rows_f64_i32_o32_a1_b0_k8 | 8 right-hand sides: csr_rows");
    Features long_rows = small_features(15);
    EXPECT_EQ(chosen(long_rows, r),
              "csr_vector_f64_i32_o32_a1_b0_k8_lanes8_prefetch0_unroll4 | 8 right-hand sides, mean "
              "row 15.0: "
              "csr_vector");
    r.num_rhs = 16;
    EXPECT_TRUE(chosen(long_rows, r).starts_with("csr_rows_")) << "too many sums for registers";
    r.num_rhs = 4;
    EXPECT_TRUE(chosen(small_features(10), r).starts_with("csr_vector_"));
    EXPECT_TRUE(chosen(small_features(9.9), r).starts_with("csr_rows_"));
    r.num_rhs = 2;
    long_rows.cols = long_rows.nnz + 1;
    EXPECT_TRUE(chosen(long_rows, r).starts_with("csr_rows_")) << "each entry has an x of its own";
    r.num_rhs = 8;
    Features uneven = small_features(6.6);
    uneven.sell_padding = {1.15, 1.2, 1.3};
    uneven.nnz = 110'000 - uneven.rows;
    EXPECT_NE(chosen(uneven, r).find(" | 8 right-hand sides, mean row "), std::string::npos);
    EXPECT_TRUE(chosen(uneven, r).starts_with("sell_")) << chosen(uneven, r);
    uneven.nnz -= 1;
    EXPECT_TRUE(chosen(uneven, r).starts_with("csr_rows_")) << "branches that are learnt by heart";
    uneven.nnz = 110'000;
    r.num_rhs = 16;
    EXPECT_TRUE(chosen(uneven, r).starts_with("csr_rows_")) << "y in order counts";
    r.num_rhs = 8;
    uneven.rows = 93'749;
    EXPECT_TRUE(chosen(uneven, r).starts_with("sell_"));
    uneven.rows += 1;
    EXPECT_TRUE(chosen(uneven, r).starts_with("csr_rows_")) << "6 MB of y, in any order";
    uneven.rows -= 1;
    uneven.value_type = ValueType::c64;
    EXPECT_TRUE(chosen(uneven, r).starts_with("csr_rows_"));
    uneven.value_type = ValueType::f64;
    uneven.sell_padding.front() = 1.149;
    EXPECT_TRUE(chosen(uneven, r).starts_with("csr_rows_")) << "rows as long as their neighbours";
}

TEST(Choose, RightHandSidesBeyondTheCachesAreAskedForAhead) {
    Request r = request();
    r.num_rhs = 8;
    Features f = small_features();
    f.cols = 93'750;
    EXPECT_EQ(chosen(f, r),
              "csr_ahead_f64_i32_o32_a1_b0_k8_ahead192_past_caches0 | 8 right-hand sides, 6.0 MB "
              "of x: csr_ahead");
    f.cols -= 1;
    EXPECT_TRUE(chosen(f, r).starts_with("csr_rows_"));
    r.num_rhs = 16;
    EXPECT_TRUE(chosen(f, r).starts_with("csr_ahead_"));
    f.value_type = ValueType::c64;
    EXPECT_TRUE(chosen(f, r).starts_with("csr_rows_"));
    r.num_rhs = 1;
    EXPECT_EQ(candidates(r).size() + 1, candidates(request_of_two()).size())
        << "of one vector csr_ahead is no candidate";
}

TEST(Choose, VectorsBeyondTheLastCacheAreStoredPastIt) {
    Request r = request();
    r.num_rhs = 16;
    Features f = small_features();
    f.rows = 180'000;
    f.cols = 7'500;
    EXPECT_EQ(
        chosen(f, r),
        "csr_ahead_f64_i32_o32_a1_b0_k16_ahead192_past_caches1 | 16 right-hand sides, 24.0 MB "
        "of x and y: csr_ahead");
    f.cols -= 1;
    EXPECT_TRUE(chosen(f, r).starts_with("csr_rows_"));
    f.cols = 50'000;
    f.rows = 137'499;
    EXPECT_TRUE(
        chosen(f, r).ends_with("past_caches0 | 16 right-hand sides, 6.4 MB of x: csr_ahead"))
        << chosen(f, r);
    f.rows = 300'000;
    r.num_rhs = 8;
    f.cols = 93'750;
    EXPECT_TRUE(chosen(f, r).find("past_caches0") != std::string::npos) << "a line is a row of y";
}

TEST(Choose, WhatIsAskedForIsHonoured) {
    Request r = request();
    r.format = "ell";
    EXPECT_EQ(chosen(even_features(), r),
              "ell_f64_i32_o32_a1_b0_k1_lanes8_unroll1 | the one kernel of format ell");
    r.params = {{"unroll", 4}};
    EXPECT_THAT(chosen(even_features(), r), HasSubstr("ell_f64_i32_o32_a1_b0_k1_lanes8_unroll4"));
    r = request();
    r.format = "csr";
    EXPECT_THAT(chosen(even_features(3.5), r), HasSubstr("csr_vector"));
    r = request();
    r.params = {{"sigma", 64}, {"unroll", 1}};
    EXPECT_EQ(chosen(uneven_features(), r),
              "sell_f64_i32_o32_a1_b0_k1_lanes8_prefetch4096_sigma64_unroll1 | "
              "the one kernel of format sell with these parameters");
    r = request();
    r.kernel = "sell";
    EXPECT_EQ(
        chosen(uneven_features(), r),
        "sell_f64_i32_o32_a1_b0_k1_lanes8_prefetch4096_sigma4096_unroll1 | named by the caller");
}

TEST(Choose, WhatCannotBeHadIsRefused) {
    const auto with = [](const std::function<void(Request&)>& change) {
        Request r = request();
        change(r);
        return code_and_text([&] { choose(even_features(), r); });
    };
    EXPECT_EQ(with([](Request& r) { r.format = "no-such"; }),
              "invalid_argument: unknown format 'no-such': use one of " + format_names());
    EXPECT_EQ(with([](Request& r) { r.kernel = "sell", r.format = "csr"; }),
              "invalid_argument: kernel sell reads format sell, not csr: leave one of them auto");
    EXPECT_EQ(with([](Request& r) { r.format = "coo", r.params = {{"sigma", 1}}; }),
              "invalid_argument: no kernel of format coo has all of the parameters 'sigma'");
    EXPECT_THAT(with([](Request& r) { r.kernel = "csr_rows", r.params = {{"lanes", 4}}; }),
                HasSubstr("invalid_argument: kernel csr_rows has no parameter 'lanes'"));
    EXPECT_THAT(with([](Request& r) { r.kernel = "sell", r.params = {{"sigma", 3}}; }),
                HasSubstr("invalid_argument: parameter sigma=3 of kernel sell: use one of 1, 64"));
    EXPECT_THAT(with([](Request& r) { r.num_rhs = 65; }), HasSubstr("invalid_argument: "));
}

TEST(Choose, IndexTypesAreTheNarrowestThatFit) {
    Request r = request();
    Features f = uneven_features();
    f.nnz = std::int64_t{1} << 31;
    EXPECT_THAT(chosen(f, r), HasSubstr("_i32_o64_"));
    f.nnz = 1;
    f.cols = std::int64_t{1} << 31;
    EXPECT_THAT(chosen(f, r), HasSubstr("_i64_o32_"));
    f.cols = 5;
    f.rows = std::int64_t{1} << 31;
    r.format = "csr";
    EXPECT_THAT(chosen(f, r), HasSubstr("_i32_o32_"));
    r.format = "coo";  // stores row numbers
    EXPECT_THAT(chosen(f, r), HasSubstr("_i64_o32_"));
    f = even_features();
    f.nnz = 1'000'000'000;
    f.ell_padding = 3;
    r.format = "ell";  // stores padding
    EXPECT_THAT(chosen(f, r), HasSubstr("_i32_o64_"));
}

TEST(Choose, BorrowedArraysKeepTheirTypesInCsrOnly) {
    Request r = request();
    r.csr_index = r.csr_offset = IndexType::i64;
    EXPECT_THAT(chosen(uneven_features(), r), HasSubstr("csr_vector_f64_i64_o64_"));
    r.format = "sell";
    EXPECT_THAT(chosen(uneven_features(), r), HasSubstr("sell_f64_i32_o32_"));
}

}  // namespace
}  // namespace spmvgen
