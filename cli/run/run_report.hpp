#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measure/bandwidth.hpp"
#include "measure/timing.hpp"
#include "spmvgen/spmvgen.hpp"
#include "text/output.hpp"
#include "verify/reference.hpp"

namespace spmvgen::cli {

/// All that `spmvgen run` found out. Plain and printable.
struct RunReport {
    std::string matrix;
    std::int64_t systems = 0;  ///< of a batch, whose figures are sums; 0 = one matrix
    std::string batch;         ///< what its systems have in common, as BatchKind
    ValueType value = ValueType::f64;
    bool rounded = false;  ///< values are stored in a type that the user named
    int num_rhs = 1;
    int threads = 0;
    std::string alpha, beta;  ///< as the user wrote them
    std::string kernel;       ///< name of the kernel for these α and β
    Info info;
    std::string explanation;   ///< lines about the choice; "" = not asked for
    double read_s = 0;         ///< reading or making the matrix
    double first_apply_s = 0;  ///< of it making the kernel for α and β when they are not 1 and 0
    std::vector<std::pair<std::string, double>>
        numbers;  ///< that the epilogue gave in the first apply, by name
    std::optional<CheckResult> check;
    std::optional<Timing> timing;  ///< never for a product that failed its check
    /// Of a reordered matrix, measured together with timing: an apply with x and y in the matrix's
    /// order when timing is with the caller's, and the other way round.
    std::optional<Timing> other_timing;
    std::optional<Bandwidth> bandwidth;  ///< of memory; measured together with timing
    std::optional<Bandwidth>
        in_cache;                  ///< of as many bytes as an apply moves, when a cache holds them
    std::int64_t cache_bytes = 0;  ///< last-level cache; 0 = the machine does not tell
    std::int64_t bytes = 0;        ///< moved by one apply, each array counted once
    KernelCounters counters;       ///< of this process
    double flops = 0;              ///< of one apply; 0 when A is not read (α = 0)

    double bytes_per_s() const { return static_cast<double>(bytes) / timing->median_s; }
    double flops_per_s() const { return flops / timing->median_s; }
    /// Of a reordered matrix: an apply that puts x and y into the matrix's order and back, and one
    /// that finds them so.
    const Timing& gathering() const { return info.permuted_vectors ? *other_timing : *timing; }
    const Timing& permuted() const { return info.permuted_vectors ? *timing : *other_timing; }
    /// Bytes per second over what the machine gave just now.
    double share_of(const Bandwidth& b) const { return bytes_per_s() / b.best(); }
};

std::string to_string(const RunReport& report);
Json to_json(const RunReport& report);

}  // namespace spmvgen::cli
