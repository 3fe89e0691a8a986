#include <cmath>

#include "cli_fixture.hpp"
#include "matrix/read/reader.hpp"
#include "measure/bandwidth.hpp"

namespace spmvgen::cli {
namespace {

class RunTest : public CliTest {
  protected:
    /// Runs and reads y back.
    static std::vector<double> product(const std::string& options) {
        const Outcome outcome = run_line("run A.mtx --time 0 --check -o out.mtx " + options);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        const Buffer y = read_vector("out.mtx", ValueType::f64, 2);
        const auto elements = y.as<double>();
        return {elements.begin(), elements.end()};
    }
};

TEST_F(RunTest, ProductWorkedOutByHand) {
    EXPECT_EQ(product("--x x.mtx"), (std::vector<double>{5, 9}));
    EXPECT_EQ(product("--x x.mtx --alpha 2 --beta -1 --y y.mtx"), (std::vector<double>{0, -2}));
    EXPECT_EQ(product("--x x.mtx --alpha 0 --beta 1 --y y.mtx"), (std::vector<double>{10, 20}));
    EXPECT_EQ(product("--x x.mtx --alpha 0"), (std::vector<double>{0, 0}));
}

TEST_F(RunTest, TransposedProductWorkedOutByHand) {
    for (const std::string how :
         {"T", "H", "T --transpose-by-atomics", "H --kernel csr_transposed_cpu",
          "T --format ell --device simt:sm_90"}) {
        const Outcome outcome =
            run_line("run A.mtx --time 0 --check -o out.mtx --x y.mtx --op " + how);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        const Buffer y = read_vector("out.mtx", ValueType::f64, 3);
        const auto elements = y.as<double>();
        EXPECT_EQ(std::vector<double>(elements.begin(), elements.end()),
                  (std::vector<double>{10, 20, 60}))
            << how;
        EXPECT_NE(outcome.out.find("A.mtx: 2 x 3, 3 nonzeros"), std::string::npos) << outcome.out;
        EXPECT_NE(outcome.out.find("y = 1 A^" + how.substr(0, 1) + " x + 0 y"), std::string::npos)
            << outcome.out;
    }
    const auto json = json_of("run A.mtx --op T --time 0 --json");
    EXPECT_EQ(json["op"], "T");
    EXPECT_EQ(json["rows"], 2);
    EXPECT_EQ(json["cols"], 3);
}

TEST_F(RunTest, WrongOpsAreRefused) {
    EXPECT_EQ(run_line("run A.mtx --op X").status, 2);
    EXPECT_EQ(run_line("run A.mtx --op X").err,
              "spmvgen: --op: unknown op 'X': use one of N, T, H, C\nsee: spmvgen run --help\n");
    EXPECT_EQ(run_line("run A.mtx --transpose-by-atomics").status, 2);
    EXPECT_EQ(run_line("run A.mtx --op T --transpose-by-atomics --deterministic").status, 2);
    EXPECT_EQ(run_line("run A.mtx --kernel csr_transposed_cpu").status, 1);
}

TEST_F(RunTest, EveryCacheModeGivesTheSameProduct) {
    for (const std::string mode : {"on", "memory", "readonly", "load", "off"})
        EXPECT_EQ(product("--x x.mtx --cache " + mode), (std::vector<double>{5, 9})) << mode;
}

TEST_F(RunTest, RandomVectorsAreTheSameEachTime) {
    const auto y = product("");
    EXPECT_EQ(y, product("--threads 1"));
    EXPECT_GE(y[0], 1.5);  // x in [0.5, 1.5)
    EXPECT_LT(y[0], 4.5);
    EXPECT_NE(product("--beta 1"), y);
}

TEST_F(RunTest, SheetTellsKernelCheckTimeAndSpeed) {
    const Outcome outcome = run_line("run A.mtx --check --time 1");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    for (const char* row :
         {"matrix   A.mtx: 2 x 3, 3 nonzeros, f64\n", "\nkernel   ", "\nwhy      ", "\nprepare  ",
          "\ncheck    passed", "\ntime     ", "GFLOP/s", "GB/s", "\nmemory   "})
        EXPECT_NE(outcome.out.find(row), std::string::npos) << row << "\n" << outcome.out;
}

TEST_F(RunTest, JsonIsOneObject) {
    auto json = json_of("run A.mtx --check --repeat 3 --time 1 --json --threads 1");
    EXPECT_EQ(json["rows"], 2);
    EXPECT_EQ(json["nnz"], 3);
    EXPECT_EQ(json["value"], "f64");
    EXPECT_EQ(json["threads"], 1);
    EXPECT_EQ(json["check"]["passed"], true);
    EXPECT_LE(json["check"]["worst_ratio"], 1);
    EXPECT_EQ(json["time"]["samples"], 3);
    const double median = json["time"]["median_s"];
    EXPECT_GT(median, 0);
    EXPECT_DOUBLE_EQ(json["flops_per_s"], 2 * 3 / median);
    EXPECT_DOUBLE_EQ(json["bytes_per_s"], json["bytes"].get<double>() / median);
    EXPECT_EQ(json["bandwidth"]["threads"], 1);
    EXPECT_GT(json["bandwidth_share"], 0);
    EXPECT_EQ(json["fits_in_cache"],
              last_level_cache_bytes() > 0 ? nlohmann::json(true) : nlohmann::json());
}

TEST_F(RunTest, NothingIsTimedOrCheckedUnasked) {
    auto json = json_of("run A.mtx --time 0 --json");
    EXPECT_TRUE(json["check"].is_null());
    EXPECT_TRUE(json["time"].is_null());
    EXPECT_FALSE(json.contains("bandwidth"));
}

TEST_F(RunTest, CheckDoesNotChangeTheKernel) {
    EXPECT_EQ(json_of("run A.mtx --time 0 --json")["kernel"],
              json_of("run A.mtx --time 0 --json --check")["kernel"]);
}

TEST_F(RunTest, KernelIsNamedForItsScalars) {
    const std::string line = "run A.mtx --time 0 --json --kernel csr_rows";
    EXPECT_EQ(json_of(line)["kernel"], "csr_rows_f64_i32_o32_a1_b0_k1");
    EXPECT_EQ(json_of(line + " --alpha 2 --beta 1")["kernel"], "csr_rows_f64_i32_o32_ax_b1_k1");
}

TEST_F(RunTest, EveryValueTypeIsChecked) {
    for (const std::string type : {"f32", "f64", "c32", "c64"}) {
        auto json = json_of("run A.mtx --time 0 --check --json --alpha 2 --value " + type);
        EXPECT_EQ(json["value"], type);
        EXPECT_EQ(json["check"]["passed"], true);
    }
}

TEST_F(RunTest, ComplexScalars) {
    const Outcome outcome =
        run_line("run A.mtx --value c64 --alpha 0,1 --beta 1,-1 --check --time 0");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("y = 0,1 A x + 1,-1 y"), std::string::npos) << outcome.out;
}

TEST_F(RunTest, ComplexMatrixCannotBecomeReal) {
    write("C.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n");
    EXPECT_EQ(run_line("run C.mtx --value f64").status, 2);
}

TEST_F(RunTest, SeveralRightHandSides) {
    auto json = json_of("run A.mtx --rhs 3 --time 0 --check --json");
    EXPECT_EQ(json["num_rhs"], 3);
    EXPECT_EQ(json["check"]["passed"], true);
}

TEST_F(RunTest, VectorsByColumns) {
    for (const std::string device : {"host", "simt:sm_90"})
        for (const std::string more : {"", " --beta 2", " --op T", " --op C"}) {
            const auto json = json_of(
                "run A.mtx --rhs 3 --layout column --time 0 --check --json "
                "--device " +
                device + more);
            EXPECT_EQ(json["check"]["passed"], true) << device << more;
        }
    ASSERT_EQ(run_line("run A.mtx --rhs 3 --layout column --time 0 -o by_column.mtx").status, 0);
    ASSERT_EQ(run_line("run A.mtx --rhs 3 --time 0 -o by_row.mtx").status, 0);
    EXPECT_EQ(read("by_column.mtx"), read("by_row.mtx"));
    EXPECT_EQ(run_line("run A.mtx --layout diagonal").status, 2);
}

TEST_F(RunTest, WideColumns) {
    auto json = json_of("run A.mtx --index i64 --time 0 --check --json");
    EXPECT_NE(json["kernel"].get<std::string>().find("_i64_"), std::string::npos);
}

TEST_F(RunTest, DegenerateShapes) {
    for (const std::string size : {"0 3", "2 0", "2 3"}) {
        write("E.mtx", "%%MatrixMarket matrix coordinate real general\n" + size + " 0\n");
        const Outcome outcome = run_line("run E.mtx --check --time 0 --beta 2");
        EXPECT_EQ(outcome.status, 0) << size << outcome.err;
    }
}

TEST_F(RunTest, NothingToMultiplyCanBeTimed) {
    write("E.mtx", "%%MatrixMarket matrix coordinate real general\n0 3 0\n");
    const auto json = json_of("run E.mtx --check --repeat 1 --json");
    EXPECT_EQ(json["time"]["samples"], 1);
}

TEST_F(RunTest, YMayGoToStandardOutputAndTheReportBesideIt) {
    const Outcome outcome = run_line("run A.mtx --x x.mtx --time 0 -o -");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.out, "%%MatrixMarket matrix array real general\n2 1\n5\n9\n");
    EXPECT_NE(outcome.err.find("A.mtx"), std::string::npos) << outcome.err;
}

