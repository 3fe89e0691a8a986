#include "bench_fixture.hpp"

namespace spmvgen::cli {
namespace {

using nlohmann::json;

TEST_F(BenchTest, TimesKernelsBesidePeers) {
    const Outcome outcome = bench(
        "A.mtx --kernels auto,csr_rows --against mkl,plain --clock cold,stream --json R.jsonl");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto all = lines();
    ASSERT_EQ(all.size(), 6u);
    const json& header = all[0];
    EXPECT_EQ(header["kind"], "spmvgen bench");
    EXPECT_EQ(header["schema"], 2);
    EXPECT_EQ(header["device"], "host");
    EXPECT_EQ(header["peers"]["mkl"]["version"], "stand-in");
    EXPECT_EQ(header["peers"]["mkl"]["path"],
              std::filesystem::canonical(MKL_STANDIN_LIBRARY).string());
    EXPECT_EQ(header["method"]["flush_bytes"], 1048576);
    EXPECT_EQ(header["command"],
              "spmvgen bench A.mtx --device host --kernels auto,csr_rows --against mkl,plain "
              "--value f64 --clock cold,stream --budget 1ms --flush 1048576 --json R.jsonl");
    EXPECT_EQ(header["versions"]["generator"].get<std::string>().size(), 64u);
    EXPECT_EQ(cases(rows()), (std::vector<std::string>{"auto", "csr_rows", "mkl/csr",
                                                       "mkl/csr_optimized", "plain/csr"}));
    for (auto& row : rows()) {
        EXPECT_EQ(row["matrix"], "A");
        EXPECT_EQ(row["nnz"], 3);
        EXPECT_EQ(row["value"], "f64");
        EXPECT_GE(row["convert_ms"], 0);
        EXPECT_GE(row["plan_ms"], 0);
        expect_times(row["stream"]);
        expect_times(row["cold"]);
        EXPECT_EQ(row["cold"]["calls"], 1);
        EXPECT_FALSE(row.contains("wrong"));
        EXPECT_NE(outcome.out.find("A                            f64  " +
                                   row["case"].get<std::string>() + " "),
                  std::string::npos)
            << outcome.out;
    }
    EXPECT_EQ(rows()[1]["kernel"].get<std::string>().substr(0, 9), "csr_rows_");
    EXPECT_EQ(rows()[4]["library"], "plain");
    // row_ptr of 3 and col_idx of 3 int32; values of 3, x of 3 and y of 2 doubles.
    EXPECT_EQ(rows()[4]["bytes"], 6 * 4 + 8 * 8);
}

TEST_F(BenchTest, AWrongProductIsNeverATime) {
    setenv("MKL_STANDIN", "wrong", 1);
    const Outcome outcome =
        bench("A.mtx --kernels csr_rows --against mkl --clock stream,cold --json R.jsonl");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(
        outcome.out.find("mkl/csr                        WRONG: 1 of 2 elements of y are wrong; "
                         "the worst is in row 1: "),
        std::string::npos)
        << outcome.out;
    EXPECT_NE(outcome.err.find("spmvgen: 2 wrong results; the first: A, mkl/csr: 1 of 2 elements"),
              std::string::npos)
        << outcome.err;
    for (auto& row : rows()) {
        const bool ours = row["library"] == "spmvgen";
        EXPECT_EQ(row.contains("stream"), ours);
        EXPECT_EQ(row.contains("cold"), ours);
        EXPECT_EQ(row.contains("wrong"), !ours);
    }
    // A file with wrong results stays one.
    unsetenv("MKL_STANDIN");
    EXPECT_EQ(error("A.mtx --kernels csr_rows --against mkl --clock stream,cold --json R.jsonl "
                    "--resume")
                  .substr(0, 3),
              "1: ");
}

TEST_F(BenchTest, AProductThatBecomesWrongIsNoTimeEither) {
    setenv("MKL_STANDIN", "wrong later", 1);
    EXPECT_EQ(bench("A.mtx --kernels none --against mkl --json R.jsonl").status, 1);
    const auto row = rows()[0];
    EXPECT_FALSE(row.contains("stream"));
    EXPECT_EQ(row["wrong"].get<std::string>().substr(0, 53),
              "after it was timed by stream: 1 of 2 elements of y ar");
}

TEST_F(BenchTest, WhatAPeerCannotDoIsSaid) {
    setenv("MKL_STANDIN", "no optimize", 1);
    const Outcome outcome =
        bench("A.mtx --kernels none --against mkl --value f64,f32 --json R.jsonl");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    ASSERT_EQ(rows().size(), 4u);
    EXPECT_TRUE(rows()[0].contains("stream"));
    EXPECT_EQ(rows()[1]["none"], "mkl_sparse_optimize: not supported (6)");
    EXPECT_EQ(rows()[2]["value"], "f32");
    EXPECT_EQ(rows()[2]["none"], std::filesystem::canonical(MKL_STANDIN_LIBRARY).string() +
                                     " has no function mkl_sparse_s_mv");
    EXPECT_NE(outcome.out.find("none: mkl_sparse_optimize: not supported (6)\n"),
              std::string::npos);
}

TEST_F(BenchTest, AbsentPeersAreNamed) {
    setenv("SPMVGEN_MKL", "/nowhere/libmkl_rt.so", 1);
    const std::string why =
        "no MKL is found: looked for /nowhere/libmkl_rt.so, which SPMVGEN_MKL names; pip install "
        "mkl into a virtual environment and set SPMVGEN_MKL to its lib/libmkl_rt.so.3";
    EXPECT_EQ(error("A.mtx --kernels csr_rows --against mkl"), "1: spmvgen: --against mkl: " + why);
    const Outcome outcome = bench("A.mtx --kernels csr_rows --json R.jsonl");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.err.find("spmvgen: not compared with mkl: " + why + "\n"), std::string::npos)
        << outcome.err;
    EXPECT_EQ(lines()[0]["peers"]["mkl"]["absent"], why);
}

TEST_F(BenchTest, GoesOnWhereItWasCut) {
    const std::string line = "A.mtx --kernels csr_rows,csr_vector --against mkl --json R.jsonl";
    ASSERT_EQ(bench(line).status, 0);
    const std::string whole = read("R.jsonl");
    ASSERT_EQ(rows().size(), 4u);
    // In the middle of the third result.
    const auto third = whole.find("\"case\":\"mkl/csr\"");
    write("R.jsonl", whole.substr(0, third + 10));
    const Outcome outcome = bench(line + " --resume");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("spmvgen: R.jsonl:4: the last line is torn and is dropped\n"
                               "spmvgen: R.jsonl: goes on after 2 results\n"),
              std::string::npos)
        << outcome.err;
    EXPECT_EQ(cases(rows()),
              (std::vector<std::string>{"csr_rows", "csr_vector", "mkl/csr", "mkl/csr_optimized"}));
    EXPECT_EQ(lines().size(), 6u);
    EXPECT_EQ(lines()[3]["kind"], "spmvgen bench");
    EXPECT_EQ(read("R.jsonl").substr(0, whole.rfind('\n', third)),
              whole.substr(0, whole.rfind('\n', third)));
    // All is there: nothing is measured. Other matrices may be added.
    ASSERT_EQ(bench(line + " --resume").status, 0);
    EXPECT_EQ(rows().size(), 4u);
    ASSERT_EQ(bench(line + " gallery:stencil5:nx=5,ny=5 --resume").status, 0);
    EXPECT_EQ(rows().size(), 8u);
}

