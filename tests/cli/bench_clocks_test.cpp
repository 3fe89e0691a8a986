// The clocks of `spmvgen bench`, over stand-ins whose times are known.
#include "bench_cuda_fixture.hpp"

namespace spmvgen::cli {
namespace {

using BenchClocksTest = CusparseTest;

TEST_F(BenchClocksTest, EachTellsWhatItIsFor) {
    const Outcome outcome = bench(std::string(line) + "--clock cold,solver,graph,stream");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(lines()[0]["method"]["clocks"],
              json({{"stream", "warm-up, then samples of as many applies as fill 1 ms"},
                    {"graph", "graphs of 100 applies, launched after a warm-up"},
                    {"solver", "applies with a vector update behind each, less the updates alone"},
                    {"cold", "single applies, the caches emptied before each"}}));
    for (const std::string way : {"csr_alg1", "spmvop_alg1", "spmvop_alg2"}) {
        const json row = row_of(peer + way);
        for (const char* clock : {"stream", "graph", "solver", "cold"}) expect_times(row[clock]);
        const double one = kernel_us + enqueue_us;
        EXPECT_NEAR(row["stream"]["us"], one, 1e-3);
        EXPECT_NEAR(row["graph"]["us"], kernel_us + enqueue_us / 100, 1e-3);
        EXPECT_EQ(row["graph"]["calls"].get<int>() % 100, 0);
        EXPECT_NEAR(row["solver"]["us"], one, 1e-3);
        EXPECT_NEAR(row["solver"]["update_us"], one, 1e-3);
        EXPECT_NEAR(row["cold"]["us"], one, 1e-3);
        EXPECT_FALSE(row.contains("untimed")) << row;
    }
    EXPECT_NE(outcome.out.find("   stream us [quartiles]             graph us [quartiles]          "
                               "  solver us [quartiles]              cold us [quartiles]"),
              std::string::npos)
        << outcome.out;
}

TEST_F(BenchClocksTest, TheSolversUpdateRunsBehindEachProduct) {
    ASSERT_EQ(bench(std::string(line) + "--clock solver").status, 0);
    const std::string calls = spmvgen_standin_cuda()->calls();
    EXPECT_NE(calls.find("cusparseSpMV cuLaunchKernel cusparseSpMV cuLaunchKernel "),
              std::string::npos);
    EXPECT_NE(calls.find("cuLaunchKernel cuLaunchKernel cuLaunchKernel "), std::string::npos);
}

TEST_F(BenchClocksTest, AGraphIsCapturedOnceAndLaunched) {
    ASSERT_EQ(bench(std::string(line) + "--clock graph").status, 0);
    const std::string calls = spmvgen_standin_cuda()->calls();
    std::string products = "cuStreamBeginCapture_v2 ";
    for (int i = 0; i < 100; ++i) products += "cusparseSpMVOp ";
    EXPECT_NE(calls.find(products + "cuStreamEndCapture cuGraphInstantiateWithFlags"),
              std::string::npos);
}

TEST_F(BenchClocksTest, AClockThatFailsIsSaidBesideTheOthers) {
    setenv("CUSPARSE_STANDIN", "no capture", 1);
    const Outcome outcome = bench(std::string(line) + "--clock stream,graph");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json row = row_of(std::string(peer) + "spmvop_alg1");
    EXPECT_EQ(row["untimed"], json({{"graph", "cusparseSpMVOp: execution failed (6)"}}));
    expect_times(row["stream"]);
    EXPECT_NE(outcome.out.find(" graph: cusparseSpMVOp: execution failed (6)\n"), std::string::npos)
        << outcome.out;
    // What comes behind on the same stream is not touched.
    expect_times(row_of(std::string(peer) + "spmvop_alg2")["stream"]);
}

TEST_F(BenchClocksTest, WithoutAnyTimeThereIsNone) {
    setenv("CUSPARSE_STANDIN", "no capture", 1);
    ASSERT_EQ(bench(std::string(line) + "--clock graph --rounds 2").status, 0);
    EXPECT_EQ(row_of(std::string(peer) + "spmvop_alg1")["none"],
              "cusparseSpMVOp: execution failed (6)");
    expect_times(row_of(std::string(peer) + "csr_alg1")["graph"]);
}

TEST_F(BenchClocksTest, WhatAnEarlierClockLeftInYDoesNotCount) {
    setenv("CUSPARSE_STANDIN", "lost", 1);
    EXPECT_NE(bench(std::string(line) + "--clock stream,graph").status, 0);
    const json row = row_of(std::string(peer) + "spmvop_alg1");
    EXPECT_TRUE(row.value("wrong", "").starts_with("after it was timed by graph: ")) << row;
    EXPECT_FALSE(row.contains("stream")) << row;
}

TEST_F(BenchClocksTest, WithoutTheUpdateThereIsNoSolversClock) {
    spmvgen_standin_cuda()->fail_next("cuModuleLoadDataEx", 218);
    ASSERT_EQ(bench(std::string(line) + "--clock stream,solver").status, 0);
    const json row = rows()[0];
    EXPECT_EQ(row["untimed"]["solver"], "cuModuleLoadDataEx: a PTX JIT compilation failed (218)");
    expect_times(row["stream"]);
    expect_times(rows()[1]["solver"]);
}

TEST_F(BenchClocksTest, OnlyNvidiasGpusHaveAll) {
    const std::string only = " is for NVIDIA GPUs, --device cuda:N; on ";
    EXPECT_EQ(error("A.mtx --clock warm"),
              "2: spmvgen: --clock: unknown 'warm': use stream, graph, solver, cold");
    EXPECT_EQ(error("A.mtx --clock stream,graph"),
              "2: spmvgen: --clock: graph" + only + "host there are stream, cold");
    EXPECT_EQ(error("A.mtx --device simt:sm_90 --clock solver"),
              "2: spmvgen: --clock: solver" + only + "simt:sm_90 there are stream, cold");
    EXPECT_EQ(error("A.mtx --clock stream,cold,stream"),
              "2: spmvgen: --clock: stream is given twice");
}

}  // namespace
}  // namespace spmvgen::cli
