#include "tuner/csr_k/csr_k_fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "spmvgen/error.hpp"
#include "tuner/csr_k/csr_k_db.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// A matrix of that density whose times have one least, at `best`.
CsrKSample sample(std::int64_t density, const GroupSizes& best,
                  const std::vector<std::int64_t>& srs, const std::vector<std::int64_t>& ssrs) {
    CsrKSample s{.matrix = "density" + std::to_string(density),
                 .rows = 100,
                 .cols = 100,
                 .nnz = 100 * density,
                 .max_row = density,
                 .variance_row = 0,
                 .block_case = density_case(static_cast<double>(density)),
                 .times = {}};
    for (const auto a : srs)
        for (const auto b : ssrs)
            s.times.push_back({{a, b}, GroupSizes{a, b} == best ? 1e-3 : 2e-3});
    return s;
}

/// srs = 32 - 8 · log2(density), ssrs = 4 + 2 · log2(density).
std::vector<CsrKSample> on_a_line() {
    const std::vector<std::int64_t> srs{8, 16, 24, 32}, ssrs{4, 6, 8, 10};
    return {sample(1, {32, 4}, srs, ssrs), sample(2, {24, 6}, srs, ssrs),
            sample(4, {16, 8}, srs, ssrs), sample(8, {8, 10}, srs, ssrs)};
}

TEST(CsrKFit, FindsTheCoefficientsThatMadeTheData) {
    const CsrKFit fit = fit_csr_k(on_a_line(), parse_target("sm_90"), ampere_formula());
    const CsrKFormula& f = fit.candidates.at(2).formula;
    EXPECT_EQ(fit.candidates[2].name, "regression");
    EXPECT_NEAR(f.srs.constant, 32, 1e-9);
    EXPECT_NEAR(f.srs.slope, -8 / std::log(2.0), 1e-9);
    EXPECT_NEAR(f.ssrs.constant, 4, 1e-9);
    EXPECT_NEAR(f.ssrs.slope, 2 / std::log(2.0), 1e-9);
    EXPECT_NEAR(fit.srs_residual, 0, 1e-9);
    EXPECT_NEAR(fit.ssrs_residual, 0, 1e-9);
    EXPECT_DOUBLE_EQ(fit.candidates[2].loss, 1);
    EXPECT_EQ(fit.chosen, "regression");
    EXPECT_EQ(f.least, (GroupSizes{8, 4}));
    EXPECT_EQ(f.most, (GroupSizes{32, 10}));
    EXPECT_EQ(f.arch, "sm_90");
}

TEST(CsrKFit, TellsWhatAConstantLoses) {
    const CsrKFit fit = fit_csr_k(on_a_line(), parse_target("sm_90"), ampere_formula());
    // (32 · 24 · 16 · 8)^(1/4) = 17.7, (4 · 6 · 8 · 10)^(1/4) = 6.6: sizes of 18 and 7, of which 16
    // and 8 are the nearest that were measured, the best of one of the four.
    EXPECT_EQ(fit.candidates[1].name, "constant");
    EXPECT_NEAR(fit.candidates[1].formula.srs.constant, std::pow(98304.0, 0.25), 1e-9);
    EXPECT_NEAR(fit.candidates[1].loss, std::pow(8.0, 0.25), 1e-9);
}

TEST(CsrKFit, ResidualsAreRootMeanSquares) {
    // Over ln 1 = 0 twice: the mean, 3, and the distance of each.
    const Regression one = fit_logarithm({1, 1}, {2, 4});
    EXPECT_EQ(one.formula, (LogFormula{3, 0}));
    EXPECT_DOUBLE_EQ(one.residual, 1);
    const double e = std::exp(1.0);
    // y = 0, 3, 0 over 0, 1, 2: flat at 1; (1 + 4 + 1) / 3 = 2.
    const Regression flat = fit_logarithm({1, e, e * e}, {0, 3, 0});
    EXPECT_NEAR(flat.formula.constant, 1, 1e-12);
    EXPECT_NEAR(flat.formula.slope, 0, 1e-12);
    EXPECT_NEAR(flat.residual, std::sqrt(2.0), 1e-12);
}

