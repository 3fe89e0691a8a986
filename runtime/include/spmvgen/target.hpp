#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace spmvgen {

/// The family of machines that a kernel is compiled for: CPUs, NVIDIA's and AMD's GPUs.
enum class TargetKind { host, cuda, hip };

/// What a GPU has beside what a CPU has. A unit is what a block runs on: a streaming multiprocessor
/// (NVIDIA) or a compute unit (AMD).
struct GpuUnit {
    std::string_view features;  ///< what a target ID can switch, comma separated; "" = nothing
    std::array<int, 2>
        wavefronts{};          ///< threads of a warp or wavefront, the default first; 0 = none
    int shared_bytes = 0;      ///< shared memory (LDS) that one block can have at most
    int registers = 0;         ///< 32-bit registers of a unit, over all lanes
    int max_wavefronts = 0;    ///< resident on a unit at most
    int max_blocks = 0;        ///< resident on a unit at most
    int simds = 0;             ///< parts of a unit that have registers of their own
    int register_granule = 0;  ///< registers of a thread are given out in such numbers
    bool atomic_f32 = false;   ///< adds to global memory natively, not in a loop
    bool atomic_f64 = false;
    bool overlaps_launches = false;  ///< a launch can begin before the one ahead has ended
};

/// One row of the architecture table: what the generator must know of a machine. Plain data.
struct Architecture {
    std::string_view name;  ///< "x86-64-v4", "aarch64", "sm_90", "gfx90a"
    TargetKind kind;
    std::string_view triple;    ///< LLVM target triple
    std::string_view cpu;       ///< LLVM -target-cpu
    std::string_view features;  ///< LLVM features beyond the cpu's own, comma separated; "" = none
    int vector_bytes;  ///< width of one vector register; of a GPU, of the widest load of a thread
    std::string_view summary;  ///< one line for people
    GpuUnit gpu{};
};

/// What a kernel is compiled for. Plain, comparable, printable.
struct Target {
    std::string arch;       ///< a row of architectures()
    std::string tune = {};  ///< CPU model that scheduling is tuned for (LLVM -tune-cpu); "" = the
                            ///< architecture's own
    std::string features = {};  ///< of AMD GPUs, as in LLVM's target IDs, sorted: "", ":xnack-",
                                ///< ":sramecc+:xnack-"
    int wavefront = 0;          ///< of GPUs: threads of a warp, one of the row's widths
    /// AMD GPUs: y is in memory that the device itself allocated (hipMalloc), not on the host and
    /// not fine-grained. Sums are then added to it by the device's own instructions.
    bool device_memory = false;
    bool operator==(const Target&) const = default;
};

/// The architecture table.
std::span<const Architecture> architectures();

/// The row of target.arch; throws Error(invalid_argument) that lists the known names.
const Architecture& architecture(const Target& target);

/// "native", a name of the table, "NAME:tune=CPU", "gfx90a:sramecc+:xnack-", "gfx1030:wave=64" or
/// "gfx90a:memory=device".
/// `native` becomes the highest level that this machine runs, tuned for this machine's CPU model;
/// it needs neither LLVM nor files, only the CPU's own identification. A feature of a GPU that is
/// not named is left to the compiler, whose code then runs with either setting. Throws
/// Error(invalid_argument).
Target parse_target(std::string_view text);

/// The inverse of parse_target: "x86-64-v4:tune=sapphirerapids", "gfx1030:wave=64" (the default
/// wavefront is left out).
std::string to_string(const Target& target);

/// The target of a GPU, which is `own`, as `text` asks for it: "native", "native:memory=device" or
/// its own architecture; nothing for another one. Throws Error(invalid_argument) as parse_target.
std::optional<Target> target_on(const Target& own, std::string_view text);

/// Whether a float atomic addition of numbers of so many bytes (4 or 8) to y is one instruction
/// only where the target says that y is in device memory.
bool adds_natively_in_device_memory(const Target& target, std::size_t bytes);

/// Of an AMD GPU: its target ID, "gfx90a:sramecc+:xnack-", as every AMD tool spells it; the
/// wavefront is no part of it.
std::string target_id(const Target& target);

/// Of a CPU: whether one gather is faster than the loads that it stands for. It is with AVX-512,
/// but on AMD's (tune = "znver…") it is not; measured, see docs/explanation/compilers.md.
bool has_fast_gathers(const Target& target);

/// Of a GPU: threads that are resident on a unit at most.
int max_threads(const Target& target);

/// "" when this machine can run code for `target`, else the reason ("this CPU lacks AVX-512
/// (avx512bw)").
std::string why_not_runnable(const Target& target);

}  // namespace spmvgen
