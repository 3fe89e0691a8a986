#include <gtest/gtest.h>

#include <cmath>

#include "run/run_report.hpp"
#include "text/units.hpp"

namespace spmvgen::cli {
namespace {

RunReport example() {
    RunReport r;
    r.matrix = "A.mtx";
    r.threads = 2;
    r.alpha = "1";
    r.beta = "0";
    r.kernel = "csr_rows_f64_i32_o32_a1_b0_k1";
    r.info.target = "x86-64-v3";
    r.info.reason = "short rows (mean 4.6)";
    r.info.format = "csr";
    r.info.origin = "cache";
    r.info.source_path = "/c/k";
    r.info.rows = r.info.cols = 100;
    r.info.nnz = r.info.stored = 460;
    r.info.matrix_bytes = 5924;
    r.info.prepare_ms = 3;
    r.info.kernel_ms = 2.5;
    r.read_s = 0.01;
    r.first_apply_s = 2e-6;
    r.cache_bytes = 4000;
    r.bytes = 8000;
    r.flops = 920;
    r.check = CheckResult{.worst_ratio = 0.125, .worst_row = 7, .message = ""};
    r.timing = Timing{1e-6, 0.9e-6, 2e-6, 0.05, 40, 1000};
    r.bandwidth = Bandwidth{.read = 16e9, .triad = 12e9, .bytes = 1000000000, .threads = 2};
    return r;
}

TEST(RunReport, Sheet) {
    EXPECT_EQ(
        to_string(example()),
        "matrix   A.mtx: 100 x 100, 460 nonzeros, f64\n"
        "product  y = 1 A x + 0 y, 2 threads\n"
        "kernel   csr_rows_f64_i32_o32_a1_b0_k1 @ x86-64-v3\n"
        "why      short rows (mean 4.6)\n"
        "format   csr: 460 entries stored, 5.92 kB\n"
        "origin   cache\n"
        "source   /c/k\n"
        "prepare  3.00 ms: kernel 2.50 ms, analysis and conversion 500 us; reading took 10.0 "
        "ms, first apply 2.00 us\n"
        "check    passed against the compensated reference: worst error 0.12 of its rounding "
        "bound, in row 7\n"
        "time     1.00 us an apply: median of 40 samples, spread 5.00 %, 900 ns … 2.00 us\n"
        "speed    0.92 GFLOP/s, 8.00 GB/s (8.00 kB an apply, each array counted once)\n"
        "memory   50.0 % of the 16.0 GB/s measured now with 2 threads over 1.00 GB (read 16.0, "
        "triad 12.0)\n");
}

TEST(RunReport, MeasuredAndPredictedTimesStandAfterThePreparation) {
    RunReport r = example();
    r.info.measure_ms = 0.3;
    r.info.choice_ms = 0.1;
    r.info.measured_us = 1.5;
    r.info.measured = {{"csr_rows_f64", 2}, {"csr_vector_f64", 1.5}};
    r.info.predicted_us = 1.25;
    r.info.profile = "device-this.json";
    const std::string text = to_string(r);
    EXPECT_NE(
        text.find(
            "kernel 2.50 ms, choice 100 us, analysis and conversion 100 us, measuring 300 us; "
            "reading took 10.0 ms, first apply 2.00 us\n"
            "measured 2.00 us csr_rows_f64\n"
            "         1.50 us csr_vector_f64\n"
            "predict  1.25 us an apply with α = 1, β = 0, by device-this.json\n"
            "check    "),
        text.npos)
        << text;
    const Json json = to_json(r);
    EXPECT_EQ(json["measured"][1]["kernel"], "csr_vector_f64");
    EXPECT_EQ(json["measured"][1]["us"], 1.5);
    EXPECT_EQ(json["predicted_us"], 1.25);
    EXPECT_EQ(json["profile"], "device-this.json");
}

TEST(RunReport, CachesOfUnknownSizeAreMentioned) {
    RunReport r = example();
    r.cache_bytes = 0;
    EXPECT_TRUE(
        to_string(r).ends_with("         this machine does not report how large its caches are: "
                               "small matrices may fit in them\n"));
    EXPECT_TRUE(to_json(r)["fits_in_cache"].is_null());
}

TEST(RunReport, AWrongProductIsNotTimed) {
    RunReport r = example();
    r.check = CheckResult{.passed = false, .worst_ratio = 9, .wrong = 1, .message = "1 is wrong"};
    r.timing.reset();
    const std::string text = to_string(r);
    EXPECT_NE(text.find("check    FAILED: 1 is wrong\n"), std::string::npos);
    EXPECT_EQ(text.find("\ntime "), std::string::npos);
    EXPECT_EQ(text.find("GFLOP/s"), std::string::npos);
    const Json json = to_json(r);
    EXPECT_EQ(json["check"]["passed"], false);
    EXPECT_TRUE(json["time"].is_null());
    EXPECT_FALSE(json.contains("flops_per_s"));
}

TEST(RunReport, SmallMatricesAreComparedWithTheCacheToo) {
    RunReport r = example();
    r.in_cache = Bandwidth{.read = 32e9, .triad = 12e9, .bytes = 8000, .threads = 2};
    EXPECT_NE(
        to_string(r).find("\ncache    25.0 % of the 32.0 GB/s measured now with 2 threads over "
                          "8.00 kB (read 32.0, triad 12.0)\n"),
        std::string::npos);
    EXPECT_EQ(to_json(r)["fits_in_cache"], true);
    EXPECT_EQ(to_json(r)["cache_bandwidth_share"], 0.25);
}

TEST(RunReport, AFallbackIsTold) {
    RunReport r = example();
    EXPECT_EQ(to_string(r).find("warning"), std::string::npos);
    r.info.warning = "no compiler";
    EXPECT_NE(to_string(r).find("\nwarning  no compiler\n"), std::string::npos);
    EXPECT_EQ(to_json(r)["warning"], "no compiler");
}

TEST(RunReport, InfinityIsNullInJson) {
    RunReport r = example();
    r.check->worst_ratio = INFINITY;
    EXPECT_NE(to_json(r).dump().find("\"worst_ratio\":null"), std::string::npos);
}

TEST(Units, Digits) {
    EXPECT_EQ(in_digits(0), "0");
    EXPECT_EQ(in_digits(1), "1.00");
    EXPECT_EQ(in_digits(9.994), "9.99");
    EXPECT_EQ(in_digits(9.996), "10.0");
    EXPECT_EQ(in_digits(99.96), "100");
    EXPECT_EQ(in_digits(1234), "1234");
    EXPECT_EQ(in_digits(0.0123), "0.012");
    EXPECT_EQ(in_digits(-2.5), "-2.50");
}

TEST(Units, Bytes) {
    EXPECT_EQ(in_bytes(0), "0 bytes");
    EXPECT_EQ(in_bytes(999), "999 bytes");
    EXPECT_EQ(in_bytes(1000), "1.00 kB");
    EXPECT_EQ(in_bytes(999600), "1.00 MB");
    EXPECT_EQ(in_bytes(5e15), "5000 TB");
}

TEST(Units, Seconds) {
    EXPECT_EQ(in_seconds(0), "0 ns");
    EXPECT_EQ(in_seconds(123e-9), "123 ns");
    EXPECT_EQ(in_seconds(0.9999e-6), "1.00 us");
    EXPECT_EQ(in_seconds(12.3e-3), "12.3 ms");
    EXPECT_EQ(in_seconds(75), "75.0 s");
}

TEST(Units, Plural) {
    EXPECT_EQ(plural(1, "entry"), "1 entry");
    EXPECT_EQ(plural(0, "entry"), "0 entries");
    EXPECT_EQ(plural(2, "thread"), "2 threads");
    EXPECT_EQ(plural(3, "matrix"), "3 matrices");
}

}  // namespace
}  // namespace spmvgen::cli
