#include "spmvgen/signature.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <span>

#include "registry.hpp"

namespace spmvgen {
namespace {

TEST(Signature, NameSaysEverythingButTheTarget) {
    Signature s{.kernel = "csr_vector",
                .params = {{"unroll", 2}, {"lanes", 8}},
                .target = {"x86-64-v4", "sapphirerapids"}};
    EXPECT_EQ(kernel_name(s), "csr_vector_f64_i32_o32_a1_b0_k1_lanes8_unroll2");
    EXPECT_EQ(to_string(s),
              "csr_vector_f64_i32_o32_a1_b0_k1_lanes8_unroll2@x86-64-v4:tune=sapphirerapids");
    s.value = ValueType::c32;
    s.index = IndexType::i64;
    s.offset = IndexType::i64;
    s.alpha = Scale::general;
    s.beta = Scale::one;
    s.num_rhs = 16;
    s.params.clear();
    s.target = {"aarch64", ""};
    EXPECT_EQ(to_string(s), "csr_vector_c32_i64_o64_ax_b1_k16@aarch64");
    s = {.kernel = "csr_rows", .value = ValueType::f32, .accumulator = ValueType::f64};
    EXPECT_EQ(kernel_name(s), "csr_rows_f32_accf64_i32_o32_a1_b0_k1");
    s.storage = ValueType::bf16;
    EXPECT_EQ(kernel_name(s), "csr_rows_f32_sbf16_accf64_i32_o32_a1_b0_k1");
}

/// Calls visit with the signature under every choice of each two of the kernel's parameters, the
/// others at their least; the same signature more than once.
void each_choice(std::span<const Parameter> params, Signature s, auto&& visit) {
    for (auto& p : params) s.params[p.name] = p.allowed.front();
    visit(s);
    for (auto& first : params)
        for (auto& second : params) {
            Signature other = s;
            for (auto one : first.allowed)
                for (auto two : second.allowed) {
                    other.params[first.name] = one;
                    other.params[second.name] = two;
                    visit(other);
                }
        }
}

/// Every type, mode and a few numbers of right-hand sides with one choice of parameters, and
/// choices of these with the same types and modes.
void each_signature(const KernelEntry& entry, auto&& visit) {
    Signature s{.kernel = std::string(entry.id), .params = {}, .target = {}};
    for (auto value : {ValueType::f32, ValueType::f64, ValueType::c32, ValueType::c64})
        for (auto index : {IndexType::i32, IndexType::i64})
            for (auto offset : {IndexType::i32, IndexType::i64})
                for (auto alpha : {Scale::zero, Scale::one, Scale::general})
                    for (auto beta : {Scale::zero, Scale::one, Scale::general})
                        for (int k : {1, 2, 12, 64}) {
                            s.value = value, s.index = index, s.offset = offset;
                            s.alpha = alpha, s.beta = beta, s.num_rhs = k;
                            visit(s);
                        }
    s.num_rhs = 3;  // none of those above
    each_choice(entry.params, s, visit);
}

TEST(Signature, NamesAreDifferentAndIdentifiers) {
    std::map<std::string, Signature> seen;
    for (auto& entry : kernel_registry())
        each_signature(entry, [&](const Signature& s) {
            const std::string name = kernel_name(s);
            const auto [it, fresh] = seen.emplace(name, s);
            ASSERT_TRUE(fresh || it->second == s) << name;
            ASSERT_TRUE(std::isalpha(static_cast<unsigned char>(name[0]))) << name;
            for (unsigned char c : name) ASSERT_TRUE(std::isalnum(c) || c == '_') << name;
        });
    EXPECT_GE(seen.size(), kernel_registry().size() * 4 * 4 * 9 * 4);
}

TEST(Signature, TargetsTellTextsApart) {
    std::map<std::string, int> seen;
    for (auto& row : architectures())
        for (const char* tune : {"", "skylake", "znver3"})
            EXPECT_EQ(
                ++seen[to_string(Signature{
                    .kernel = "csr_rows", .params = {}, .target = {std::string(row.name), tune}})],
                1);
}

}  // namespace
}  // namespace spmvgen
