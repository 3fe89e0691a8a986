#include "spmvgen/target.hpp"

#include <gtest/gtest.h>

#include <set>

#include "refusal.hpp"

namespace spmvgen {
namespace {

TEST(Target, ParseIsTheInverseOfPrint) {
    for (auto& row : architectures())
        for (const char* tune : {"", "sapphirerapids", "cascadelake", "neoverse-n1"}) {
            const Target target{std::string(row.name), tune};
            EXPECT_EQ(parse_target(to_string(target)), target);
        }
    EXPECT_EQ(to_string(Target{"x86-64-v4", "sapphirerapids"}), "x86-64-v4:tune=sapphirerapids");
    EXPECT_EQ(to_string(Target{"aarch64", ""}), "aarch64");
}

TEST(Target, TableIsSound) {
    std::set<std::string_view> names;
    for (auto& row : architectures()) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_EQ(&architecture({std::string(row.name), ""}), &row);
        EXPECT_FALSE(row.triple.empty() || row.cpu.empty() || row.summary.empty()) << row.name;
        EXPECT_GT(row.vector_bytes, 0) << row.name;
        EXPECT_EQ(row.vector_bytes & (row.vector_bytes - 1), 0) << row.name;
        EXPECT_EQ(row.name.find(':'), std::string_view::npos) << row.name;
    }
}

TEST(Target, WrongOnesAreRefused) {
    EXPECT_EQ(refusal([] { parse_target("x86-64-v5"); }),
              "invalid_argument: unknown architecture 'x86-64-v5': use one of native, x86-64-v2, "
              "x86-64-v3, x86-64-v4, aarch64");
    EXPECT_EQ(refusal([] { parse_target(""); }).substr(0, 41),
              "invalid_argument: unknown architecture ''");
    EXPECT_EQ(refusal([] { parse_target("x86-64-v3:tune=Sky Lake"); }),
              "invalid_argument: bad CPU model 'Sky Lake' to tune for");
    EXPECT_NE(refusal([] { parse_target("x86-64-v3:march=skylake"); }), "");
    EXPECT_NE(refusal([] { parse_target("X86-64-V3"); }), "");
    EXPECT_EQ(refusal([] { parse_target("x86-64-v3:tune="); }),
              "invalid_argument: bad CPU model '' to tune for");
    EXPECT_EQ(refusal([] { parse_target("native:tune=skylake"); }),
              "invalid_argument: native is tuned for this machine's CPU: to tune for another, name "
              "the architecture, "
              "as in x86-64-v4:tune=skylake-avx512");
}

TEST(Target, NativeRunsHere) {
    const Target native = parse_target("native");
    EXPECT_EQ(why_not_runnable(native), "");
    EXPECT_EQ(parse_target("native"), native);
    EXPECT_EQ(parse_target(to_string(native)), native);
    EXPECT_EQ(architecture(native).kind, TargetKind::host);
}

TEST(Target, ForeignMachinesAreRefusedWithAReason) {
#if defined(__x86_64__)
    EXPECT_EQ(why_not_runnable({"aarch64", ""}), "this machine is x86-64");
    EXPECT_EQ(why_not_runnable({"x86-64-v2", ""}), "");
#elif defined(__aarch64__)
    EXPECT_EQ(why_not_runnable({"x86-64-v2", ""}), "this machine is aarch64");
#endif
    EXPECT_NE(refusal([] { why_not_runnable({"vax", ""}); }), "");
}

}  // namespace
}  // namespace spmvgen
