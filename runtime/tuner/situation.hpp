#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "matrix/features/features.hpp"
#include "registry.hpp"
#include "tuner/request.hpp"

namespace spmvgen {

/// All that the rules look at.
struct Situation {
    const RowFeatures& f;
    const Request& request;
    std::vector<const KernelEntry*> among;  ///< kernels that the request leaves free; never empty
};

/// The parameter `name` as the request asks for it, else `otherwise`.
inline std::int64_t given(const Situation& s, const ParamName& name, std::int64_t otherwise) {
    const auto it = s.request.params.find(name);
    return it != s.request.params.end() ? it->second : otherwise;
}

/// Of a value as kernels without codes have it, stored as narrow as the values allow.
inline double stored_bytes(const Situation& s) {
    return static_cast<double>(size_of(s.request.exact ? s.request.exact->storage
                                                       : stored_type(s.request, s.f.value_type)));
}

/// Bytes of CSR a nonzero.
inline double csr_bytes_a_nonzero(const Situation& s) {
    const double rows = static_cast<double>(s.f.rows) / static_cast<double>(s.f.nnz);
    return stored_bytes(s) + (1 + rows) * static_cast<double>(size_of(IndexType::i32));
}

/// The same of blocked CSR with the request's blocks, fill included.
inline double blocked_bytes_a_nonzero(const Situation& s) {
    const BlockChoice& blocks = *s.request.blocks;
    return blocks.fill * (stored_bytes(s) + static_cast<double>(size_of(IndexType::i32)) /
                                                (blocks.rows * blocks.cols));
}

}  // namespace spmvgen
