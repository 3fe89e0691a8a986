#pragma once
#include <cstdint>

namespace spmvgen {

/// Memory bandwidth of this machine as measured now, bytes per second.
struct Bandwidth {
    double read = 0;   ///< summing one array
    double triad = 0;  ///< a = b + s·c over three arrays; the write-allocate traffic is not counted
    std::int64_t bytes = 0;  ///< memory that was walked over
    int threads = 0;
    int passes = 0;       ///< of each loop; the best one counts
    double seconds = 0;   ///< what the measurement took
    bool cached = false;  ///< the memory was not larger than the last-level cache: memory is slower
    /// The higher of the two: the ceiling that a kernel is compared with.
    double best() const { return read > triad ? read : triad; }
};

/// Measures with `threads` threads (0 = what OpenMP would use) over `bytes` of memory (0 = twice
/// the last-level cache, within 256 MB … 1 GB and a quarter of the free memory). Takes some
/// 0.3 s.
Bandwidth measure_bandwidth(int threads = 0, std::int64_t bytes = 0);

/// The largest cache that this machine reports, in bytes; 0 when it reports none. In a virtual
/// machine it is the host's, shared with others.
std::int64_t last_level_cache_bytes();

}  // namespace spmvgen
