#include <sys/wait.h>

#include "cli_fixture.hpp"
#include "spmvgen/target.hpp"
#include "tuner/profiles/device_profile.hpp"

namespace spmvgen::cli {
namespace {

class TuneTest : public CliTest {
  protected:
    static constexpr const char* quick = " --rounds 1 --time 0.01 ";
};

TEST_F(TuneTest, WritesWhatItMeasuredOnThisCpu) {
    const auto json =
        json_of(std::string("tune --fit csr-k --threads 1 --sizes 1,96") + quick + "A.mtx");
    EXPECT_EQ(json["kind"], "spmvgen csr-k fit");
    EXPECT_EQ(json["arch"], to_string(parse_target("native")));
    EXPECT_EQ(json["threads"], 1);
    ASSERT_EQ(json["matrices"].size(), 1u);
    auto matrix = json["matrices"][0];
    EXPECT_EQ(matrix["matrix"], "A.mtx");
    EXPECT_EQ(matrix["row_density"], 1.5);
    EXPECT_EQ(matrix["max_row"], 2);
    ASSERT_EQ(matrix["times"].size(), 2u);
    EXPECT_EQ(matrix["times"][1][0], 96);
    EXPECT_GT(matrix["times"][1][2], 0);
    EXPECT_EQ(json["candidates"].size(), 3u);
}

TEST_F(TuneTest, TriesPairsOfSizesOnAGpu) {
    const Outcome outcome = run_line(std::string("tune --fit csr-k --device simt:sm_90 --sizes 2,3 "
                                                 "-o F.json") +
                                     quick + "A.mtx gallery:stencil27:nx=4,ny=4,nz=4");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("spmvgen: 2 of 2: gallery:stencil27:nx=4,ny=4,nz=4, 4 times\n"),
              std::string::npos)
        << outcome.err;
    const auto json = nlohmann::json::parse(read("F.json"));
    EXPECT_EQ(json["arch"], "sm_90");
    EXPECT_EQ(json["device"], "SIMT executor");
    auto dense = json["matrices"][1];
    EXPECT_EQ(dense["case"], 2) << dense["row_density"];
    EXPECT_EQ(dense["times"].size(), 4u);
    EXPECT_EQ(dense["times"][3][0], 3);
    EXPECT_EQ(dense["times"][3][1], 3);
    EXPECT_EQ(json["candidates"].size(), 4u);
}

TEST_F(TuneTest, CalibratesADevice) {
    const Outcome outcome =
        run_line(std::string("tune --calibrate --device simt:sm_90 -o device.json") + quick);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("\nspmvgen: calibrating: 11 of 11\n"
                               "device      SIMT executor, sm_90, 4 units, measured 20"),
              std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.err.find("spmvgen: in a tuning_db it is named device-simt-executor.json\n"),
              std::string::npos);
    const auto json = nlohmann::json::parse(read("device.json"));
    EXPECT_EQ(json["kind"], "device-profile");
    EXPECT_EQ(json["schema"], 2);
    EXPECT_EQ(json["gather"].size(), 2u);
    EXPECT_FALSE(std::filesystem::exists("records")) << "its times mean nothing";
}

TEST_F(TuneTest, SaysWhatIsWrong) {
    write("empty.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 0\n");
    const auto error = [](const std::string& line) {
        const Outcome outcome = run_line("tune " + line);
        EXPECT_EQ(outcome.out, "");
        return std::to_string(outcome.status) + ": " +
               outcome.err.substr(0, outcome.err.find('\n'));
    };
    EXPECT_EQ(error(""),
              "2: spmvgen: nothing to measure is named: name matrices, or use --calibrate, "
              "--dense-profile, --fit");
    EXPECT_EQ(error("--fit csr-k"), "2: spmvgen: --fit: name the matrices to fit to");
    EXPECT_EQ(error("--fit magic A.mtx"),
              "2: spmvgen: --fit: there is no procedure for 'magic': use csr-k");
    EXPECT_EQ(error("--fit csr-k --device simt:sm_90 --threads 2 A.mtx"),
              "2: spmvgen: --threads: is for this CPU; drop it with --device");
    EXPECT_EQ(error("--fit csr-k empty.mtx"),
              "1: spmvgen: empty.mtx: has no entries, there is nothing to time; leave it out");
    EXPECT_EQ(error("--fit csr-k A.mtx --no-keep"),
              "2: spmvgen: --no-keep: means nothing to --fit; drop it");
    EXPECT_EQ(error("--fit csr-k A.mtx --level measure"),
              "2: spmvgen: --level: means nothing to --fit; drop it");
    EXPECT_EQ(error("--dense-profile A.mtx"),
              "2: spmvgen: matrices: means nothing to --dense-profile; drop it");
    EXPECT_EQ(error("--calibrate --value f32"),
              "2: spmvgen: --value: means nothing to --calibrate; drop it");
    EXPECT_EQ(error("--calibrate --entries 100"),
              "2: spmvgen: --entries: means nothing to --calibrate; drop it");
    EXPECT_EQ(error("--fit csr-k nonesuch.mtx").substr(0, 3), "1: ");
    EXPECT_EQ(error("--fit csr-k --sizes 0 A.mtx").substr(0, 3), "2: ");
}

