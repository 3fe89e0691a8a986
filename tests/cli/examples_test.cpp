#include <algorithm>

#include "../tuner/record_samples.hpp"
#include "cli_fixture.hpp"
#include "tuner/records/record_json.hpp"

namespace spmvgen::cli {
namespace {

/// The lines "  spmvgen …" of a help text, without what explains them.
std::vector<std::string> examples_in(const std::string& help) {
    std::vector<std::string> lines;
    std::istringstream text(help);
    for (std::string line; std::getline(text, line);)
        if (line.starts_with("  spmvgen ")) {
            const std::string command = line.substr(10);
            lines.push_back(command.substr(0, command.find("  ")));
        }
    return lines;
}

class Examples : public CliTest, public testing::WithParamInterface<std::string> {};

/// Measure for seconds: the long tests run them as shown; TuneTest and TuneDense run the same with
/// fewer sizes.
bool is_long(const std::string& line) {
    return line.starts_with("tune --calibrate") || line.starts_with("tune --dense-profile");
}

// What help shows must work as shown. Timing is left out where the example does not ask for it.
TEST_P(Examples, OfHelpWork) {
    ASSERT_EQ(run_line("convert A.mtx B.csr").status, 0);
    std::filesystem::create_directory("matrices");
    std::filesystem::copy("A.mtx", "matrices/A.mtx");
    if (GetParam().starts_with("pack ")) {
        const Outcome made = run_line(
            "pack build --kernel csr_rows --value f64 --index i32/i32 --arch x86-64-v3 -o "
            "A.spmvset");
        ASSERT_EQ(made.status, 0) << made.err;
    }
    if (GetParam().starts_with("tune ")) {
        write("a.json", to_json(std::vector{sample_record()}));
        write("b.json", to_json(std::vector{gpu_record()}));
        ASSERT_EQ(run_line("tune import a.json").status, 0);
    }
    if (GetParam() == "report") {
        const std::string bench = "bench A.mtx --kernels auto --against none --budget 1ms ";
        ASSERT_EQ(run_line(bench + "--json R.jsonl").status, 0);
        ASSERT_EQ(run_line(bench + "--json S.jsonl").status, 0);
    }
    const auto examples = examples_in(run_line(GetParam() + " --help").out);
    EXPECT_GE(examples.size(), 2u);
    for (std::string line : examples) {
        if (is_long(line) && std::getenv("SPMVGEN_EVERY_EXAMPLE") == nullptr) continue;
        if (line.starts_with("run") && line.find("--time") == std::string::npos)
            line += " --time 0";
        const Outcome outcome = run_line(line);
        EXPECT_EQ(outcome.status, 0) << line << "\n" << outcome.err;
    }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
    std::string name = info.param.empty() ? "overview" : info.param;
    std::ranges::replace(name, ' ', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Verbs, Examples,
                         testing::Values("", "emit", "analyze", "run", "tune", "tune list",
                                         "tune export", "tune import", "tune merge", "convert",
                                         "cache", "cache info", "cache list", "cache verify",
                                         "cache prune", "cache clear", "cache warm", "gallery",
                                         "gallery list", "gallery make", "gallery random",
                                         "gallery lp", "doctor", "pack", "pack build", "pack list",
                                         "pack verify", "pack merge", "bench", "report"),
                         test_name);

}  // namespace
}  // namespace spmvgen::cli
