#pragma once
#include <string>

#include "devices/device.hpp"
#include "spmvgen/matrix.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {

/// For people, in lines that begin with a name: what there is to say about the choice that a handle
/// made, beyond info().reason: what the best few kernels are predicted to take, what was measured
/// of them, what is recorded of the matrix, and what planning cost against what it saves. Analyses
/// `matrix`, of which the handle was made with these options; `device` is null for the host. Empty
/// where there was no choice: without entries, by the generic kernel, or reordered.
std::string explain(const CsrView& matrix, const Options& options, const Device* device,
                    const Info& info);

}  // namespace spmvgen
