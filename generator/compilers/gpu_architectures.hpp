#pragma once
#include <array>
#include <span>
#include <string>
#include <string_view>

namespace spmvgen {

enum class GpuVendor { nvidia, amd };

/// One row of the table of GPU architectures. Plain data. A unit is what a block runs on: a
/// streaming multiprocessor (NVIDIA) or a compute unit (AMD).
struct GpuArchitecture {
    std::string_view name;  ///< "sm_90", "gfx90a"
    GpuVendor vendor;
    std::string_view cpu;           ///< LLVM -target-cpu
    std::string_view features;      ///< what a target ID can switch, comma separated; "" = nothing
    std::array<int, 2> wavefronts;  ///< threads of a warp or wavefront, the default first; 0 = none
    int shared_bytes;               ///< shared memory (LDS) that one block can have at most
    int registers;                  ///< 32-bit registers of a unit, over all lanes
    int max_wavefronts;             ///< resident on a unit at most
    bool atomic_f32;                ///< adds to global memory natively, not in a loop
    bool atomic_f64;
};

/// The table, oldest first within a vendor.
std::span<const GpuArchitecture> gpu_architectures();

/// What GPU code is made for. Plain, comparable, printable.
struct GpuTarget {
    std::string arch;      ///< a row of gpu_architectures()
    std::string features;  ///< as in LLVM's target IDs, sorted: "", ":xnack-", ":sramecc+:xnack-"
    int wavefront = 0;     ///< one of the row's widths
    bool operator==(const GpuTarget&) const = default;
};

/// The row of target.arch. Throws Error(invalid_argument) that lists the known names.
const GpuArchitecture& gpu_architecture(const GpuTarget& target);

/// Reads "sm_90" or "gfx90a:sramecc+:xnack-". A feature that is not named is left to the compiler,
/// whose code then runs with either setting. `wavefront` 0 means the architecture's default. Throws
/// Error(invalid_argument) for an unknown architecture, feature or width.
GpuTarget parse_gpu_target(std::string_view text, int wavefront = 0);

/// The target ID, "gfx90a:sramecc+:xnack-", as every AMD tool spells it; the wavefront is no part.
std::string target_id(const GpuTarget& target);

/// The target ID, and the wavefront where the architecture has two: "gfx1030 wave64".
std::string to_string(const GpuTarget& target);

/// Threads that are resident on a unit at most.
int max_threads(const GpuTarget& target);

}  // namespace spmvgen