TEST_F(BenchTest, DoesNotMixResults) {
    const std::string line = "A.mtx --kernels csr_rows --against none --json R.jsonl";
    ASSERT_EQ(bench(line).status, 0);
    const std::string before = read("R.jsonl");
    EXPECT_EQ(error(line),
              "1: spmvgen: R.jsonl: is there already: add --resume to go on with it, or name "
              "another");
    EXPECT_EQ(error(line + " --resume --threads 1 --clock cold").substr(0, 42),
              "1: spmvgen: R.jsonl:1: was measured with m");
    EXPECT_EQ(error("A.mtx --device simt:sm_90 --against none --json R.jsonl --resume"),
              "1: spmvgen: R.jsonl:1: was measured with device \"host\", not \"simt:sm_90\": name "
              "another file");
    EXPECT_EQ(read("R.jsonl"), before);
    write("foreign.jsonl", "{\"a\": 1}\n");
    EXPECT_EQ(error("A.mtx --kernels csr_rows --against none --resume --json foreign.jsonl"),
              "1: spmvgen: foreign.jsonl:1: is no result of spmvgen bench: name another file");
    write("foreign.jsonl", "{\"kind\": 1}\n");
    EXPECT_EQ(error("A.mtx --kernels csr_rows --against none --resume --json foreign.jsonl"),
              "1: spmvgen: foreign.jsonl:1: is no result of spmvgen bench: name another file");
    write("foreign.jsonl", "a line of the user's without an end");
    EXPECT_EQ(error("A.mtx --kernels csr_rows --against none --resume --json foreign.jsonl"),
              "1: spmvgen: foreign.jsonl:1: is no result of spmvgen bench: name another file");
    EXPECT_EQ(read("foreign.jsonl"), "a line of the user's without an end");
    write("torn.jsonl", before.substr(0, 12));
    EXPECT_EQ(bench("A.mtx --kernels csr_rows --against none --resume --json torn.jsonl").status,
              0);
    write("broken.jsonl", before + "{\n" + before);
    EXPECT_EQ(error("A.mtx --kernels csr_rows --against none --resume --json broken.jsonl"),
              "1: spmvgen: broken.jsonl:3: is no result of spmvgen bench: name another file");
    EXPECT_EQ(error("A.mtx --kernels csr_rows --against none --json no/such/folder.jsonl"),
              "1: spmvgen: no/such/folder.jsonl: cannot be written");
}

