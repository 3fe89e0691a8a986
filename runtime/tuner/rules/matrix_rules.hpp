#pragma once
#include <cstdint>
#include <span>

#include "tuner/plan/gpu_figures.hpp"
#include "tuner/rules/rules.hpp"

/// Rules by what a matrix itself says, its columns and values, where Chooser has looked at them.
namespace spmvgen {

/// Rows from which on blocks of a GPU are left to strips.
inline constexpr std::int64_t most_blocked_rows = 300'000;

/// Whether any of these rules asks for Request::saved_gathers, by what is known of the rows.
bool may_ask_for_gathers(const RowFeatures& features);

/// Of GPUs; a CPU has its one in cpu_rules.cpp.
std::span<const Rule> gpu_matrix_rules();

}  // namespace spmvgen
