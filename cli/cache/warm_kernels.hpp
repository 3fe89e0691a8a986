#pragma once
#include <string>
#include <vector>

#include "matrix/csr_matrix.hpp"
#include "spmvgen/spmvgen.hpp"
#include "store/store.hpp"

/// Making kernels before they are needed: `spmvgen cache warm`.
namespace spmvgen::cli {

/// What became of one request.
struct WarmResult {
    std::string kernel;      ///< name@target, of α = 1, β = 0 where all modes were asked for
    std::int64_t there = 0;  ///< kernels that had not to be made
    std::int64_t compiled = 0;
    std::string failure;  ///< why not all could be made or kept; "" = they are there now
};

/// The kernels that a handle of the matrix with these options takes; for all modes of α and β or
/// for 1 and 0.
WarmResult warm_handle(const CsrMatrix& matrix, Options options, bool all_modes);

/// The kernels of a signature, for any target, with no such device present.
WarmResult warm_signature(Store& store, const Signature& signature, bool all_modes);

}  // namespace spmvgen::cli