TEST(CsrKFit, SizesThatAreEquallyFastCountTogether) {
    CsrKSample s = sample(4, {16, 8}, {4, 16}, {8, 32});
    s.times = {{{4, 8}, 1.0}, {{16, 8}, 1.019}, {{16, 32}, 1.03}};
    const OptimalSizes best = optimum_of(s);
    EXPECT_NEAR(best.srs, 8, 1e-9);
    EXPECT_NEAR(best.ssrs, 8, 1e-9);
}

TEST(CsrKFit, CorrectsEachCase) {
    // The line is -41.05 + 38.70 · ln(density): 13, 39 and 44, to which 16, 32 and 32 are nearest.
    // The first case is √(16/16 · 16/39) = 0.64 of it, that is 8 and 25: 16 and 32. The second is
    // 64/44 of it.
    const std::vector<std::int64_t> srs{16, 32, 64}, ssrs{4};
    const std::vector<CsrKSample> samples{sample(4, {16, 4}, srs, ssrs),
                                          sample(8, {16, 4}, srs, ssrs),
                                          sample(9, {64, 4}, srs, ssrs)};
    const CsrKFit fit = fit_csr_k(samples, parse_target("sm_90"), ampere_formula());
    EXPECT_NEAR(fit.candidates[2].loss, std::cbrt(4.0), 1e-9);
    EXPECT_EQ(fit.candidates[3].name, "corrected");
    const auto& cases = fit.candidates[3].formula.cases;
    EXPECT_NEAR(cases[0].srs, std::sqrt(16.0 / 39), 1e-9);
    EXPECT_NEAR(cases[1].srs, 64.0 / 44, 1e-9);
    EXPECT_EQ(cases[2], CaseCorrection{}) << "no matrix is of that case";
    EXPECT_NEAR(fit.candidates[3].loss, std::cbrt(2.0), 1e-9);
}

TEST(CsrKFit, WithoutAGainThePaperStays) {
    std::vector<CsrKSample> samples = on_a_line();
    for (auto& s : samples)
        for (auto& time : s.times) time.seconds = 1e-3;
    EXPECT_EQ(fit_csr_k(samples, parse_target("sm_90"), ampere_formula()).chosen, "paper");
}

TEST(CsrKFit, ASmallGainIsNone) {
    // A constant of 64, the best of all three, against the paper's 96, which is slower for one:
    // 1.025^(1/3) = 1.008, 1.04^(1/3) = 1.013.
    const auto chosen = [](double slower) {
        std::vector<CsrKSample> samples(3, sample(5, {64, 1}, {64, 96}, {1}));
        for (auto& s : samples) s.times = {{{64, 1}, 1e-3}, {{128, 1}, 3e-3}, {{96, 1}, 1e-3}};
        samples[2].times[2].seconds *= slower;
        return fit_csr_k(samples, parse_target("x86-64-v4"), cpu_formula());
    };
    EXPECT_EQ(chosen(1.025).chosen, "paper");
    EXPECT_NEAR(chosen(1.04).candidates[0].loss, std::cbrt(1.04), 1e-9);
    EXPECT_EQ(chosen(1.04).chosen, "constant");
}

TEST(CsrKFit, CpusFitSuperRowsOnly) {
    const CsrKFit fit =
        fit_csr_k({sample(5, {64, 1}, {32, 64, 96}, {1}), sample(9, {64, 1}, {32, 64, 96}, {1})},
                  parse_target("x86-64-v4"), cpu_formula());
    EXPECT_EQ(fit.chosen, "constant");
    EXPECT_EQ(fit.candidates.size(), 3u) << "CPUs have no cases";
    EXPECT_NEAR(fit.candidates[1].formula.srs.constant, 64, 1e-9);
    EXPECT_EQ(fit.candidates[1].formula.ssrs, cpu_formula().ssrs);
    EXPECT_DOUBLE_EQ(fit.candidates[0].loss, 2) << "96";
}

