#pragma once
#include "spmvgen/spmvgen.hpp"
#include "tuner/request.hpp"

namespace spmvgen {

/// What the options ask of the tuner, for the target and the number types of `types`. Throws
/// Error(invalid_argument) for a kernel that is no product.
Request request_of(const Options& options, const Signature& types);

/// Threads of an apply on this CPU: options.threads, else one where a parallel region takes longer
/// than it saves, as measured in this process, and all of OpenMP's elsewhere. Never a number
/// between: OpenMP's runtime of GCC ends the threads that a smaller team leaves out, and starts
/// them anew. With options.deterministic the size of the matrix alone decides.
int host_threads(const CsrView& matrix, const Options& options);
int host_threads(std::int64_t rows, std::int64_t nnz, const Options& options);

/// Whether the options leave nothing to choose that columns or values decide.
bool needs_rows_only(const Options& options);

}  // namespace spmvgen
