// Peers as they are here: those that are absent leave their part of a test out.
#include "bench_cuda_fixture.hpp"
#include "peers/peer.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::cli {
namespace {

using nlohmann::json;

TEST_F(CusparseTest, AllItsWaysAreTimedByEvents) {
    const Outcome outcome = bench(std::string(line) + "--clock stream,cold");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json header = lines()[0];
    EXPECT_EQ(header["peers"]["cusparse"]["version"], "12.9.77");
    EXPECT_EQ(outcome.out.find("cusparse 12.9.77: " +
                               std::filesystem::canonical(CUSPARSE_STANDIN_LIBRARY).string()),
              0u)
        << outcome.out;
    EXPECT_EQ(header["method"]["timer"], "CUDA events");
    EXPECT_EQ(header["method"]["cache_bytes"], 1 << 20);
    EXPECT_EQ(header["empty_cold_sample_us"], 0);
    std::vector<std::string> ways;
    for (auto& name : cases(rows())) {
        EXPECT_EQ(name.find(peer), 0u) << name;
        ways.push_back(name.substr(name.find('/') + 1));
    }
    EXPECT_EQ(ways,
              (std::vector<std::string>{"csr_alg1", "csr_alg1_pre", "csr_alg2", "csr_alg2_pre",
                                        "coo_alg1", "coo_alg2", "coo_alg2_pre", "sell32", "bsr2",
                                        "bsr3", "bsr4", "spmvop_alg1", "spmvop_alg2"}));
    for (auto& row : rows()) {
        const std::string name = row["case"].get<std::string>().substr(std::string(peer).size());
        EXPECT_EQ(row["library"], "cusparse");
        if (name == "sell32") {
            EXPECT_EQ(row["none"], "cusparseCreateSlicedEll: resource allocation failed (2)");
        } else if (name == "bsr2" || name == "bsr4") {  // blocks are 3×3
            EXPECT_TRUE(row.contains("none")) << row;
        } else {
            expect_times(row["stream"]);
            expect_times(row["cold"]);
            EXPECT_GT(row["stream"]["gb_s"], 0);
        }
    }
}

TEST_F(CusparseTest, SeveralVectorsAreMultipliedBySpMM) {
    setenv("CUSPARSE_STANDIN", "wrong", 1);
    const Outcome outcome = bench(std::string(line) + "--rhs 3");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(lines()[0]["method"]["rhs"], 3);
    std::vector<std::string> ways;
    for (auto& row : rows()) {
        ways.push_back(row["case"].get<std::string>().substr(std::string(peer).size()));
        EXPECT_EQ(row.contains("wrong"), ways.back() == "spmm_alg3") << row;
        EXPECT_EQ(row.contains("stream"), ways.back() != "spmm_alg3") << row;
    }
    EXPECT_EQ(ways, (std::vector<std::string>{"spmm_alg1", "spmm_alg2", "spmm_alg3"}));
}

TEST_F(CusparseTest, SeveralVectorsMayLieByColumns) {
    const Outcome outcome = bench(std::string(line) + "--rhs 3 --layout column");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(lines()[0]["method"]["layout"], "column");
    EXPECT_EQ(rows().size(), 3);
    for (auto& row : rows()) expect_times(row["stream"]);
    std::filesystem::remove("R.jsonl");
    const Outcome other = bench(
        "gallery:banded:n=300 --rhs 4 --layout column --kernels none --against plain --json "
        "R.jsonl");
    EXPECT_EQ(other.status, 0) << other.err;
    EXPECT_EQ(rows()[0]["none"], "plain is compared for vectors by rows alone");
}

TEST_F(CusparseTest, CachesAreEmptiedByTwiceTheirSize) {
    const Outcome outcome = run_line(std::string("bench --budget 1ms --clock cold ") + line);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(lines()[0]["method"]["flush_bytes"], 2 << 20);
    EXPECT_NE(spmvgen_standin_cuda()->calls().find(
                  "cuMemsetD8Async cuEventRecord cuEventRecord cuEventSynchronize "),
              std::string::npos);
}

TEST_F(CusparseTest, AWrongAlgorithmHasNoTime) {
    setenv("CUSPARSE_STANDIN", "wrong", 1);
    const Outcome outcome = bench(line);
    EXPECT_EQ(outcome.status, 1);
    for (auto& row : rows())
        EXPECT_EQ(row.contains("wrong"),
                  row["case"].get<std::string>().starts_with(peer + std::string("csr_alg2")))
            << row;
}

TEST_F(CusparseTest, ADeviceWithoutMemoryIsNoEndOfTheRun) {
    reset(8 << 20);
    // x, y and what empties the caches fit; 13 bytes an entry do not, beside them.
    const Outcome outcome = bench(
        "gallery:banded:n=60000 gallery:banded:n=300 --device cuda:0 --kernels none --json "
        "R.jsonl");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(rows()[0]["none"],
              "cuda:0: 9.6 MiB are wanted: cuMemAlloc_v2: out of memory "
              "(CUDA_ERROR_OUT_OF_MEMORY, 2)");
    EXPECT_TRUE(rows()[13].contains("stream")) << rows()[13];
}

TEST_F(CusparseTest, AWrongPlanHasNoTime) {
    setenv("CUSPARSE_STANDIN", "wrong op", 1);
    EXPECT_EQ(bench(std::string(line) + "--clock stream,graph").status, 1);
    for (auto& row : rows())
        EXPECT_EQ(row.contains("wrong"), row["case"] == peer + std::string("spmvop_alg2")) << row;
}

TEST_F(CusparseTest, SpMVOpIsLeftOutVisiblyWhereItIsNotThere) {
    setenv("CUSPARSE_STANDIN", "old", 1);
    const Outcome outcome = bench(line);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const std::string why = "SpMVOp with algorithms is in cuSPARSE 12.9 and later, this is 12.6.77";
    EXPECT_EQ(row_of("cusparse 12.6.77/spmvop_alg1")["none"], why);
    EXPECT_EQ(row_of("cusparse 12.6.77/spmvop_alg2")["none"], why);
    EXPECT_NE(outcome.out.find("cusparse 12.6.77/spmvop_alg1   none: " + why + "\n"),
              std::string::npos)
        << outcome.out;
    expect_times(row_of("cusparse 12.6.77/csr_alg1")["stream"]);
}

// The stand-in takes f64 only.
TEST_F(CusparseTest, ItsErrorsAreShown) {
    ASSERT_EQ(bench(std::string(line) + "--value f32").status, 0);
    EXPECT_EQ(row_of(std::string(peer) + "spmvop_alg1")["none"],
              "cusparseCreateCsr: invalid value (3)");
}

TEST_F(CusparseTest, IsTakenFromAnyPath) {
    const std::string gpu = "gallery:fem:nx=6,ny=5 --device cuda:0 --kernels none ";
    setenv("SPMVGEN_CUSPARSE_LIBRARY", "/nowhere/libcusparse.so.12", 1);
    const std::string there = std::filesystem::canonical(CUSPARSE_STANDIN_LIBRARY).string();
    const Outcome outcome = bench(gpu + "--json R.jsonl --cusparse " + there);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(lines()[0]["peers"]["cusparse"]["path"], there);
    EXPECT_NE(lines()[0]["command"].get<std::string>().find(" --cusparse " + there + " "),
              std::string::npos);
    const std::string hint =
        ": name the libcusparse.so.12 of CUDA 12 or 13, with what it needs (libnvJitLink) in its "
        "folder or in LD_LIBRARY_PATH";
    // Also where cuSPARSE was not named by --against: it was asked for.
    EXPECT_EQ(error(gpu + "--cusparse /nowhere/libcusparse.so.12"),
              "1: spmvgen: --cusparse: /nowhere/libcusparse.so.12: cannot open shared object file: "
              "No such file or directory" +
                  hint);
    EXPECT_EQ(
        error(gpu + "--cusparse " MKL_STANDIN_LIBRARY),
        "1: spmvgen: --cusparse: " + std::filesystem::canonical(MKL_STANDIN_LIBRARY).string() +
            " has no function cusparseCreate" + hint);
    EXPECT_EQ(error(gpu + "--against none --cusparse x.so"),
              "2: spmvgen: --cusparse: --against leaves cusparse out");
    EXPECT_EQ(error("A.mtx --cusparse x.so"),
              "2: spmvgen: --cusparse: is for --device cuda:N, not host");
}

TEST_F(BenchTest, PeersThatAreHereAreRightForEveryType) {
    unsetenv("SPMVGEN_MKL");
    const Outcome outcome = bench(
        "gallery:powerlaw:n=3000 gallery:stencil5:nx=30,ny=41 A.mtx --kernels none --value "
        "f64,f32,c64,c32 --json R.jsonl");
    EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
    for (auto& row : rows()) EXPECT_TRUE(row.contains("stream")) << row;
    EXPECT_GE(rows().size(), 12u);  // the plain loop is always there
    const auto all = lines();
    for (auto& [name, peer] : all[0]["peers"].items())
        if (peer.contains("absent")) std::cout << "not tested: " << name << "\n";
}

TEST_F(BenchTest, PeersTakeInt32IndicesOnly) {
    const Outcome outcome = bench("A.mtx --kernels none --against plain,mkl");
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
