// Launches that overlap: what a kernel does before it has waited for the launches ahead, read from
// PTX, and that what does not overlap has no trace of it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "handle/kernels/kernel_sources.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "tuner/cost/work/gpu_units.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Case {
    const char* kernel;
    Params params;
    int num_rhs = 1;
};

const std::vector<Case> overlapping{
    {"csr_classical", {{"subwarp", 1}}},
    {"csr_classical", {{"subwarp", 32}, {"block", 1024}}},
    {"csr_by_length", {}},
    {"csr_load_balance", {}},
    {"csr_load_balance", {{"deterministic", 1}}},
    {"sell_slices", {{"sigma", 1024}}},
    {"dia", {}},
    {"bcsr_fused", {{"block_rows", 1}, {"block_cols", 1}}},
    {"bcsr_fused", {{"block_rows", 3}, {"block_cols", 3}}},
    {"strips", {}},
    {"strips", {{"codes", 1}, {"ragged", 0}, {"long_rows", 0}, {"fill", 0}}},
    {"strips", {{"block_rows", 3}, {"block_cols", 3}, {"sigma", 64}, {"threads_per_row", 4}}},
    {"tiles", {}},
    {"tiles_hubs", {}},
    {"csr_classical", {{"subwarp", 8}, {"unroll", 8}}, 8},
    {"csr_by_length", {}, 16},
    {"bcsr_fused", {{"block_rows", 4}, {"block_cols", 1}, {"subwarp", 16}}, 16},
};
const std::vector<Case> waiting{
    {"csr_merge_path", {}},
    {"coo", {}},
};

Signature signature(const Case& kernel, const char* target, Scale alpha, Scale beta) {
    Signature s;
    s.kernel = kernel.kernel;
    s.num_rhs = kernel.num_rhs;
    s.params = kernel.params;
    s.target = parse_target(target);
    s.alpha = alpha;
    s.beta = beta;
    return complete(s);
}

bool overlaps(const KernelSource& source) {
    return std::ranges::any_of(source.launch.steps, &Step::overlaps);
}

/// PTX of the kernel by that compiler; "" where it is not there.
std::string ptx_of(const KernelSource& source, Compiler compiler) {
    try {
        return load_generator().compile(source, BinaryKind::ptx, compiler).bytes;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::unsupported) throw;
        return "";
    }
}

/// Nothing that the launch ahead may write is read, and nothing written, before the first wait of
/// each step that overlaps.
void check_order(const KernelSource& source, const std::string& ptx) {
    for (auto& step : source.launch.steps) {
        if (!step.overlaps) continue;
        SCOPED_TRACE(step.symbol);
        const auto begin = ptx.find(".entry " + step.symbol + "(");
        ASSERT_NE(begin, ptx.npos);
        const std::string entry = ptx.substr(begin, ptx.find(".entry", begin + 1) - begin);
        const auto wait = entry.find("griddepcontrol.wait");
        ASSERT_NE(wait, entry.npos);
        const std::string before = entry.substr(0, wait);
        for (const char* operation :
             {"ld.global.cs", "ld.global.f", "ld.global.nc.f", "st.global", "atom.", "red.global"})
            EXPECT_THAT(before, Not(HasSubstr(operation)));
        EXPECT_THAT(entry, Not(HasSubstr("ld.global.nc.f")))
            << "x or the values are taken for unchanging";
    }
}

TEST(Overlap, NothingThatMayChangeIsTouchedBeforeTheWait) {
    int read = 0;
    for (auto& kernel : overlapping)
        for (const auto& [alpha, beta] :
             {std::pair{Scale::one, Scale::zero}, std::pair{Scale::general, Scale::general}}) {
            const KernelSource source =
                load_generator().emit(signature(kernel, "sm_90", alpha, beta), "");
            SCOPED_TRACE(source.name);
            EXPECT_TRUE(overlaps(source));
            for (const char* argument :
                 {"__restrict__ x,", "__restrict__ hot_x,", "__restrict__ values,"})
                EXPECT_THAT(source.text, Not(HasSubstr(argument)));
            for (const Compiler compiler : {Compiler::nvrtc, Compiler::clang}) {
                const std::string ptx = ptx_of(source, compiler);
                if (ptx.empty()) continue;
                check_order(source, ptx);
                ++read;
            }
        }
    EXPECT_GE(read, static_cast<int>(2 * overlapping.size())) << "Clang makes it everywhere";
}

