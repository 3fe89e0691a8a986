#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "cli_fixture.hpp"

namespace spmvgen::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* few = " --kernel csr_rows --value f64 --index i32/i32 --arch x86-64-v2";

class PackTest : public CliTest {
  protected:
    static void build(const std::string& path, const std::string& more = few) {
        const Outcome outcome = run_line("pack build -o " + path + more);
        ASSERT_EQ(outcome.status, 0) << outcome.err;
    }
    static void flip(const std::string& path, std::size_t from_end) {
        std::string bytes = read(path);
        bytes[bytes.size() - from_end] ^= 1;
        write(path, bytes);
    }
};

TEST_F(PackTest, BuildTellsWhatItMade) {
    const auto json = json_of(std::string("pack build --json -o A.spmvset --jobs 2") + few);
    EXPECT_EQ(json["manifest"], "kernels");
    EXPECT_EQ(json["jobs"], 2);
    const auto& set = json["sets"][0];
    EXPECT_EQ(set["target"], "x86-64-v2");
    EXPECT_EQ(set["kernels"], 6);
    EXPECT_EQ(set["bytes"], std::filesystem::file_size("A.spmvset"));
    EXPECT_GT(set["source_bytes"], 0);
    EXPECT_EQ(set["refused"].size(), 0u);
    const Outcome outcome = run_line(std::string("pack build --no-sources -o B.spmvset") + few);
    EXPECT_THAT(outcome.out, AllOf(StartsWith("B.spmvset: 6 kernels for x86-64-v2, "),
                                   HasSubstr(" a kernel: "), HasSubstr("source 0 bytes")));
    EXPECT_THAT(outcome.err, HasSubstr("x86-64-v2: 6 of 6\n"));
    EXPECT_LT(read("B.spmvset").size(), read("A.spmvset").size());
}

TEST_F(PackTest, TheBytesDoNotDependOnTheJobs) {
    const std::string what =
        " --kernel csr_vector,csr_balanced --value f32,c64 --index i32/i64 --arch x86-64-v3";
    build("one.spmvset", what + " --jobs 1");
    build("four.spmvset", what + " --jobs 4");
    EXPECT_EQ(json_of("pack list one.spmvset --json")["sets"][0]["kernels"], 24);
    EXPECT_TRUE(read("one.spmvset") == read("four.spmvset"));
}

TEST_F(PackTest, GpuKernelsToo) {
    write("m.json", R"({"manifest": 1, "name": "m", "sections": [
        {"choose": "kernels", "kernels": ["csr_classical"], "values": ["f64"],
         "indices": ["i32/i32"], "alpha": ["one"], "beta": ["zero", "general"]}]})");
    for (const char* jobs : {"1", "3"})
        build("gpu" + std::string(jobs),
              " --manifest m.json --arch gfx906,gfx1030:wave=64,sm_80 "
              "--jobs " +
                  std::string(jobs));
    for (const char* name : {"gfx906", "gfx1030_wave-64", "sm_80"}) {
        const std::string file = std::string(name) + ".spmvset";
        EXPECT_TRUE(read("gpu1/" + file) == read("gpu3/" + file)) << name;
        const auto set = json_of("pack list --json gpu1/" + file)["sets"][0];
        EXPECT_EQ(set["kernels"], 2) << name;
        EXPECT_EQ(set["name"], "m");
        EXPECT_EQ(set["usable"], true);
    }
    EXPECT_EQ(run_line("pack verify gpu1/gfx906.spmvset gpu1/sm_80.spmvset").status, 0);
}

TEST_F(PackTest, KernelsOfASetRunWithoutACompiler) {
    std::filesystem::create_directory("sets");
    build("sets/A.spmvset", few);
    const std::string line =
        "run A.mtx --kernel csr_rows --arch x86-64-v2 --check --time 0 --json --cache load "
        "--strict";
    Outcome outcome = run_line(line);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.err, HasSubstr("it is not in the cache, and cache mode load"));
    EXPECT_EQ(json_of(line + " --kernel-sets sets --alpha 2 --beta 3")["origin"], "set");
    EXPECT_THAT(run_line("run A.mtx --kernel csr_vector --arch x86-64-v2 --time 0 --cache load "
                         "--strict --kernel-sets sets")
                    .err,
                HasSubstr("nor in the kernel set that was searched"));
}

TEST_F(PackTest, DoctorShowsSets) {
    build("A.spmvset");
    write("B.spmvset", "nonsense");
    setenv("SPMVGEN_KERNEL_SETS", "A.spmvset:B.spmvset", 1);
    const auto json = json_of("doctor --json");
    const std::string text = run_line("doctor").out;
    unsetenv("SPMVGEN_KERNEL_SETS");
    EXPECT_EQ(json["kernel_sets"][0]["kernels"], 6);
    EXPECT_EQ(json["kernel_sets"][1]["problem"], "8 bytes are too few for a kernel set");
    EXPECT_THAT(text, HasSubstr("kernel set     A.spmvset: 6 kernels for x86-64-v2\n"));
    EXPECT_THAT(text, HasSubstr("missing: kernel set B.spmvset is not used: 8 bytes"));
}

