#include "tuner/learned_rule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "spmvgen/error.hpp"
#include "tuner/possible.hpp"

namespace spmvgen {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

json leaf(const char* kernel, const json& params = json::object(), int matrices = 14) {
    return {{"kernel", kernel},
            {"params", params},
            {"matrices", matrices},
            {"mean", 1.04},
            {"worst", 1.2}};
}

json question(const char* feature, double below, const json& less, const json& not_less) {
    return {{"feature", feature}, {"below", below}, {"then", less}, {"else", not_less}};
}

json gpu_rule() {
    return {{"kind", "spmvgen learned rule"},
            {"schema", 1},
            {"device", {{"name", "NVIDIA H200"}, {"arch", "sm_90"}, {"vendor", "nvidia"}}},
            {"values", {"f64", "f32"}},
            {"tree", question("mean_row", 12,
                              question("mean_row", 3, leaf("auto"),
                                       leaf("csr_classical", {{"subwarp", 2}, {"block", 128}}, 1)),
                              question("padding", 1.2, leaf("ell_groups"), leaf("hyb")))}};
}

json cpu_rule() {
    json rule = gpu_rule();
    rule["device"] = {{"name", "x86-64-v4"}, {"arch", "x86-64-v4"}, {"vendor", "x86-64"}};
    rule["threads"] = {{"least", 1}, {"most", 2}};
    rule["tree"] = question("mb", 1, leaf("csr_rows"), leaf("csr_balanced"));
    return rule;
}

LearnedRule parsed(const json& rule) {
    return parse_learned_rule(rule.dump());
}

std::string rule_refusal(const json& rule) {
    try {
        parsed(rule);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_input);
        return error.what();
    }
    return "accepted";
}

RowFeatures rows_of(double mean, double padding = 1.03) {
    RowFeatures f;
    f.rows = f.cols = 1'000'000;
    f.mean_row = mean;
    f.nnz = static_cast<std::int64_t>(mean * 1e6);
    f.max_row = static_cast<std::int64_t>(mean) + 1;
    f.row_histogram[4] = f.rows;
    f.sell_padding = {padding, padding, padding};
    f.sell_sorted_padding = {1, 1, 1};
    f.ell_padding = 1.1;
    return f;
}

Request h200() {
    Request r{.target = parse_target("sm_90")};
    r.units = 132;
    r.device = "NVIDIA H200";
    return r;
}

Choice chosen(const json& rule, const RowFeatures& f, const Request& r) {
    const LearnedRule learned = parsed(rule);
    return choose(f, r, std::span(&learned, 1));
}

TEST(LearnedRule, ExplainsItsChoiceInOneLine) {
    const Choice choice = chosen(gpu_rule(), rows_of(26.63), h200());
    EXPECT_EQ(choice.signature.kernel, "ell_groups");
    EXPECT_EQ(choice.reason,
              "mean row 26.6 ≥ 12, padding in slices of 32 1.03 < 1.2: ell_groups (4 % above the "
              "best in the mean of 14 matrices, learned on NVIDIA H200)");
}

TEST(LearnedRule, LimitBelongsToNotLess) {
    EXPECT_EQ(chosen(gpu_rule(), rows_of(12), h200()).signature.kernel, "ell_groups");
    EXPECT_EQ(chosen(gpu_rule(), rows_of(11.99), h200()).signature.kernel, "csr_classical");
    EXPECT_EQ(chosen(gpu_rule(), rows_of(12, 1.2), h200()).signature.kernel, "hyb");
}

TEST(LearnedRule, LeafGivesParametersTheOthersAreTheHandWrittenRules) {
    const RowFeatures f = rows_of(8);
    const Choice choice = chosen(gpu_rule(), f, h200());
    Request named = h200();
    named.kernel = "csr_classical";
    auto expected = choose(f, named, {}).signature.params;
    EXPECT_NE(expected.at("block"), 128);
    expected["block"] = 128;
    expected["subwarp"] = 2;
    EXPECT_EQ(choice.signature.params, expected);
    EXPECT_EQ(choice.reason,
              "mean row 8 < 12, mean row 8 ≥ 3: csr_classical block=128 subwarp=2 (4 % above the "
              "best in the mean of 1 matrix, learned on NVIDIA H200)");
}

