#include <gmock/gmock.h>

#include <chrono>

#include "cli_fixture.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "tuner/records/signature_name.hpp"

namespace spmvgen::cli {
namespace {

using testing::HasSubstr;

/// Kernels of another machine are made without a handle, so that none is found in the memory of
/// this process.
class CacheVerbs : public CliTest {
  protected:
    const std::string kernel_ = "csr_rows_f64_i32_o32_a1_b0_k1@aarch64";
    std::string cache() const { return (directory_ / "cache").string(); }
    void warm() {
        write("kernels.txt", "# kernels\n\n" + kernel_ + "\n");
        auto json = json_of("cache warm --list kernels.txt --json");
        ASSERT_EQ(json["compiled"], 1) << json.dump();
    }
    static std::string path() {
        return json_of("cache list --json")["entries"].at(0)["path"].get<std::string>();
    }
    /// In a process of its own, which knows no kernel yet.
    static Outcome shell(const std::string& command) {
        setenv("S", SPMVGEN_PROGRAM, 1);
        Outcome outcome;
        const int status = std::system(("(" + command + ") >out 2>err").c_str());
        outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        outcome.out = read("out");
        outcome.err = read("err");
        return outcome;
    }
};

// With an epilogue α = 0 has kernels, too, and so has y = y.
TEST_F(CacheVerbs, WarmMakesAllModesOfAnEpilogue) {
    const std::string epilogue = " --epilogue 'value + row'";
    const Outcome warmed = shell("\"$S\" cache warm A.mtx --modes all --json" + epilogue);
    ASSERT_EQ(warmed.status, 0) << warmed.err;
    EXPECT_EQ(nlohmann::json::parse(warmed.out)["compiled"], 9);
    for (const char* scales : {"--alpha 0", "--alpha 0 --beta 2", "--alpha 2 --beta 1"})
        EXPECT_EQ(shell("\"$S\" run A.mtx --time 0 --cache load --strict " + std::string(scales) +
                        epilogue)
                      .status,
                  0)
            << scales;
}

TEST_F(CacheVerbs, WarmMakesWhatRunsThenLoad) {
    const Outcome warmed = shell("\"$S\" cache warm A.mtx --modes all --json");
    ASSERT_EQ(warmed.status, 0) << warmed.err;
    EXPECT_EQ(nlohmann::json::parse(warmed.out)["compiled"], 6);
    for (const char* scales : {"", "--alpha 2 --beta 3"}) {
        const Outcome outcome =
            shell("\"$S\" run A.mtx --time 0 --check --json --cache load --strict " +
                  std::string(scales));
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        auto json = nlohmann::json::parse(outcome.out);
        EXPECT_EQ(json["origin"], "cache");
        EXPECT_EQ(json["counters"]["compiles_started"], 0);
        EXPECT_EQ(json["counters"]["hits_store"], *scales ? 2 : 1);
        EXPECT_GT(json["counters"]["bytes_read"], 0);
    }
    EXPECT_EQ(nlohmann::json::parse(shell("\"$S\" cache warm A.mtx --json").out)["there"], 1);
}

// A disk that gets full keeps some; here a file stands in the place of the directory of one.
TEST_F(CacheVerbs, WarmThatCannotKeepOneOfItsKernelsFails) {
    ASSERT_EQ(shell("\"$S\" cache warm A.mtx --modes all").status, 0);
    const std::filesystem::path folder = std::filesystem::path(path()).parent_path();
    std::filesystem::remove_all("cache");
    std::filesystem::create_directory("cache");
    std::filesystem::permissions("cache", std::filesystem::perms{0700});
    write(folder.string(), "a file");
    const Outcome outcome = shell("\"$S\" cache warm A.mtx --modes all");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.err, HasSubstr(": kernels are not kept: "));
    EXPECT_THAT(outcome.err, HasSubstr("the kernels of 1 request could not all be made"));
    EXPECT_THAT(outcome.out,
                HasSubstr("A.mtx: failed: compiled, but not kept: the warning above says why\n"));
    EXPECT_FALSE(run_line("cache list --names").out.empty());
}

TEST_F(CacheVerbs, WarmForAnotherMachineFromNamesOrAMatrix) {
    warm();
    EXPECT_EQ(run_line("cache list --names").out, kernel_ + "\n");
    EXPECT_EQ(
        run_line("cache warm --list kernels.txt").out,
        kernel_ + ": 0 compiled, 1 there\n" + cache() + ": 0 kernels compiled, 1 there already\n");
    EXPECT_EQ(
        run_line("cache warm A.mtx --arch aarch64 --kernel csr_rows").out,
        kernel_ + ": 0 compiled, 1 there\n" + cache() + ": 0 kernels compiled, 1 there already\n");
}

TEST_F(CacheVerbs, WarmThatFailsSaysWhatAndGoesOn) {
    write("kernels.txt", kernel_ + "\n" + kernel_ + "\n");
    const Outcome outcome =
        shell("SPMVGEN_JIT=/nonesuch \"$S\" cache warm --list kernels.txt --json");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err, "spmvgen: the kernels of 2 requests could not all be made\n");
    auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["failed"], 2);
    EXPECT_THAT(json["requests"][0]["failure"].get<std::string>(),
                HasSubstr("cannot load the kernel compiler"));
}

