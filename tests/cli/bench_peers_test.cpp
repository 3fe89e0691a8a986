// Peers as they are here: those that are absent leave their part of a test out.
#include "bench_fixture.hpp"
#include "control.hpp"
#include "peers/peer.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::cli {
namespace {

using nlohmann::json;

/// cuSPARSE and CUDA's driver stood in for.
class CusparseTest : public BenchTest {
  protected:
    CusparseTest() {
        setenv("SPMVGEN_CUDA_LIBRARY", CUDA_STANDIN_LIBRARY, 1);
        setenv("SPMVGEN_CUSPARSE_LIBRARY", CUSPARSE_STANDIN_LIBRARY, 1);
        spmvgen_standin_cuda()->reset({.archs = {"sm_90"}});
    }
    ~CusparseTest() override {
        for (const char* name :
             {"SPMVGEN_CUDA_LIBRARY", "SPMVGEN_CUSPARSE_LIBRARY", "CUSPARSE_STANDIN"})
            unsetenv(name);
    }
    /// Whatever happened, nothing was misused and nothing is left on the device.
    void TearDown() override {
        EXPECT_EQ(spmvgen_standin_cuda()->misuse(), "");
        EXPECT_EQ(spmvgen_standin_cuda()->alive(), "");
    }
    static constexpr const char* line =
        "gallery:fem:nx=6,ny=5 --device cuda:0 --kernels none --json R.jsonl";
};

TEST_F(CusparseTest, AllItsWaysAreTimedByEvents) {
    const Outcome outcome = bench(line);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json header = lines()[0];
    EXPECT_EQ(header["peers"]["cusparse"]["version"], "12345");
    EXPECT_EQ(header["method"]["clock"], "CUDA events");
    EXPECT_EQ(header["method"]["cache_bytes"], 1 << 20);
    EXPECT_GT(header["empty_cold_sample_us"], 0);
    EXPECT_EQ(cases(rows()), (std::vector<std::string>{
                                 "cusparse/csr_alg1", "cusparse/csr_alg1_pre", "cusparse/csr_alg2",
                                 "cusparse/csr_alg2_pre", "cusparse/coo_alg1", "cusparse/coo_alg2",
                                 "cusparse/coo_alg2_pre", "cusparse/sell32", "cusparse/bsr2",
                                 "cusparse/bsr3", "cusparse/bsr4"}));
    for (auto& row : rows()) {
        const std::string name = row["case"];
        if (name == "cusparse/sell32") {
            EXPECT_EQ(row["none"], "cusparseCreateSlicedEll: resource allocation failed (2)");
        } else if (name == "cusparse/bsr2" || name == "cusparse/bsr4") {  // blocks are 3×3
            EXPECT_TRUE(row.contains("none")) << row;
        } else {
            expect_times(row["hot"]);
            expect_times(row["cold"]);
            EXPECT_GT(row["hot"]["gb_s"], 0);
        }
    }
}

TEST_F(CusparseTest, CachesAreEmptiedByTwiceTheirSize) {
    const Outcome outcome = run_line(std::string("bench --budget 1ms --cache cold ") + line);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(lines()[0]["method"]["flush_bytes"], 2 << 20);
    EXPECT_NE(spmvgen_standin_cuda()->calls().find(
                  "cuMemsetD8_v2 cuEventRecord cuEventRecord cuEventSynchronize "),
              std::string::npos);
}

TEST_F(CusparseTest, AWrongAlgorithmHasNoTime) {
    setenv("CUSPARSE_STANDIN", "wrong", 1);
    const Outcome outcome = bench(line);
    EXPECT_EQ(outcome.status, 1);
    for (auto& row : rows())
        EXPECT_EQ(row.contains("wrong"),
                  row["case"].get<std::string>().starts_with("cusparse/csr_alg2"))
            << row;
}

TEST_F(CusparseTest, ADeviceWithoutMemoryIsNoEndOfTheRun) {
    spmvgen_standin_cuda()->reset({.archs = {"sm_90"}, .memory_bytes = 8 << 20});
    // x, y and what empties the caches fit; 13 bytes an entry do not, beside them.
    const Outcome outcome = bench(
        "gallery:banded:n=60000 gallery:banded:n=300 --device cuda:0 --kernels none --json "
        "R.jsonl");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(rows()[0]["none"],
              "cuda:0: 9.6 MiB are wanted: cuMemAlloc_v2: out of memory "
              "(CUDA_ERROR_OUT_OF_MEMORY, 2)");
    EXPECT_TRUE(rows()[11].contains("hot")) << rows()[11];
}

TEST_F(BenchTest, PeersThatAreHereAreRightForEveryType) {
    unsetenv("SPMVGEN_MKL");
    const Outcome outcome = bench(
        "gallery:powerlaw:n=3000 gallery:stencil5:nx=30,ny=41 A.mtx --kernels none --cache "
        "hot --value f64,f32,c64,c32 --json R.jsonl");
    EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
    for (auto& row : rows()) EXPECT_TRUE(row.contains("hot")) << row;
    EXPECT_GE(rows().size(), 12u);  // the plain loop is always there
    for (auto& [name, peer] : lines()[0]["peers"].items())
        if (peer.contains("absent")) std::cout << "not tested: " << name << "\n";
}

TEST_F(BenchTest, PeersTakeInt32IndicesOnly) {
    const Outcome outcome = bench("A.mtx --kernels none --against plain,mkl --cache hot");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    CsrMatrix wide;
    wide.index_type = IndexType::i64;
    try {
        peers::require_int32(wide);
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "takes int32 indices only");
    }
}

}  // namespace
}  // namespace spmvgen::cli
