#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "tuner/situation.hpp"

/// Figures of a matrix as a GPU sees it, which rules and plans have in common.
namespace spmvgen {

/// What differs by vendor: the limits of Algorithm 3, and ω, wavefronts for each one that is
/// resident, of kernels that balance nonzeros, by the number of these (Tsai, Cojean & Anzt 2020;
/// the last two of NVIDIA's are today's Ginkgo's).
struct GpuLimits {
    struct Oversubscription {
        double least_nnz;
        std::int64_t omega;
    };
    double nnz_limit;
    std::int64_t row_len_limit;
    std::array<Oversubscription, 5> omega;
    double cached_bytes;      ///< of entries that the L2 serves, mostly
    std::int64_t most_omega;  ///< more did not help our kernel, which has several entries a lane
                              ///< under way (bench/results/README.md)
};
const GpuLimits& gpu_limits(const Request& request);

/// Multiprocessors of the device that is asked for; where the request does not tell, of a typical
/// one.
double units_of(const Request& request);

/// Stored entries over nonzeros in slices of 32 rows, as they come and sorted.
double slice_padding(const Situation& situation);
double sorted_slice_padding(const Situation& situation);

/// Threads of a block of strips and of tiles, by the type of x: of f64 smaller ones are faster.
std::int64_t block_threads(ValueType vectors);

/// Most columns that each block puts into shared memory as hubs where a multiprocessor has so many
/// blocks (times right-hand sides of a group).
std::int64_t hub_columns(const Target& target, ValueType vectors, std::int64_t blocks);

/// Most sums of rows that a warp of tiles_hubs stages in shared memory.
inline constexpr std::int64_t most_staged_of_hubs = 128;

/// How the blocks of tiles_hubs share a multiprocessor.
struct HubBlocks {
    std::int64_t threads = 0;  ///< of a block
    std::int64_t of_unit = 0;  ///< blocks of a multiprocessor
    std::int64_t hubs = 0;     ///< of each block at most
};

/// What the request leaves free of it, for a matrix of such values: one large block where it has
/// registers and shared memory enough, so that each hub is there once and not twice.
HubBlocks hub_blocks(const Request& request, ValueType value);

// What rules by the matrix pick in place of what the kernels' plans say.

/// Threads of a block of csr_load_balance where x lies beyond the L2.
inline constexpr std::int64_t far_x_block = 256;
/// Entries of the rows that a warp takes in csr_by_length where there are few entries: blocks take
/// longer ones, for there are multiprocessors enough.
inline constexpr std::int64_t small_most_middle = 128;
/// Parameters of tiles for uneven rows of many entries: a warp takes as much in fewer steps.
Params many_entries_params();
/// The same where larger blocks share much of x.
Params shared_gathers_params();

}  // namespace spmvgen
