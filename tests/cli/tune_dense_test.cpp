#include "cli_fixture.hpp"
#include "registry.hpp"
#include "tuner/profiles/dense_profile.hpp"

namespace spmvgen::cli {
namespace {

class TuneDense : public CliTest {};

TEST_F(TuneDense, MakesAProfileThatRunsChooseBy) {
    const Outcome made = run_line(
        "tune --dense-profile --value f64 --entries 600 --columns 24 --rounds 1 --time 0.2 "
        "--threads 1 --note quick -o dense-here.json");
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_EQ(made.out, "");
    const DenseProfile profile = parse_dense_profile(read("dense-here.json"));
    EXPECT_EQ(profile.device, to_string(parse_target("native")));
    EXPECT_EQ(profile.threads, 1);
    EXPECT_EQ(profile.generator, generator_digest());
    EXPECT_EQ(profile.note, "quick");
    EXPECT_EQ(profile.command,
              "spmvgen tune --dense-profile --device host --threads 1 --value f64 --entries 600 "
              "--columns 24 --rounds 1 --time 0.2");
    ASSERT_EQ(profile.classes.size(), 1u);
    EXPECT_EQ(profile.classes[0].rows, 24);
    EXPECT_EQ(profile.classes[0].cols, 24);

    setenv("SPMVGEN_TUNING_DB", directory_.c_str(), 1);
    const auto json = json_of("run A.mtx --format bcsr --threads 1 --json --time 0 --check");
    unsetenv("SPMVGEN_TUNING_DB");
    EXPECT_NE(json.dump().find("GFLOP/s expected against"), std::string::npos) << json.dump();
    EXPECT_NE(json.dump().find("from dense-here.json"), std::string::npos) << json.dump();
}

TEST_F(TuneDense, SizesCanBeGivenToRunAndEmit) {
    const auto json = json_of(
        "run A.mtx --format bcsr --param block_rows=2 --param block_cols=3 --json --time 0 "
        "--check");
    EXPECT_NE(json.dump().find("bcsr_f64_i32_o32_a1_b0_k1_block_cols3_block_rows2"),
              std::string::npos);
    const Outcome emitted = run_line("emit --format bcsr --param block_rows=4 --arch sm_90");
    EXPECT_EQ(emitted.status, 0) << emitted.err;
    EXPECT_NE(emitted.out.find("block=128,block_cols=3,block_rows=4"), std::string::npos);
}

}  // namespace
}  // namespace spmvgen::cli
