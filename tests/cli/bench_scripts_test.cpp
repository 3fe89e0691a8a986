#include <fstream>

#include "bench_scripts_fixture.hpp"

namespace spmvgen::cli {
namespace {

/// Results of a GPU: what was chosen, and cuSPARSE, in microseconds; 0 = none.
void results(const std::string& path, const std::vector<json>& rows) {
    std::string text = R"({"kind": "spmvgen bench", "schema": 1})"
                       "\n";
    for (auto& row : rows) {
        const std::string name = row[1];
        json line{{"matrix", row[0]},
                  {"rows", 1000},
                  {"cols", 1000},
                  {"nnz", 10000},
                  {"value", "f64"},
                  {"case", name},
                  {"class", row[3]},
                  {"library", name.find('/') == std::string::npos || name.starts_with("auto")
                                  ? "spmvgen"
                                  : "cusparse"}};
        if (row[2] == 0)
            line["none"] = "too much padding";
        else
            line["hot"] = {{"us", row[2]}};
        text += line.dump() + "\n";
    }
    std::ofstream(path) << text;
}

TEST_F(BenchScriptsTest, EveryVerbHasHelp) {
    const std::string help = script("--help");
    for (const std::string verb :
         {"ablation", "beside", "conversion", "cpu", "csrb", "fit-costs", "gallery", "gpu",
          "measure", "micro", "profile", "ratios", "records", "twins"}) {
        EXPECT_NE(help.find("\n  " + verb + " "), std::string::npos) << verb << "\n" << help;
        EXPECT_EQ(script(verb + " --help").find("usage: spmvbench " + verb + " "), 0u);
    }
    script("table", 2);
    expect_parts(read("err"),
                 {"spmvbench: unknown verb 'table': use ablation, beside, conversion, "});
    script("gallery none.jsonl", 1);
    EXPECT_EQ(read("err"), "spmvbench gallery: none.jsonl: No such file or directory\n");
}

TEST_F(BenchScriptsTest, TablesAreMadeOfItsResults) {
    setenv("MKL_STANDIN", "wrong", 1);
    ASSERT_EQ(bench("A.mtx gallery:stencil5:nx=5,ny=5 --kernels auto,csr_rows --against mkl,plain "
                    "--clock stream,cold --json R.jsonl")
                  .status,
              1);
    const std::string page = script("gallery --page Title R.jsonl");
    expect_parts(
        page,
        {"# Title\n", "    python3 bench/spmvbench gallery --page \"Title\" R.jsonl\n",
         "    spmvgen bench A.mtx gallery:stencil5:nx=5,ny=5 --device host --kernels ",
         "## f64: 2 matrices\n", "### Stream\n", "### Cold\n", "| matrix | auto | csr_rows |\n",
         "| matrix | mkl/csr | mkl/csr_optimized | plain/csr |\n", "| A | **WRONG** | **WRONG** | ",
         "\nOf 10 results 4 are wrong, and 0 have no time:\n",
         "- **WRONG** A, mkl/csr: 1 of 2 elements of y are wrong; the worst is in row 1: "});
    EXPECT_EQ(page.find("best other library | mkl"), std::string::npos);
    // Compressed, whatever its name is; and cut short.
    ASSERT_EQ(std::system("gzip -k R.jsonl && mv R.jsonl.gz S.jsonl"), 0);
    EXPECT_EQ(script("gallery S.jsonl"), script("gallery R.jsonl"));
    EXPECT_EQ(read("err"), "");
    const std::string whole = read("R.jsonl");
    write("T.jsonl", whole.substr(0, whole.size() - 9));
    expect_parts(script("gallery T.jsonl"), {"\nOf 9 results 4 are wrong"});
    EXPECT_EQ(read("err"), "T.jsonl: the last line is torn and is left out\n");
    write("T.jsonl", "x\n" + whole);
    script("gallery T.jsonl", 1);
    EXPECT_EQ(read("err"), "spmvbench gallery: T.jsonl:1: not JSON\n");
}

// Worked out by hand: the choice is 4 and 0.5 times as fast as preprocessed CSR, √2 in the mean; 2
// and 0.5 times as fast as the best of cuSPARSE, 1; the other library's 30 µs are 3 times its 10.
TEST_F(BenchScriptsTest, BarsAreGeometricMeansWithTheLeast) {
    results("R.jsonl", {{"a", "auto", 10, "mesh"},
                        {"a", "auto/measure", 10, "mesh"},
                        {"a", "sell_slices", 8, "mesh"},
                        {"a", "cusparse/csr_alg1", 50, "mesh"},
                        {"a", "cusparse/csr_alg1_pre", 40, "mesh"},
                        {"a", "cusparse/sell32", 20, "mesh"},
                        {"b", "auto", 40, "stencil"},
                        {"b", "auto/measure", 20, "stencil"},
                        {"b", "ell_groups", 20, "stencil"},
                        {"b", "cusparse/csr_alg1_pre", 10, "stencil"},
                        {"b", "cusparse/sell32", 0, "stencil"}});
    write("peers.csv",
          "peer,kernel,matrix,m,n,nnz,us_per_spmv,gflops,convert_ms,ok\n"
          "cub,cub_spmv,a,1000,1000,10000,30,1,0,1\nholla,x,a,1000,1000,10000,5,1,0,0\n"
          "dasp,dasp,a,1000,1000,10000,15,1,0,1\ncub,cub_spmv,b,1000,1000,9999,1,1,0,1\n");
    const std::string page = script("ratios --peers peers.csv R.jsonl");
    expect_parts(
        page,
        {"0 results are wrong. Judged: `auto/measure`.",
         "preprocessed, own values | ≥ 2.0 | 1.41 | short by 1.41 times |",
         "| geometric mean over the best of all cuSPARSE formats | ≥ 1.25 | 1.00 | short by 1.25 ",
         "| no matrix below the best cuSPARSE CSR | ≥ 1.0 | 0.500 | short by 2.00 times: b |",
         "other libraries, y in the caller's order | ≥ 1.5 | 3.00 | met |",
         "other libraries, in any order | ≥ 1.5 | 1.50 | met |",
         "| `auto` | 1.00 (2) | 1.00 (2) | 0.707 (2) | 3.00 (1) | 1.50 (1) | 0.250 b |",
         "| `best of ours` | 1.58 (2) |", "| mesh | 1 | 4.00 (1) |",
         "| stencil | 1 | 0.500 (1) |"});
    expect_parts(script("ratios --values random R.jsonl"),
                 {"random values | ≥ 1.6 | 1.41 | short by 1.13 times |"});
    write("S.jsonl",
          read("R.jsonl") +
              R"({"matrix": "a", "rows": 9, "cols": 9, "nnz": 9, "value": "f64", "case": "auto", )"
              R"("library": "spmvgen", "numbers": "random", "hot": {"us": 3}})"
              "\n");
    expect_parts(script("ratios S.jsonl"), {"## f64, random values, stream: 1 matrices"});
    expect_parts(script("ratios R.jsonl --choice auto"), {"Judged: `auto`."});
    script("ratios --choice auto/recorded R.jsonl", 1);
    EXPECT_EQ(
        read("err"),
        "spmvbench ratios: no choice auto/recorded in the results: there are auto, auto/measure, "
        "best of ours\n");
}

// Small products are judged by graph; SpMVOp is cuSPARSE on CSR, with a plan.
TEST_F(BenchScriptsTest, RatiosAreOfTheClockThatIsAskedFor) {
    const auto line = [](const std::string& name, const std::string& library, double graph) {
        return json{{"matrix", "a"},
                    {"rows", 9},
                    {"cols", 9},
                    {"nnz", 9},
                    {"value", "f64"},
                    {"case", name},
                    {"class", "x"},
                    {"library", library},
                    {"stream", {{"us", 5}}},
                    {"graph", {{"us", graph}}}}
                   .dump() +
               "\n";
    };
    write("R.jsonl", line("auto", "spmvgen", 2) + line("cusparse 12.9.4/csr_alg1", "cusparse", 9) +
                         line("cusparse 12.9.4/spmvop_alg1", "cusparse", 6) +
                         line("cusparse 12.9.4/sell32", "cusparse", 3));
    expect_parts(script("ratios R.jsonl --clock graph"),
                 {"## f64, graph: 1 matrices", "| `auto` | 3.00 (1) | 3.00 (1) | 1.50 (1) |"});
    expect_parts(script("ratios R.jsonl"), {"## f64, stream: 1 matrices", "| `auto` | 1.00 (1) |"});
}

TEST_F(BenchScriptsTest, AblationLeavesOutOneTechniqueAtATime) {
    // Rows of very different lengths are sorted; a stencil's are not.
    script("ablation " SPMVGEN_PROGRAM
           " --json O.jsonl --kernels sell --budget 1ms --threads 1 "
           "gallery:wiki-Talk:scale=0.01 gallery:stencil5:nx=50,ny=50");
    EXPECT_NE(read("err").find("gallery:wiki-Talk:scale=0.01: 2 cases\n"), std::string::npos)
        << read("err");
    const std::string page = script("ablation --table O.jsonl");
    EXPECT_NE(page.find("### `sell`, f64, stream\n"), std::string::npos) << page;
    EXPECT_NE(page.find("| matrix | nonzeros | µs | sorted rows |\n"), std::string::npos) << page;
    EXPECT_NE(page.find("| gallery:stencil5:nx=50,ny=50 | 12,300 | "), std::string::npos) << page;
    int sorted = 0;
    for (auto& row : rows("O.jsonl")) {
        EXPECT_TRUE(row.contains("stream")) << row;
        sorted += row["kernel"].get<std::string>().find("_sigma1_") == std::string::npos;
    }
    EXPECT_EQ(rows("O.jsonl").size(), 3u);
    EXPECT_EQ(sorted, 1);
    EXPECT_EQ(run_line("report O.jsonl -o report.html").status, 0);
}

// Lines of a matrix with all its cases, as an earlier program wrote them, are the same results.
TEST_F(BenchScriptsTest, KeptResultsOfOtherProgramsAreRead) {
    results("R.jsonl", {{"a", "sell", 10, "mesh"},
                        {"a", "csr_rows:unroll=2", 20, "mesh"},
                        {"a", "mkl/csr", 30, "mesh"}});
    std::string peers = read("R.jsonl");
    peers.replace(peers.find("cusparse"), 8, "mkl");
    write("R.jsonl", peers);
    const std::string page = script("cpu R.jsonl");
    expect_parts(page, {"| a | 1,000 | 10,000 | `sell` | 10.0 | mkl/csr | 30.0 | 3.00 |",
                        "| `csr_rows:unroll=2` | 1 | 1.50 | 0 |", "| mkl/csr | 1 | 3.00 |"});
    write(
        "old.jsonl",
        R"({"matrix":"x/a.csr","rows":1000,"nnz":10000,"cases":[{"case":"sell","peer":false,"us":10},)"
        R"({"case":"csr_rows:unroll=2","peer":false,"us":20},{"case":"mkl/csr","peer":true,"us":30}]})"
        "\n");
    EXPECT_EQ(script("cpu old.jsonl"), page);
    script("cpu R.jsonl --clock cold", 1);
    expect_parts(read("err"), {"spmvbench cpu: no matrix has cold times of a kernel of ours and"});
}

TEST_F(BenchScriptsTest, ComparesAlgorithmsOnAGpu) {
    write(
        "peers.csv",
        "peer,kernel,matrix,m,n,nnz,us_per_spmv,gflops,convert_ms,ok\n"
        "ginkgo,coo,a,1000,1000,10000,30,1,0,1\nginkgo,csr_classical,a,1000,1000,10000,5,1,0,1\n");
    const std::string ours = R"("rows":1000,"cols":1000,"nnz":10000,"value":"f64","matrix":"a",)";
    const auto kernel = [](const std::string& name) {
        return R"("library":"spmvgen","case":")" + name + R"(","kernel":")" + name +
               R"(_f64_i32_subwarp8_x",)";
    };
    const std::string peer =
        R"("library":"cusparse","case":"cusparse/csr_alg1","kernel":"csr_alg1",)";
    write("old.jsonl", "{" + ours + kernel("coo") + R"("us":10,"gb_s":7})" + "\n{" + ours +
                           kernel("csr_classical") + R"("us":20,"gb_s":3})" + "\n{" + ours + peer +
                           R"("us":40,"gb_s":2})" + "\n");
    write("new.jsonl", "{" + ours + kernel("coo") + R"("hot":{"us":10,"gb_s":7}})" + "\n{" + ours +
                           kernel("csr_classical") + R"("hot":{"us":20,"gb_s":3}})" + "\n{" + ours +
                           peer + R"("hot":{"us":40,"gb_s":2}})" + "\n");
    const std::string page = script("gpu peers.csv new.jsonl");
    expect_parts(
        page, {"| a | 20.0 (**0.25**) |  |  | 10.0 (**3.00**) |",
               "- a, CSR classical: 20.0 µs beside 5.0 (csr_classical)",
               "| a | 1,000 | 10,000 | 10.0 | `coo` | 7 |  | 40.0 | **4.00** | 40.0 csr_alg1 |"});
    EXPECT_EQ(script("gpu peers.csv old.jsonl"), page);
}

