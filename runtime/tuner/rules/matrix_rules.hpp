#pragma once
#include <cstdint>
#include <span>

#include "tuner/rules/rules.hpp"

/// Rules by what a matrix itself says, its columns and values, where Chooser has looked at them.
namespace spmvgen {

/// Rows from which on blocks of a GPU are left to strips.
inline constexpr std::int64_t most_blocked_rows = 300'000;

/// Threads of a block of csr_load_balance where x lies beyond the L2.
inline constexpr std::int64_t far_x_block = 256;

/// Parameters of tiles for uneven rows of many entries: a warp takes as much in fewer steps.
Params many_entries_params();
/// The same where larger blocks share much of x.
Params shared_gathers_params();

/// Bytes of CSR a nonzero, with values stored as narrow as they allow.
double csr_bytes_a_nonzero(const Situation& situation);

/// The same of blocked CSR with the request's blocks, fill included.
double blocked_bytes_a_nonzero(const Situation& situation);

/// Columns that the rules put into shared memory as hubs.
std::int64_t hub_columns(const Target& target, ValueType vectors);

/// Of GPUs; a CPU has its one in cpu_rules.cpp.
std::span<const Rule> gpu_matrix_rules();

}  // namespace spmvgen
