#pragma once
#include <vector>

#include "spmvgen/kernel.hpp"

namespace spmvgen {

/// The targets whose code of that kind runs where code for `target` runs, the best first:
///
/// - `target` itself;
/// - of CPUs: the same architecture, not tuned for a model; then the lower levels of x86-64;
/// - of AMD GPUs: with one setting of xnack and sramecc less, then with none, for code without a
///   setting runs with either;
/// - of NVIDIA GPUs: for cubin, lower numbers of the same major one; for PTX, which the driver
///   compiles, all lower ones, the highest first.
std::vector<Target> compatible_targets(const Target& target, BinaryKind kind);

}  // namespace spmvgen
