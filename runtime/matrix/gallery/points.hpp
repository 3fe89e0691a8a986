#pragma once
#include <cstdint>
#include <vector>

#include "matrix/gallery/arguments.hpp"

namespace spmvgen::generators {

/// A point of the unit square, in units of 2^-30: whole numbers, so that what follows is exact.
struct Point {
    std::int32_t x = 0, y = 0;
};
inline constexpr int coordinate_bits = 30;

/// The bits of x and y in turn, those of y first: the place of a cell or point along a Z curve, on
/// which near points are mostly near.
std::uint64_t z_order(std::uint32_t x, std::uint32_t y);

/// How points lie and are numbered.
struct Scattering {
    bool lattice = false;  ///< one in each cell of a lattice, instead of anywhere: as a mesh
                           ///< generator places them
    bool spatial = false;  ///< numbered along a Z curve, instead of at random
    double jitter = 1;     ///< of a lattice: the part of its cell in which a point lies; those at a
                           ///< border of the square lie on it
};

/// `count` points that depend on the seed only.
std::vector<Point> scattered_points(std::int64_t count, std::uint64_t seed,
                                    const Scattering& scattering);

}  // namespace spmvgen::generators