TEST_F(BenchTest, AnInterruptKeepsWhatWasMeasured) {
    setenv("MKL_STANDIN", "interrupt", 1);
    const std::string line = "A.mtx --kernels csr_rows --against mkl,plain --json R.jsonl";
    const Outcome outcome = bench(line);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.err.find("spmvgen: interrupted: R.jsonl has what was measured; go on with "
                               "--resume\n"),
              std::string::npos)
        << outcome.err;
    EXPECT_EQ(cases(rows()), (std::vector<std::string>{"csr_rows", "mkl/csr"}));
    unsetenv("MKL_STANDIN");
    EXPECT_EQ(bench(line + " --resume").status, 0);
    EXPECT_EQ(rows().size(), 4u);
}

TEST_F(BenchTest, RunsOnTheSimtExecutor) {
    const Outcome outcome = bench(
        "A.mtx --device simt:sm_90 --kernels auto,csr_classical --against all --clock stream,cold "
        "--json R.jsonl");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    ASSERT_EQ(rows().size(), 2u);
    EXPECT_EQ(lines()[0]["machine"]["gpu"]["target"], "sm_90");
    for (auto& row : rows()) {
        expect_times(row["stream"]);
        expect_times(row["cold"]);
        EXPECT_GE(row["launches"], 1);
    }
}

TEST_F(BenchTest, MeasuresAllMatricesOfAFolder) {
    std::filesystem::create_directories("suite/B");
    std::filesystem::copy("A.mtx", "suite/B/B.mtx");
    std::filesystem::copy("A.mtx", "suite/A.mtx");
    write("suite/broken.mtx", "%%MatrixMarket matrix coordinate real general\n2 3\n");
    write("suite/README", "no matrix");
    const Outcome outcome = bench("--suite suite --kernels csr_rows --against none --json R.jsonl");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.err.find("spmvgen: broken is left out: suite/broken.mtx:2: "),
              std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.err.find("spmvgen: 1 matrix left out: see above\n"), std::string::npos);
    ASSERT_EQ(rows().size(), 2u);
    EXPECT_EQ(rows()[0]["matrix"], "A");
    EXPECT_EQ(rows()[1]["matrix"], "B");
    EXPECT_EQ(rows()[0]["class"], "other");
    // Names are told apart by their paths when they must be.
    ASSERT_EQ(bench("A.mtx suite/A.mtx --kernels csr_rows --against none --json S.jsonl").status,
              0);
    EXPECT_EQ(rows("S.jsonl")[1]["matrix"], "suite/A.mtx");
}

