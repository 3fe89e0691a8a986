#pragma once
#include "peers/peer.hpp"

namespace spmvgen::peers {

/// The plain OpenMP loop over CSR: its one way is "csr".
std::unique_ptr<Peer> open_plain(const Place& place);

/// Eigen's row-major SparseMatrix over the CSR arrays: its one way is "csr". Absent when Eigen was
/// not there when spmvgen was built.
std::unique_ptr<Peer> open_eigen(const Place& place);

}  // namespace spmvgen::peers
