#pragma once
#include "peers/peer.hpp"

namespace spmvgen::peers {

/// Intel MKL's sparse matrices: "csr" multiplies with the arrays as they are, "csr_optimized" after
/// mkl_sparse_set_mv_hint and mkl_sparse_optimize. The library is $SPMVGEN_MKL, else libmkl_rt
/// where the system finds it, in $MKLROOT and in $VIRTUAL_ENV. It is told to use GNU's OpenMP, the
/// one of this process.
std::unique_ptr<Peer> open_mkl(const Place& place);

}  // namespace spmvgen::peers
