#include "compilers/gpu_architectures.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr int KiB = 1024;
constexpr auto nvidia = GpuVendor::nvidia;
constexpr auto amd = GpuVendor::amd;

// Sources: CUDA programming guide, table of compute capabilities; LLVM's AMDGPU usage and the ISA
// manuals. tests/compilers compares the columns on atomics with what LLVM makes.
constexpr GpuArchitecture table[] = {
    // name, vendor, cpu, features, wavefronts, shared, registers, wavefronts a unit, f32, f64
    {"sm_75", nvidia, "sm_75", "", {32, 0}, 64 * KiB, 64 * KiB, 32, true, true},
    {"sm_80", nvidia, "sm_80", "", {32, 0}, 163 * KiB, 64 * KiB, 64, true, true},
    {"sm_86", nvidia, "sm_86", "", {32, 0}, 99 * KiB, 64 * KiB, 48, true, true},
    {"sm_89", nvidia, "sm_89", "", {32, 0}, 99 * KiB, 64 * KiB, 48, true, true},
    {"sm_90", nvidia, "sm_90", "", {32, 0}, 227 * KiB, 64 * KiB, 64, true, true},
    {"sm_100", nvidia, "sm_100", "", {32, 0}, 227 * KiB, 64 * KiB, 64, true, true},
    {"sm_120", nvidia, "sm_120", "", {32, 0}, 99 * KiB, 64 * KiB, 48, true, true},
    {"gfx906", amd, "gfx906", "sramecc,xnack", {64, 0}, 64 * KiB, 64 * KiB, 40, false, false},
    {"gfx908", amd, "gfx908", "sramecc,xnack", {64, 0}, 64 * KiB, 128 * KiB, 40, true, false},
    {"gfx90a", amd, "gfx90a", "sramecc,xnack", {64, 0}, 64 * KiB, 128 * KiB, 32, true, true},
    {"gfx942", amd, "gfx942", "sramecc,xnack", {64, 0}, 64 * KiB, 128 * KiB, 32, true, true},
    {"gfx1030", amd, "gfx1030", "", {32, 64}, 64 * KiB, 64 * KiB, 32, false, false},
    {"gfx1100", amd, "gfx1100", "", {32, 64}, 64 * KiB, 96 * KiB, 32, true, false},
    {"gfx1201", amd, "gfx1201", "", {32, 64}, 64 * KiB, 96 * KiB, 32, true, false},
};

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

std::string parse_features(const GpuArchitecture& row, const std::vector<std::string>& features) {
    const auto known = split(row.features, ',');
    std::set<std::string> seen;
    std::string canonical;
    std::vector<std::string> sorted = features;
    std::ranges::sort(sorted);
    for (auto& feature : sorted) {
        const std::string name = feature.substr(0, feature.find_first_of("+-"));
        if (name.empty() || std::ranges::find(known, name) == known.end())
            refuse("GPU architecture " + std::string(row.name) + " has no feature '" + feature +
                   "': it has " + (row.features.empty() ? "none" : std::string(row.features)));
        if (feature != name + "+" && feature != name + "-")
            refuse("feature '" + feature + "' of " + std::string(row.name) +
                   " needs one sign: write " + name + "+ or " + name + "-");
        if (!seen.insert(name).second)
            refuse("feature '" + name + "' of " + std::string(row.name) + " is given twice");
        canonical += ":" + feature;
    }
    return canonical;
}

}  // namespace

std::span<const GpuArchitecture> gpu_architectures() {
    return table;
}

const GpuArchitecture& gpu_architecture(const GpuTarget& target) {
    const auto* row = std::ranges::find(table, target.arch, &GpuArchitecture::name);
    if (row != std::end(table)) return *row;
    std::string names;
    for (auto& known : table) names += (names.empty() ? "" : ", ") + std::string(known.name);
    refuse("unknown GPU architecture '" + target.arch + "': use one of " + names);
}

GpuTarget parse_gpu_target(std::string_view text, int wavefront) {
    auto parts = split(text, ':');
    GpuTarget target{parts.front(), "", wavefront};
    const GpuArchitecture& row = gpu_architecture(target);
    parts.erase(parts.begin());
    target.features = parse_features(row, parts);
    if (wavefront == 0) target.wavefront = row.wavefronts[0];
    if (target.wavefront <= 0 ||
        std::ranges::find(row.wavefronts, target.wavefront) == row.wavefronts.end()) {
        std::string widths = std::to_string(row.wavefronts[0]);
        if (row.wavefronts[1] != 0) widths += " or " + std::to_string(row.wavefronts[1]);
        refuse("GPU architecture " + target.arch + " has no wavefronts of " +
               std::to_string(wavefront) + " threads: use " + widths);
    }
    return target;
}

std::string target_id(const GpuTarget& target) {
    return target.arch + target.features;
}

std::string to_string(const GpuTarget& target) {
    const bool choice = gpu_architecture(target).wavefronts[1] != 0;
    return target_id(target) + (choice ? " wave" + std::to_string(target.wavefront) : "");
}

int max_threads(const GpuTarget& target) {
    return gpu_architecture(target).max_wavefronts * target.wavefront;
}

}  // namespace spmvgen
