#pragma once
#include <cstdint>
#include <span>

#include "tuner/rules.hpp"

/// Rules by what a matrix itself says, its columns and values, where Chooser has looked at them.
namespace spmvgen {

/// Bytes of CSR a nonzero, with values stored as narrow as they allow.
double csr_bytes_a_nonzero(const Situation& situation);

/// Columns that the rules put into shared memory as hubs.
std::int64_t hub_columns(const Target& target, ValueType vectors);

/// Of GPUs; a CPU has its one in cpu_rules.cpp.
std::span<const Rule> gpu_matrix_rules();

}  // namespace spmvgen