TEST_F(CacheVerbs, WarmOfAListThatIsADirectory) {
    const Outcome outcome = run_line("cache warm --list .");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err, "spmvgen: .: cannot be read: it is a directory\n");
}

TEST_F(CacheVerbs, WarmIntoADirectoryThatCannotBeUsed) {
    write("cache", "a file");
    const Outcome outcome = run_line("cache warm A.mtx");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err, "spmvgen: " + cache() + " is not used: Not a directory\n");
}

TEST_F(CacheVerbs, VerifyTellsOfDamageAndRemovesItWhenAsked) {
    warm();
    EXPECT_EQ(run_line("cache verify").out, cache() + ": 1 entry read, 0 damaged, 0 removed\n");
    const Outcome mistyped = run_line("cache verify --cache-dir cahce");
    EXPECT_EQ(mistyped.status, 1);
    EXPECT_EQ(mistyped.out, "");
    EXPECT_EQ(mistyped.err,
              "spmvgen: cahce: there is no such directory: name the one that kernels are kept in "
              "(spmvgen cache info)\n");
    const std::string file = path(), sound = read(file);
    write(file, sound.substr(0, sound.size() - 1) + static_cast<char>(~sound.back()));
    const Outcome outcome = run_line("cache verify");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.out, "damaged: " + file + ": its checksum does not match\n" + cache() +
                               ": 1 entry read, 1 damaged, 0 removed\n");
    EXPECT_EQ(outcome.err,
              "spmvgen: 1 entry damaged: a look-up removes such an entry and makes the kernel "
              "again; spmvgen cache verify --remove does so now\n");
    auto json = json_of("cache verify --remove --json");
    EXPECT_EQ(json["removed"], 1);
    EXPECT_EQ(json["problems"][0]["state"], "removed");
    EXPECT_FALSE(std::filesystem::exists(file));
    EXPECT_EQ(run_line("cache verify").status, 0);
}

