// What manifests stand for.
#include "sets/manifest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "spmvgen/error.hpp"
#include "tuner/rules/possible.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string with_section(const std::string& section) {
    return R"({"manifest": 1, "name": "m", "sections": [)" + section + "]}";
}

std::vector<Signature> kernels_of(const std::string& text, const std::string& target,
                                  std::vector<Unfit>* unfit = nullptr) {
    std::vector<Unfit> own;
    return expand(parse_manifest(text, "m.json"), parse_target(target), unfit ? *unfit : own);
}

std::vector<std::string> names_of(const std::string& section, const std::string& target) {
    std::vector<std::string> names;
    for (auto& s : kernels_of(with_section(section), target)) names.push_back(kernel_name(s));
    return names;
}

std::string manifest_refusal(const std::string& text) {
    try {
        parse_manifest(text, "m.json");
        return "none";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_input);
        return error.what();
    }
}

std::set<std::string> texts(const std::vector<Signature>& signatures) {
    std::set<std::string> all;
    for (auto& s : signatures) all.insert(to_string(s));
    return all;
}

TEST(ManifestJson, SaysWhatIsWrong) {
    EXPECT_EQ(manifest_refusal("{"), "m.json: is not a JSON text");
    EXPECT_EQ(manifest_refusal("[]"), "m.json: is not a JSON object");
    EXPECT_EQ(manifest_refusal("{}"), "m.json: lacks the field 'manifest'");
    EXPECT_EQ(manifest_refusal(R"({"manifest": 2})"),
              "m.json: is a manifest of version 2, this spmvgen reads 1");
    EXPECT_EQ(manifest_refusal(R"({"manifest": 1, "name": "m", "sections": []})"),
              "m.json: has no list of sections");
    EXPECT_EQ(manifest_refusal(R"({"manifest": 1, "name": "m", "sections": [], "more": 1})"),
              "m.json: has an unknown field 'more': use manifest, name, sections");
    const std::pair<const char*, const char*> sections[] = {
        {R"({})", "lacks the field 'choose'"},
        {R"({"choose": "best"})",
         "field 'choose': unknown word 'best': use rules, batches, helpers or kernels"},
        {R"({"choose": "rules", "value": ["f32"]})", "has an unknown field 'value': use choose, "},
        {R"({"choose": "rules", "values": []})",
         "field 'values' is not a list with something in it"},
        {R"({"choose": "rules", "values": ["f99"]})", "field 'values': unknown value type 'f99'"},
        {R"({"choose": "rules", "values": [1]})", "field 'values' holds no text"},
        {R"({"choose": "rules", "on": ["gpu"]})",
         "field 'on': unknown word 'gpu': use cpu, nvidia, amd"},
        {R"({"choose": "rules", "indices": ["i32"]})",
         "field 'indices': 'i32' is no pair of types: write i32/i64 for columns of i32 and row "
         "offsets of i64"},
        {R"({"choose": "rules", "rhs": [65]})", "field 'rhs': 65 is outside 1…64"},
        {R"({"choose": "rules", "rhs": ["1"]})", "field 'rhs' holds no integer"},
        {R"({"choose": "rules", "kernels": ["csr_rows"]})",
         "field 'kernels' is for \"choose\": \"kernels\" only"},
        {R"({"choose": "rules", "alpha": ["one"]})", "has one of 'alpha' and 'beta': give both"},
        {R"({"choose": "rules", "deterministic": [1]})",
         "field 'deterministic' holds neither true nor false"},
        {R"({"choose": "helpers", "indices": ["i32/i32"]})",
         "field 'indices' means nothing for helpers"},
        {R"({"choose": "kernels"})", "names either 'kernels' or 'formats'"},
        {R"({"choose": "kernels", "kernels": ["nonesuch"]})",
         "field 'kernels': unknown kernel 'nonesuch'"},
        {R"({"choose": "kernels", "kernels": ["csr_vector"], "params": 3})",
         "field 'params': use \"presets\", \"all\", or an object with a list for each parameter"},
        {R"({"choose": "kernels", "kernels": ["csr_vector"], "params": {"block": [1]}})",
         "field 'params': no kernel of the section has a parameter 'block'"}};
    for (auto& [section, message] : sections)
        EXPECT_THAT(
            manifest_refusal(with_section(R"({"choose": "rules"}, )" + std::string(section))),
            HasSubstr(std::string("m.json: section 2 ") + message));
}