TEST(LearnedRule, LeafMayLeaveItToTheHandWrittenRules) {
    const RowFeatures f = rows_of(2);
    const Choice choice = chosen(gpu_rule(), f, h200()), by_hand = choose(f, h200(), {});
    EXPECT_EQ(choice.signature, by_hand.signature);
    EXPECT_EQ(choice.reason, by_hand.reason);
}

TEST(LearnedRule, SaysOnlyTheQuestionsThatBind) {
    json rule = gpu_rule();
    rule["tree"] =
        question("mean_row", 50, question("mean_row", 30, leaf("coo"), leaf("hyb")), leaf("hyb"));
    EXPECT_THAT(chosen(rule, rows_of(20), h200()).reason, StartsWith("mean row 20 < 30: coo ("));
}

TEST(LearnedRule, DecidesWhatItWasTrainedForOnly) {
    const LearnedRule rule = parsed(gpu_rule());
    const auto decides = [&](const Request& r, ValueType value = ValueType::f64) {
        return find_learned_rule(std::span(&rule, 1), r, value).rule != nullptr;
    };
    EXPECT_TRUE(decides(h200()));
    EXPECT_TRUE(decides(h200(), ValueType::f32));
    EXPECT_FALSE(decides(h200(), ValueType::c64));
    const auto with = [&](auto change) {
        Request r = h200();
        change(r);
        return decides(r);
    };
    EXPECT_FALSE(with([](Request& r) { r.format = "csr"; }));
    EXPECT_FALSE(with([](Request& r) { r.kernel = "coo"; }));
    EXPECT_FALSE(with([](Request& r) { r.params["block"] = 128; }));
    EXPECT_FALSE(with([](Request& r) { r.num_rhs = 2; }));
    EXPECT_FALSE(with([](Request& r) { r.op = Op::transpose; }));
    EXPECT_FALSE(with([](Request& r) { r.deterministic = true; }));
    EXPECT_FALSE(with([](Request& r) { r.batch = true; }));
    EXPECT_FALSE(with([](Request& r) { r.storage = ValueType::f32; }));
    EXPECT_FALSE(with([](Request& r) { r.vectors = ValueType::f32; }));
    EXPECT_FALSE(with([](Request& r) { r.epilogue = "value + 1"; }));
    EXPECT_FALSE(with([](Request& r) { r.target = parse_target("gfx90a"); }));
    EXPECT_FALSE(with([](Request& r) { r.target = parse_target("x86-64-v4"); }));
}

TEST(LearnedRule, RequestsAreHonoured) {
    Request r = h200();
    r.format = "coo";
    EXPECT_EQ(chosen(gpu_rule(), rows_of(26), r).signature.kernel, "coo");
    r = h200();
    r.params["subwarp"] = 4;
    EXPECT_EQ(chosen(gpu_rule(), rows_of(26), r).signature.params.at("subwarp"), 4);
    r = h200();
    r.deterministic = true;
    EXPECT_EQ(chosen(gpu_rule(), rows_of(26), r).signature, choose(rows_of(26), r, {}).signature);
}

TEST(LearnedRule, DecidesForAsManyThreadsAsItWasTrainedWith) {
    Request r{.target = parse_target("x86-64-v4")};
    for (const int threads : {1, 2, 3}) {
        r.threads = threads;
        const std::string kernel = chosen(cpu_rule(), rows_of(20), r).signature.kernel;
        EXPECT_EQ(kernel == "csr_balanced", threads < 3) << threads << ": " << kernel;
    }
    r.threads = 2;  // of 120 kB each has half
    RowFeatures f = rows_of(20);
    f.nnz = 10'000;
    EXPECT_THAT(chosen(cpu_rule(), f, r).reason, StartsWith("MB of entries 0.06 < 1: csr_rows ("));
}

