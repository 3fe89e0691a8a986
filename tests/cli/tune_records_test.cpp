#include <sys/wait.h>

#include "../tuner/record_samples.hpp"
#include "cli_fixture.hpp"
#include "matrix/files/inflater.hpp"
#include "matrix/read/reader.hpp"
#include "spmvgen/target.hpp"
#include "tuner/files/tuning_files.hpp"
#include "tuner/records/record_json.hpp"

namespace spmvgen::cli {
namespace {

class TuneRecords : public CliTest {
  protected:
    static void write_records(const std::string& path, const std::vector<TuningRecord>& records) {
        write(path, to_json(records));
    }
    static std::vector<TuningRecord> read_records(const std::string& path) {
        const ReadRecords all = parse_tuning_records(read(path));
        EXPECT_EQ(all.rejected.size(), 0u);
        return all.records;
    }
    std::string own() const { return (directory_ / "records").string(); }
    static TuningRecord slower(TuningRecord r) {
        r.method = "measure, budget 100 ms";
        r.kernels.back().us = 2.6;
        return r;
    }
};

TEST_F(TuneRecords, ImportCountsWhatItTakesAndSaysWhatItDoesNot) {
    TuningRecord older = sample_record("older", 2000);
    older.generator = "another";
    write_records("a.json", {sample_record(), gpu_record(), older});
    write("b.json", with(to_json(std::vector{gpu_record("broken", 3000), sample_record()}),
                         "\"num_rhs\":1", "\"num_rhs\":0"));
    const Outcome outcome = run_line("tune import a.json b.json");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out,
              "3 records accepted, 2 rejected: " + own() +
                  "\n"
                  "  1 measured with another version's kernels: used where they are still made\n"
                  "  1 rejected: field 'num_rhs' is not a whole number of 1…64 (b.json: record 1 "
                  "(broken))\n"
                  "  1 rejected: it is known already (b.json: gallery:tridiagonal)\n");
    EXPECT_EQ(outcome.err, "");
}

TEST_F(TuneRecords, ImportGoesOnAfterAFileThatCannotBeRead) {
    write_records("a.json", {sample_record()});
    write("newer.json",
          with(to_json(std::vector{sample_record()}), "\"schema\": 1", "\"schema\": 99"));
    write("device.json", "{\"kind\": \"device-profile\", \"schema\": 1}");
    std::filesystem::create_directory("folder");
    const Outcome outcome =
        run_line("tune import nonesuch.json newer.json device.json folder a.json");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.out,
              "1 record accepted, 4 rejected: " + own() +
                  "\n"
                  "  1 rejected: No such file or directory (nonesuch.json)\n"
                  "  1 rejected: it is a directory (folder)\n"
                  "  1 rejected: it is no tuning-records (device.json)\n"
                  "  1 rejected: its schema is 99, but this version reads 1: a newer spmvgen wrote "
                  "it (newer.json)\n");
    EXPECT_EQ(outcome.err,
              "spmvgen: not every file could be read; what the others hold was taken\n");
}

TEST_F(TuneRecords, ImportTwiceIsTheSameAsOnce) {
    write_records("a.json", {sample_record(), gpu_record()});
    EXPECT_EQ(json_of("tune import a.json --json")["accepted"], 2);
    const auto again = json_of("tune import a.json --json");
    EXPECT_EQ(again["accepted"], 0);
    ASSERT_EQ(again["rejected"].size(), 2u);
    EXPECT_EQ(again["rejected"][0]["file"], "a.json");
    EXPECT_EQ(again["rejected"][0]["record"], "gallery:tridiagonal");
    EXPECT_EQ(again["rejected"][0]["reason"], "it is known already");
}

TEST_F(TuneRecords, ExportGivesBackWhatWasImported) {
    write_records("a.json", {sample_record(), gpu_record()});
    run_line("tune import a.json");
    const Outcome outcome = run_line("tune export -o mine.json");
    EXPECT_EQ(outcome.err, "2 records accepted, 0 rejected: mine.json\n");
    EXPECT_EQ(read("mine.json"), read("a.json"));
    EXPECT_EQ(run_line("tune export").out, read("a.json"));
    EXPECT_EQ(run_line("tune export --device sm_90 -o gpu.json").status, 0);
    EXPECT_EQ(read_records("gpu.json"), std::vector{gpu_record()});
    EXPECT_EQ(run_line("tune export --device x86-64-v4").out,
              to_json(std::vector{sample_record()}));
}