/// Loads of device memory in the text.
int loads_in(const std::string& ptx) {
    int loads = 0;
    for (auto at = ptx.find("ld.global"); at != ptx.npos; at = ptx.find("ld.global", at + 1))
        ++loads;
    return loads;
}

void expect_loads_before_the_wait(const KernelSource& source, int loads) {
    for (const Compiler compiler : {Compiler::nvrtc, Compiler::clang}) {
        const std::string ptx = ptx_of(source, compiler);
        if (ptx.empty()) continue;
        EXPECT_EQ(loads_in(ptx.substr(0, ptx.find("griddepcontrol.wait"))), loads);
    }
}

TEST(Overlap, WhereARowIsAndItsFirstColumnsAreLoadedBeforeTheWait) {
    constexpr int bounds = 2, columns = 4;
    for (const char* kernel : {"csr_classical", "sell_slices"}) {
        const Case unrolled{kernel, {{"unroll", columns}}};
        const KernelSource source =
            load_generator().emit(signature(unrolled, "sm_90", Scale::one, Scale::zero), "");
        SCOPED_TRACE(source.name);
        EXPECT_THAT(source.text,
                    HasSubstr(fmt::format("if ({:.0f} * gridDim.x * gridDim.y <= units) asm "
                                          "volatile(\"griddepcontrol.launch_dependents",
                                          1 / gpu::few_blocks)))
            << "as the choice counts";
        expect_loads_before_the_wait(source, bounds + columns);
    }
}

TEST(Overlap, FirstColumnsThatLanesShareAreLoadedBeforeTheWait) {
    constexpr int bounds = 2, vectors = 8;
    const Params eight{{"subwarp", 8}, {"unroll", 8}};  // 4 lanes an entry: two of 8 a lane
    for (const auto& [kernel, columns] :
         {std::pair{Case{"csr_classical", eight, vectors}, 2},
          {Case{"bcsr_fused", {{"block_rows", 4}, {"block_cols", 1}, {"subwarp", 8}}, vectors},
           1}}) {
        const KernelSource source =
            load_generator().emit(signature(kernel, "sm_90", Scale::one, Scale::zero), "");
        SCOPED_TRACE(source.name);
        EXPECT_THAT(source.text, Not(HasSubstr("__restrict__ col_idx")));
        EXPECT_THAT(source.text, HasSubstr("if (gridDim.x * gridDim.y <= 16 * units)\n"));
        expect_loads_before_the_wait(source, bounds + columns);
    }
}

TEST(Overlap, IsLeftOutWhereItDoesNotPayOrTheDeviceCannot) {
    const auto has_none = [](const Case& kernel, const char* target) {
        const KernelSource source =
            load_generator().emit(signature(kernel, target, Scale::one, Scale::zero), "");
        EXPECT_FALSE(overlaps(source)) << source.name << " for " << target;
        EXPECT_THAT(source.text, Not(HasSubstr("griddepcontrol"))) << source.name;
        EXPECT_THAT(source.text, HasSubstr("__restrict__ x,")) << source.name;
    };
    for (auto& kernel : waiting) has_none(kernel, "sm_90");
    for (const char* target : {"sm_80", "gfx90a"})
        for (auto& kernel : overlapping) has_none(kernel, target);
}

TEST(Overlap, YIsScaledAfterTheWait) {
    const KernelSource source =
        load_generator().emit(signature(overlapping[0], "sm_90", Scale::zero, Scale::general), "");
    const std::string ptx = ptx_of(source, Compiler::clang);
    ASSERT_FALSE(ptx.empty());
    check_order(source, ptx);
}

}  // namespace
}  // namespace spmvgen
