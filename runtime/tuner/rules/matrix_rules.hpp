#pragma once
#include <cstdint>
#include <span>

#include "tuner/plan/gpu_figures.hpp"
#include "tuner/rules/rules.hpp"

/// Rules by what a matrix itself says, its columns and values, where Chooser has looked at them.
namespace spmvgen {

/// Rows from which on blocks of a GPU are left to strips.
inline constexpr std::int64_t most_blocked_rows = 300'000;

/// Bytes of CSR a nonzero, with values stored as narrow as they allow.
double csr_bytes_a_nonzero(const Situation& situation);

/// The same of blocked CSR with the request's blocks, fill included.
double blocked_bytes_a_nonzero(const Situation& situation);

/// Of GPUs; a CPU has its one in cpu_rules.cpp.
std::span<const Rule> gpu_matrix_rules();

}  // namespace spmvgen
