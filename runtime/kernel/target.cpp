#include "spmvgen/target.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "spmvgen/error.hpp"
#include "spmvgen/kernel.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace spmvgen {
namespace {

#if defined(__x86_64__)
#define SPMVGEN_LACKS(feature) \
    if (!__builtin_cpu_supports(feature)) return feature

/// The first CPU feature of the level that this machine lacks, or "".
std::string missing_feature(std::string_view level) {
    SPMVGEN_LACKS("sse4.2");
    SPMVGEN_LACKS("popcnt");
    if (level == "x86-64-v2") return "";
    SPMVGEN_LACKS("avx2");
    SPMVGEN_LACKS("fma");
    SPMVGEN_LACKS("bmi2");
    if (level == "x86-64-v3") return "";
    SPMVGEN_LACKS("avx512f");
    SPMVGEN_LACKS("avx512bw");
    SPMVGEN_LACKS("avx512cd");
    SPMVGEN_LACKS("avx512dq");
    SPMVGEN_LACKS("avx512vl");
    return "";
}

/// AMD's models with AVX-512 by their family, for the compilers that build spmvgen need not know
/// them (GCC does from 13 and 14 on), later ones as the last that LLVM 19 knows; "" on others.
std::string amd_model_with_avx512() {
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    if (!__builtin_cpu_is("amd") || !__builtin_cpu_supports("avx512f")) return "";
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return "";
    const unsigned family = (eax >> 8 & 0xf) + (eax >> 20 & 0xff);
    return family == 0x19 ? "znver4" : "znver5";
}

#define SPMVGEN_MODEL(model) \
    if (__builtin_cpu_is(model)) return model

/// The CPU model in LLVM's and GCC's common spelling, "" when it is not one of those that both
/// know.
std::string cpu_model() {
    SPMVGEN_MODEL("sapphirerapids");
    SPMVGEN_MODEL("icelake-server");
    SPMVGEN_MODEL("cascadelake");
    SPMVGEN_MODEL("skylake-avx512");
    SPMVGEN_MODEL("alderlake");
    SPMVGEN_MODEL("tigerlake");
    SPMVGEN_MODEL("skylake");
    SPMVGEN_MODEL("broadwell");
    SPMVGEN_MODEL("haswell");
    SPMVGEN_MODEL("znver3");
    SPMVGEN_MODEL("znver2");
    SPMVGEN_MODEL("znver1");
    return amd_model_with_avx512();
}

std::string why_not_on_this_cpu(const Architecture& arch) {
    if (arch.triple.starts_with("x86_64")) {
        const std::string feature = missing_feature(arch.name);
        return feature.empty() ? ""
                               : "this CPU lacks " + feature + ", which " + std::string(arch.name) +
                                     " code uses";
    }
    return "this machine is x86-64";
}
#elif defined(__aarch64__)
std::string cpu_model() {
    return "";
}

std::string why_not_on_this_cpu(const Architecture& arch) {
    return arch.name == "aarch64" ? "" : "this machine is aarch64";
}
#endif

Target native_target() {
    for (auto row = architectures().rbegin(); row != architectures().rend(); ++row)
        if (row->kind == TargetKind::host && why_not_on_this_cpu(*row).empty())
            return {.arch = std::string(row->name), .tune = cpu_model(), .features = ""};
    throw Error(ErrorCode::unsupported,
                "this CPU runs none of the architectures that spmvgen compiles for; x86-64-v2 is "
                "the least");
}

[[noreturn]] void refuse(const std::string& message) {
    throw Error(ErrorCode::invalid_argument, message);
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        parts.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

void add_cpu_parts(Target& target, const std::vector<std::string>& parts) {
    constexpr std::string_view tune = "tune=";
    constexpr auto letters = "abcdefghijklmnopqrstuvwxyz0123456789-";
    for (auto& part : parts) {
        if (!part.starts_with(tune) || !target.tune.empty())
            refuse("architecture " + target.arch + " has no feature '" + part + "': write " +
                   target.arch + " or " + target.arch + ":tune=CPU");
        target.tune = part.substr(tune.size());
        if (target.tune.empty() || target.tune.find_first_not_of(letters) != std::string::npos)
            refuse("bad CPU model '" + target.tune + "' to tune for");
    }
}

/// One feature of a target ID with its sign, "xnack-".
void check_feature(const Architecture& row, const std::string& feature) {
    const auto known = split(row.gpu.features, ',');
    const std::string name = feature.substr(0, feature.find_first_of("+-"));
    if (name.empty() || std::ranges::find(known, name) == known.end())
        refuse("architecture " + std::string(row.name) + " has no feature '" + feature +
               "': it has " + (row.gpu.features.empty() ? "none" : std::string(row.gpu.features)));
    if (feature != name + "+" && feature != name + "-")
        refuse("feature '" + feature + "' of " + std::string(row.name) + " needs one sign: write " +
               name + "+ or " + name + "-");
}

int parse_wavefront(const Architecture& row, const std::string& text) {
    for (const int width : row.gpu.wavefronts)
        if (width != 0 && text == std::to_string(width)) return width;
    std::string widths = std::to_string(row.gpu.wavefronts[0]);
    if (row.gpu.wavefronts[1] != 0) widths += " or " + std::to_string(row.gpu.wavefronts[1]);
    refuse("architecture " + std::string(row.name) + " has no wavefronts of " + text +
           " threads: use " + widths);
}

void add_gpu_parts(Target& target, const Architecture& row, std::vector<std::string> parts) {
    constexpr std::string_view wave = "wave=";
    constexpr std::string_view memory = "memory=device";
    std::ranges::sort(parts);
    std::string last;
    for (auto& part : parts) {
        if (part.starts_with(wave)) {
            target.wavefront = parse_wavefront(row, part.substr(wave.size()));
            continue;
        }
        if (part == memory && row.kind == TargetKind::hip) {
            target.device_memory = true;
            continue;
        }
        check_feature(row, part);
        const std::string name = part.substr(0, part.size() - 1);
        if (name == last)
            refuse("feature '" + name + "' of " + std::string(row.name) + " is given twice");
        last = name;
        target.features += ":" + part;
    }
}

}  // namespace

Target parse_target(std::string_view text) {
    if (text == "native") return native_target();
    const auto colon = text.find(':');
    Target target{.arch = std::string(text.substr(0, colon)), .tune = "", .features = ""};
    if (target.arch == "native")
        refuse(
            "native is tuned for this machine's CPU: to tune for another, name the architecture, "
            "as "
            "in x86-64-v4:tune=skylake-avx512");
    const Architecture& row = architecture(target);
    target.wavefront = row.gpu.wavefronts[0];
    const auto parts =
        colon == text.npos ? std::vector<std::string>() : split(text.substr(colon + 1), ':');
    if (row.kind == TargetKind::host)
        add_cpu_parts(target, parts);
    else
        add_gpu_parts(target, row, parts);
    return target;
}

std::string to_string(const Target& t) {
    std::string text = target_id(t);
    if (!t.tune.empty()) text += ":tune=" + t.tune;
    if (t.wavefront != 0 && t.wavefront != architecture(t).gpu.wavefronts[0])
        text += ":wave=" + std::to_string(t.wavefront);
    if (t.device_memory) text += ":memory=device";
    return text;
}

std::optional<Target> target_on(const Target& own, std::string_view text) {
    Target target = own;
    if (text == "native") return target;
    target.device_memory = architecture(own).kind == TargetKind::hip;
    if (text == "native:memory=device") return target;
    const Target wanted = parse_target(text);
    target.device_memory = wanted.device_memory;
    return wanted == target ? std::optional(target) : std::nullopt;
}

bool adds_natively_in_device_memory(const Target& target, std::size_t bytes) {
    const Architecture& row = architecture(target);
    return row.kind == TargetKind::hip && (bytes == 4 ? row.gpu.atomic_f32 : row.gpu.atomic_f64);
}

bool has_fast_gathers(const Target& target) {
    return architecture(target).vector_bytes == 64 && !target.tune.starts_with("znver");
}

std::string why_not_runnable(const Target& target) {
    const Architecture& row = architecture(target);
    if (row.kind != TargetKind::host) return std::string(row.name) + " is not a CPU";
    return why_not_on_this_cpu(row);
}

namespace {

constexpr int KiB = 1024;
constexpr std::string_view x86 = "x86_64-unknown-linux-gnu";

constexpr Architecture cpu(std::string_view name, std::string_view triple, std::string_view model,
                           std::string_view features, int vector_bytes, std::string_view summary) {
    return {name, TargetKind::host, triple, model, features, vector_bytes, summary, {}};
}
constexpr Architecture nvidia(std::string_view name, std::string_view summary, GpuUnit unit) {
    return {name, TargetKind::cuda, "nvptx64-nvidia-cuda", name, "", 16, summary, unit};
}
constexpr Architecture amd(std::string_view name, std::string_view summary, GpuUnit unit) {
    return {name, TargetKind::hip, "amdgcn-amd-amdhsa", name, "", 16, summary, unit};
}

// GPUs: CUDA programming guide, table of compute capabilities; LLVM's AMDGPU usage and the ISA
// manuals. tests/compilers compares the columns on atomics with what LLVM makes.
// clang-format off
constexpr std::array table{
    cpu("x86-64-v2", x86, "x86-64-v2", "", 16, "x86-64 with SSE4.2 (2009 and later)"),
    cpu("x86-64-v3", x86, "x86-64-v3", "", 32, "x86-64 with AVX2 and FMA (2013 and later)"),
    cpu("x86-64-v4", x86, "x86-64-v4", "-prefer-256-bit", 64, "x86-64 with AVX-512 F, BW, CD, DQ, VL"),
    cpu("aarch64", "aarch64-unknown-linux-gnu", "generic", "+neon", 16, "64-bit Arm with NEON"),
    // features, wavefronts, shared memory, registers; a unit's wavefronts, blocks, SIMDs; register
    // granule; native atomics f32, f64
    nvidia("sm_75", "NVIDIA Turing (T4)", {"", {32, 0}, 64 * KiB, 64 * KiB, 32, 16, 4, 8, true, true}),
    nvidia("sm_80", "NVIDIA Ampere (A100)", {"", {32, 0}, 163 * KiB, 64 * KiB, 64, 32, 4, 8, true, true}),
    nvidia("sm_86", "NVIDIA Ampere (A40, RTX 30)", {"", {32, 0}, 99 * KiB, 64 * KiB, 48, 16, 4, 8, true, true}),
    nvidia("sm_89", "NVIDIA Ada (L40, RTX 40)", {"", {32, 0}, 99 * KiB, 64 * KiB, 48, 24, 4, 8, true, true}),
    nvidia("sm_90", "NVIDIA Hopper (H100, H200)", {"", {32, 0}, 227 * KiB, 64 * KiB, 64, 32, 4, 8, true, true, true}),
    nvidia("sm_100", "NVIDIA Blackwell (B200)", {"", {32, 0}, 227 * KiB, 64 * KiB, 64, 32, 4, 8, true, true, true}),
    nvidia("sm_120", "NVIDIA Blackwell (RTX 50)", {"", {32, 0}, 99 * KiB, 64 * KiB, 48, 24, 4, 8, true, true, true}),
    amd("gfx906", "AMD Vega 20 (MI50, Radeon VII)", {"sramecc,xnack", {64, 0}, 64 * KiB, 64 * KiB, 40, 40, 4, 4, false, false}),
    amd("gfx908", "AMD CDNA (MI100)", {"sramecc,xnack", {64, 0}, 64 * KiB, 128 * KiB, 40, 40, 4, 4, true, false}),
    amd("gfx90a", "AMD CDNA 2 (MI200)", {"sramecc,xnack", {64, 0}, 64 * KiB, 128 * KiB, 32, 32, 4, 8, true, true}),
    amd("gfx942", "AMD CDNA 3 (MI300)", {"sramecc,xnack", {64, 0}, 64 * KiB, 128 * KiB, 32, 32, 4, 8, true, true}),
    amd("gfx1030", "AMD RDNA 2 (RX 6000)", {"", {32, 64}, 64 * KiB, 64 * KiB, 32, 32, 2, 8, false, false}),
    amd("gfx1100", "AMD RDNA 3 (RX 7000)", {"", {32, 64}, 64 * KiB, 96 * KiB, 32, 32, 2, 24, true, false}),
    amd("gfx1201", "AMD RDNA 4 (RX 9000)", {"", {32, 64}, 64 * KiB, 96 * KiB, 32, 32, 2, 24, true, false}),
};
// clang-format on

std::string known_names() {
    std::string names = "native";
    for (auto& row : table) names += ", " + std::string(row.name);
    return names;
}

}  // namespace

std::span<const Architecture> architectures() {
    return table;
}

const Architecture& architecture(const Target& target) {
    for (auto& row : table)
        if (row.name == target.arch) return row;
    throw Error(ErrorCode::invalid_argument,
                "unknown architecture '" + target.arch + "': use one of " + known_names());
}

std::string target_id(const Target& target) {
    return target.arch + target.features;
}

int max_threads(const Target& target) {
    return architecture(target).gpu.max_wavefronts * target.wavefront;
}

namespace {

int rounded_up(int number, int granule) {
    return (number + granule - 1) / granule * granule;
}

}  // namespace

double occupancy(const Target& target, const KernelFacts& facts, const Step& step) {
    const GpuUnit& unit = architecture(target).gpu;
    if (unit.max_wavefronts == 0 || step.block <= 0) return 0;
    const int per_lane = unit.registers / (unit.simds * facts.wavefront);
    const int registers = rounded_up(std::max(facts.registers, 1), unit.register_granule);
    const int by_registers = unit.simds * (per_lane / registers);
    const int block_wavefronts = rounded_up(step.block, facts.wavefront) / facts.wavefront;
    std::int64_t blocks = std::min(unit.max_blocks, unit.max_wavefronts / block_wavefronts);
    blocks = std::min<std::int64_t>(blocks, by_registers / block_wavefronts);
    const std::int64_t shared = facts.shared_bytes + step.shared_bytes;
    if (shared > 0) blocks = std::min(blocks, unit.shared_bytes / shared);
    return static_cast<double>(blocks * block_wavefronts) / unit.max_wavefronts;
}

}  // namespace spmvgen