TEST_F(BenchTest, TimesWhatEachLevelChooses) {
    const Outcome outcome = bench("A.mtx --kernels levels --against none --json R.jsonl");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(cases(rows()), (std::vector<std::string>{"auto", "auto/recorded", "auto/measure"}));
    for (auto& row : rows()) EXPECT_TRUE(row.contains("stream")) << row;
}

TEST_F(BenchTest, KernelsMayHaveParametersOfTheirOwn) {
    const Outcome outcome = bench(
        "A.mtx --kernels csr_vector:lanes=2,csr_vector:lanes=4:unroll=2,auto:reorder=none "
        "--against none --json R.jsonl");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(cases(rows()),
              (std::vector<std::string>{"csr_vector:lanes=2", "csr_vector:lanes=4:unroll=2",
                                        "auto:reorder=none"}));
    EXPECT_EQ(rows()[0]["kernel"].get<std::string>().find("csr_vector_"), 0u);
    EXPECT_NE(rows()[0]["kernel"].get<std::string>().find("_lanes2_"), std::string::npos);
    EXPECT_NE(rows()[1]["kernel"].get<std::string>().find("_lanes4_prefetch0_unroll2"),
              std::string::npos);
    for (auto& row : rows()) EXPECT_TRUE(row.contains("stream")) << row;
    const std::string at = "2: spmvgen: --kernels: ";
    EXPECT_EQ(error("A.mtx --kernels csr_vector:foo=1"),
              at + "csr_vector:foo=1: csr_vector has no parameter foo; see spmvgen emit --list");
    EXPECT_EQ(error("A.mtx --kernels csr_vector:lanes"),
              at + "csr_vector:lanes: 'lanes' is not NAME=VALUE, such as sigma=1");
    EXPECT_EQ(error("A.mtx --kernels csr_vector:lanes=x"),
              at + "csr_vector:lanes=x: options.param.lanes: 'x' is not an integer that fits");
    EXPECT_EQ(error("A.mtx --kernels auto:lanes=4"),
              at + "auto:lanes=4: lanes is of a kernel; of auto there are encodings, reorder, rule "
                   "and all_threads");
    EXPECT_EQ(
        error("A.mtx --kernels auto:reorder=x"),
        at + "auto:reorder=x: options.reorder: unknown reordering 'x': use one of auto, none, rcm, "
             "band-k, rows");
}

// What is kept of three rounds: each time is of one of them, the medians of all stand beside it.
TEST_F(BenchTest, CasesMayTakeTurnsInRounds) {
    const Outcome outcome = bench(
        "A.mtx --kernels csr_rows,csr_vector --against plain --clock stream,cold --rounds 3 "
        "--json R.jsonl");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(lines()[0]["method"]["rounds"], 3);
    EXPECT_NE(lines()[0]["command"].get<std::string>().find(" --rounds 3 "), std::string::npos);
    EXPECT_EQ(cases(rows()), (std::vector<std::string>{"csr_rows", "csr_vector", "plain/csr"}));
    for (auto& row : rows())
        for (const char* cache : {"stream", "cold"}) {
            auto all = row[cache]["rounds_us"].get<std::vector<double>>();
            ASSERT_EQ(all.size(), 3u) << row;
            std::ranges::sort(all);
            EXPECT_EQ(row[cache]["us"], all[1]) << row;
            expect_times(row[cache]);
        }
    EXPECT_TRUE(rows()[0].contains("about"));
    EXPECT_FALSE(rows()[1].contains("about"));
    // A file of one round is another measurement.
    EXPECT_EQ(error("A.mtx --kernels csr_rows --against none --clock stream,cold --json R.jsonl "
                    "--resume"),
              "1: spmvgen: R.jsonl:1: was measured with other fields of method: name another file");
    // And so is one by other clocks.
    EXPECT_EQ(
        error("A.mtx --kernels csr_rows --against none --json R.jsonl --resume").substr(0, 64),
        "1: spmvgen: R.jsonl:1: was measured with method clocks {\"stream\"");
}