TEST(LearnedRule, NearestDeviceDecides) {
    std::vector<LearnedRule> rules;
    const std::vector<std::array<const char*, 3>> devices{{"NVIDIA A100", "sm_80", "nvidia"},
                                                          {"NVIDIA H100", "sm_90", "nvidia"},
                                                          {"NVIDIA H200", "sm_90", "nvidia"},
                                                          {"NVIDIA H200", "sm_90", "nvidia"},
                                                          {"AMD MI250X", "gfx90a:xnack-", "amd"}};
    for (auto& [name, arch, vendor] : devices) {
        json rule = gpu_rule();
        rule["device"] = {{"name", name}, {"arch", arch}, {"vendor", vendor}};
        rules.push_back(parsed(rule));
    }
    Request r = h200();
    const auto found = [&] {
        const FoundRule at = find_learned_rule(rules, r, ValueType::f64);
        return std::pair(at.rule - rules.data(), at.nearness);
    };
    EXPECT_EQ(found(), std::pair(std::ptrdiff_t{2}, Nearness::device));
    r.device = "NVIDIA GH200";
    EXPECT_EQ(found(), std::pair(std::ptrdiff_t{1}, Nearness::architecture));
    EXPECT_THAT(choose(rows_of(26), r, rules).reason,
                EndsWith("learned on NVIDIA H100, of the same architecture)"));
    r.target = parse_target("sm_86");
    EXPECT_EQ(found(), std::pair(std::ptrdiff_t{0}, Nearness::vendor));
    EXPECT_THAT(choose(rows_of(26), r, rules).reason,
                EndsWith("learned on NVIDIA A100, of the same vendor)"));
    r.target = parse_target("gfx90a:sramecc+:xnack-");
    EXPECT_EQ(found(), std::pair(std::ptrdiff_t{4}, Nearness::architecture));
}

