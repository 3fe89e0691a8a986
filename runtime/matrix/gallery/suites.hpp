#pragma once
#include <span>
#include <string_view>

namespace spmvgen {

/// A gallery matrix that stands for one that a paper measured: the same class of structure and
/// about the same rows, nonzeros, mean and longest row; not the original.
struct Twin {
    std::string_view name;           ///< the original's
    std::string_view suite;          ///< where it is listed: "csr-k", "gospmv", "lightspmv"
    double rows, nnz, longest;       ///< the original's, as listed; longest 0 = not known
    std::string_view specification;  ///< of the generator: "stencil5:nx=1000,ny=1000"
    std::string_view difference;     ///< how it differs from the original
};

/// All twins, in the order of the papers' tables.
std::span<const Twin> twins();

/// The twin of that name, or null.
const Twin* find_twin(std::string_view name);

}  // namespace spmvgen
