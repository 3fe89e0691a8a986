// Options by name, info and counters as JSON: that nothing is missing there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "c_fixture.hpp"
#include "handle/info_json.hpp"
#include "handle/options_by_name.hpp"

namespace spmvgen {
namespace {

/// Becomes whatever a field is initialised with.
struct AnyField {
    template <typename T>
    operator T() const;
};
template <typename Struct, std::size_t... i>
constexpr bool takes(std::index_sequence<i...>) {
    return requires { Struct{(static_cast<void>(i), AnyField{})...}; };
}
/// Number of fields of an aggregate.
template <typename Struct, std::size_t n = 64>
constexpr std::size_t field_count() {
    if constexpr (takes<Struct>(std::make_index_sequence<n>()))
        return n;
    else
        return field_count<Struct, n - 1>();
}

TEST(Names, EveryOptionHasOne) {
    constexpr std::size_t others = 3;  // params, owner and on_measured
    EXPECT_EQ(option_names().size() + others, field_count<Options>())
        << "a new field of Options needs a row in runtime/handle/options_by_name.cpp";
}

TEST(Names, InfoAndCountersAreToldWhole) {
    EXPECT_EQ(info_json({}).size(), field_count<Info>())
        << "a new field of Info needs one in runtime/handle/info_json.cpp";
    EXPECT_EQ(counters_json({}).size(), field_count<KernelCounters>());
}

TEST(Names, AnOptionIsWhatItWasSetTo) {
    const std::vector<std::pair<const char*, const char*>> settings{
        {"device", "cuda:0"},
        {"format", "csr-k"},
        {"kernel", "csr_vector"},
        {"target", "x86-64"},
        {"deterministic", "true"},
        {"vectors", "f64"},
        {"accumulator", "c64"},
        {"storage", "bf16"},
        {"encodings", "none"},
        {"epilogue", "value"},
        {"num_rhs", "3"},
        {"op", "H"},
        {"transpose_by_atomics", "true"},
        {"threads", "2"},
        {"all_threads", "true"},
        {"copy", "false"},
        {"device_arrays", "true"},
        {"index_base", "1"},
        {"updates", "often"},
        {"updatable", "false"},
        {"reorder", "rcm"},
        {"memory_limit", "4000000000"},
        {"cache", "readonly"},
        {"cache_dir", "/a b/"},
        {"permuted_vectors", "true"},
        {"pack_vectors", "never"},
        {"overlap_launches", "false"},
        {"strict", "true"},
        {"compile", "behind"},
        {"level", "measure"},
        {"rule", "ginkgo"},
        {"kernel_sets", "/a:b.spmvset"},
        {"expected_applies", "7"},
        {"budget_ms", "2.5"},
        {"choose_anew", "true"},
        {"param.lanes", "-8"}};
    EXPECT_EQ(settings.size(), option_names().size() + 1);
    Options options;
    for (auto& [name, text] : settings) {
        EXPECT_NE(option_text(options, name), text) << name;
        set_option(options, name, text);
        EXPECT_EQ(option_text(options, name), text);
    }
    EXPECT_EQ(options.device, "cuda:0");
    EXPECT_EQ(options.num_rhs, 3);
    EXPECT_EQ(options.cache, CacheMode::readonly);
    EXPECT_FALSE(options.copy);
    EXPECT_EQ(options.params, (Params{{"lanes", -8}}));
    set_option(options, "param.lanes", "");
    EXPECT_TRUE(options.params.empty());
    EXPECT_EQ(option_text(options, "param.lanes"), "");
}

TEST(Names, DefaultsCanBeSetAgain) {
    const Options defaults;
    Options options;
    for (auto& name : option_names())
        EXPECT_NO_THROW(set_option(options, name, option_text(defaults, name))) << name;
}

TEST(Names, WhatCannotBeIsAnErrorThatSaysWhatCan) {
    const auto refusal = [](const char* name, const char* text) {
        const COptions options;
        const std::string before = text_of([&](char* b, std::size_t s, std::size_t* n) {
            return spmvgen_options_get(options, "format", b, s, n);
        });
        EXPECT_EQ(before, "auto");
        return told(spmvgen_options_set(options, name, text));
    };
    EXPECT_EQ(
        refusal("divice", "host"),
        "invalid_argument: unknown option 'divice': use one of device, format, kernel, "
        "target, deterministic, vectors, accumulator, storage, encodings, epilogue, num_rhs, op, "
        "transpose_by_atomics, "
        "threads, all_threads, copy, device_arrays, index_base, updates, updatable, memory_limit, "
        "reorder, "
        "permuted_vectors, pack_vectors, overlap_launches, "
        "cache, cache_dir, kernel_sets, strict, compile, level, rule, budget_ms, choose_anew, "
        "expected_applies, "
        "or "
        "param.NAME "
        "for a parameter of the kernel");
    EXPECT_THAT(refusal("param.", "1"), testing::HasSubstr("unknown option 'param.'"));
    EXPECT_EQ(refusal("strict", "1"),
              "invalid_argument: options.strict: '1' is neither true nor false");
    EXPECT_EQ(refusal("num_rhs", "4x"),
              "invalid_argument: options.num_rhs: '4x' is not an integer that fits");
    EXPECT_EQ(refusal("threads", "99999999999"),
              "invalid_argument: options.threads: '99999999999' is not an integer that fits");
    EXPECT_EQ(refusal("param.lanes", "wide"),
              "invalid_argument: options.param.lanes: 'wide' is not an integer that fits");
    EXPECT_EQ(refusal("cache", "maybe"),
              "invalid_argument: options.cache: unknown mode 'maybe': use one of on, memory, "
              "readonly, load, off");
    for (const char* name : {"format", "kernel", "op", "vectors", "accumulator", "storage",
                             "encodings", "reorder", "pack_vectors", "compile", "level"})
        EXPECT_THAT(refusal(name, "nothing"),
                    testing::StartsWith(std::string("invalid_argument: options.") + name + ": "));
}

}  // namespace
}  // namespace spmvgen
