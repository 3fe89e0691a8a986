#include "spmvgen/target.hpp"

#include <algorithm>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "spmvgen/error.hpp"

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

}  // namespace spmvgen
