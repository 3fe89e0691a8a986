#pragma once
#include "peers/peer.hpp"

namespace spmvgen::peers {

/// cuSPARSE through its generic API: csr_alg1, csr_alg1_pre (with cusparseSpMV_preprocess), …,
/// coo_alg1, …, sell32, bsr2 to bsr4; and spmvop_alg1, spmvop_alg2 of SpMVOp, which make() refuses
/// where the library does not have it. `place.device` is a CUDA device.
std::unique_ptr<Peer> open_cusparse(const Place& place);

}  // namespace spmvgen::peers