TEST_F(CacheVerbs, PruneByAgeAndBySize) {
    warm();
    const std::string file = path();
    auto json = json_of("cache prune --max-size 0 --json");
    EXPECT_EQ(json["removed"], 0);
    EXPECT_EQ(json["young"], 1) << "it was made just now";
    const auto age = std::chrono::hours(24 * 91);
    std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) - age);
    EXPECT_THAT(run_line("cache prune").out,
                testing::StartsWith(cache() + ": 0 entries removed, 0 bytes; 1 left, "));
    EXPECT_EQ(json_of("cache prune --max-age 92d --json")["removed"], 0);
    json = json_of("cache prune --max-age 90d --json");
    EXPECT_EQ(json["removed"], 1);
    EXPECT_EQ(json["left"], 0);
    EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(CacheVerbs, InfoTellsTheLimit) {
    EXPECT_EQ(json_of("cache info --json")["max_bytes"], 1'000'000'000);
    warm();
    EXPECT_THAT(run_line("cache info").out, HasSubstr(" of at most 1.00 GB\n"));
    setenv("SPMVGEN_CACHE_MAX_SIZE", "0", 1);
    EXPECT_EQ(json_of("cache info --json")["max_bytes"], 0);
    EXPECT_THAT(run_line("cache info").out, Not(HasSubstr("at most")));
    unsetenv("SPMVGEN_CACHE_MAX_SIZE");
}

TEST_F(CacheVerbs, ModeFromTheEnvironment) {
    EXPECT_EQ(shell("SPMVGEN_CACHE=load \"$S\" run A.mtx --time 0 --strict").status, 1);
    auto json =
        nlohmann::json::parse(shell("SPMVGEN_CACHE=off \"$S\" run A.mtx --time 0 --json").out);
    EXPECT_EQ(json["origin"], "generic");
    EXPECT_EQ(json["counters"]["fallbacks"], 0);
    const Outcome wins = shell("SPMVGEN_CACHE=off \"$S\" run A.mtx --time 0 --cache memory --json");
    EXPECT_EQ(nlohmann::json::parse(wins.out)["origin"], "compiled");
    EXPECT_FALSE(std::filesystem::exists("cache"));
    const Outcome wrong = shell("SPMVGEN_CACHE=maybe \"$S\" run A.mtx --time 0");
    EXPECT_EQ(wrong.status, 1);
    EXPECT_EQ(wrong.err,
              "spmvgen: SPMVGEN_CACHE=maybe: use one of on, memory, readonly, load, off\n");
}

TEST_F(CacheVerbs, LogCacheTellsTheCountersAtTheEnd) {
    const Outcome outcome =
        shell("SPMVGEN_LOG=quiet,cache SPMVGEN_CACHE=load \"$S\" run A.mtx --time 0");
    EXPECT_EQ(outcome.status, 0);
    const std::string text = outcome.err.substr(0, outcome.err.find("  time"));
    EXPECT_EQ(text,
              "spmvgen: kernels of this process\n"
              "  from memory      0\n"
              "  imported         0\n"
              "  cache directory  0\n"
              "  kernel sets      0\n"
              "  compiled         0 started, 0 failed\n"
              "  fallbacks        1\n");
}

TEST(SignatureName, IsReadBackForEveryKernel) {
    for (auto& entry : kernel_registry()) {
        Signature s;
        s.kernel = entry.id;
        s.value = ValueType::c32;
        s.index = IndexType::i64;
        s.offset = IndexType::i64;
        s.alpha = Scale::general;
        s.beta = Scale::one;
        if (!entry.batch && entry.id != "coo") s.num_rhs = 3;
        s.target = parse_target(entry.gpu ? "gfx90a:sramecc+:xnack-" : "x86-64-v3");
        const ValueType narrow = entry.refuses == nullptr ? ValueType::f32 : ValueType::f64;
        try {
            s = complete(s);
        } catch (const Error&) {
            s.num_rhs = 1;
            s.value = narrow;
            s = complete(s);
        }
        EXPECT_EQ(parse_signature(to_string(s)), s);
        if (entry.takes_forms) {
            Signature formed = s;
            formed.num_rhs = 4;
            formed.x_form = VectorForm::columns;
            EXPECT_EQ(parse_signature(to_string(complete(formed))), complete(formed));
            formed.y_form = VectorForm::rows;
            EXPECT_EQ(parse_signature(to_string(complete(formed))), complete(formed));
        }
        if (!entry.gpu) continue;
        s.value = narrow;
        s.storage = ValueType::bf16;
        EXPECT_EQ(parse_signature(to_string(s)), s);
    }
}

TEST(SignatureName, OtherTextIsRefused) {
    for (const std::string text :
         {"", "csr_rows", "@", "csr_rows_f64_i32_o32_a1_b0_k1", "csr_rows_f64_i32_o32_a1_b0_k1@vax",
          "csr_rows_f64_i32_o32_a1_b0_k1_colour3@aarch64", "csr_rows_f64_i32_o32_a2_b0_k1@aarch64",
          "csr_rows_f64_i32_o32_a1_b0_k01@aarch64", "csr_rows_f64_i32_o32_a1_b0_k65@aarch64",
          "csr_rows_f65_i32_o32_a1_b0_k1@aarch64", "csr_rows_f64_i32_o32_a1_b0_k1@aarch64 ",
          "csr_vector_f64_i32_o32_a1_b0_k1_lanes3_prefetch0_unroll1@aarch64",
          "ell_f32_i32_o32_a1_b0_k1_e0123456789abcdef@sm_90"})
        EXPECT_THROW(parse_signature(text), Error) << text;
}

}  // namespace
}  // namespace spmvgen::cli