TEST(CsrKFit, GridsAreThePapers) {
    const auto cpu = csr_k_grid(false);
    EXPECT_EQ(cpu.size(), 18u);
    EXPECT_EQ(cpu.front(), (GroupSizes{8, 1}));
    EXPECT_EQ(cpu[1], (GroupSizes{12, 1}));
    EXPECT_EQ(cpu.back(), (GroupSizes{3072, 1}));
    const auto gpu = csr_k_grid(true);
    EXPECT_EQ(gpu.size(), 64u);
    EXPECT_EQ(gpu.front(), (GroupSizes{4, 4}));
    EXPECT_EQ(gpu[9], (GroupSizes{6, 6}));
    EXPECT_EQ(gpu.back(), (GroupSizes{48, 48}));
}

std::string fit_error(const std::function<void()>& f) {
    try {
        f();
    } catch (const Error& e) {
        return std::string(to_string(e.code())) + ": " + e.what();
    }
    return "no error";
}

TEST(CsrKFit, RefusesWhatCannotBeFitted) {
    const auto fit = [](std::vector<CsrKSample> samples) {
        return fit_error(
            [&] { fit_csr_k(std::move(samples), parse_target("sm_90"), ampere_formula()); });
    };
    EXPECT_EQ(fit({}), "invalid_argument: cannot fit sizes of CSR-k: there is no matrix");
    CsrKSample s = sample(5, {8, 8}, {8}, {8});
    s.times[0].seconds = std::numeric_limits<double>::infinity();
    EXPECT_EQ(fit({s}),
              "invalid_argument: cannot fit sizes of CSR-k: density5 has a time of inf s");
    s.times.clear();
    EXPECT_EQ(fit({s}), "invalid_argument: cannot fit sizes of CSR-k: density5 has no times");
    s.nnz = 0;
    EXPECT_EQ(fit({s}), "invalid_argument: cannot fit sizes of CSR-k: density5 has no entries");
    EXPECT_EQ(fit_error([] { fit_logarithm({1, 2}, {1}); }),
              "invalid_argument: a regression of 1 sizes over 2 densities");
}

TEST(CsrKFile, GivesTheChosenFormulaBack) {
    CsrKFit fit = fit_csr_k(on_a_line(), parse_target("sm_90"), ampere_formula());
    fit.device = "NVIDIA \"H200\"";
    const CsrKFormula read = csr_k_formula_of(to_json(fit), "csr-k-h200.json");
    CsrKFormula expected = fit.candidates[2].formula;
    expected.name = "regression, by csr-k-h200.json";
    EXPECT_EQ(read, expected);
    const auto json = nlohmann::json::parse(to_json(fit));
    EXPECT_EQ(json["device"], fit.device);
    EXPECT_EQ(json["generator"].get<std::string>().size(), 64u);
    EXPECT_EQ(json["matrices"].size(), 4u);
    EXPECT_EQ(json["matrices"][1]["row_density"], 2);
    EXPECT_EQ(json["matrices"][1]["case"], 1);
    EXPECT_EQ(json["matrices"][1]["times"].size(), 16u);
    EXPECT_EQ(json["matrices"][1]["times"][0], (nlohmann::json{8, 4, 2e-3}));
}

/// What is said of a sound file after a change.
std::string after(const std::function<void(nlohmann::json&)>& change) {
    auto json = nlohmann::json::parse(
        to_json(fit_csr_k(on_a_line(), parse_target("sm_90"), ampere_formula())));
    EXPECT_EQ(fit_error([&] { csr_k_formula_of(json.dump(), "F"); }), "no error");
    change(json);
    return fit_error([&] { csr_k_formula_of(json.dump(), "F"); });
}

