#include "bench_fixture.hpp"

namespace spmvgen::cli {
namespace {

/// The scripts in bench/ that make tables of results.
class BenchScriptsTest : public BenchTest {
  protected:
    void SetUp() override {
        if (std::system("python3 --version > version 2>&1") != 0) GTEST_SKIP() << "needs python3";
    }
    /// What a script prints; its standard error is in the file "err".
    static std::string script(const std::string& line, int status = 0) {
        const int got =
            std::system(("python3 '" BENCH_SCRIPTS "'/" + line + " > out 2> err").c_str());
        EXPECT_EQ(got == 0, status == 0) << line << "\n" << read("err");
        return read("out");
    }
    /// Results of a GPU: what was chosen, and cuSPARSE, in microseconds; 0 = none.
    static void results(const std::string& path, const std::vector<json>& rows) {
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
        write(path, text);
    }
};

TEST_F(BenchScriptsTest, TablesAreMadeOfItsResults) {
    setenv("MKL_STANDIN", "wrong", 1);
    ASSERT_EQ(bench("A.mtx gallery:stencil5:nx=5,ny=5 --kernels auto,csr_rows --against mkl,plain "
                    "--json R.jsonl")
                  .status,
              1);
    ASSERT_EQ(
        std::system("python3 '" BENCH_SCRIPTS "/gallery_table.py' --page Title R.jsonl > page.md"),
        0);
    const std::string page = read("page.md");
    for (const std::string text :
         {"# Title\n",
          "    spmvgen bench A.mtx gallery:stencil5:nx=5,ny=5 --device host --kernels ",
          "## f64: 2 matrices\n", "### Hot\n", "### Cold\n", "| matrix | auto | csr_rows |\n",
          "| matrix | mkl/csr | mkl/csr_optimized | plain/csr |\n",
          "| A | **WRONG** | **WRONG** | ", "\nOf 10 results 4 are wrong, and 0 have no time:\n",
          "- **WRONG** A, mkl/csr: 1 of 2 elements of y are wrong; the worst is in row 1: "})
        EXPECT_NE(page.find(text), std::string::npos) << text << "\n" << page;
    EXPECT_EQ(page.find("best peer | mkl"), std::string::npos);
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
    const std::string page = script("bars.py --peers peers.csv R.jsonl");
    for (const std::string text :
         {"0 results are wrong. Judged: `auto/measure`.",
          "preprocessed, own values | ≥ 2.0 | 1.41 | short by 1.41 times |",
          "| geometric mean over the best of all cuSPARSE formats | ≥ 1.25 | 1.00 | short by 1.25 ",
          "| no matrix below the best cuSPARSE CSR | ≥ 1.0 | 0.500 | short by 2.00 times: b |",
          "peers, y in the caller's order | ≥ 1.5 | 3.00 | met |",
          "peers, in any order | ≥ 1.5 | 1.50 | met |",
          "| `auto` | 1.00 (2) | 1.00 (2) | 0.707 (2) | 3.00 (1) | 1.50 (1) | 0.250 b |",
          "| `best of ours` | 1.58 (2) |", "| mesh | 1 | 4.00 (1) |",
          "| stencil | 1 | 0.500 (1) |"})
        EXPECT_NE(page.find(text), std::string::npos) << text << "\n" << page;
    EXPECT_NE(script("bars.py --values random R.jsonl")
                  .find("random values | ≥ 1.6 | 1.41 | short by "
                        "1.13 times |"),
              std::string::npos);
    write("S.jsonl",
          read("R.jsonl") +
              R"({"matrix": "a", "rows": 9, "cols": 9, "nnz": 9, "value": "f64", "case": "auto", )"
              R"("library": "spmvgen", "numbers": "random", "hot": {"us": 3}})"
              "\n");
    EXPECT_NE(script("bars.py S.jsonl").find("## f64, random values, hot: 1 matrices"),
              std::string::npos);
    EXPECT_NE(script("bars.py --choice auto R.jsonl").find("Judged: `auto`."), std::string::npos);
    script("bars.py --choice auto/model R.jsonl", 1);
    EXPECT_EQ(read("err"),
              "bench/bars.py: no choice auto/model in the results: there are auto, auto/measure, "
              "best of ours\n");
}

TEST_F(BenchScriptsTest, AblationLeavesOutOneTechniqueAtATime) {
    // Rows of very different lengths are sorted; a stencil's are not.
    script("ablation.py " SPMVGEN_PROGRAM
           " --json O.jsonl --kernels sell --budget 1ms --threads 1 "
           "gallery:wiki-Talk:scale=0.01 gallery:stencil5:nx=50,ny=50");
    EXPECT_NE(read("err").find("gallery:wiki-Talk:scale=0.01: 2 cases\n"), std::string::npos)
        << read("err");
    const std::string page = script("ablation.py --table O.jsonl");
    EXPECT_NE(page.find("### `sell`, f64, hot\n"), std::string::npos) << page;
    EXPECT_NE(page.find("| matrix | nonzeros | µs | sorted rows |\n"), std::string::npos) << page;
    EXPECT_NE(page.find("| gallery:stencil5:nx=50,ny=50 | 12,300 | "), std::string::npos) << page;
    int sorted = 0;
    for (auto& row : rows("O.jsonl")) {
        EXPECT_TRUE(row.contains("hot")) << row;
        sorted += row["kernel"].get<std::string>().find("_sigma1_") == std::string::npos;
    }
    EXPECT_EQ(rows("O.jsonl").size(), 3u);
    EXPECT_EQ(sorted, 1);
    EXPECT_EQ(run_line("report O.jsonl -o report.html").status, 0);
}

}  // namespace
}  // namespace spmvgen::cli
