#include "spmvgen/target.hpp"

#include <array>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr std::array<Architecture, 4> table{{
    {"x86-64-v2", TargetKind::host, "x86_64-unknown-linux-gnu", "x86-64-v2", "", 16,
     "x86-64 with SSE4.2 (2009 and later)"},
    {"x86-64-v3", TargetKind::host, "x86_64-unknown-linux-gnu", "x86-64-v3", "", 32,
     "x86-64 with AVX2 and FMA (2013 and later)"},
    {"x86-64-v4", TargetKind::host, "x86_64-unknown-linux-gnu", "x86-64-v4", "-prefer-256-bit", 64,
     "x86-64 with AVX-512 F, BW, CD, DQ, VL"},
    {"aarch64", TargetKind::host, "aarch64-unknown-linux-gnu", "generic", "+neon", 16,
     "64-bit Arm with NEON"},
}};

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
    return "";
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

std::string known_names() {
    std::string names = "native";
    for (auto& row : table) names += ", " + std::string(row.name);
    return names;
}

Target native_target() {
    for (auto row = table.rbegin(); row != table.rend(); ++row)
        if (row->kind == TargetKind::host && why_not_on_this_cpu(*row).empty())
            return {std::string(row->name), cpu_model()};
    throw Error(
        ErrorCode::unsupported,
        "this CPU runs none of the architectures that spmvgen compiles for: " + known_names());
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

Target parse_target(std::string_view text) {
    if (text == "native") return native_target();
    constexpr std::string_view tune = ":tune=";
    const auto colon = text.find(tune);
    Target target{std::string(text.substr(0, colon)), ""};
    if (target.arch == "native")
        throw Error(ErrorCode::invalid_argument,
                    "native is tuned for this machine's CPU: to tune for another, name the "
                    "architecture, as in "
                    "x86-64-v4:tune=skylake-avx512");
    architecture(target);
    if (colon == std::string_view::npos) return target;
    target.tune = text.substr(colon + tune.size());
    constexpr auto letters = "abcdefghijklmnopqrstuvwxyz0123456789-";
    if (target.tune.empty() || target.tune.find_first_not_of(letters) != std::string::npos)
        throw Error(ErrorCode::invalid_argument, "bad CPU model '" + target.tune + "' to tune for");
    return target;
}

std::string to_string(const Target& t) {
    return t.tune.empty() ? t.arch : t.arch + ":tune=" + t.tune;
}

std::string why_not_runnable(const Target& target) {
    const Architecture& row = architecture(target);
    if (row.kind != TargetKind::host) return std::string(row.name) + " is not a CPU";
    return why_not_on_this_cpu(row);
}

}  // namespace spmvgen
