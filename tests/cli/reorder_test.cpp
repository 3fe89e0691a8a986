// run --reorder and convert --reorder.
#include "cli_fixture.hpp"
#include "matrix/read/reader.hpp"

namespace spmvgen::cli {
namespace {

/// With B.mtx, whose rows RCM turns round or shuffles, x3.mtx = (1, 2, 3) and y3.mtx = (10, 20,
/// 30):
///
///     | 1 0 2 |
///     | 0 3 0 |
///     | 2 0 4 |
class ReorderTest : public CliTest {
  protected:
    ReorderTest() {
        write(
            "B.mtx",
            "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 1\n1 3 2\n2 2 3\n3 1 2\n3 3 "
            "4\n");
        write("x3.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
        write("y3.mtx", "%%MatrixMarket matrix array real general\n3 1\n10\n20\n30\n");
    }
    static std::vector<double> numbers(const std::string& path) {
        const Buffer y = read_vector(path, ValueType::f64, 3);
        const auto elements = y.as<double>();
        return {elements.begin(), elements.end()};
    }
};

TEST_F(ReorderTest, VectorsInFilesKeepTheCallersOrder) {
    for (const std::string method : {"rcm", "band-k"})
        for (const std::string vectors : {"", " --permuted-vectors"})
            for (const std::string device : {"host", "simt:gfx906"}) {
                const Outcome outcome = run_line(
                    "run B.mtx --check --time 0 --alpha 2 --beta 1 --x x3.mtx --y y3.mtx -o "
                    "out.mtx --reorder " +
                    method + vectors + " --device " + device);
                EXPECT_EQ(outcome.status, 0) << outcome.err;
                // 2 · (7, 6, 14) + (10, 20, 30)
                EXPECT_EQ(numbers("out.mtx"), (std::vector<double>{24, 32, 58}))
                    << method << vectors << " on " << device;
            }
}

TEST_F(ReorderTest, RowsAloneAreMovedInOneLaunch) {
    const auto json = json_of(
        "run gallery:fem_tri:nx=30,ny=30 --check --repeat 3 --alpha 2 --json --device simt:sm_90 "
        "--reorder rows");
    EXPECT_EQ(json["check"]["passed"], true);
    EXPECT_EQ(json["reorder"]["method"], "rows");
    EXPECT_TRUE(json["reorder"]["time_permuted_vectors"].is_null());
    EXPECT_NE(json["kernel"].get<std::string>().find("_ax_b0_"), std::string::npos);
    EXPECT_NE(json["kernel"].get<std::string>().find("_any_order1_block256_"), std::string::npos);
    EXPECT_EQ(json["launches"], 1);
}

TEST_F(ReorderTest, JsonTellsBothTimes) {
    for (const std::string vectors : {"", " --permuted-vectors"}) {
        const auto json = json_of(
            "run gallery:stencil5:nx=20,ny=20 --check --repeat 3 --time 1 --json "
            "--device simt:sm_90 --reorder rcm" +
            vectors);
        const auto& order = json["reorder"];
        EXPECT_EQ(order["method"], "rcm");
        EXPECT_EQ(order["permuted_vectors"], !vectors.empty());
        EXPECT_GT(order["reorder_ms"], 0);
        EXPECT_GT(order["bandwidth_before"], 0);
        EXPECT_EQ(order["time_callers_order"]["samples"], 3);
        EXPECT_EQ(order["time_permuted_vectors"]["samples"], 3);
        EXPECT_EQ(order[vectors.empty() ? "time_callers_order" : "time_permuted_vectors"],
                  json["time"]);
    }
    EXPECT_TRUE(json_of("run A.mtx --time 0 --json")["reorder"].is_null());
}

TEST_F(ReorderTest, SheetTellsTheOrder) {
    const Outcome outcome =
        run_line("run gallery:stencil5:nx=20,ny=20 --time 1 --reorder band-k --device simt:sm_90");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    for (const char* text : {"\norder    band-k in ", "; x and y in the caller's order\n",
                             "\n         an apply takes ", " with x and y in the caller's order, "})
        EXPECT_NE(outcome.out.find(text), std::string::npos) << text << "\n" << outcome.out;
}

// Row 2 is a component of its own; rows 1 and 3, another, come to stand beside each other.
TEST_F(ReorderTest, ConvertWritesTheMatrixAndTheOrder) {
    const Outcome outcome = run_line("convert B.mtx C.mtx --reorder rcm --permutation p.mtx");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err,
              "rcm: bandwidth 1 instead of 2, profile 1 instead of 2\n"
              "C.mtx: 3 x 3, 5 nonzeros\n");
    EXPECT_EQ(read("p.mtx"),
              "%%MatrixMarket matrix array integer general\n"
              "% p of B = A(p,p): row i of B is row p[i] of A, counted from 1\n3 1\n2\n1\n3\n");
    EXPECT_EQ(read("C.mtx").substr(read("C.mtx").find("3 3 5")),
              "3 3 5\n1 1 3\n2 2 1\n2 3 2\n3 2 2\n3 3 4\n");
}

TEST_F(ReorderTest, RefusesWhatDoesNotGoTogether) {
    const auto refused = [](const std::string& line, int status) {
        const Outcome outcome = run_line(line);
        EXPECT_EQ(outcome.status, status) << line;
        return outcome.err.substr(0, outcome.err.find('\n'));
    };
    EXPECT_EQ(
        refused("run B.mtx --reorder amd", 2),
        "spmvgen: --reorder: unknown reordering 'amd': use one of auto, none, rcm, band-k, rows");
    EXPECT_EQ(refused("run B.mtx --permuted-vectors", 2),
              "spmvgen: --permuted-vectors: is for reordered matrices; drop it, or give --reorder "
              "rcm or band-k");
    EXPECT_EQ(refused("run B.mtx --reorder rcm --index i64", 2),
              "spmvgen: --index: a reordered matrix has the narrowest index type that fits; drop "
              "--index or --reorder");
    EXPECT_EQ(
        refused("run A.mtx --reorder rcm", 1),
        "spmvgen: reordering rcm gives rows and columns one order, but the matrix is 2 x 3: use "
        "it for square matrices, and none for this one");
    EXPECT_EQ(refused("convert B.mtx C.mtx --permutation p.mtx", 2),
              "spmvgen: --permutation: there is none; drop it, or give --reorder rcm or band-k");
    EXPECT_EQ(refused("convert B.mtx C.mtx --reorder x", 2),
              "spmvgen: --reorder: unknown reordering 'x': use one of none, rcm, band-k, rows");
    EXPECT_EQ(refused("convert A.mtx B.mtx --reorder rows", 2),
              "spmvgen: --reorder: rows is for products on GPUs, whose kernel knows where y's "
              "elements are; use rcm or band-k");
    EXPECT_EQ(refused("run B.mtx --reorder rows", 2),
              "spmvgen: --reorder rows is for GPUs: use rcm or band-k, or leave it out");
    EXPECT_EQ(refused("run B.mtx --device simt:sm_90 --reorder rows --permuted-vectors", 2),
              "spmvgen: --permuted-vectors: is for reordered matrices; drop it, or give --reorder "
              "rcm or band-k");
}

TEST_F(ReorderTest, GoesWithEveryFormatAndTransposed) {
    for (const std::string device : {"host", "simt:gfx906"})
        for (const std::string format : {"csr", "coo", "ell", "sell", "hyb", "csr-k", "bcsr"})
            for (const std::string reorder : {"none", "band-k"}) {
                if (device == "host" && format == "hyb") continue;  // only GPUs have it
                const Outcome outcome = run_line(
                    "run gallery:fem:nx=6,ny=5 --time 0 --check --op T --beta 2 --device " +
                    device + " --format " + format + " --reorder " + reorder);
                EXPECT_EQ(outcome.status, 0)
                    << device << " " << format << " " << reorder << ": " << outcome.err;
            }
}

}  // namespace
}  // namespace spmvgen::cli
