// Every GPU kernel of the registry, helpers included, is emitted and compiled in every form that a
// compiler found here makes, and none spills: for three architectures, and with
// $SPMVGEN_EVERY_ARCHITECTURE, as the long tests have it, for all of the table.
#include <gmock/gmock.h>

#include "clang_generator.hpp"
#include "compilers/gpu/gpu_compiler.hpp"
#include "gpu_kernels.hpp"
#include "registry.hpp"
#include "registry_convert.hpp"
#include "registry_permute.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

bool every_architecture() {
    return std::getenv("SPMVGEN_EVERY_ARCHITECTURE") != nullptr;
}

std::vector<Target> gpu_targets() {
    if (!every_architecture())
        return {parse_target("sm_90"), parse_target("gfx906"), parse_target("gfx1100")};
    std::vector<Target> targets;
    for (auto& row : architectures())
        for (const int width : row.gpu.wavefronts)
            if (width != 0)
                targets.push_back(
                    parse_target(std::string(row.name) + ":wave=" + std::to_string(width)));
    return targets;
}

std::vector<std::string> gpu_kernel_ids() {
    std::vector<std::string> ids;
    for (auto& entry : kernel_registry())
        if (entry.gpu && entry.refuses == nullptr)  // these: matrix_units_test
            ids.emplace_back(entry.id);
    for (auto& entry : helper_kernels()) ids.emplace_back(entry.id);
    for (auto& entry : conversion_kernels()) ids.emplace_back(entry.id);
    return ids;
}

/// A thread keeps all in registers.
void expect_no_spill(const KernelBinary& binary) {
    for (auto& [symbol, facts] : binary.facts) {
        EXPECT_EQ(facts.stack_bytes, 0) << symbol << ": " << to_string(facts);
        EXPECT_EQ(facts.spilled_bytes.value_or(0), 0) << symbol << ": " << to_string(facts);
        EXPECT_EQ(facts.wavefront, binary.signature.target.wavefront) << symbol;
    }
    for (auto& step : binary.launch.steps) {
        ASSERT_TRUE(binary.facts.contains(step.symbol)) << step.symbol;
        EXPECT_GT(occupancy(binary.signature.target, binary.facts.at(step.symbol), step), 0)
            << step.symbol;
    }
}

/// Each access is to shared or to device memory: one that may be to either (flat) waits for both.
void expect_no_flat_access(const KernelBinary& binary) {
    const std::string text(binary.bytes.begin(), binary.bytes.end());
    for (const char* access : {"\tflat_load", "\tflat_store", "\tflat_atomic"})
        EXPECT_EQ(text.find(access), text.npos)
            << text.substr(std::min(text.find(access), text.size()), 80);
}

class GpuRegistry : public testing::TestWithParam<std::string> {
  protected:
    bool is_for(const Target& target) const {
        const KernelEntry& entry = kernel_entry(GetParam());
        Signature s;
        s.target = target;
        return entry.refuses == nullptr || entry.refuses(s).empty();
    }
    Signature signature(const Target& target) const {
        Signature s;
        s.kernel = GetParam();
        s.target = target;
        return complete(s);
    }
    ClangGenerator generator_;
};
INSTANTIATE_TEST_SUITE_P(, GpuRegistry, testing::ValuesIn(gpu_kernel_ids()),
                         [](auto& test) { return test.param; });

TEST_P(GpuRegistry, CompilesInEveryForm) {
    int made = 0;
    for (auto& target : gpu_targets()) {
        if (!is_for(target)) continue;
        SCOPED_TRACE(to_string(target));
        const KernelSource source = generator_.emit(signature(target), "");
        for (const Compiler compiler : {Compiler::nvrtc, Compiler::hiprtc, Compiler::clang})
            for (const BinaryKind kind :
                 {BinaryKind::ptx, BinaryKind::cubin, BinaryKind::hsaco, BinaryKind::assembly}) {
                const TargetKind vendor = architecture(target).kind;
                if (!makes(compiler, vendor, kind) || !known(compiler, target)) continue;
                // The text of one of AMD's architectures will do.
                // TakesAnEpilogue has PTX of each kernel that makes y.
                const bool again = (kind == BinaryKind::assembly && target.arch == "gfx1100") ||
                                   (kind == BinaryKind::ptx && !is_conversion(GetParam()));
                if (again && !every_architecture()) continue;
                SCOPED_TRACE(std::string(to_string(compiler)) + " " + to_string(kind));
                const KernelBinary binary = generator_.compile(source, kind, compiler);
                EXPECT_GT(binary.bytes.size(), 100u);
                if (kind == BinaryKind::cubin || kind == BinaryKind::hsaco) expect_no_spill(binary);
                if (kind == BinaryKind::assembly && vendor == TargetKind::hip)
                    expect_no_flat_access(binary);
                ++made;
            }
    }
    // Clang makes no cubin, and PTX of all kernels in the long tests only.
    if (!is_for(parse_target("gfx906"))) return;
    EXPECT_GT(made, 0) << "no compiler was found: Clang at least is always there";
}