TEST_F(BenchScriptsTest, ResultsBecomeRecords) {
    const std::string header =
        R"({"kind": "spmvgen bench", "date": "2026-01-02T03:04:05Z", "machine": {"gpu": {"name": "G", "target": "sm_90"}},)"
        R"( "method": {"seconds_a_case": 0.008}, "versions": {"generator": "ab"}})"
        "\n";
    const auto row = [](const std::string& name, const std::string& kernel, double us) {
        json line{{"matrix", "x/a.csr"}, {"rows", 9},    {"nnz", 10},
                  {"value", "f64"},      {"case", name}, {"library", "spmvgen"},
                  {"kernel", kernel}};
        line["hot"] = {{"us", us}, {"low_us", us}, {"high_us", us}};
        line["about"] = {{"features", {{"nnz", 10}}}};
        return line.dump() + "\n";
    };
    write("R.jsonl", header + row("auto", "K1", 12) + row("csr_classical", "K2", 6));
    const std::string text = script("records R.jsonl");
    write("records.json", text);
    const json record = json::parse(text)["records"][0];
    EXPECT_EQ(record["matrix"], "a");
    EXPECT_EQ(record["date"], "2026-01-02");
    EXPECT_EQ(record["method"], "bench, 2 kernels, 8 ms each");
    EXPECT_EQ(record["rule"], "K1");
    EXPECT_EQ(record["plain"], "K2");
    EXPECT_EQ(record["kernels"][0]["kernel"], "K2");
    // The choice takes twice as long as the best that is recorded.
    write("S.jsonl",
          R"({"matrix": "a", "nnz": 10, "case": "auto", "kernel": "K1", "hot": {"us": 12}})"
          "\n");
    expect_parts(script("beside S.jsonl records.json"),
                 {"| a | 10 | 12.0 | `K1` | 6.0 | `K2` | 2.00 | 1.00 |",
                  "1 matrices, geometric mean 2.000"});
}