TEST_F(RunTest, TheTransposeCountsForTheMemoryLimit) {
    for (const std::string op : {"T", "H"}) {
        const Outcome outcome =
            run_line("run A.mtx --time 0 --format csr --memory-limit 1 --op " + op);
        EXPECT_EQ(outcome.status, 1);
        EXPECT_EQ(outcome.err,
                  "spmvgen: format csr would take at least 52 bytes, more than --memory-limit, 1 "
                  "bytes: use a format that takes less, or raise the limit\n");
        EXPECT_EQ(run_line("run A.mtx --time 0 --format csr --memory-limit 52 --op " + op).status,
                  0);
    }
}

TEST_F(RunTest, VectorsThatDoNotFitAreRefusedBeforeTheyAreMade) {
    write("W.mtx", "%%MatrixMarket matrix coordinate real general\n4 3000000000000 1\n1 1 1\n");
    for (const std::string verb : {"run W.mtx --time 0", "bench W.mtx --budget 1ms"}) {
        const Outcome outcome = run_line(verb);
        EXPECT_EQ(outcome.status, 1);
        EXPECT_NE(outcome.err.find("not enough memory: x needs 21.8 TiB and y"), std::string::npos)
            << outcome.err;
        EXPECT_NE(outcome.err.find("iB are free"), std::string::npos) << outcome.err;
    }
}