TEST_F(BenchTest, AWrongRoundIsWrong) {
    setenv("MKL_STANDIN", "wrong", 1);
    EXPECT_EQ(bench("A.mtx --kernels none --against mkl --rounds 2 --json R.jsonl").status, 1);
    for (auto& row : rows()) {
        EXPECT_TRUE(row.contains("wrong")) << row;
        EXPECT_FALSE(row.contains("stream")) << row;
    }
    EXPECT_EQ(rows().size(), 2u);
}

TEST_F(BenchTest, KernelsMayBeMadeForAnotherArchitecture) {
    const std::string line = "A.mtx --kernels csr_rows --against none --json ";
    ASSERT_EQ(bench(line + "R.jsonl --arch x86-64-v2").status, 0);
    EXPECT_EQ(lines()[0]["method"]["arch"], "x86-64-v2");
    EXPECT_NE(lines()[0]["command"].get<std::string>().find(" --arch x86-64-v2 "),
              std::string::npos);
    EXPECT_TRUE(rows()[0].contains("stream")) << rows()[0];
    EXPECT_EQ(error("A.mtx --arch x86-65").substr(0, 37), "2: spmvgen: --arch: unknown architect");
    EXPECT_EQ(error("A.mtx --arch sm_90").substr(0, 41),
              "1: spmvgen: --arch: sm_90 cannot run here");
    EXPECT_EQ(error("A.mtx --device simt:sm_90 --arch x86-64-v2"),
              "2: spmvgen: --arch: is for this CPU; drop it with --device");
}

TEST_F(BenchTest, ResultsHaveWhatAReportShows) {
    const Outcome outcome = bench(
        "A.mtx gallery:thermal2:scale=0.0002 --kernels auto,csr_rows --against none "
        "--json R.jsonl");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json bandwidth = lines()[0]["bandwidth"];
    EXPECT_EQ(bandwidth["source"], "measured before the first case");
    EXPECT_GT(bandwidth["read"][0]["bytes_per_s"], 0);
    EXPECT_GT(bandwidth["read"][0]["bytes"], 0);
    ASSERT_EQ(rows().size(), 4u);
    const json about = rows()[0]["about"];
    EXPECT_EQ(about["density"],
              json({{"columns", 3}, {"lines", 2}, {"counts", {1, 1, 0, 0, 0, 1}}}));
    EXPECT_EQ(about["features"]["max_row"], 2);
    EXPECT_EQ(about["features"]["distinct_values"], 3);
    EXPECT_FALSE(rows()[1].contains("about"));
    EXPECT_EQ(rows()[0]["storage"], "f64");
    EXPECT_FALSE(rows()[0].contains("class"));
    EXPECT_EQ(rows()[2]["class"], "mesh");
    EXPECT_EQ(rows()[2]["about"]["density"]["counts"].size(), 48u * 48u);
}

TEST_F(BenchTest, MeasuresTwinsOfTheGallery) {
    const Outcome outcome = bench(
        "--suite csr-k --scale 0.0002 --kernels csr_rows --against none --clock cold --json "
        "R.jsonl");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_GE(rows().size(), 16u);
    for (auto& row : rows()) EXPECT_NE(row["class"], "other");
}

TEST_F(BenchTest, ParametersOfAKernelMayBeFixed) {
    const std::string one = "csr_vector:lanes=2:unroll=1", other = "csr_vector:lanes=4";
    ASSERT_EQ(bench("A.mtx --against none --json R.jsonl --kernels " + one + "," + other).status,
              0);
    ASSERT_EQ(cases(rows()), (std::vector{one, other}));
    EXPECT_TRUE(rows()[0]["kernel"].get<std::string>().ends_with("lanes2_prefetch0_unroll1"));
    EXPECT_NE(rows()[1]["kernel"].get<std::string>().find("lanes4"), std::string::npos);
}

