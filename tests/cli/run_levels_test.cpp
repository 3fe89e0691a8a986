// spmvgen run --level and --expect.
#include "cli_fixture.hpp"

namespace spmvgen::cli {
namespace {

class RunLevelsTest : public CliTest {};

TEST_F(RunLevelsTest, MeasureTellsWhatItTimed) {
    const auto json = json_of(
        "run gallery:random:rows=400,cols=400 --format csr --level measure --budget 150ms --check "
        "--time 0 --json");
    EXPECT_TRUE(json["check"]["passed"]);
    const auto& measured = json["measured"];
    ASSERT_GE(measured.size(), 1u);
    EXPECT_LE(json["measured_us"].get<double>(), measured[0]["us"].get<double>());
    EXPECT_GT(json["measured_us"].get<double>(), 0);
    EXPECT_GT(json["measure_ms"].get<double>(), 0);
    EXPECT_NE(json["reason"].get<std::string>().find("measured "), std::string::npos);
    const Outcome sheet =
        run_line("run A.mtx --kernel csr_rows --level measure --budget 0.05s --time 0");
    EXPECT_NE(sheet.out.find("\nmeasured "), std::string::npos) << sheet.out;
    EXPECT_NE(sheet.out.find(" csr_rows_f64_i32_o32_a1_b0_k1\n"), std::string::npos);
}

TEST_F(RunLevelsTest, ForOneExpectedApplyPlainCsrServes) {
    const auto json = json_of("run A.mtx --expect 1 --check --time 0 --json");
    EXPECT_EQ(json["kernel"], "generic_csr");
    EXPECT_EQ(json["origin"], "generic");
    EXPECT_EQ(json["warning"], "");
    EXPECT_TRUE(json["check"]["passed"]);
}

TEST_F(RunLevelsTest, MeasureRunsOnTheSimtExecutor) {
    const auto json = json_of(
        "run A.mtx --device simt:sm_90 --format csr --level measure --budget 100 --check --time 0 "
        "--json");
    EXPECT_TRUE(json["check"]["passed"]);
    EXPECT_GE(json["measured"].size(), 1u);
    EXPECT_NE(json["reason"].get<std::string>().find("say nothing about a GPU"), std::string::npos);
}

}  // namespace
}  // namespace spmvgen::cli