TEST_F(PackTest, ListShowsKernels) {
    build("A.spmvset");
    const Outcome outcome = run_line("pack list A.spmvset");
    EXPECT_THAT(outcome.out,
                HasSubstr("  csr_rows_f64_i32_o32_ax_b1_k1@x86-64-v2  shared_object\n"));
    EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 7);
    const auto entry = json_of("pack list A.spmvset --json")["sets"][0]["entries"][0];
    EXPECT_EQ(entry["problem"], "");
    EXPECT_EQ(entry["digest"].get<std::string>().size(), 64u);
    EXPECT_THAT(run_line("pack list none.spmvset").err,
                "spmvgen: none.spmvset: No such file or directory\n");
}

TEST_F(PackTest, VerifyFindsDamage) {
    build("A.spmvset");
    build("B.spmvset");
    flip("B.spmvset", 40);
    Outcome outcome = run_line("pack verify A.spmvset B.spmvset");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.out, AllOf(StartsWith("A.spmvset: sound\nB.spmvset: damaged\n  entry 5 ("),
                                   HasSubstr("its checksum does not match")));
    EXPECT_EQ(outcome.err,
              "spmvgen: 1 kernel set of 2 is damaged: make it anew with spmvgen pack build\n");
    write("B.spmvset", "x");
    outcome = run_line("pack verify --json B.spmvset");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.out, HasSubstr("1 bytes are too few for a kernel set"));
}

TEST_F(PackTest, MergeKeepsEveryKernel) {
    build("A.spmvset");
    build("B.spmvset", " --kernel csr_rows --value f32,f64 --index i32/i32 --arch x86-64-v2");
    build("C.spmvset", " --kernel csr_rows --value f64 --index i32/i32 --arch x86-64-v3");
    ASSERT_EQ(run_line("pack merge A.spmvset B.spmvset C.spmvset -o D.spmvset").status, 0);
    const auto set = json_of("pack list --json D.spmvset")["sets"][0];
    EXPECT_EQ(set["kernels"], 18);
    EXPECT_EQ(set["targets"], (std::vector<std::string>{"x86-64-v2", "x86-64-v3"}));
    EXPECT_EQ(run_line("pack verify D.spmvset").status, 0);
    ASSERT_EQ(run_line("pack merge A.spmvset A.spmvset -o E.spmvset").status, 0);
    EXPECT_TRUE(read("E.spmvset") == read("A.spmvset"));

    // Without sources the same keys have other bytes.
    build("small.spmvset", std::string(few) + " --no-sources");
    const Outcome outcome = run_line("pack merge A.spmvset small.spmvset -o F.spmvset");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.err, HasSubstr("is in another set with other bytes: choose with --prefer"));
    ASSERT_EQ(run_line("pack merge A.spmvset small.spmvset --prefer last -o F.spmvset").status, 0);
    EXPECT_TRUE(read("F.spmvset") == read("small.spmvset"));
    ASSERT_EQ(run_line("pack merge A.spmvset small.spmvset --prefer first -o F.spmvset").status, 0);
    EXPECT_TRUE(read("F.spmvset") == read("A.spmvset"));
    flip("A.spmvset", 40);
    EXPECT_EQ(run_line("pack merge A.spmvset C.spmvset -o G.spmvset").status, 1);
    EXPECT_FALSE(std::filesystem::exists("G.spmvset"));
}

TEST_F(PackTest, OptionsNarrowAManifest) {
    const auto kernels = [](const std::string& options) {
        const Outcome outcome = run_line("pack build --arch sm_90 --list" + options);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return std::ranges::count(outcome.out, '\n');
    };
    const auto all = kernels("");
    EXPECT_GT(all, 5000);
    EXPECT_LT(kernels(" --value f32,f64"), all);
    EXPECT_GT(kernels(" --value f64 --index i32/i32"), 100);
    EXPECT_EQ(kernels(" --manifest common --value f64") + kernels(" --manifest common --value f32"),
              kernels(" --manifest common"));
    const auto f64_of_common = static_cast<double>(kernels(" --manifest common --value f64"));
    EXPECT_NEAR(f64_of_common / static_cast<double>(kernels(" --manifest common")), 0.5, 0.05);
}

