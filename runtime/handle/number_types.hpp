#pragma once
#include "spmvgen/signature.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {

/// Puts the types of the vectors, of A's stored values and of the sums that the options ask for
/// into `signature`, for a matrix of values of type `matrix`. Throws Error(invalid_argument) that
/// names the option.
void set_number_types(Signature& signature, const Options& options, ValueType matrix);

}  // namespace spmvgen
