#include "registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "refusal.hpp"
#include "registry_permute.hpp"

namespace spmvgen {
namespace {

Signature of(const KernelEntry& entry) {
    Signature s{.kernel = std::string(entry.id), .params = {}, .target = {}};
    for (auto& row : architectures())
        if ((row.kind != TargetKind::host) == entry.gpu) s.target = parse_target(row.name);
    return s;
}

std::string ids() {
    std::string text;
    for (auto& entry : kernel_registry())
        text += (text.empty() ? "" : ", ") + std::string(entry.id);
    return text;
}

TEST(Registry, HelpersAreFoundButNotListed) {
    EXPECT_FALSE(helper_kernels().empty());
    for (auto& helper : helper_kernels()) {
        EXPECT_EQ(&kernel_entry(helper.id), &helper);
        for (auto& entry : kernel_registry()) EXPECT_NE(entry.id, helper.id);
        Signature s = of(helper);
        if (helper.refuses != nullptr) s.target = parse_target("sm_90");
        EXPECT_EQ(complete(s).params.size(), helper.params.size());
    }
    Signature exchange;
    exchange.kernel = "exchange_rows";
    exchange.target = parse_target("gfx906");
    EXPECT_EQ(refusal([&] { complete(exchange); }),
              "invalid_argument: kernel exchange_rows is for NVIDIA GPUs, which gfx906 is none of: "
              "pack rows or fetch them");
}

TEST(Registry, EntriesAreSound) {
    std::set<std::string_view> seen;
    for (auto& entry : kernel_registry()) {
        EXPECT_TRUE(seen.insert(entry.id).second) << entry.id;
        EXPECT_EQ(&kernel_entry(entry.id), &entry);
        EXPECT_FALSE(entry.file.empty() || entry.summary.empty() || entry.steps.empty())
            << entry.id;
        EXPECT_FALSE(of(entry).target.arch.empty()) << "no machine for " << entry.id;
        std::set<ParamName> names;
        for (auto& p : entry.params) {
            EXPECT_TRUE(names.insert(p.name).second) << entry.id << ' ' << p.name;
            EXPECT_FALSE(p.allowed.empty() || p.summary.empty()) << entry.id << ' ' << p.name;
            EXPECT_TRUE(std::ranges::is_sorted(p.allowed)) << entry.id << ' ' << p.name;
            EXPECT_TRUE(std::ranges::adjacent_find(p.allowed) == p.allowed.end())
                << entry.id << ' ' << p.name;
            EXPECT_TRUE(is_fitted(p) || allows(p, p.preset)) << entry.id << ' ' << p.name;
        }
        for (auto& w : entry.workspace)
            EXPECT_TRUE(w.element == "value" || w.element == "int64") << entry.id << ' ' << w.name;
    }
}

/// The formats' names, in the order of the registry; those of the constants come first.
TEST(Registry, FormatsAreParsedByTheirNames) {
    std::string names;
    for (auto& entry : format_registry()) {
        EXPECT_EQ(parse_format(to_string(entry.format)), entry.format);
        EXPECT_EQ(&format_entry(entry.format), &entry) << to_string(entry.format);
        names += (names.empty() ? "" : ", ") + std::string(to_string(entry.format));
    }
    EXPECT_EQ(format_names(), names);
    EXPECT_TRUE(names.starts_with("csr, coo, ell, sell, hyb, csr-k, bcsr, strips, tiles")) << names;
    EXPECT_EQ(refusal([] { format_entry(Format{"no-such"}); }),
              "internal: no family describes format no-such");
}

TEST(Registry, FormatsAreReadByKernelsAndHaveTheirParameters) {
    for (auto& format : format_registry()) {
        SCOPED_TRACE(to_string(format.format));
        std::set<ParamName> known[2];
        for (auto& entry : kernel_registry())
            if (entry.format == format.format && !entry.batch)
                for (auto& p : entry.params) known[entry.gpu ? 1 : 0].insert(p.name);
        for (auto& name : format.cpu_layout) EXPECT_TRUE(known[0].contains(name)) << name;
        for (auto& name : format.gpu_layout) EXPECT_TRUE(known[1].contains(name)) << name;
    }
    for (auto& entry : kernel_registry())
        for (auto& name : entry.layout)
            EXPECT_TRUE(std::ranges::count(entry.params, name, &Parameter::name)) << name;
}

/// Of each table, and of each kernel's and its format's together.
TEST(Registry, ArgumentsAreSaidOnceAndInFull) {
    const auto check = [](std::span<const ArgumentTemplate> table) {
        std::set<std::string_view> names;
        for (auto& argument : table) {
            SCOPED_TRACE(argument.name);
            EXPECT_TRUE(names.insert(argument.name).second);
            EXPECT_TRUE(argument.described != nullptr || !argument.sentence.empty());
            EXPECT_TRUE(argument.extent.empty() || argument.extent.starts_with("["));
        }
    };
    for (auto& format : format_registry()) check(format.arguments);
    for (auto& entry : kernel_registry()) check(entry.arguments);
    const KernelEntry& csr = kernel_entry("csr_classical");
    EXPECT_EQ(argument_of(csr, "row_ptr").extent, "[num_rows + 1]");
    EXPECT_TRUE(may_change(csr, "x"));
    EXPECT_TRUE(may_change(csr, "values"));
    EXPECT_FALSE(may_change(csr, "col_idx"));
    EXPECT_TRUE(may_change(kernel_entry("tiles_hubs"), "hot_x"));
    EXPECT_EQ(refusal([&] { argument_of(csr, "row_pointer"); }),
              "internal: kernel csr_classical: nothing is known of argument 'row_pointer': add it "
              "to the arguments of the kernel or of format csr (templates/families)");
}

TEST(Registry, CompleteFillsInWhatIsAbsent) {
    std::map<std::string_view, int> completed;
    for (auto& entry : kernel_registry())
        for (auto& row : architectures()) {
            if ((row.kind != TargetKind::host) != entry.gpu) continue;
            for (auto value : {ValueType::f32, ValueType::f64, ValueType::c32, ValueType::c64}) {
                Signature s = of(entry);
                s.value = value;
                s.target = parse_target(row.name);
                if (entry.refuses != nullptr && !entry.refuses(s).empty()) continue;
                ++completed[entry.id];
                const Signature full = complete(s);
                EXPECT_EQ(full.params.size(), entry.params.size());
                EXPECT_EQ(complete(full), full) << to_string(full);
                for (auto& p : entry.params) {
                    const auto chosen = full.params.at(p.name);
                    EXPECT_TRUE(allows(p, chosen)) << to_string(full);
                    if (!is_fitted(p)) {
                        EXPECT_EQ(chosen, p.preset) << to_string(full);
                    }
                }
                s.params = full.params;
                EXPECT_EQ(complete(s), full) << "what is given stays";
            }
        }
    EXPECT_EQ(completed.size(), kernel_registry().size()) << "each serves something";
}

TEST(Registry, MatrixUnitsAreThereForF64OnSomeArchitectures) {
    Signature s;
    s.kernel = "csr_matrix_units";
    s.target = parse_target("sm_75");
    EXPECT_EQ(
        refusal([&] { complete(s); }),
        "invalid_argument: kernel csr_matrix_units multiplies with matrix units for f64, "
        "which sm_75 does not have: use another kernel, or one of sm_80, sm_86, sm_89, sm_90, "
        "sm_100, sm_120, gfx90a, gfx942");
    s.target = parse_target("gfx942");
    s.value = ValueType::f32;
    EXPECT_EQ(refusal([&] { complete(s); }),
              "invalid_argument: kernel csr_matrix_units multiplies with matrix units for f64, and "
              "has no sums of type f32: use value type f64, f32 with accumulator f64, or another "
              "kernel");
    s.accumulator = ValueType::f64;
    EXPECT_EQ(complete(s).kernel, "csr_matrix_units");
    s.num_rhs = 2;
    EXPECT_EQ(refusal([&] { complete(s); }),
              "invalid_argument: kernel csr_matrix_units multiplies with one right-hand side, not "
              "2: use another kernel");
}

TEST(Registry, UnknownKernelIsRefused) {
    EXPECT_EQ(refusal([] { complete({.kernel = "csr_magic", .params = {}, .target = {}}); }),
              "invalid_argument: unknown kernel 'csr_magic': use one of " + ids());
    EXPECT_EQ(refusal([] { kernel_entry(""); }),
              "invalid_argument: unknown kernel '': use one of " + ids());
}

TEST(Registry, NumberOfRightHandSidesHasLimits) {
    Signature s = of(kernel_registry()[0]);
    for (int k : {-1, 0, 65}) {
        s.num_rhs = k;
        EXPECT_EQ(refusal([&] { complete(s); }), "invalid_argument: number of right-hand sides " +
                                                     std::to_string(k) + " is outside 1…64");
    }
    for (int k : {1, 64}) {
        s.num_rhs = k;
        EXPECT_EQ(complete(s).num_rhs, k);
    }
}

TEST(Registry, UnknownArchitectureIsRefused) {
    Signature s = of(kernel_registry()[0]);
    s.target.arch = "vax";
    EXPECT_EQ(refusal([&] { complete(s); }),
              "invalid_argument: unknown architecture 'vax': use one of native, x86-64-v2, "
              "x86-64-v3, x86-64-v4, aarch64, sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, "
              "sm_120, gfx906, gfx908, gfx90a, gfx942, gfx1030, gfx1100, gfx1201");
}

TEST(Registry, WrongParametersAreRefused) {
    for (auto& entry : kernel_registry()) {
        std::string names;
        for (auto& p : entry.params) {
            names += (names.empty() ? ": use " : ", ") + p.name.str();
            std::string allowed = p.range ? "a number from " : "one of ";
            const char* between = p.range ? " to " : ", ";
            for (auto v : p.allowed) {
                if (p.range && v != p.allowed.front() && v != p.allowed.back()) continue;
                allowed += (v == p.allowed.front() ? "" : between) + std::to_string(v);
            }
            for (auto wrong : {p.allowed.front() - 1, p.allowed.back() + 1}) {
                Signature s = of(entry);
                s.params[p.name] = wrong;
                EXPECT_EQ(refusal([&] { complete(s); }), "invalid_argument: parameter " +
                                                             p.name.str() + "=" +
                                                             std::to_string(wrong) + " of kernel " +
                                                             s.kernel + ": use " + allowed);
            }
        }
        Signature s = of(entry);
        s.params["magic"] = 1;
        EXPECT_EQ(refusal([&] { complete(s); }),
                  "invalid_argument: kernel " + s.kernel + " has no parameter 'magic'" + names);
    }
}

TEST(Registry, GeneratorDigestIsASha256) {
    EXPECT_EQ(generator_digest().size(), 64u);
    EXPECT_EQ(generator_digest().find_first_not_of("0123456789abcdef"), std::string_view::npos);
}

}  // namespace
}  // namespace spmvgen