TEST_F(RunTest, AFormatBeyondTheMemoryLimitIsAFailure) {
    EXPECT_EQ(product("--x x.mtx --format ell --memory-limit 1G"), (std::vector<double>{5, 9}));
    EXPECT_EQ(product("--x x.mtx --format csr --memory-limit 1"), (std::vector<double>{5, 9}))
        << "borrowed";
    const Outcome outcome = run_line("run A.mtx --format ell --time 0 --memory-limit 40b");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.err.find(", more than --memory-limit, 40 bytes: use a format"),
              std::string::npos)
        << outcome.err;
    EXPECT_EQ(run_line("run A.mtx --memory-limit lots").status, 2);
}

TEST_F(RunTest, WhatIsSaidOfTheChoiceIsInItsOwnWords) {
    const auto limited = json_of("run gallery:stencil5:nx=100 --memory-limit 1000 --time 0 --json");
    const std::string reason = limited["reason"];
    EXPECT_NE(reason.find(", more than --memory-limit, 1000 bytes; "), std::string::npos) << reason;
    EXPECT_EQ(reason.find("options."), std::string::npos) << reason;
    const Outcome shown =
        run_line("run gallery:stencil5:nx=100 --memory-limit 1000 --time 0 --explain");
    EXPECT_NE(shown.out.find(", more than --memory-limit, 1000 bytes; "), std::string::npos)
        << shown.out;
    EXPECT_EQ(
        run_line("run A.mtx --compile behind --memory-limit 9 --time 0").err,
        "spmvgen: --compile behind begins with plain CSR, which stays beside what is planned: "
        "use now, or leave --memory-limit 0\nsee: spmvgen run --help\n");
    const Outcome reordered =
        run_line("run gallery:stencil5:nx=9 --reorder rcm --format csr --memory-limit 9 --time 0");
    EXPECT_EQ(reordered.status, 1);
    EXPECT_NE(reordered.err.find(
                  ", more than --memory-limit, 9 bytes: use a format that takes less, or raise "
                  "the limit\n"),
              std::string::npos)
        << reordered.err;
}