/// Through the built program, whose environment names a directory with tuning files.
Outcome run_with(const std::string& directory, const std::string& line) {
    const std::string command =
        "SPMVGEN_TUNING_DB=" + directory + " '" SPMVGEN_PROGRAM "' " + line + " 2>err >out";
    Outcome outcome;
    outcome.status = WEXITSTATUS(std::system(command.c_str()));
    outcome.out = (std::ostringstream() << std::ifstream("out").rdbuf()).str();
    outcome.err = (std::ostringstream() << std::ifstream("err").rdbuf()).str();
    return outcome;
}

TEST_F(TuneTest, TheFileIsUsedAndACorruptOneIsNot) {
    std::filesystem::create_directory("db");
    const std::string tune = std::string(
                                 "tune --fit csr-k --device simt:sm_90 --sizes 2 -o "
                                 "db/csr-k-mine.json") +
                             quick + "A.mtx";
    ASSERT_EQ(run_line(tune).status, 0);
    auto json = nlohmann::json::parse(read("db/csr-k-mine.json"));
    json["chosen"] = "constant";  // of equal ones the paper's is chosen
    write("db/csr-k-mine.json", json.dump());
    write("db/csr-k-broken.json", "{");
    const std::string run = "run A.mtx --device simt:sm_90 --format csr-k --time 0 --check --json";
    const Outcome outcome = run_with("db", run);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto report = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(report["check"]["passed"], true);
    EXPECT_NE(report["reason"].get<std::string>().find(
                  "blocks of 2 super-rows of 2 rows (constant, by csr-k-mine.json)"),
              std::string::npos)
        << report["reason"];
    EXPECT_TRUE(
        outcome.err.starts_with("spmvgen: warning: tuning file db/csr-k-broken.json is left out: "))
        << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_EQ(run_with("nowhere", run).err,
              "spmvgen: warning: the directory of tuning files nowhere ($SPMVGEN_TUNING_DB) is not "
              "used: No such file or directory\n")
        << "once, though files of several kinds are asked for";
    EXPECT_EQ(run_with("", run).err, "") << "an empty variable is an unset one";
}

/// Microseconds of an apply on this CPU by the profile of it, as a process with that directory in
/// its environment has them.
double predicted_us(const std::string& directory) {
    const Outcome outcome = run_with(directory, "run A.mtx --time 0 --threads 1 --json");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
    return nlohmann::json::parse(outcome.out)["predicted_us"];
}

TEST_F(TuneTest, AKeptProfileIsFoundByTheNextProcess) {
    // A CPU that reads so many bytes a second.
    const auto profile = [](double bytes_per_s) {
        DeviceProfile p;
        p.device = p.arch = parse_target("native").arch;
        p.date = "2026-11-21";
        p.method = "by hand";
        p.launch_us = {1, 0};
        p.read = {{1, 1e6, bytes_per_s, 0}};
        return p;
    };
    std::filesystem::create_directory("empty");
    EXPECT_LT(predicted_us("empty"), 1e6) << "nothing was kept yet";
    const std::string kept = keep_profile(profile(1));
    EXPECT_EQ(kept, (directory_ / "records" / device_file_name(profile(1))).string());
    const double slow = predicted_us("empty");
    EXPECT_GT(slow, 1e6) << "before the one that ships";
    EXPECT_EQ(keep_profile(profile(10)), kept) << "one for each device";
    EXPECT_NEAR(predicted_us("empty"), slow / 10, slow / 1000);
    std::filesystem::create_directory("db");
    write("db/device-theirs.json", to_json(profile(100)));
    EXPECT_NEAR(predicted_us("db"), slow / 100, slow / 10000) << "before the own";
}

TEST_F(TuneTest, CalibratingThisCpuKeepsItsProfile) {
    const Outcome outcome = run_line(std::string("tune --calibrate --threads 1 -o P.json") + quick);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const std::string path =
        (directory_ / "records" / device_file_name(parse_device_profile(read("P.json")))).string();
    EXPECT_NE(outcome.err.find("spmvgen: kept as " + path + ", which is used from now on\n"),
              std::string::npos)
        << outcome.err;
    EXPECT_EQ(read(path), read("P.json"));
}

}  // namespace
}  // namespace spmvgen::cli
