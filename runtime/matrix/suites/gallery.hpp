#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/csr_matrix.hpp"

namespace spmvgen {

/// A generator of test matrices; deterministic for a seed, whatever the machine and the number of
/// threads.
struct GalleryEntry {
    std::string_view name;     ///< "stencil5"
    std::string_view summary;  ///< one line
    /// Sizes it takes with their presets, in order: {"nx", 1000}, {"ny", 1000}.
    std::vector<std::pair<std::string_view, double>> params;
};

std::span<const GalleryEntry> gallery();

/// Makes a matrix from a specification "name" or "name:nx=100,ny=50,seed=7", or a draw of the
/// sampler (sampler/random_spec.hpp) from "random:seed=7", which gives no sizes. Throws
/// Error(invalid_argument) that names what is wrong and lists what is allowed; absurd sizes are
/// refused before memory is taken.
CsrMatrix make_gallery_matrix(std::string_view specification);

}  // namespace spmvgen