TEST(LearnedRule, WhatItLeadsToIsListed) {
    const LearnedRule rule = parsed(gpu_rule());
    std::set<std::string> possible;
    for (auto& s : possible_choices(h200(), ValueType::f64, std::span(&rule, 1)))
        possible.insert(kernel_name(s));
    std::set<std::string> kernels;
    for (double mean = 0.5; mean < 3000; mean *= 1.1)
        for (const std::int64_t rows : {10, 1000, 100'000, 10'000'000})
            for (const double padding : {1.0, 1.1, 3.0}) {
                RowFeatures f = rows_of(mean, padding);
                f.rows = f.cols = rows;
                f.row_histogram[4] = rows;
                const Signature s = choose(f, h200(), std::span(&rule, 1)).signature;
                kernels.insert(s.kernel);
                ASSERT_TRUE(possible.contains(kernel_name(s))) << kernel_name(s);
            }
    EXPECT_GE(kernels.size(), 3U);
}

TEST(LearnedRule, WavefrontLimitsItsParameters) {
    json rule = gpu_rule();
    rule["tree"] = leaf("csr_classical", {{"subwarp", 64}});
    EXPECT_EQ(chosen(rule, rows_of(26), h200()).signature.params.at("subwarp"), 32);
}

TEST(LearnedRule, BrokenFilesSayWhatIsWrong) {
    EXPECT_EQ(rule_refusal("text"), "it is no spmvgen learned rule");
    EXPECT_THROW(parse_learned_rule("{"), Error);
    EXPECT_THROW(parse_learned_rule(""), Error);
    const auto with = [](const char* pointer, const json& value) {
        json rule = cpu_rule();
        rule[json::json_pointer(pointer)] = value;
        return rule_refusal(rule);
    };
    EXPECT_EQ(with("/kind", "device-profile"), "it is no spmvgen learned rule");
    EXPECT_EQ(with("/schema", 2), "its schema is 2, but this version reads 1");
    EXPECT_EQ(with("/device", 3), "field 'name' is missing");
    EXPECT_EQ(with("/device/arch", 3), "field 'arch' is no text");
    EXPECT_EQ(with("/values", json::array()), "field 'values' is no list, or empty");
    EXPECT_EQ(with("/values/0", 64), "field 'values' is no list of texts");
    EXPECT_THAT(with("/values/0", "f63"), HasSubstr("f63"));
    EXPECT_EQ(with("/threads/least", 0), "field 'least' is no whole number of 1…65536");
    EXPECT_EQ(with("/threads/most", 0), "field 'most' is no whole number of 1…65536");
    EXPECT_EQ(with("/tree", 1), "field 'feature' is missing");
    EXPECT_EQ(with("/tree/feature", "colour"), "there is no feature \"colour\"");
    EXPECT_EQ(with("/tree/below", "2"), "field 'below' is no number");
    EXPECT_EQ(with("/tree/then", json::object()), "field 'feature' is missing");
    EXPECT_EQ(with("/tree/then/kernel", "csr_fast"), "there is no kernel \"csr_fast\"");
    for (const char* kernel : {"coo", "csr_k", "bcsr", "batch_csr_rows", "csr_transposed"})
        EXPECT_THAT(with("/tree/then/kernel", kernel), HasSubstr(kernel)) << kernel;
    EXPECT_EQ(with("/tree/then/kernel", "coo"),
              "a tree of such a device cannot lead to kernel coo");
    EXPECT_EQ(with("/tree/then/params", 1), "field 'params' is no object");
    EXPECT_EQ(with("/tree/then/params/colour", 1), "kernel csr_rows has no parameter \"colour\"");
    EXPECT_EQ(with("/tree/else/params/lanes", 3),
              "parameter lanes of kernel csr_balanced cannot be 3");
    EXPECT_EQ(with("/tree/then/matrices", 1.5),
              "field 'matrices' is no whole number of 0…1000000000");
    EXPECT_EQ(with("/tree/then/mean", 0.9), "field 'mean' is less than 1");
    json deep = leaf("csr_rows");
    for (int i = 0; i < 17; ++i) deep = question("nnz", i, leaf("csr_rows"), deep);
    EXPECT_EQ(with("/tree", deep), "the tree has more than 16 levels");
    EXPECT_EQ(rule_refusal(cpu_rule()), "accepted");
}

TEST(LearnedRule, BrokenFilesAreReportedAndSkipped) {
    const std::vector<TuningFile> files{{"/db/rule-a.json", "{}"},
                                        {"/db/rule-b.json", gpu_rule().dump()},
                                        {"/db/rule-c.json", std::string(100'000, '[')}};
    std::vector<std::string> warnings;
    const auto rules = read_learned_rules(files, warnings);
    ASSERT_EQ(rules.size(), 1U);
    EXPECT_EQ(rules[0].file, "rule-b.json");
    EXPECT_THAT(warnings, ElementsAre("tuning file /db/rule-a.json is left out: it is no spmvgen "
                                      "learned rule",
                                      StartsWith("tuning file /db/rule-c.json is left out: ")));
}

TEST(LearnedRule, ShippedOnesAreRight) {
    std::vector<std::string> warnings;
    const auto files = tuning_files("rule-");
    EXPECT_EQ(read_learned_rules(files, warnings).size(), files.size());
    EXPECT_THAT(warnings, ElementsAre());
}

TEST(LearnedRule, FiguresAreFiniteWhateverTheFeatures) {
    const Request requests[] = {h200(), {.target = parse_target("x86-64-v4"), .threads = 0}};
    for (auto& feature : tree_features())
        for (auto& request : requests)
            EXPECT_TRUE(std::isfinite(feature.of({}, request))) << feature.name;
}

}  // namespace
}  // namespace spmvgen
