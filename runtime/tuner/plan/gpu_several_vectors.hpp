// Parameters of CSR's GPU kernels with several right-hand sides: an H100, seeds below 1000; those
// of small products by the time of a round of loads, about 1 µs
// (docs/explanation/several-vectors.md).
#pragma once
#include "tuner/plan/kernel_plan.hpp"

namespace spmvgen::gpu {

/// What a subwarp may be: powers of two within the wavefront.
inline Values subwarps(const ParamChoice& c) {
    return Values::powers(1, c.wavefront());
}

/// Lanes of csr_classical for a row of the mean length.
std::int64_t subwarp_of_many(const Situation& s);

/// All parameters of csr_classical and of csr_by_length.
void choose_classical_of_many(ParamChoice& c);
void choose_by_length_of_many(ParamChoice& c);

}  // namespace spmvgen::gpu