/// Types and modes of α and β change what a thread holds.
TEST_P(GpuRegistry, SpillsForNoType) {
    using enum ValueType;
    // What holds most, and what is converted; the long tests have all.
    std::vector<std::pair<ValueType, ValueType>> types{{c64, c64}, {f32, bf16}};
    if (is_conversion(GetParam())) types[1] = {f64, f32};
    if (every_architecture())
        types = {{f32, f32}, {f32, f16}, {f32, bf16}, {f64, f32}, {c32, c32}, {c64, c64}};
    std::vector<std::pair<Target, Compiler>> machines{{parse_target("gfx906"), Compiler::clang}};
    if (every_architecture()) machines.push_back({parse_target("gfx1100"), Compiler::clang});
    if (known(Compiler::nvrtc, parse_target("sm_90")))
        machines.push_back({parse_target("sm_90"), Compiler::nvrtc});
    for (auto& [target, compiler] : machines)
        for (auto& [value, storage] : types) {
            if (!is_for(target)) continue;
            // What is rounded to two bytes is converted on the host.
            if (is_conversion(GetParam()) && size_of(storage) == 2) continue;
            Signature s = signature(target);
            s.value = value;
            s.storage = storage;
            s.alpha = s.beta = Scale::general;
            s.offset = value == c64 ? IndexType::i64 : IndexType::i32;
            SCOPED_TRACE(to_string(complete(s)));
            expect_no_spill(generator_.compile(generator_.emit(s, ""),
                                               loadable_kind(architecture(target).kind), compiler));
        }
}

/// Conversions off their presets, with what takes most registers and shared memory.
TEST(GpuConversions, CompileWithOtherParameters) {
    using enum ValueType;
    const std::vector<std::pair<const char*, Params>> variants{
        {"convert_ell", {{"group", 32}}},
        {"convert_sell", {{"sigma", 4096}, {"slice", 64}, {"threads_per_row", 32}}},
        {"convert_bcsr", {{"block_rows", 3}, {"block_cols", 3}}},
        {"convert_tiles", {{"items", 32}, {"value_code", 1}}},
        {"convert_tiles", {{"items", 32}, {"has_hubs", 1}}},
        {"convert_strips", {{"block_rows", 3}, {"block_cols", 3}, {"sigma", 1024}}}};
    ClangGenerator generator;
    for (auto& [kernel, params] : variants)
        for (const char* arch : {"sm_90", "gfx90a"})
            for (const auto& [value, storage] : {std::pair{f64, f64}, std::pair{c64, c32}}) {
                const Target target = parse_target(arch);
                const TargetKind vendor = architecture(target).kind;
                const Compiler compiler =
                    vendor == TargetKind::cuda && known(Compiler::nvrtc, target) ? Compiler::nvrtc
                                                                                 : Compiler::clang;
                if (!makes(compiler, vendor, loadable_kind(vendor))) continue;
                Signature s;
                s.kernel = kernel;
                s.params = params;
                s.target = target;
                s.value = value;
                s.storage = storage;
                s.index = s.offset = value == c64 ? IndexType::i64 : IndexType::i32;
                SCOPED_TRACE(to_string(complete(s)));
                const KernelBinary binary = generator.compile(generator.emit(complete(s), ""),
                                                              loadable_kind(vendor), compiler);
                EXPECT_GT(binary.bytes.size(), 100u);
                expect_no_spill(binary);
            }
}

TEST(GpuGenerator, SaysForEachCompilerWhyItCannot) {
    ClangGenerator generator;
    Signature s;
    s.kernel = "csr_classical";
    s.target = parse_target("gfx906");
    const KernelSource source = generator.emit(s, "");
    try {
        generator.compile(source, BinaryKind::cubin, Compiler::automatic);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::unsupported);
        EXPECT_STREQ(error.what(),
                     "no compiler makes cubin for gfx906:\n"
                     "  NVRTC: makes no cubin for gfx906\n"
                     "  hiprtc: makes no cubin for gfx906\n"
                     "  Clang: makes no cubin for gfx906");
    }
}

