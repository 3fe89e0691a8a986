#include "bench_scripts_fixture.hpp"

namespace spmvgen::cli {
namespace {

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
    const std::string plot = read("P.svg");
    script("profile --clock graph --to 3 --xlabel label -o Q.svg bench.jsonl");
    EXPECT_EQ(read("Q.svg"), plot) << "the same input gives the same file";
    script("profile -o P.svg bench.jsonl", 1);
    EXPECT_EQ(read("err"), "spmvbench profile: there are no such records\n");
}

/// Times of two kernels on 120 matrices of 12 families, by known constants; the rules' is the slow
/// one.
std::string some_work() {
    std::string text = json{{"scheme", "gpu-costs"},
                            {"serial", 2},
                            {"costs", {"launches", "depth", "stream", "steps"}}}
                           .dump() +
                       "\n";
    std::uint32_t random = 1;
    const auto next = [&random](double most) {
        random = random * 1664525 + 1013904223;
        return most * (1 + random % 1000) / 1000;
    };
    for (int i = 0; i < 120; ++i)
        for (const bool slow : {false, true}) {
            const double stream = next(100) + 5, steps = slow ? 400 + next(100) : next(50) + 5;
            const double us = 1 + stream + 2 * steps;
            text += json{{"matrix", "m" + std::to_string(i)},
                         {"family", "c" + std::to_string(i % 12)},
                         {"kernel", slow ? "tiles" : "strips"},
                         {"name", slow ? "tiles_f64_block128" : "strips_f64_block128"},
                         {"us", us},
                         {"is_rule", slow},
                         {"in_grid", true},
                         {"costs", {0, 0, stream, steps}}}
                        .dump() +
                    "\n";
        }
    return text;
}

// Times that follow from known constants, with a choice of the rules that is wrong.
TEST_F(BenchScriptsTest, FitsConstantsOfGpus) {
    script("fit-costs none.jsonl", 1);
    if (!find_python("numpy, scipy.optimize")) GTEST_SKIP() << "needs python3-numpy, python3-scipy";
    write("work.jsonl", some_work());
    expect_parts(script("fit-costs work.jsonl -o constants.json"),
                 {"left out, margins", ": 1.000 in the geometric mean, 1.00 at the 95 % quantile"});
    const json constants = json::parse(read("constants.json"));
    EXPECT_EQ(constants["kind"], "gpu-costs");
    EXPECT_NEAR(constants["exponent"], 1, 0.1);
    EXPECT_EQ(constants["kernels"].size(), 11u);
    EXPECT_EQ(constants["kernels"]["ell_groups"], constants["kernels"]["sell_slices"]);
    EXPECT_EQ(constants["kernels"]["dia"], constants["kernels"]["sell_slices"])
        << "no record has it";
    EXPECT_LT(constants["kernels"]["strips"]["error"], 0.1);
    EXPECT_NEAR(constants["coefficients"]["steps"], 2, 0.1);
    EXPECT_EQ(constants["coefficients"]["stream"], 1) << "as the profile says";
}

// Times of one matrix with several numbers of right-hand sides are problems of their own; what a
// choice does not weigh is no choice.
TEST_F(BenchScriptsTest, FitsConstantsOfSeveralRightHandSides) {
    if (!find_python("numpy, scipy.optimize")) GTEST_SKIP() << "needs python3-numpy, python3-scipy";
    std::string text =
        json{
            {"scheme", "gpu-several-costs"}, {"serial", 2}, {"costs", {"launches", "depth", "far"}}}
            .dump() +
        "\n";
    for (int i = 1; i <= 120; ++i)
        for (const bool slow : {false, true})
            text += json{{"matrix", "m" + std::to_string(i / 2)},
                         {"num_rhs", i % 2 == 0 ? 8 : 16},
                         {"device", "one"},
                         {"family", "c" + std::to_string(i % 12)},
                         {"kernel", slow ? "csr_classical" : "csr_by_length"},
                         {"name", slow ? "csr_classical_f64" : "csr_by_length_f64"},
                         {"us", 1 + 0.5 * (slow ? 3.0 : 2.0) * i},
                         {"is_rule", slow && i > 1},
                         {"in_grid", i > 1},
                         {"costs", {0, 0, (slow ? 3.0 : 2.0) * i}}}
                        .dump() +
                    "\n";
    write("work.jsonl", text);
    expect_parts(script("fit-costs work.jsonl -o constants.json"),
                 {"left out, margins 0.15", ": 1.000 in the geometric mean", "119 matrices"});
    const json constants = json::parse(read("constants.json"));
    EXPECT_EQ(constants["kind"], "gpu-several-costs");
    EXPECT_EQ(constants["kernels"].size(), 3u);
    EXPECT_NEAR(constants["coefficients"]["far"], 0.5, 0.05);
}

/// Times of two sets of parameters on 120 matrices of 12 families: as predicted with an unroll of
/// 4, a fifth longer with 8, although that is predicted to take less.
std::string some_features() {
    std::string text = json{{"scheme", "gpu-costs"},
                            {"serial", 2},
                            {"costs", {"launches", "depth", "stream"}},
                            {"features", {"share_of_stream", "unroll"}}}
                           .dump() +
                       "\n";
    for (int i = 1; i <= 120; ++i)
        for (const int unroll : {4, 8}) {
            const double stream = 10 * i * (unroll == 8 ? 0.85 : 1);
            text += json{{"matrix", "m" + std::to_string(i)},
                         {"family", "c" + std::to_string(i % 12)},
                         {"kernel", "strips"},
                         {"name", "strips_f64_unroll" + std::to_string(unroll)},
                         {"us", (0.83 + stream) * (unroll == 8 ? 1.3 : 1)},
                         {"is_rule", unroll == 8},
                         {"in_grid", true},
                         {"costs", {0, 0, stream}},
                         {"features", {1.0, unroll}}}
                        .dump() +
                    "\n";
        }
    return text;
}

TEST_F(BenchScriptsTest, FitsTheCorrectionOfGpus) {
    if (!find_python("numpy, catboost")) GTEST_SKIP() << "needs python3-numpy, and PyPI's catboost";
    write("plain.jsonl", some_work());
    script("fit-correction plain.jsonl", 1);
    EXPECT_EQ(
        read("err"),
        "spmvbench fit-correction: there are times without features: of CPUs, several vectors, "
        "or an earlier version\n");
    write("work.jsonl", some_features());
    expect_parts(script("fit-correction work.jsonl -o correction.json"),
                 {"constants alone, margins 0.05 and 0.03\n  all: 1.10", "left out, margins",
                  ": 1.000 in the geometric mean, 1.00 at the 95 % quantile"});
    const json correction = json::parse(read("correction.json"));
    EXPECT_EQ(correction["kind"], "gpu-correction");
    EXPECT_EQ(correction["features"], json({"share_of_stream", "unroll"}));
    for (auto& tree : correction["trees"]) {
        EXPECT_EQ(tree.size() % 2, 1u);
        EXPECT_EQ(tree.back().size(), std::size_t{1} << (tree.size() / 2));
    }
}

TEST_F(BenchScriptsTest, FitsConstantsOfCpus) {
    if (!find_python("numpy, scipy.optimize")) GTEST_SKIP() << "needs python3-numpy, python3-scipy";
    std::string text =
        json{{"scheme", "cpu-costs"}, {"serial", 2}, {"costs", {"team", "joins", "stream", "near"}}}
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
    expect_parts(script("fit-costs work.jsonl -o constants.json"),
                 {"left out, margins", ": 1.000 in the geometric mean", ", 120 matrices"});
    const json constants = json::parse(read("constants.json"));
    EXPECT_EQ(constants["kind"], "cpu-costs");
    EXPECT_EQ(constants["kernels"].size(), 10u);
    EXPECT_EQ(constants["kernels"]["dia_cpu"], constants["kernels"]["strips_cpu"]) << "not fitted";
    EXPECT_FALSE(constants["kernels"]["sell"].contains("start_us"))
        << "a team's start is among the costs";
    write("both.jsonl", text + some_work());
    script("fit-costs both.jsonl", 1);
}

}  // namespace
}  // namespace spmvgen::cli