TEST_F(BenchScriptsTest, RunsSectionsOnADevice) {
    const std::string run =
        "measure " SPMVGEN_PROGRAM " made order --device simt:sm_90 --budget 1ms ";
    expect_parts(script(run + "--matrices A.mtx"), {"order: "});
    EXPECT_EQ(cases(rows("made/order.jsonl")),
              (std::vector<std::string>{"auto", "strips", "strips:reorder=rows"}));
    script("measure " SPMVGEN_PROGRAM " made foo", 1);
    expect_parts(read("err"), {"spmvbench measure: unknown section 'foo': use gallery, own, "});
}

TEST_F(BenchScriptsTest, TablesOfGoogleBenchmark) {
    write("B.json",
          R"({"benchmarks": [{"name": "find/1", "real_time": 12.345, "time_unit": "us"}]})");
    EXPECT_EQ(script("micro B.json"), "| case | time |\n|---|---|\n| find/1 | 12.3 us |\n");
    write(
        "B.json",
        R"({"benchmarks": [{"name": "gpu/NVRTC-cubin-sm_90/coo/real_time", "real_time": 9.5, "emit_ms": 4}]})");
    expect_parts(script("micro B.json"),
                 {"| kernel | NVRTC, cubin, sm_90: ms (emit) |\n", "| `coo` | 9.5 (4.0) |\n",
                  "median over the kernels 9.5 ms."});
    write("B.json", "{}");
    script("micro B.json", 1);
    expect_parts(read("err"), {"spmvbench micro: B.json: has no benchmarks: give what a program "});
}

}  // namespace
}  // namespace spmvgen::cli
