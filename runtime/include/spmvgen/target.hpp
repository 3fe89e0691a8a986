#pragma once
#include <span>
#include <string>
#include <string_view>

namespace spmvgen {

/// The family of machines that a kernel is compiled for.
enum class TargetKind { host, cuda, hip };

/// One row of the architecture table: what the generator must know of a machine. Plain data.
struct Architecture {
    std::string_view name;  ///< "x86-64-v4", "aarch64"
    TargetKind kind;
    std::string_view triple;    ///< LLVM target triple
    std::string_view cpu;       ///< LLVM -target-cpu
    std::string_view features;  ///< LLVM features beyond the cpu's own, comma separated; "" = none
    int vector_bytes;           ///< width of one vector register
    std::string_view summary;   ///< one line for people
};

/// What a kernel is compiled for. Plain, comparable, printable.
struct Target {
    std::string arch;  ///< a row of architectures(), features included
    std::string tune;  ///< CPU model that scheduling is tuned for (LLVM -tune-cpu); "" = the
                       ///< architecture's own
    bool operator==(const Target&) const = default;
};

/// The architecture table.
std::span<const Architecture> architectures();

/// The row of target.arch; throws Error(invalid_argument) that lists the known names.
const Architecture& architecture(const Target& target);

/// "native", a name of the table, or "NAME:tune=CPU". `native` becomes the highest level that this
/// machine runs, tuned for this machine's CPU model; it needs neither LLVM nor files, only the
/// CPU's own identification. Throws Error(invalid_argument).
Target parse_target(std::string_view text);

/// The inverse of parse_target: "x86-64-v4:tune=sapphirerapids".
std::string to_string(const Target& target);

/// "" when this machine can run code for `target`, else the reason ("this CPU lacks AVX-512
/// (avx512bw)").
std::string why_not_runnable(const Target& target);

}  // namespace spmvgen
