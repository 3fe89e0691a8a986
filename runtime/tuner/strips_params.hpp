#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "formats/strips_plan.hpp"
#include "spmvgen/matrix.hpp"
#include "spmvgen/signature.hpp"

namespace spmvgen {

/// How a kernel of format strips is to be specialised for a matrix, and what storing it so takes.
struct StripsChoice {
    /// All parameters of the kernel but value_code, which is there only when it was given.
    std::map<std::string, std::int64_t> params;
    StripsPlan plan;
};

/// Chooses the parameters of `signature`'s kernel, one of format strips of CPUs or GPUs, for this
/// matrix. What signature.params gives is kept, but for those that the matrix decides and that
/// would not fit it: `codes`, `ragged`, `fill` and `long_rows` are made to fit. Block size by the
/// bytes that a sample of the matrix wants, lanes of a row and the limit of long rows by the
/// distribution of lengths, σ by the padding of each; then one look at all columns. Reads no
/// values. Parallel on `threads` threads (0 = what OpenMP would use), with the same result for any
/// number. `matrix` must be valid. Throws Error(invalid_argument) as complete() and plan_strips().
StripsChoice choose_strips(const CsrView& matrix, const Signature& signature, int threads = 0);

/// The parameters alone.
inline std::map<std::string, std::int64_t> strips_params(const CsrView& matrix,
                                                         const Signature& signature,
                                                         int threads = 0) {
    return choose_strips(matrix, signature, threads).params;
}

}  // namespace spmvgen