TEST_F(RunTest, WhatWasChosenForThisStructureIsRecalledUnlessItIsChosenAnew) {
    const std::string run = "run gallery:stencil5:nx=80 --threads 1 --time 0 --check --json";
    const auto first = json_of(run), again = json_of(run), anew = json_of(run + " --choose-anew");
    if (first.value("profile", "").empty()) GTEST_SKIP() << "nothing is predicted for this CPU";
    const auto recalled = [](const nlohmann::json& json) {
        return json["reason"].get<std::string>().find("; recalled") != std::string::npos;
    };
    EXPECT_FALSE(recalled(first)) << first["reason"];
    EXPECT_TRUE(recalled(again)) << again["reason"];
    EXPECT_FALSE(recalled(anew)) << anew["reason"];
    for (auto& json : {again, anew}) EXPECT_EQ(json["kernel"], first["kernel"]);
    EXPECT_EQ(json_of("cache info --json")["choices"], 1);
    EXPECT_NE(run_line("cache info").out.find(", 1 choice\n"), std::string::npos);
    EXPECT_EQ(run_line("cache clear").status, 0);
    EXPECT_EQ(json_of("cache info --json")["choices"], 0);
}

TEST_F(RunTest, ADeviceThatIsNotThereIsAFailure) {
    for (const std::string device : {"cuda:99", "hip:99"}) {
        const Outcome outcome = run_line("run A.mtx --device " + device);
        EXPECT_EQ(outcome.status, 1);
        EXPECT_EQ(outcome.out, "");
        EXPECT_TRUE(outcome.err.starts_with("spmvgen: " + device + ": ")) << outcome.err;
    }
}

// Kernels of GPUs, run by the SIMT executor.

TEST_F(RunTest, GpuProductWorkedOutByHand) {
    for (const std::string device : {"simt:sm_90", "simt:gfx906", "simt:gfx1030"}) {
        const std::string on = " --device " + device;
        EXPECT_EQ(product("--x x.mtx" + on), (std::vector<double>{5, 9})) << device;
        EXPECT_EQ(product("--x x.mtx --alpha 2 --beta -1 --y y.mtx" + on),
                  (std::vector<double>{0, -2}));
        EXPECT_EQ(product("--x x.mtx --alpha 0 --beta 1 --y y.mtx" + on),
                  (std::vector<double>{10, 20}));
        EXPECT_EQ(product("--x x.mtx --alpha 0" + on), (std::vector<double>{0, 0}));
    }
}

TEST_F(RunTest, GpuFormatsAreChecked) {
    for (const std::string format : {"auto", "csr", "coo", "ell", "sell", "hyb", "csr-k"}) {
        auto json = json_of(
            "run gallery:stencil5:nx=20 --device simt:gfx906 --check --repeat 1 --json --format " +
            format);
        EXPECT_EQ(json["check"]["passed"], true) << format;
        EXPECT_EQ(json["device"], "simt:gfx906, SIMT executor");
        EXPECT_EQ(json["target"], "gfx906");
        EXPECT_TRUE(json["threads"].is_null());
        EXPECT_GE(json["launches"], 1);
        EXPECT_EQ(json["time"]["samples"], 1);
        EXPECT_FALSE(json.contains("bandwidth")) << "the host's says nothing of a GPU's";
    }
}

TEST_F(RunTest, DeterministicKernelsSayThatTheyAre) {
    const std::string line =
        "run gallery:stencil5:nx=20 --device simt:sm_90 --format hyb --kernel hyb --time 0 --check "
        "--json";
    EXPECT_EQ(json_of(line)["deterministic"], false);
    EXPECT_EQ(json_of(line + " --deterministic")["deterministic"], true);
}

TEST_F(RunTest, NarrowStorageIsCheckedAgainstRoundedValues) {
    write("N.mtx", "%%MatrixMarket matrix coordinate real general\n1 2 2\n1 1 0.1\n1 2 65519\n");
    write("ones.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n1\n");
    const std::string line =
        "run N.mtx --value f32 --device simt:sm_90 --check --time 0 --x ones.mtx -o out.mtx ";
    const auto y = [&](const std::string& storage) {
        const Outcome outcome = run_line(line + "--storage " + storage);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_NE(outcome.out.find("compensated reference with values rounded to " + storage),
                  std::string::npos)
            << outcome.out;
        return read_vector("out.mtx", ValueType::f32, 1).as<float>()[0];
    };
    // 65519 is 65504 in f16, its largest number, and 2^16 in bf16; 0.1 is 0.0999755859375 and
    // 0.10009765625.
    EXPECT_EQ(y("f16"), 65504 + 0.0999755859375F);
    EXPECT_EQ(y("bf16"), 65536 + 0.10009765625F);
}