TEST_F(TuneRecords, ExportLeavesOutWhatIsBroken) {
    write_records("a.json", {sample_record(), gpu_record()});
    run_line("tune import a.json");
    write("records/record-0.json", "{");
    const Outcome outcome = run_line("tune export -o mine.json");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "spmvgen: warning: tuning file " + own() +
                               "/record-0.json is left out: it is not JSON\n"
                               "2 records accepted, 0 rejected: mine.json\n");
}

TEST_F(TuneRecords, MergeKeepsTheBetterOfEqualQuestions) {
    write_records("a.json", {sample_record(), gpu_record()});
    write_records("b.json", {slower(sample_record()), gpu_record(), sample_record("other", 2000)});
    const Outcome outcome = run_line("tune merge b.json a.json -o all.json");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err,
              "3 records accepted, 2 rejected: all.json\n"
              "  1 rejected: a better one of that matrix is in a.json (exhaustive, 2026-11-21) "
              "(b.json: gallery:tridiagonal)\n"
              "  1 rejected: the same record is in b.json (a.json: gallery:tridiagonal)\n");
    EXPECT_EQ(read("all.json"),
              to_json(std::vector{sample_record(), gpu_record(), sample_record("other", 2000)}));
    // Merging what was merged changes nothing, in whatever order.
    EXPECT_EQ(run_line("tune merge all.json a.json b.json").out, read("all.json"));
}

TEST_F(TuneRecords, FilesOfGzipAreReadAndWritten) {
    write_records("a.json", {sample_record(), gpu_record()});
    const Outcome outcome = run_line("tune merge a.json -o all.json.gz");
    EXPECT_EQ(outcome.err, "2 records accepted, 0 rejected: all.json.gz\n");
    const std::string packed = read("all.json.gz");
    EXPECT_EQ(inflate_all(packed, 1 << 20), read("a.json"));
    EXPECT_EQ(run_line("tune merge all.json.gz").out, read("a.json"));
    EXPECT_EQ(json_of("tune import all.json.gz --json")["accepted"], 2);
    write("half.json.gz", packed.substr(0, packed.size() / 2));
    const Outcome half = run_line("tune import half.json.gz");
    EXPECT_EQ(half.status, 1);
    EXPECT_EQ(half.out, "0 records accepted, 1 rejected: " + own() +
                            "\n  1 rejected: the gzip data is truncated (half.json.gz)\n");
}

TEST_F(TuneRecords, ListTellsWhatIsKnownAndFromWhere) {
    write_records("a.json", {sample_record("mine.mtx")});
    run_line("tune import a.json");
    const auto json = json_of("tune list --json");
    EXPECT_EQ(json["directory"], own());
    EXPECT_EQ(json["shipped"], shipped_tuning_folder());
    bool found = false;
    for (auto& record : json["records"]) {
        if (record["matrix"] != "mine.mtx") continue;
        found = true;
        EXPECT_EQ(record["kernel"], csr_vector_name);
        EXPECT_EQ(record["us"], 1.5);
        EXPECT_EQ(record["kernels"], 2);
        EXPECT_TRUE(record["file"].get<std::string>().starts_with(own())) << record["file"];
    }
    EXPECT_TRUE(found) << json;
    const std::string text = run_line("tune list").out;
    EXPECT_NE(text.find("mine.mtx; x86-64-v4; f64, 1 right-hand side, op N, 2 threads\n"
                        "  " +
                        csr_vector_name + ", 1.50 us, fastest of 2\n  exhaustive, 2026-11-21; "),
              std::string::npos)
        << text;
    EXPECT_TRUE(text.ends_with(" records; your own are kept in " + own() +
                               "; others: " + shipped_tuning_folder() + "\n"));
}

