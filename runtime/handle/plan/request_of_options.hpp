#pragma once
#include <string_view>
#include <vector>

#include "spmvgen/signature.hpp"
#include "spmvgen/spmvgen.hpp"
#include "tuner/request.hpp"

namespace spmvgen {

/// Throws Error(invalid_argument) for a value that options.encodings does not have.
void check_encodings(std::string_view text);

/// Throws Error(invalid_argument) for a value that options.compile does not have.
void check_compile(std::string_view text);

/// Whether the options leave it open how values are stored.
inline bool may_encode(const Options& options) {
    return options.encodings == "auto" && options.storage.empty() && options.updates != "often";
}

/// Puts the types of the vectors, of A's stored values and of the sums that the options ask for
/// into `signature`, for a matrix of values of type `matrix`. Throws Error(invalid_argument) that
/// names the option.
void set_number_types(Signature& signature, const Options& options, ValueType matrix);

/// What the options ask of the tuner, for the target and the number types of `types`. Throws
/// Error(invalid_argument) for a kernel that is no product.
Request request_of(const Options& options, const Signature& types);

/// Threads of an apply on this CPU before kernels are weighed: one where a parallel region takes
/// longer than it saves, by the profile of the CPU, without one as measured in this process; and
/// all that may be used elsewhere (options.threads, else OpenMP's). With options.all_threads always
/// all; with options.deterministic the size of the matrix alone decides.
int host_threads(const CsrView& matrix, const Options& options);
int host_threads(std::int64_t rows, std::int64_t nnz, const Options& options);

/// Teams of fewer threads than so many that a choice by predicted times may take, ascending: one
/// thread, and powers of two where OpenMP's runtime keeps the threads that a team leaves out. None
/// where the options say how many there are.
std::vector<int> smaller_teams(int threads, const Options& options);

/// Whether the options leave nothing to choose that columns or values decide.
bool needs_rows_only(const Options& options);

}  // namespace spmvgen