TEST_F(PackTest, RefusedKernelsAreToldAndFailOnlyWhenStrict) {
    write("m.json", R"({"manifest": 1, "name": "m", "sections": [
        {"choose": "kernels", "kernels": ["csr_rows"], "values": ["f64"],
         "epilogues": ["", "value > 0 ? value : 0 +"],
         "indices": ["i32/i32"], "alpha": ["one"], "beta": ["zero"]},
        {"choose": "rules", "formats": ["csr-k"], "values": ["f64"]}]})");
    Outcome outcome = run_line("pack build --manifest m.json --arch x86-64-v2 -o A.spmvset");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("spmvgen: refused: the rules for format csr-k"));
    EXPECT_THAT(outcome.out, HasSubstr("A.spmvset: 1 kernel for"));
    EXPECT_THAT(outcome.out, HasSubstr(" refused\n"));
    std::filesystem::remove("A.spmvset");
    outcome = run_line("pack build --manifest m.json --arch x86-64-v2 -o A.spmvset --strict");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.err, HasSubstr("refused: the file was not written"));
    EXPECT_FALSE(std::filesystem::exists("A.spmvset"));
}

TEST_F(PackTest, WrongOptionsAreSaid) {
    const std::pair<const char*, const char*> lines[] = {
        {"--arch x86-64-v3 --manifest none.json",
         "--manifest: there is no file 'none.json', and the embedded manifests are default, "
         "common, batches"},
        {"--arch x86-64-v3 --kernel none", "--kernel: unknown kernel 'none'"},
        {"--arch x86-64-v3,x86-64-v3", "--arch: x86-64-v3 is named twice"},
        {"--arch x86-64-v3 --as ptx", "--as: there is no ptx of x86-64-v3"},
        {"--arch x86-64-v3 --index i32", "--index: 'i32' is no pair"},
        {"--arch x86-64-v3 --value f99", "--value: unknown value type 'f99'"},
        {"--arch x86-64-v3 --compiler gcc", "--compiler: unknown compiler 'gcc'"},
        {"--arch x86-64-v3 --kernel csr_rows --manifest default",
         "--kernel: stands in the place of --manifest; drop one of them"},
        {"--arch x86-64-v3 --list --json", "--json: --list makes nothing; drop it"},
        {"--arch x86-64-v3 --list -o A.spmvset", "--output: --list makes nothing; drop it"},
        {"--arch x86-64-v3 --list --strict", "--strict: --list makes nothing; drop it"}};
    for (auto& [line, message] : lines) {
        const Outcome outcome = run_line("pack build " + std::string(line));
        EXPECT_EQ(outcome.status, 2) << line;
        EXPECT_THAT(outcome.err, HasSubstr(message));
    }
    EXPECT_THAT(run_line("pack build --kernel csr_rows --arch sm_90").err,
                HasSubstr("manifest kernels has nothing for sm_90"));
    EXPECT_EQ(run_line("pack build --arch x86-64-v3 -o none/A.spmvset").err,
              "spmvgen: none/A.spmvset: cannot write: No such file or directory\n");
    EXPECT_EQ(run_line("pack merge A.mtx -o B.spmvset --prefer both").status, 2);
}

TEST_F(PackTest, WrongFilesAreSaid) {
    std::filesystem::create_symlink("loop", "loop");
    EXPECT_EQ(run_line("pack build --arch x86-64-v3 --manifest loop").err,
              "spmvgen: loop: cannot be read: Too many levels of symbolic links\n");
    EXPECT_EQ(run_line("pack build --arch x86-64-v3 --manifest .").err,
              "spmvgen: .: cannot be read: it is a directory\n");
    EXPECT_EQ(run_line("pack build --arch x86-64-v3,sm_90 -o A.mtx").err,
              "spmvgen: A.mtx: cannot make it: Not a directory\n");
}

/// Whether a process catches SIGINT.
bool catches_interrupts(pid_t process) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("SigCgt:"))
            return (std::stoull(line.substr(8), nullptr, 16) >> (SIGINT - 1) & 1) != 0;
    return false;
}

TEST_F(PackTest, InterruptedItLeavesNothingBehind) {
    const pid_t child = fork();
    if (child == 0) {
        std::freopen("log", "w", stderr);
        execl(SPMVGEN_PROGRAM, SPMVGEN_PROGRAM, "pack", "build", "--arch", "x86-64-v2", "-o",
              "A.spmvset", nullptr);
        _exit(127);
    }
    for (int i = 0; i < 600 && !catches_interrupts(child); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ASSERT_TRUE(catches_interrupts(child));
    kill(child, SIGINT);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 1);
    EXPECT_THAT(read("log"), HasSubstr("A.spmvset: interrupted: the file was not written"));
    for (auto& name : files()) EXPECT_EQ(name.find("spmvset"), name.npos) << name;
}

}  // namespace
}  // namespace spmvgen::cli
