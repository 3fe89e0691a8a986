#include <array>

#include "spmvgen/error.hpp"
#include "spmvgen/target.hpp"

namespace spmvgen {
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

}  // namespace spmvgen
