#include <gtest/gtest.h>

#include <span>

#include "cli_fixture.hpp"
#include "matrix/files/inflater.hpp"
#include "spmvgen/target.hpp"
#include "tuner/records/record_json.hpp"

namespace spmvgen::cli {
namespace {

class TuneMatricesTest : public CliTest {
  protected:
    static std::string error(const std::string& line) {
        const Outcome outcome = run_line("tune " + line);
        EXPECT_EQ(outcome.out, "");
        return std::to_string(outcome.status) + ": " +
               outcome.err.substr(0, outcome.err.find('\n'));
    }
};

TEST_F(TuneMatricesTest, RecordsWhatItMeasuredOnThisCpu) {
    const Outcome outcome =
        run_line("tune --threads 1 --budget 20ms --value f64,f32 --no-keep -o R.json A.mtx");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    const ReadRecords read_back = parse_tuning_records(read("R.json"));
    EXPECT_TRUE(read_back.rejected.empty());
    ASSERT_EQ(read_back.records.size(), 2u);
    for (auto& record : read_back.records) {
        EXPECT_EQ(record.matrix, "A");
        EXPECT_EQ(record.features.nnz, 3);
        EXPECT_EQ(record.device.arch, to_string(parse_target("native")));
        EXPECT_EQ(record.device.vendor, "x86-64");
        EXPECT_EQ(record.question.threads, 1);
        EXPECT_EQ(record.method, "measure, budget 20 ms");
        EXPECT_FALSE(record.rule.empty());
        EXPECT_GT(record.kernels.front().us, 0);
        EXPECT_LE(record.kernels.front().us, record.kernels.back().us);
    }
    EXPECT_NE(read_back.records[0].question.value, read_back.records[1].question.value);
}

TEST_F(TuneMatricesTest, GoesOnWithAGzippedFile) {
    const std::string line = "tune --threads 1 --budget 20ms --no-keep -o R.json.gz ";
    ASSERT_EQ(run_line(line + "A.mtx").status, 0);
    const std::string first = read("R.json.gz");
    const Outcome outcome = run_line(line + "--resume A.mtx gallery:stencil5:nx=5");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const std::string bytes = read("R.json.gz");
    const ReadRecords before = parse_tuning_records(inflate_all(first, 1'000'000));
    const ReadRecords after = parse_tuning_records(inflate_all(bytes, 1'000'000));
    ASSERT_EQ(after.records.size(), 2u);
    EXPECT_EQ(to_json(std::span(after.records).first(1)), to_json(before.records));
    EXPECT_EQ(after.records[1].matrix, "gallery:stencil5:nx=5");
    write("R.json.gz", bytes.substr(0, bytes.size() / 2));
    EXPECT_EQ(error("--no-keep -o R.json.gz --resume A.mtx"),
              "1: spmvgen: R.json.gz: the gzip data is truncated; --resume goes on with files that "
              "are sound: repair or remove it");
}

TEST_F(TuneMatricesTest, ExhaustiveTriesEveryKernelAndEveryParameter) {
    const Outcome outcome =
        run_line("tune --threads 1 --level exhaustive --no-keep -o R.json gallery:stencil5:nx=20");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const ReadRecords read_back = parse_tuning_records(read("R.json"));
    ASSERT_EQ(read_back.records.size(), 1u);
    auto& record = read_back.records[0];
    EXPECT_EQ(record.method, "exhaustive");
    const auto has = [&](std::string_view text) {
        return std::ranges::any_of(record.kernels, [&](const TimedKernel& k) {
            return k.kernel.find(text) != std::string::npos;
        });
    };
    for (const char* kernel : {"csr_rows", "csr_vector", "csr_balanced", "coo_segmented", "ell_",
                               "sell_", "bcsr", "csr_k_rows"})
        EXPECT_TRUE(has(kernel)) << kernel;
    EXPECT_EQ(record.plain.substr(0, 8), "csr_rows");
    EXPECT_GT(record.kernels.size(), 20u);
}

TEST_F(TuneMatricesTest, WhatIsNotKeptAndHasNoFileIsPrinted) {
    for (const char* line : {"tune --device simt:sm_90 --budget 400ms A.mtx",
                             "tune --threads 1 --budget 400ms --no-keep A.mtx"}) {
        const Outcome outcome = run_line(line);
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(parse_tuning_records(outcome.out).records.size(), 1u) << outcome.out;
        EXPECT_FALSE(std::filesystem::exists("records")) << line;
    }
}

TEST_F(TuneMatricesTest, KeptOnesAreNotPrinted) {
    const Outcome outcome = run_line("tune --threads 1 --budget 400ms A.mtx");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(std::filesystem::exists("records"));
}

TEST_F(TuneMatricesTest, ADirectoryThatCannotBeWrittenToIsToldOnce) {
    write("records", "a file in the way");
    const Outcome outcome = run_line("tune --threads 1 --budget 400ms --value f64,f32 A.mtx");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const std::string told = "spmvgen: tuning records cannot be kept in ";
    const auto at = outcome.err.find(told);
    ASSERT_NE(at, std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find(told, at + 1), std::string::npos) << outcome.err;
    EXPECT_EQ(parse_tuning_records(outcome.out).records.size(), 2u) << "nothing is lost";
}

TEST_F(TuneMatricesTest, TimesOfTheExecutorAreNoGpus) {
    ASSERT_EQ(run_line("tune --device simt:sm_90 --budget 400ms -o R.json A.mtx").status, 0);
    const ReadRecords read_back = parse_tuning_records(read("R.json"));
    ASSERT_EQ(read_back.records.size(), 1u);
    EXPECT_EQ(read_back.records[0].device.vendor, "simt");
}

TEST_F(TuneMatricesTest, SaysWhatIsWrong) {
    EXPECT_EQ(error("A.mtx --level rule"),
              "2: spmvgen: --level: 'rule' measures nothing: use measure or exhaustive");
    EXPECT_EQ(error("A.mtx --level recorded"),
              "2: spmvgen: --level: 'recorded' measures nothing: use measure or exhaustive");
    EXPECT_EQ(error("A.mtx --scale 1"),
              "2: spmvgen: --scale: is for the matrices of a suite; drop it, or name one "
              "(--suite)");
    EXPECT_EQ(error("A.mtx --rounds 2"),
              "2: spmvgen: --rounds: means nothing to the tuning of matrices; drop it");
    EXPECT_EQ(error("A.mtx --sizes 2"),
              "2: spmvgen: --sizes: means nothing to the tuning of matrices; drop it");
    EXPECT_EQ(error("A.mtx --level exhaustive --budget 1s"),
              "2: spmvgen: --budget: is for --level measure; drop it, or give that");
    EXPECT_EQ(error("A.mtx --budget soon"),
              "2: spmvgen: --budget: 'soon' is no time: use 200ms or 2s");
    EXPECT_EQ(error("A.mtx --device simt:sm_90 --threads 2"),
              "2: spmvgen: --threads: is for this CPU; drop it with --device");
    // What is left out costs no other matrix.
    write("empty.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 0\n");
    EXPECT_EQ(error("empty.mtx"),
              "1: spmvgen: empty is left out: it has no entries, there is nothing to time");
}

}  // namespace
}  // namespace spmvgen::cli
