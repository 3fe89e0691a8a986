#pragma once
#include <span>
#include <string_view>

#include "spmvgen/signature.hpp"

namespace spmvgen {

/// The architectures whose GPUs multiply tiles of f64: tensor cores, MFMA instructions.
std::span<const std::string_view> architectures_with_matrix_units();

}  // namespace spmvgen
