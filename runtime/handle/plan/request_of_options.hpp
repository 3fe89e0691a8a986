#pragma once
#include "spmvgen/spmvgen.hpp"
#include "tuner/request.hpp"

namespace spmvgen {

/// What the options ask of the tuner, for the target and the number types of `types`. Throws
/// Error(invalid_argument) for a kernel that is no product.
Request request_of(const Options& options, const Signature& types);

/// Threads of an apply on this CPU.
int host_threads(const CsrView& matrix, const Options& options);

/// Whether the options leave nothing to choose that columns or values decide.
bool needs_rows_only(const Options& options);

}  // namespace spmvgen