TEST(Manifest, NamedKernelsHaveEveryCombination) {
    EXPECT_THAT(names_of(R"({"choose": "kernels", "kernels": ["csr_vector", "csr_classical"],
                             "params": {"lanes": [4, 8], "block": [128]}, "values": ["f64"],
                             "indices": ["i32/i32", "i64/i64"], "alpha": ["one"],
                             "beta": ["zero"]})",
                         "x86-64-v4"),
                testing::ElementsAre("csr_vector_f64_i32_o32_a1_b0_k1_lanes4_prefetch0_unroll1",
                                     "csr_vector_f64_i32_o32_a1_b0_k1_lanes8_prefetch0_unroll1",
                                     "csr_vector_f64_i64_o64_a1_b0_k1_lanes4_prefetch0_unroll1",
                                     "csr_vector_f64_i64_o64_a1_b0_k1_lanes8_prefetch0_unroll1"));
    // lanes 2 … 16, unroll 1 … 4, prefetch or not, six modes.
    EXPECT_THAT(names_of(R"({"choose": "kernels", "kernels": ["csr_vector"], "params": "all",
                             "values": ["f32"], "indices": ["i32/i32"]})",
                         "x86-64-v4"),
                SizeIs(4 * 3 * 2 * 6));
    EXPECT_THAT(names_of(R"({"choose": "kernels", "formats": ["csr-k", "bcsr"],
                             "values": ["f32"], "indices": ["i32/i32"], "alpha": ["one"],
                             "beta": ["one"]})",
                         "sm_90"),
                SizeIs(3));
}

TEST(Manifest, WhatATargetCannotHaveIsTold) {
    std::vector<Unfit> unfit;
    const auto kernels =
        kernels_of(with_section(R"({"choose": "kernels", "kernels": ["csr_k_blocks"],
                                    "params": {"subwarp": [64], "row_threads": [4, 32]},
                                    "values": ["f64"], "indices": ["i32/i32"]})"),
                   "gfx906", &unfit);
    EXPECT_THAT(kernels, IsEmpty());  // 64 · 4 · 12 threads and more are too many for a block
    ASSERT_THAT(unfit, SizeIs(2));
    EXPECT_THAT(unfit[0].why, HasSubstr("would have blocks of 3072 threads"));
    unfit.clear();
    EXPECT_THAT(kernels_of(with_section(R"({"choose": "rules", "formats": ["bcsr"]})"), "x86-64-v3",
                           &unfit),
                IsEmpty());
    ASSERT_THAT(unfit, SizeIs(2));
    EXPECT_THAT(unfit[0].why, HasSubstr("name the kernel and its parameters"));
}

TEST(Manifest, HelpersAreForGpus) {
    EXPECT_THAT(names_of(R"({"choose": "helpers", "values": ["f64"]})", "x86-64-v4"), IsEmpty());
    // gather_rows, exchange_rows, and scatter_rows in eight modes.
    EXPECT_THAT(names_of(R"({"choose": "helpers", "values": ["f64"]})", "sm_90"), SizeIs(10));
}

TEST(Manifest, SectionsAreForTheTargetsTheyName) {
    const std::string section = R"({"choose": "rules", "on": ["cpu"]})";
    EXPECT_THAT(names_of(section, "sm_90"), IsEmpty());
    EXPECT_GT(names_of(section, "x86-64-v3").size(), 100u);
}

// With tests/tuner/possible_test.cpp: the set of the default manifest has all that the rules
// choose.
TEST(Manifest, DefaultHasAllThatTheRulesMayChoose) {
    std::vector<Unfit> unfit;
    for (auto& row : architectures()) {
        const Target target = parse_target(row.name);
        const auto all =
            texts(expand(parse_manifest(*embedded_manifest("default"), "default"), target, unfit));
        for (const ValueType value :
             {ValueType::f32, ValueType::f64, ValueType::c32, ValueType::c64})
            for (const bool deterministic : {false, true})
                for (const char* format : {"auto", "csr"})
                    for (Signature s : possible_choices(
                             {.format = format, .target = target, .deterministic = deterministic},
                             value))
                        for (auto& modes : handle_modes(row.kind, false)) {
                            s.alpha = modes.alpha;
                            s.beta = modes.beta;
                            ASSERT_TRUE(all.contains(to_string(s))) << to_string(s);
                        }
    }
    EXPECT_THAT(unfit, IsEmpty());
}

TEST(Manifest, EveryEmbeddedOneCanBeRead) {
    EXPECT_EQ(embedded_manifest_names(), "default, common, batches");
    for (const char* name : {"default", "common", "batches"}) {
        std::vector<Unfit> unfit;
        const Manifest manifest = parse_manifest(*embedded_manifest(name), name);
        EXPECT_EQ(manifest.name, name);
        EXPECT_GT(expand(manifest, parse_target("gfx90a"), unfit).size(), 100u);
        EXPECT_THAT(unfit, IsEmpty());
    }
    EXPECT_FALSE(embedded_manifest("nonesuch").has_value());
}

}  // namespace
}  // namespace spmvgen
