#include <sys/wait.h>

#include "cli_fixture.hpp"

namespace spmvgen::cli {
namespace {

/// Through the built program and a shell, in the fixture's directory.
class ProcessTest : public CliTest {
  protected:
    static Outcome shell(const std::string& command) {
        const std::string with_program = "S='" SPMVGEN_PROGRAM "'; { " + command + "; } 2>err >out";
        Outcome outcome;
        outcome.status = WEXITSTATUS(std::system(with_program.c_str()));
        outcome.out = read("out");
        outcome.err = read("err");
        return outcome;
    }
};

TEST_F(ProcessTest, ExitStatus) {
    EXPECT_EQ(shell("\"$S\" --version").status, 0);
    EXPECT_EQ(shell("\"$S\" analyze nonesuch.mtx").status, 1);
    EXPECT_EQ(shell("\"$S\" nonesuch").status, 2);
}

TEST_F(ProcessTest, ResultsAndMessagesAreApart) {
    const Outcome good = shell("\"$S\" analyze A.mtx --json");
    EXPECT_EQ(nlohmann::json::parse(good.out)["nnz"], 3);
    EXPECT_EQ(good.err, "");
    const Outcome bad = shell("\"$S\" analyze nonesuch.mtx --json");
    EXPECT_EQ(bad.out, "");
    EXPECT_NE(bad.err, "");
}

// In one process the second run would find the kernel in memory.
TEST_F(ProcessTest, SecondRunComesFromTheCache) {
    const auto run_json = [](const std::string& options) {
        return nlohmann::json::parse(shell("\"$S\" run A.mtx --time 0 --json " + options).out);
    };
    EXPECT_EQ(run_json("")["origin"], "compiled");
    auto again = run_json("");
    EXPECT_EQ(again["origin"], "cache");
    EXPECT_TRUE(std::filesystem::exists(again["source_path"].get<std::string>()));
    EXPECT_EQ(run_json("--cache off")["origin"], "generic");
}

TEST_F(ProcessTest, CacheFillsWithARunAndCanBeCleared) {
    ASSERT_EQ(shell("\"$S\" run A.mtx --time 0").status, 0);
    auto json = json_of("cache info --json");
    ASSERT_EQ(json["entries"], 1);
    EXPECT_GT(json["bytes"], 0);
    EXPECT_EQ(json["unsound"], 0);
    auto entry = json_of("cache list --json")["entries"][0];
    EXPECT_EQ(entry["problem"], "");
    EXPECT_TRUE(std::filesystem::exists(entry["path"].get<std::string>()));
    EXPECT_NE(run_line("cache list").out.find(entry["name"].get<std::string>()), std::string::npos);
    EXPECT_EQ(json_of("cache clear --json")["removed"], 1);
    EXPECT_EQ(json_of("cache info --json")["entries"], 0);
}

// The matrix takes seconds to write: the signal finds the file that is seen unfinished.
TEST_F(ProcessTest, SignalsRemoveTheTemporaryFile) {
    std::filesystem::create_directory("to");
    for (const auto& [signal, status] : {std::pair("INT", "130\n"), std::pair("TERM", "143\n")}) {
        const Outcome outcome = shell(
            std::string(
                "\"$S\" convert gallery:stencil5:nx=2500 to/B.mtx & p=$!; i=0; "
                "while [ $i -lt 6000 ] && ! ls to/B.mtx.tmp.* >/dev/null 2>&1; do sleep 0.01; "
                "i=$((i+1)); done; kill -") +
            signal + " $p; wait $p; echo $? >status");
        EXPECT_EQ(read("status"), status) << outcome.err;
        EXPECT_TRUE(std::filesystem::is_empty("to"));
    }
}

TEST_F(ProcessTest, ClosedPipe) {
    const Outcome outcome =
        shell("{ sleep 0.3; \"$S\" emit --list; echo $? >status; } | true; sleep 1");
    EXPECT_EQ(read("status"), "1\n");
    EXPECT_EQ(outcome.err, "spmvgen: cannot write to standard output: Broken pipe\n");
}

TEST_F(ProcessTest, FullDiskOnStandardOutput) {
    const Outcome outcome = shell("\"$S\" emit --list >/dev/full");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err, "spmvgen: cannot write to standard output: No space left on device\n");
}

TEST_F(ProcessTest, NoStandardOutput) {
    const Outcome outcome = shell("\"$S\" emit --list >&-");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err, "spmvgen: cannot write to standard output: Bad file descriptor\n");
}

TEST_F(ProcessTest, WorksInAnyLocale) {
    const Outcome plain = shell("LC_ALL=C \"$S\" analyze A.mtx --json");
    EXPECT_EQ(shell("LC_ALL=de_DE.UTF-8 \"$S\" analyze A.mtx --json").out, plain.out);
}

}  // namespace
}  // namespace spmvgen::cli
