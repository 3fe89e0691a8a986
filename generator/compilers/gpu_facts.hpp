#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace spmvgen {

/// What a compiled kernel uses, read from its code without running it. Bytes of registers and stack
/// are those of one thread.
struct KernelFacts {
    int registers = 0;         ///< 32-bit (vector) registers of a thread
    int scalar_registers = 0;  ///< AMD: of a wavefront
    std::optional<int>
        spilled_bytes;     ///< nothing: a cubin with a stack does not tell what of it is
    int shared_bytes = 0;  ///< fixed shared memory of a block
    int wavefront = 32;
    int stack_bytes = 0;  ///< local memory, spills included
    bool operator==(const KernelFacts&) const = default;
};

/// The facts of each kernel, by name, of a cubin or an AMD code object (of version 3 or later,
/// bundled by hiprtc or not). PTX has none: registers are given out when a driver loads it; the map
/// is empty then. Throws Error(invalid_input) for bytes that are none of these or are damaged.
std::map<std::string, KernelFacts> kernel_facts(std::string_view blob);

/// "registers 24, scalar registers 16, spilled 0 B, shared 2048 B, stack 0 B, wavefront 64"
std::string to_string(const KernelFacts& facts);

}  // namespace spmvgen
