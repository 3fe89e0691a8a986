#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

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

/// Starts a conversion that takes long, into the folder "to", and sends it a signal once its
/// temporary file is there. Returns the signal that ended it, or 0.
int interrupted_conversion(int signal) {
    const pid_t child = fork();
    if (child == 0) {
        std::signal(signal, SIG_DFL);  // whatever runs the tests ignores
        execl(SPMVGEN_PROGRAM, SPMVGEN_PROGRAM, "convert", "gallery:stencil5:nx=2500,ny=2500",
              "to/B.mtx", nullptr);
        _exit(127);
    }
    int status = 0;
    while (std::filesystem::is_empty("to") && waitpid(child, &status, WNOHANG) == 0) usleep(1000);
    kill(child, signal);
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

// A shell makes 130 and 143 of these.
TEST_F(ProcessTest, SignalsRemoveTheTemporaryFile) {
    std::filesystem::create_directory("to");
    for (const int signal : {SIGINT, SIGTERM}) {
        EXPECT_EQ(interrupted_conversion(signal), signal);
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

TEST_F(ProcessTest, TellsOfNoMoreThreadsThanOpenMpGives) {
    for (const std::string threads : {"", "--threads 4", "--all-threads"}) {
        const Outcome outcome =
            shell("OMP_THREAD_LIMIT=1 \"$S\" run gallery:stencil5:nx=99 --time 0 --check --json " +
                  threads);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(nlohmann::json::parse(outcome.out)["threads"], 1) << threads;
    }
}

TEST_F(ProcessTest, SaysThatCostsWhichCannotBeReadAreLeftOut) {
    const std::string run = " \"$S\" run gallery:stencil5:nx=99 --time 0 --json";
    if (nlohmann::json::parse(shell(run).out)["predicted_us"] == 0)
        GTEST_SKIP() << "there is no profile of this CPU";
    std::filesystem::create_directory("db");
    write("db/cpu-costs.json", "{");
    EXPECT_NE(shell("SPMVGEN_TUNING_DB=db" + run)
                  .err.find("cpu-costs.json is left out: it is not JSON\n"),
              std::string::npos);
}

TEST_F(ProcessTest, WorksInAnyLocale) {
    const Outcome plain = shell("LC_ALL=C \"$S\" analyze A.mtx --json");
    EXPECT_EQ(shell("LC_ALL=de_DE.UTF-8 \"$S\" analyze A.mtx --json").out, plain.out);
}

}  // namespace
}  // namespace spmvgen::cli