TEST(CsrKFile, CorruptOnesAreRefused) {
    for (const char* text : {"", "[1, 2", "[1, 2]", "{}", "null", "\xff"})
        EXPECT_THAT(fit_error([&] { csr_k_formula_of(text, "F"); }), StartsWith("invalid_input: "))
            << text;
    EXPECT_THAT(fit_error([] { csr_k_formula_of("{}", "F"); }), HasSubstr("'kind' not found"));
    EXPECT_EQ(fit_error([] { csr_k_formula_of(std::string(100000, '['), "F"); }),
              "invalid_input: it nests too deeply for a file of tuning_db");
    EXPECT_EQ(after([](auto& j) { j["kind"] = "music"; }), "invalid_input: it is no fit of CSR-k");
    EXPECT_EQ(after([](auto& j) { j["version"] = 2; }), "invalid_input: its version is 2, not 1");
    EXPECT_EQ(after([](auto& j) { j["chosen"] = "guess"; }),
              "invalid_input: there is no candidate 'guess'");
    EXPECT_THAT(after([](auto& j) { j["chosen"] = 7; }), HasSubstr("type"));
    const auto formula = [](auto change) {
        return after([&](auto& j) { change(j["candidates"][2]["formula"]); });
    };
    EXPECT_EQ(formula([](auto& f) { f["least"]["srs"] = 0; }),
              "invalid_input: a limit of sizes is out of range");
    EXPECT_EQ(formula([](auto& f) { f["most"]["ssrs"] = 2; }),
              "invalid_input: the least size is above the largest");
    EXPECT_EQ(formula([](auto& f) { f["cases"].erase(0); }),
              "invalid_input: there are not four cases");
    EXPECT_EQ(formula([](auto& f) { f["cases"][3]["srs"] = -1; }),
              "invalid_input: a case's factor is out of range");
    EXPECT_THAT(formula([](auto& f) { f["srs"]["slope"] = nullptr; }), HasSubstr("type"));
}

// Found by fuzzing: numbers that no integer can hold were converted, fractions rounded.
TEST(CsrKFile, NumbersThatAreNoSizesAreRefused) {
    const auto least = [](const nlohmann::json& number) {
        return after([&](auto& j) { j["candidates"][2]["formula"]["least"]["srs"] = number; });
    };
    for (const nlohmann::json& number :
         std::vector<nlohmann::json>{1e308, 1.5, "1", true, UINT64_MAX})
        EXPECT_EQ(least(number), "invalid_input: a limit of sizes is out of range") << number;
    EXPECT_EQ(after([](auto& j) { j["version"] = 1e308; }),
              "invalid_input: its version is 1e+308, not 1");
}

TEST(CsrK, SizesOfAnyFormulaStayWithinItsLimits) {
    CsrKFormula formula = ampere_formula();
    formula.least = {2, 3};
    formula.most = {4, 5};
    formula.srs = {1e308, 1e308};
    formula.ssrs = {1e300, 0};
    for (int block_case = 0; block_case < 4; ++block_case)
        EXPECT_EQ(group_sizes(formula, 1e4, block_case), (GroupSizes{4, 5}));
    formula.srs = formula.ssrs = {-1e308, -1e308};
    EXPECT_EQ(group_sizes(formula, 1e4, 0), (GroupSizes{2, 3}));
}

TEST(CsrKFile, OnlyTheCorruptOneIsLeftOut) {
    const std::string directory = testing::TempDir() + "csr_k_files";
    std::filesystem::create_directories(directory);
    const std::string good =
        to_json(fit_csr_k(on_a_line(), parse_target("sm_90"), ampere_formula()));
    std::ofstream(directory + "/csr-k-b.json") << good;
    std::ofstream(directory + "/csr-k-a.json") << good.substr(0, good.size() / 2);
    std::ofstream(directory + "/other.json") << "not looked at";
    const std::vector<TuningFile> files = tuning_files_of(directory, "csr-k-");
    std::filesystem::remove_all(directory);
    ASSERT_EQ(files.size(), 2u);
    std::vector<std::string> warnings;
    const auto formulas = read_csr_k_formulas(files, warnings);
    ASSERT_EQ(formulas.size(), 1u);
    EXPECT_EQ(formulas[0].name, "regression, by csr-k-b.json");
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_THAT(warnings[0],
                StartsWith("tuning file " + directory + "/csr-k-a.json is left out: "));
    EXPECT_TRUE(tuning_files_of(directory, "csr-k-").empty()) << "the directory is gone";
}

TEST(CsrKFile, WhatIsShippedIsSound) {
    std::vector<std::string> warnings;
    const auto files = tuning_files("csr-k-");
    EXPECT_EQ(read_csr_k_formulas(files, warnings).size(), files.size());
    EXPECT_THAT(warnings, testing::IsEmpty());
    EXPECT_FALSE(files.empty());
}

}  // namespace
}  // namespace spmvgen
