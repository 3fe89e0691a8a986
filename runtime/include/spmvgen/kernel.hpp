#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "spmvgen/signature.hpp"

namespace spmvgen {

/// One argument of an emitted function: by its name the runtime finds what to pass.
struct Argument {
    std::string name;  ///< "row_ptr"
    std::string type;  ///< as spelled in the emitted text: "const int*", "double"
    bool operator==(const Argument&) const = default;
};

/// How often a step runs.
enum class StepRule {
    per_thread,  ///< once for each thread of a team, with (thread, threads)
    once,        ///< once, after the step before has ended in all threads
    grid         ///< GPUs: one launch of a grid of blocks
};

/// How large the grid of a GPU step is: with n the scalar `items` of the stored matrix, x =
/// ceil(n / items_per_block) blocks, at least 1; of these no more than blocks_per_unit for each
/// multiprocessor (compute unit) of the device when that is not 0, for the kernel then goes on to
/// further items by itself. y = `groups`, the groups of right-hand sides.
struct GridRule {
    std::string items;
    std::int64_t items_per_block = 1;
    std::int64_t blocks_per_unit = 0;
    int groups = 1;
    bool operator==(const GridRule&) const = default;
};

/// Of a GPU step that has so many blocks, and is launched only where another step has more than
/// that many.
struct JoinRule {
    int step = -1;  ///< number of that step, from 0; -1 = the step is none of these
    std::int64_t beyond_blocks = 0;
    int blocks = 1;
    bool operator==(const JoinRule&) const = default;
};

/// One function of a kernel. Of a CPU kernel it is called through `symbol`: void symbol(void*
/// const* arguments, int thread, int threads), where arguments[i] points to the value of
/// arguments[i] (as cuLaunchKernel takes them). Of a GPU kernel `symbol` is a __global__ function
/// that is launched with one-dimensional blocks of `block` threads and `shared_bytes` of dynamic
/// shared memory.
struct Step {
    std::string symbol;
    StepRule rule = StepRule::per_thread;
    std::vector<Argument> arguments;
    GridRule grid{};
    int block = 0;
    std::int64_t shared_bytes = 0;
    bool overlaps = false;  ///< GPUs: it waits itself for the launches ahead on its stream, and may
                            ///< begin before they have ended
    JoinRule joins{};
    bool operator==(const Step&) const = default;
};

/// Scratch memory that the caller lends for one apply; contents need not survive it, unless it is
/// `zeroed`.
struct Workspace {
    std::string name;  ///< the argument that gets it
    std::int64_t bytes_per_thread = 0;
    std::int64_t bytes_per_block = 0;  ///< GPUs: for each block in x of step `of_step`
    int of_step = 0;
    std::int64_t bytes = 0;  ///< GPUs: once for a launch, whatever its grid
    bool zeroed = false;     ///< holds zeros when an apply begins; the kernel leaves zeros behind
    bool operator==(const Workspace&) const = default;
};

/// How a kernel is run; leaves the generator together with the source, is kept with the binary, and
/// is all that the runtime knows of it.
struct LaunchDescription {
    std::vector<Step> steps;  ///< in order, a barrier between
    std::vector<Workspace> workspace;
    bool operator==(const LaunchDescription&) const = default;
};

/// Freestanding source text of one kernel.
struct KernelSource {
    Signature signature;
    std::string name;  ///< kernel_symbol(signature): what its functions begin with
    std::string text;  ///< no includes; compiles alone as C++17 with GCC and Clang
    LaunchDescription launch;
};

/// What a compiler makes of a KernelSource.
enum class BinaryKind {
    shared_object,  ///< CPU: what the runtime loads
    object,         ///< CPU: to link
    assembly,       ///< text, of CPUs and AMD GPUs
    llvm_ir,        ///< text
    ptx,            ///< NVIDIA's portable assembly, text; the driver compiles it when it is loaded
    cubin,          ///< NVIDIA code for one architecture
    hsaco,          ///< AMD code object for one target ID
    simt            ///< a GPU kernel as a shared object of this CPU, for the SIMT executor
};

/// The kind that a device of this kind loads.
constexpr BinaryKind loadable_kind(TargetKind kind) {
    return kind == TargetKind::host   ? BinaryKind::shared_object
           : kind == TargetKind::cuda ? BinaryKind::cubin
                                      : BinaryKind::hsaco;
}

/// Who compiles a GPU kernel; automatic = the vendor's compiler where it is found and knows the
/// architecture, else Clang. CPU kernels are always Clang's.
enum class Compiler { automatic, nvrtc, hiprtc, clang };

/// What a compiled GPU kernel uses, read from its code without running it.
struct KernelFacts {
    int registers = 0;                 ///< 32-bit (vector) registers of a thread
    int scalar_registers = 0;          ///< AMD: of a wavefront
    std::optional<int> spilled_bytes;  ///< of a thread; nothing = there is a stack, and the code
                                       ///< does not show what of it holds spilled registers
    int shared_bytes = 0;              ///< fixed shared memory of a block
    int wavefront = 32;
    int stack_bytes = 0;  ///< local memory of a thread, spills included
    bool operator==(const KernelFacts&) const = default;
};

/// A compiled kernel: one blob and its facts.
struct KernelBinary {
    Signature signature;
    BinaryKind kind = BinaryKind::shared_object;
    std::string bytes;
    LaunchDescription launch;
    std::map<std::string, KernelFacts> facts;  ///< GPUs, by symbol; none for PTX and text
    std::string compiler;       ///< identity queried from the loaded compiler: "clang 19.1.7 (…)"
    std::string flags;          ///< the flags that matter, in order
    std::string source_digest;  ///< SHA-256 (hex) of the exact source text
    std::string source;         ///< the source text itself, for people; "" when it was not kept
};

/// Estimate of the wavefronts of a GPU kernel that are resident on a unit, over the most that the
/// unit can hold, from registers, shared memory and the size of a block; 0 when not even one block
/// fits.
double occupancy(const Target& target, const KernelFacts& facts, const Step& step);

/// "registers 24, scalar registers 16, spilled 0 B, shared 2048 B, stack 0 B, wavefront 64"
std::string to_string(const KernelFacts& facts);

const char* to_string(BinaryKind kind);
const char* to_string(Compiler compiler);  ///< "automatic", "NVRTC", "hiprtc", "Clang"
const char* to_string(StepRule rule);

}  // namespace spmvgen