TEST_F(BenchTest, NumbersMayBeRandom) {
    const std::string line = "A.mtx --kernels csr_rows --against none --json R.jsonl ";
    const Outcome outcome = bench(line + "--numbers random,own");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    ASSERT_EQ(rows().size(), 2u);
    EXPECT_EQ(rows()[0]["numbers"], "own");
    EXPECT_EQ(rows()[1]["numbers"], "random");
    EXPECT_NE(outcome.out.find("csr_rows (random)"), std::string::npos);
    ASSERT_EQ(bench(line + "--numbers own,random --resume").status, 0);
    EXPECT_EQ(rows().size(), 2u);
    EXPECT_EQ(error("A.mtx --numbers ones"),
              "2: spmvgen: --numbers: unknown 'ones': use own, random or own,random");
}

TEST_F(BenchTest, SaysWhatIsWrong) {
    EXPECT_EQ(error(""), "2: spmvgen: no matrix is named: give A.mtx, gallery:SPEC or --suite");
    EXPECT_EQ(error("A.mtx --flush 1048576"), "2: spmvgen: --flush: is for --clock cold");
    EXPECT_EQ(error("A.mtx --resume"), "2: spmvgen: --resume: needs --json FILE to go on with");
    EXPECT_EQ(error("A.mtx --against blas"),
              "2: spmvgen: --against: unknown library 'blas': on host there are all, none, mkl, "
              "eigen, librsb, plain");
    EXPECT_EQ(error("A.mtx --against cusparse"),
              "2: spmvgen: --against: cusparse does not multiply on host; there are mkl, eigen, "
              "librsb, plain");
    EXPECT_EQ(error("A.mtx --against all,mkl"),
              "2: spmvgen: --against: all stands alone; drop the rest");
    EXPECT_EQ(error("A.mtx --device simt:sm_90 --against plain"),
              "2: spmvgen: --against: plain does not multiply on simt:sm_90; there are none");
    EXPECT_EQ(error("A.mtx --device simt:sm_90 --threads 2"),
              "2: spmvgen: --threads: is for this CPU; drop it with --device");
    EXPECT_EQ(error("A.mtx --kernels csr_classical"),
              "2: spmvgen: --kernels: csr_classical is for GPUs; name one with --device");
    EXPECT_EQ(error("A.mtx --kernels csr_rows --device simt:sm_90"),
              "2: spmvgen: --kernels: csr_rows is for CPUs; drop --device");
    EXPECT_EQ(error("A.mtx --kernels csr_rows --formats ell"),
              "2: spmvgen: --kernels: csr_rows is of format csr, which --formats leaves out");
    EXPECT_EQ(error("A.mtx --kernels none --against none"),
              "2: spmvgen: nothing is left to measure: no kernel and no other library");
    EXPECT_EQ(error("A.mtx --kernels auto/none").substr(0, 68),
              "2: spmvgen: --kernels: unknown level 'none' in auto/none: use rule, ");
    EXPECT_EQ(error("A.mtx --suite nowhere").substr(0, 21), "2: spmvgen: --suite: ");
    EXPECT_EQ(error("A.mtx --scale 0.5"), "2: spmvgen: --scale: is for --suite");
    EXPECT_EQ(error("A.mtx --value f65").substr(0, 45),
              "2: spmvgen: --value: unknown value type 'f65'");
    EXPECT_EQ(error("A.mtx --value f16"),
              "2: spmvgen: --value: f16 is a storage type; use f32, f64, c32 or c64");
    EXPECT_EQ(error("A.mtx --value f32,f64,f32"), "2: spmvgen: --value: f32 is given twice");
    EXPECT_EQ(error("A.mtx A.mtx"), "2: spmvgen: A.mtx is named twice");
}

}  // namespace
}  // namespace spmvgen::cli