TEST_F(RunTest, AnEpilogueIsApplied) {
    const Outcome outcome =
        run({"run", "A.mtx", "--device", "simt:gfx906", "--x", "x.mtx", "--time", "0", "-o",
             "out.mtx", "--epilogue", "value > 6 ? value + row : 0"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const Buffer y = read_vector("out.mtx", ValueType::f64, 2);
    EXPECT_EQ(y.as<double>()[0], 0);
    EXPECT_EQ(y.as<double>()[1], 9 + 1);
}

TEST_F(RunTest, RowsWithEntriesAlone) {
    write("E.mtx", "%%MatrixMarket matrix coordinate real general\n6 3 3\n2 1 1\n5 3 2\n5 1 4\n");
    for (const char* device : {"host", "simt:gfx906"}) {
        const auto json = json_of(std::string("run E.mtx --nonempty-rows --check --time 0 --json "
                                              "--alpha 2 --beta 1 --device ") +
                                  device);
        EXPECT_TRUE(json["check"]["passed"]);
        EXPECT_EQ(json["rows"], 6);
        EXPECT_EQ(json["reason"].get<std::string>().rfind("2 of 6 rows are listed; ", 0), 0u);
    }
    EXPECT_TRUE(
        json_of("run E.mtx --nonempty-rows --check --time 0 --json --beta 3 --op "
                "T")["check"]["passed"]);
    const auto complaint = [&](const std::string& options) {
        const Outcome outcome = run_line("run E.mtx --nonempty-rows " + options);
        EXPECT_EQ(outcome.status, 2);
        return outcome.err.substr(0, outcome.err.find('\n'));
    };
    EXPECT_EQ(complaint("--beta 2"),
              "spmvgen: --nonempty-rows: the other rows of y stay as they are, which is the "
              "product with --beta 1 only; give that");
    EXPECT_EQ(complaint("--beta 1 --reorder rcm --permuted-vectors"),
              "spmvgen: --nonempty-rows: takes no --permuted-vectors; drop one of them");
    EXPECT_EQ(run_line("run --batch E.mtx --nonempty-rows").err,
              "spmvgen: --nonempty-rows: is for one matrix; drop --batch\n"
              "see: spmvgen run --help\n");
}

TEST_F(RunTest, TypesOfVectorsAndSums) {
    const std::string line = "run A.mtx --value f32 --check --time 0 --cache off --json ";
    const auto mixed = json_of(line + "--vectors f64 --storage bf16");
    EXPECT_EQ(mixed["value"], "f32");
    EXPECT_EQ(mixed["vectors"], "f64");
    EXPECT_EQ(mixed["accumulator"], "f64");
    EXPECT_EQ(mixed["storage"], "bf16");
    EXPECT_EQ(mixed["check"]["passed"], true);
    const auto sums = json_of(line + "--accumulator f64");
    EXPECT_EQ(sums["vectors"], "f32");
    EXPECT_EQ(sums["accumulator"], "f64");
    EXPECT_EQ(sums["check"]["passed"], true);
    EXPECT_NE(run_line("run A.mtx --value f32 --time 0 --cache off --vectors f64")
                  .out.find("x and y f64, sums f64"),
              std::string::npos);
}

TEST_F(RunTest, ArchitectureThatCannotRunHere) {
#if defined(__x86_64__)
    const Outcome outcome = run_line("run A.mtx --arch aarch64");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(
        outcome.err,
        "spmvgen: --arch: aarch64 cannot run here: this machine is x86-64; emit makes kernels "
        "for other machines\n");
#else
    GTEST_SKIP() << "names an architecture that is foreign to x86-64";
#endif
}

TEST_F(RunTest, WrongVectorLength) {
    const Outcome outcome = run_line("run A.mtx --x y.mtx --time 0");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_TRUE(outcome.err.starts_with("spmvgen: y.mtx:")) << outcome.err;
}

TEST_F(RunTest, OutputThatCannotBeWritten) {
    const Outcome outcome = run_line("run A.mtx --time 0 -o /nonesuch/y.mtx");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.err.find("/nonesuch/y.mtx: "), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace spmvgen::cli
