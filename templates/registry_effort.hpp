#pragma once
#include "spmvgen/signature.hpp"

namespace spmvgen {

/// How many times as long as a plain kernel (csr_vector) it takes to emit and compile one for a
/// complete signature, about; 1 for most. docs/performance.md has the measured times.
double compile_effort(const Signature& signature);

}  // namespace spmvgen
