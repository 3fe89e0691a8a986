#include "spmvgen/target.hpp"

#include <gtest/gtest.h>

#include <set>

#include "refusal.hpp"

namespace spmvgen {
namespace {

TEST(Target, ParseIsTheInverseOfPrint) {
    for (auto& row : architectures())
        for (const char* tune : {"", "sapphirerapids", "cascadelake", "neoverse-n1"}) {
            if (row.kind != TargetKind::host) continue;
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
              "x86-64-v3, x86-64-v4, aarch64, sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, sm_120, "
              "gfx906, gfx908, gfx90a, gfx942, gfx1030, gfx1100, gfx1201");
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

Target gpu(const char* arch, const char* features, int wavefront) {
    return {.arch = arch, .tune = "", .features = features, .wavefront = wavefront};
}

TEST(GpuTarget, TellsOfTheVectorsMemory) {
    const Target target = parse_target("gfx1100:memory=device:wave=64");
    EXPECT_TRUE(target.device_memory);
    EXPECT_NE(target, parse_target("gfx1100:wave=64"));
    EXPECT_EQ(to_string(target), "gfx1100:wave=64:memory=device");
    EXPECT_EQ(parse_target(to_string(target)), target);
    EXPECT_EQ(refusal([] { parse_target("sm_90:memory=device"); }),
              "invalid_argument: architecture sm_90 has no feature 'memory=device': it has none");
    EXPECT_EQ(refusal([] { parse_target("gfx1100:memory=host"); }),
              "invalid_argument: architecture gfx1100 has no feature 'memory=host': it has none");
}

TEST(GpuTarget, IsThatOfADeviceAsAskedFor) {
    const Target own = parse_target("gfx90a:sramecc+:xnack-");
    Target native = own;
    native.device_memory = true;
    EXPECT_EQ(target_on(own, "native"), own);
    EXPECT_EQ(target_on(own, "gfx90a:sramecc+:xnack-"), own);
    EXPECT_EQ(target_on(own, "native:memory=device"), native);
    EXPECT_EQ(target_on(own, "gfx90a:sramecc+:xnack-:memory=device"), native);
    EXPECT_EQ(target_on(own, "gfx90a"), std::nullopt);
    const Target nvidia = parse_target("sm_90");
    EXPECT_EQ(target_on(nvidia, "native:memory=device"), nvidia);
}

TEST(GpuTarget, ReadsArchitectureFeaturesAndWavefront) {
    EXPECT_EQ(parse_target("sm_90"), gpu("sm_90", "", 32));
    EXPECT_EQ(parse_target("gfx906"), gpu("gfx906", "", 64));
    EXPECT_EQ(parse_target("gfx1100"), gpu("gfx1100", "", 32));
    EXPECT_EQ(parse_target("gfx1100:wave=64"), gpu("gfx1100", "", 64));
    EXPECT_EQ(parse_target("gfx90a:xnack-:sramecc+"), gpu("gfx90a", ":sramecc+:xnack-", 64));
}

TEST(GpuTarget, PrintsWhatItReads) {
    for (const char* text : {"sm_90", "gfx90a:sramecc+:xnack-", "gfx1030:wave=64", "gfx1030"})
        EXPECT_EQ(to_string(parse_target(text)), text);
    EXPECT_EQ(to_string(parse_target("gfx1030:wave=32")), "gfx1030");
    EXPECT_EQ(target_id(parse_target("gfx1030:wave=64")), "gfx1030");
}

TEST(GpuTarget, RefusesWhatItDoesNotKnow) {
    const auto refused = [](const char* text) { return refusal([&] { parse_target(text); }); };
    const std::string bad = "invalid_argument: ";
    EXPECT_EQ(refused("gfx1030:xnack+"),
              bad + "architecture gfx1030 has no feature 'xnack+': it has none");
    EXPECT_EQ(refused("gfx90a:tgsplit+"),
              bad + "architecture gfx90a has no feature 'tgsplit+': it has sramecc,xnack");
    EXPECT_EQ(refused("gfx90a:"),
              bad + "architecture gfx90a has no feature '': it has sramecc,xnack");
    EXPECT_EQ(refused("gfx90a:xnack"),
              bad + "feature 'xnack' of gfx90a needs one sign: write xnack+ or xnack-");
    EXPECT_EQ(refused("gfx90a:xnack+-"),
              bad + "feature 'xnack+-' of gfx90a needs one sign: write xnack+ or xnack-");
    EXPECT_EQ(refused("gfx90a:xnack+:xnack-"), bad + "feature 'xnack' of gfx90a is given twice");
    EXPECT_EQ(refused("gfx90a:wave=32"),
              bad + "architecture gfx90a has no wavefronts of 32 threads: use 64");
    EXPECT_EQ(refused("gfx1030:wave=16"),
              bad + "architecture gfx1030 has no wavefronts of 16 threads: use 32 or 64");
}

TEST(GpuTarget, CountsThreadsOfAUnit) {
    EXPECT_EQ(max_threads(parse_target("sm_90")), 2048);
    EXPECT_EQ(max_threads(parse_target("sm_86")), 1536);
    EXPECT_EQ(max_threads(parse_target("gfx906")), 2560);
    EXPECT_EQ(max_threads(parse_target("gfx1100:wave=64")), 2048);
}

TEST(Target, GathersAreFastOnIntelsWithAvx512) {
    EXPECT_TRUE(has_fast_gathers(parse_target("x86-64-v4")));
    EXPECT_TRUE(has_fast_gathers(parse_target("x86-64-v4:tune=sapphirerapids")));
    EXPECT_FALSE(has_fast_gathers(parse_target("x86-64-v4:tune=znver4")));
    EXPECT_FALSE(has_fast_gathers(parse_target("x86-64-v3")));
    EXPECT_FALSE(has_fast_gathers(parse_target("aarch64")));
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