/// A kernel that adds to y atomically does so with the device's instruction where y is said to be
/// in device memory, and in a loop around a compare-and-swap where nothing is said.
TEST_P(GpuRegistry, AddsNativelyInDeviceMemory) {
    const KernelEntry& entry = kernel_entry(GetParam());
    if (entry.determinism == Determinism::always) return;
    for (const auto& [arch, type] : {std::pair{"gfx90a", ValueType::f64},
                                     {"gfx90a", ValueType::c32},
                                     {"gfx1100", ValueType::f32}}) {
        const auto text = [&](const char* memory) {
            Signature s;
            s.kernel = GetParam();
            s.value = type;
            s.target = parse_target(arch + std::string(memory));
            if (s.kernel == "ell_groups") s.params["blocks_per_row"] = 2;
            const KernelSource source = generator_.emit(complete(s), "");
            return generator_.compile(source, BinaryKind::assembly, Compiler::clang).bytes;
        };
        SCOPED_TRACE(std::string(arch) + " " + to_string(type));
        const char* add =
            type == ValueType::f64 ? "global_atomic_add_f64" : "global_atomic_add_f32";
        EXPECT_THAT(text(""), testing::HasSubstr("cmpswap"));
        const std::string native = text(":memory=device");
        EXPECT_THAT(native, testing::HasSubstr(add));
        EXPECT_THAT(native, testing::Not(testing::HasSubstr("cmpswap")));
    }
}

/// In the words of the command line's documentation, with every function that it names.
TEST_P(GpuRegistry, TakesAnEpilogue) {
    if (is_conversion(GetParam()) || kernel_entry(GetParam()).product == "x")
        GTEST_SKIP() << "it makes no y";
    const std::string epilogue = "fmax(value, sqrt(fabs(value))) + fmin(value, row)";
    for (const char* arch : {"sm_90", "gfx906"}) {
        Signature s = signature(parse_target(arch));
        const std::string plain = kernel_symbol(s);
        s.epilogue = epilogue;
        const KernelSource source = generator_.emit(s, "");
        EXPECT_THAT(source.text,
                    testing::ContainsRegex("fmax.[^,]+, sqrt.fabs.[^,]+ [+] fmin.[^,]+, [^;]+.;"));
        EXPECT_NE(source.name, plain);
        for (const Compiler compiler : {Compiler::nvrtc, Compiler::hiprtc, Compiler::clang})
            for (const BinaryKind kind : {BinaryKind::ptx, BinaryKind::hsaco}) {
                if (!makes(compiler, architecture(s.target).kind, kind)) continue;
                if (!known(compiler, s.target)) continue;
                EXPECT_FALSE(generator_.compile(source, kind, compiler).bytes.empty());
            }
        EXPECT_FALSE(
            generator_.compile(source, BinaryKind::simt, Compiler::automatic).bytes.empty());
    }
}

TEST(GpuGenerator, CompilesSumsAndMaximaByClang) {
    ClangGenerator generator;
    for (const auto& [arch, kind] :
         {std::pair{"sm_75", BinaryKind::ptx}, {"gfx906", BinaryKind::hsaco}}) {
        Signature s;
        s.kernel = "csr_classical";
        s.value = ValueType::f32;
        s.target = parse_target(arch);
        s.epilogue = "dot += value * p[row]; most max= fabs(value); fmin(value, 1.0)";
        const KernelSource source = generator.emit(complete(s), "");
        EXPECT_FALSE(generator.compile(source, kind, Compiler::clang).bytes.empty()) << arch;
    }
}

TEST(GpuGenerator, RefusesWhatIsNoExpression) {
    ClangGenerator generator;
    const auto refused = [&](const std::string& epilogue) -> std::string {
        Signature s;
        s.kernel = "csr_classical";
        s.target = parse_target("sm_90");
        s.epilogue = epilogue;
        try {
            generator.emit(s, "");
            return "";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::invalid_argument) << error.what();
            return error.what();
        }
    };
    const std::string advice =
        "; write one expression of value and row, as in value > 0 ? value : 0";
    EXPECT_EQ(refused(" "), "epilogue: the expression is empty" + advice);
    EXPECT_EQ(refused("value); evil("), "epilogue: the parentheses do not match" + advice);
    EXPECT_EQ(refused("value)+(value"), "epilogue: the parentheses do not match" + advice);
    EXPECT_EQ(refused("(value"), "epilogue: the parentheses do not match" + advice);
    EXPECT_EQ(refused("value // twice"), "epilogue: comments are not taken" + advice);
    EXPECT_EQ(refused("value + other(row)"),
              "epilogue 'value + other(row)': use of undeclared identifier 'other'");
    EXPECT_EQ(refused("t = value +; t"), "epilogue 't = value +; t': expected expression")
        << "and nothing of what follows from that";
}

}  // namespace
}  // namespace spmvgen