TEST_F(TuneRecords, SaysWhatIsWrong) {
    write_records("a.json", {sample_record()});
    run_line("tune import a.json");
    const auto error = [](const std::string& line) {
        const Outcome outcome = run_line("tune " + line);
        return std::to_string(outcome.status) + ": " +
               outcome.err.substr(0, outcome.err.find('\n'));
    };
    EXPECT_EQ(error("export --device gfx90a"),
              "2: spmvgen: --device: nothing is recorded on 'gfx90a'; there are records on "
              "x86-64-v4");
    EXPECT_EQ(error("import"), "2: spmvgen: files is required");
    std::filesystem::create_symlink("loop", "loop");
    EXPECT_THAT(run_line("tune import loop .").out,
                AllOf(HasSubstr("Too many levels of symbolic links (loop)"),
                      HasSubstr("it is a directory (.)")));
    EXPECT_EQ(error("A.mtx --resume -o loop"),
              "1: spmvgen: loop: cannot be read: Too many levels of symbolic links");
    EXPECT_EQ(error("A.mtx --resume -o ."), "1: spmvgen: .: cannot be read: it is a directory");
    EXPECT_EQ(error("A.mtx list"), "2: spmvgen: matrices: is not for this command; drop it");
    EXPECT_EQ(error("--threads 2 list"), "2: spmvgen: --threads: is not for this command; drop it");
    write_records("a.json", {gpu_record()});
    std::filesystem::permissions("records", std::filesystem::perms{0777});
    EXPECT_EQ(error("import a.json"),
              "1: spmvgen: tuning records cannot be kept in " + own() +
                  ": every user may write to it (mode 0777); chmod 700 mends that; "
                  "$SPMVGEN_RECORDS_DIR names another directory");
}

/// A kernel that no rule chooses for A.mtx, as the fastest one of that matrix on this CPU.
TuningRecord record_of_a_mtx(const std::string& kernel) {
    TuningRecord r = sample_record("A.mtx");
    r.features = analyse(read_matrix("A.mtx").view());
    r.question.threads = 1;
    r.device = record_device(parse_target("native"), "");
    r.kernels = {{kernel, 0.5, 0.5, 0.5}};
    return r;
}

// In a process of its own: what is known is read once.
Outcome run_in_process(const std::string& options) {
    const std::string command =
        "'" SPMVGEN_PROGRAM "' run A.mtx --threads 1 --time 0 --json " + options + " 2>err >out";
    Outcome outcome;
    outcome.status = WEXITSTATUS(std::system(command.c_str()));
    const auto text = [](const char* path) {
        std::ifstream file(path);
        return std::string{std::istreambuf_iterator<char>(file), {}};
    };
    outcome.out = text("out");
    outcome.err = text("err");
    return outcome;
}

TEST_F(TuneRecords, LevelRecordedTakesWhatWasImported) {
    const std::string kernel = "csr_vector_f64_i32_o32_a1_b0_k1_lanes2_prefetch0_unroll4";
    write_records("a.json", {record_of_a_mtx(kernel)});
    ASSERT_EQ(run_line("tune import a.json").status, 0);
    const Outcome outcome = run_in_process("--level recorded");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["kernel"], kernel);
    EXPECT_EQ(json["reason"], "recorded on " + to_string(parse_target("native")) +
                                  ", this device, for this matrix (A.mtx; exhaustive, "
                                  "2026-11-21): csr_vector, 0.50 µs there");
    EXPECT_NE(nlohmann::json::parse(run_in_process("--level rule").out)["kernel"], kernel);
}

TEST_F(TuneRecords, WhatIsBrokenIsToldOnceAndNotFatal) {
    const TuningRecord good = record_of_a_mtx(csr_rows_name);
    write_records("a.json", {good});
    ASSERT_EQ(run_line("tune import a.json").status, 0);
    write("records/record-cut.json", read("a.json").substr(0, 900));
    write("records/record-newer.json", with(read("a.json"), "\"schema\": 1", "\"schema\": 2"));
    const Outcome outcome = run_in_process("--level recorded");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "spmvgen: warning: tuning file " + own() +
                               "/record-cut.json is left out: it is not JSON\n"
                               "spmvgen: warning: tuning file " +
                               own() +
                               "/record-newer.json is left out: its schema is 2, but this version "
                               "reads 1: a newer spmvgen wrote it\n");
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["kernel"], csr_rows_name);
}

}  // namespace
}  // namespace spmvgen::cli
