#include <sys/stat.h>

#include <cmath>
#include <fstream>

#include "bench_scripts_fixture.hpp"

namespace spmvgen::cli {
namespace {

/// A stand-in for bench_choice_quality, "program", in whose records kernel a is the better one of
/// small matrices, b of large ones; hand-written rules take a always.
void write_choice_quality(const std::string& path) {
    json records = json::array(), rated = json::array();
    for (int i = 0; i < 32; ++i) {
        const bool small = i % 2 == 0;
        const double a = small ? 10 : 30, b = small ? 20 : 10;
        json record{{"matrix", "m" + std::to_string(i)},
                    {"group", "class" + std::to_string(i / 8)},
                    {"value", "f64"},
                    {"threads", 0},
                    {"nnz", 1000 + i},
                    {"features", {{"nnz", small ? 100 + i : 5000 + i}}},
                    {"base", {{"a", json::object()}, {"b", json::object()}}},
                    {"best", {{"us", 10}, {"kernel", small ? "a" : "b"}}},
                    {"timed", {{"a", json::object(), a}, {"b", json::object(), b}}},
                    {"choices", {{"hand-written", {{"ratio", a / 10}}}}}};
        records.push_back(record);
        record["choices"]["rule"] = {{"ratio", 1.0}, {"reason", "why"}};
        rated.push_back(record);
    }
    const json head{{"device", "D"}, {"generator", "ab"}, {"choosing_us", 2}, {"disturbed", 0}};
    const auto file = [&](const json& of) {
        json whole = head;
        whole["records"] = of;
        return whole.dump();
    };
    const auto write = [](const std::string& name, const std::string& text) {
        std::ofstream(name) << text;
    };
    write("training.json", file(records));
    write("quality.json", file(rated));
    write(path, "#!/bin/sh\nfrom='" + std::filesystem::current_path().string() +
                    "'/quality.json\nwhile [ \"$1\" != --json ]; do\n"
                    "  [ \"$1\" = --for-training ] && from=${from%quality.json}training.json\n"
                    "  shift\ndone\ncp \"$from\" \"$2\"\n");
    ASSERT_EQ(chmod(path.c_str(), 0755), 0);
}

TEST_F(BenchScriptsTest, TrainsATree) {
    write_choice_quality("program");
    expect_parts(
        script("train --program ./program -o rule.json --text tree.txt --left-out out.json R.json"),
        {"nnz < ", "\n    auto ", "\n    b   (0 % above the best in the mean of 16 matrices"});
    const json rule = json::parse(read("rule.json"));
    EXPECT_EQ(rule["command"], "spmvbench train R.json");
    EXPECT_EQ(rule["tree"]["feature"], "nnz");
    EXPECT_GT(rule["tree"]["below"], 130);
    EXPECT_LE(rule["tree"]["below"], 5001);
    EXPECT_EQ(rule["quality"]["leave_one_class_out"]["geometric_mean"], 1.0);
    script("train --program ./none R.json", 1);
    expect_parts(read("err"), {"spmvbench train: ./none: ", "build it, or name it with --program"});
    if (!find_python("matplotlib")) GTEST_SKIP() << "needs python3-matplotlib";
    script("profile -o P.svg --title Title --value f64 out.json");
    const std::string plot = read("P.svg");
    expect_parts(plot, {"<svg ", ">Title<", ">rule (left out)<", ">mean 1.000, worst 1.00<"});
    script("profile -o Q.svg --title Title --value f64 out.json");
    EXPECT_EQ(read("Q.svg"), plot);
    script("profile -o Q.svg --value f32 out.json", 1);
    EXPECT_EQ(read("err"), "spmvbench profile: there are no such records\n");
}

// Of `spmvgen bench`: the fastest way of a library is one line beside the levels.
TEST_F(BenchScriptsTest, DrawsLevelsBesideALibrary) {
    if (!find_python("matplotlib")) GTEST_SKIP() << "needs python3-matplotlib";
    std::string text;
    const auto add = [&](const char* name, const char* library, double us) {
        text += json{{"matrix", "m"}, {"nnz", 9},           {"value", "f64"},
                     {"case", name},  {"library", library}, {"graph", {{"us", us}}}}
                    .dump() +
                "\n";
    };
    add("auto", "spmvgen", 3);
    add("auto/measure", "spmvgen", 2);
    add("csr_rows", "spmvgen", 1);
    add("cusparse 12.6.3/csr_alg1", "cusparse", 9);
    add("cusparse 12.9.4/csr_alg1", "cusparse", 4);
    write("bench.jsonl", text);
    script("profile --clock graph --to 3 --xlabel label -o P.svg bench.jsonl");
    expect_parts(read("P.svg"), {">rule<", ">mean 1.500, worst 1.50<", ">cusparse<",
                                 ">mean 2.000, worst 2.00<", ">label<"});
    script("profile -o P.svg bench.jsonl", 1);
    EXPECT_EQ(read("err"), "spmvbench profile: there are no such records\n");
}

TEST_F(BenchScriptsTest, RetrainsAllDevicesOfTheRecords) {
    if (!find_python("matplotlib")) GTEST_SKIP() << "needs python3-matplotlib";
    for (const char* folder :
         {"root/tuning_db", "root/docs", "root/bench/results", "build/bin", "bin"})
        std::filesystem::create_directories(folder);
    write_choice_quality("build/bin/bench_choice_quality");
    write("root/tuning_db/records-x86-64-v4.json.gz", "{}");
    write("bin/cmake",
          "#!/bin/sh\necho \"$@\" >> '" + std::filesystem::current_path().string() + "'/built\n");
    ASSERT_EQ(chmod("bin/cmake", 0755), 0);
    const std::string path = std::getenv("PATH");
    setenv("PATH", (std::filesystem::current_path().string() + "/bin:" + path).c_str(), 1);
    script("retrain build --root root");
    setenv("PATH", path.c_str(), 1);
    const std::string page = read("root/docs/tuning-results.md");
    expect_parts(page,
                 {"# How good the tuner's choices are\n\nMade by `python3 bench/spmvbench retrain`",
                  "## CPU (x86-64-v4)\n", "32 matrices in f64; records of ",
                  "![Performance profile, CPU (x86-64-v4), f64](tuning-x86-64-v4-f64.svg)",
                  "| hand-written rules alone | 32 | 0 | **1.732** | 3.00 (m1 f64) |",
                  "| **rule** (learned, then hand-written) | 32 | 0 | **1.000** |",
                  "| **all** | 32 | 1.732 | 3.00 | 1.000 | 1.00 | 1.000 | 1.00 |",
                  "| m1 | class0 | f64 | 1,001 | 10.0 | `b` | 1.00 | 1.00 | why |"});
    EXPECT_EQ(page.find("NVIDIA"), std::string::npos);
    expect_parts(read("root/tuning_db/rule-x86-64-v4.json"), {R"("feature": "nnz")"});
    expect_parts(read("root/docs/tuning-x86-64-v4-f64.svg"), {"CPU (x86-64-v4), f64"});
    expect_parts(read("root/bench/results/choice-quality-x86-64-v4.json"), {"\"rule\""});
    // Before the training, and with the new rules embedded.
    const std::string build = "--target bench_choice_quality\n", built = read("built");
    EXPECT_NE(built.find(build), built.rfind(build)) << built;
}

// Times that are exactly what a model says: its coefficients are found again.
TEST_F(BenchScriptsTest, FitsAModel) {
    script("fit-model none.jsonl", 1);
    if (!find_python("numpy, scipy.optimize")) GTEST_SKIP() << "needs python3-numpy, python3-scipy";
    std::string text = R"({"costs": ["apply", "launches", "stream", "near", "far"]})"
                       "\n";
    std::uint32_t random = 1;
    const auto next = [&random](double most) {
        random = random * 1664525 + 1013904223;
        return most * (1 + random % 1000) / 1000;
    };
    for (int i = 0; i < 120; ++i) {
        const double stream = next(200), near = next(100), far = next(100);
        const double us = 3 + std::pow(std::pow(0.5 * stream, 1.5) + std::pow(2 * near, 1.5) +
                                           std::pow(0.8 * far, 1.5),
                                       1 / 1.5);
        text += json{{"matrix", "m" + std::to_string(i)},
                     {"group", "c" + std::to_string(i % 4)},
                     {"value", "f64"},
                     {"device", "D"},
                     {"arch", "sm_90"},
                     {"threads", 0},
                     {"kernel", "k"},
                     {"name", "k_f64"},
                     {"params", json::object()},
                     {"us", us},
                     {"costs", {1, 0, stream, near, far}}}
                    .dump() +
                "\n";
    }
    write("costs.jsonl", text);
    expect_parts(script("fit-model costs.jsonl --date 2026-01-02 -o model.json"),
                 {"left out, one of 4 classes at a time: time of the choice over the best: 1.000",
                  "  k: 120 samples, error 0.0"});
    const json model = json::parse(read("model.json"));
    EXPECT_EQ(model["kind"], "kernel-model");
    EXPECT_EQ(
        model["method"].get<std::string>().find(
            "spmvbench fit-model: 120 times of 120 problems in 4 classes; the choice takes 1.000 "),
        0u);
    const json& found = model["kernels"][0]["coefficients"];
    EXPECT_NEAR(found["apply"], 3, 0.03);
    EXPECT_NEAR(found["stream"], 0.5, 0.005);
    EXPECT_NEAR(found["near"], 2, 0.02);
    EXPECT_NEAR(found["far"], 0.8, 0.008);
    EXPECT_FALSE(found.contains("launches"));
}

/// Times of two kernels on 120 matrices of 12 families, by known constants; the rules' is the slow
/// one.
std::string some_work() {
    std::string text = json{{"scheme", "gpu-costs"},
                            {"serial", 2},
                            {"costs", {"launches", "depth", "stream", "near"}},
                            {"parameters", {"block"}}}
                           .dump() +
                       "\n";
    std::uint32_t random = 1;
    const auto next = [&random](double most) {
        random = random * 1664525 + 1013904223;
        return most * (1 + random % 1000) / 1000;
    };
    for (int i = 0; i < 120; ++i)
        for (const bool slow : {false, true}) {
            const double stream = next(100) + 5, near = slow ? 400 + next(100) : next(50) + 5;
            const double us = 1 + 0.5 * stream + 2 * near;
            text += json{{"matrix", "m" + std::to_string(i)},
                         {"family", "c" + std::to_string(i % 12)},
                         {"kernel", slow ? "tiles" : "strips"},
                         {"name", slow ? "tiles_f64_block128" : "strips_f64_block128"},
                         {"us", us},
                         {"is_rule", slow},
                         {"in_grid", true},
                         {"costs", {0, 0, stream, near}}}
                        .dump() +
                    "\n";
        }
    return text;
}

// The same of the constants of the choice on GPUs, with a choice of the rules that is wrong.
TEST_F(BenchScriptsTest, FitsConstantsOfGpus) {
    script("fit-costs none.jsonl", 1);
    if (!find_python("numpy, scipy.optimize")) GTEST_SKIP() << "needs python3-numpy, python3-scipy";
    write("work.jsonl", some_work());
    expect_parts(script("fit-costs --plain work.jsonl -o constants.json"),
                 {"left out, margins", ": 1.000 in the geometric mean, 1.00 at the 95 % quantile"});
    const json constants = json::parse(read("constants.json"));
    EXPECT_EQ(constants["kind"], "gpu-costs");
    EXPECT_NEAR(constants["exponent"], 1, 0.1);
    EXPECT_EQ(constants["kernels"].size(), 11u);
    EXPECT_LT(constants["kernels"]["strips"]["error"], 0.1);
    EXPECT_FALSE(constants["kernels"]["strips"].contains("trees"));
}

TEST_F(BenchScriptsTest, FitsConstantsOfCpus) {
    if (!find_python("numpy, scipy.optimize")) GTEST_SKIP() << "needs python3-numpy, python3-scipy";
    std::string text = json{{"scheme", "cpu-costs"},
                            {"serial", 2},
                            {"costs", {"team", "joins", "stream", "near"}},
                            {"parameters", {"lanes"}}}
                           .dump() +
                       "\n";
    for (int i = 1; i <= 120; ++i)
        for (const bool slow : {false, true})
            text += json{{"matrix", "m" + std::to_string(i / 2)},
                         {"threads", 1 + i % 2},
                         {"family", "c" + std::to_string(i % 12)},
                         {"kernel", slow ? "csr_rows" : "sell"},
                         {"name", slow ? "csr_rows_f64" : "sell_f64_lanes8"},
                         {"us", (slow ? 3.0 : 2.0) * i},
                         {"is_rule", slow},
                         {"in_grid", true},
                         {"costs", {0, 0, 1.0 * i, slow ? 2.0 * i : 0.5 * i}}}
                        .dump() +
                    "\n";
    write("work.jsonl", text);
    expect_parts(script("fit-costs --plain work.jsonl -o constants.json"),
                 {"left out, margins", ": 1.000 in the geometric mean", ", 120 matrices"});
    const json constants = json::parse(read("constants.json"));
    EXPECT_EQ(constants["kind"], "cpu-costs");
    EXPECT_EQ(constants["kernels"].size(), 9u);
    EXPECT_EQ(constants["kernels"]["sell"]["start_us"], 0) << "a team's start is among the costs";
    write("both.jsonl", text + some_work());
    script("fit-costs both.jsonl", 1);
}

TEST_F(BenchScriptsTest, FitsTreesOfGpus) {
    if (!find_python("scipy.optimize, sklearn.ensemble")) GTEST_SKIP() << "needs python3-sklearn";
    write("work.jsonl", some_work());
    script("fit-costs work.jsonl -o trees.json");
    EXPECT_EQ(json::parse(read("trees.json"))["kernels"]["strips"]["trees"].size(), 21u);
}

}  // namespace
}  // namespace spmvgen::cli
