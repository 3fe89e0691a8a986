#pragma once
#include "matrix/entry_source.hpp"
#include "spmvgen/matrix.hpp"
#include "tuner/rules/rules.hpp"

namespace spmvgen {

/// What the values of a matrix can be stored as without loss: of all of them, where a few say that
/// they can be. `half`: f16 is among the types. `source` has the values where the matrix has only
/// row offsets; null = the matrix has them. threads = 0: what OpenMP would use.
ExactValues exact_values(const CsrView& matrix, bool half, int threads, EntrySource* source);

/// The same of a matrix that has its values, but that a dictionary holds them all is believed of a
/// few.
ExactValues likely_values(const CsrView& matrix, bool half, int threads);

}  // namespace spmvgen
