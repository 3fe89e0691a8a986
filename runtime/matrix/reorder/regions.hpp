#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>

#include "matrix/buffer.hpp"
#include "spmvgen/matrix.hpp"

namespace spmvgen::reordering {

/// Rows in regions of neighbours.
struct Regions {
    Buffer numbers;  ///< of each row's region, as of_row() has them
    std::int32_t count = 0;

    std::span<std::int32_t> of_row() { return numbers.as<std::int32_t>(); }
    std::span<const std::int32_t> of_row() const { return numbers.as<std::int32_t>(); }
};

/// A search by breadth from many rows at once, as far as it has come.
struct RegionSearch {
    static constexpr std::uint64_t nobody = std::numeric_limits<std::uint64_t>::max();
    static constexpr int round_shift = 32;

    /// Of each row the round in which it was reached, above the number of its region: the least
    /// one counts, so of all that reach a row in the same round the first region has it, whoever
    /// came first.
    Buffer reached;
    std::uint64_t round = 0;  ///< the last one

    std::span<std::uint64_t> marks() { return reached.as<std::uint64_t>(); }
    std::uint64_t mark(std::int64_t region) const {
        return round << round_shift | static_cast<std::uint64_t>(region);
    }
};
/// Goes on with a search as far as it likes; whether to its end.
using GoOnSearching = std::function<bool(RegionSearch&)>;
/// The matrix with its columns, for what has to be done on this host after all; null = nothing is
/// to be done here. May be asked several times.
using MatrixHere = std::function<const CsrView*()>;

/// Regions of about so many rows of a valid square matrix: each row belongs to the seed from which
/// the fewest steps from a row to its columns lead to it. Where no seed leads to it, and too few
/// are left for seeds of their own, it is in a region with those around it. Parallel, with the same
/// result for any number of threads (0 = what OpenMP would use). What `elsewhere` leaves of a
/// search is done here; where the matrix lacks its columns, `here` has them, and where that gives
/// none, there are no regions.
std::optional<Regions> regions_of_rows(const CsrView& matrix, std::int64_t rows_a_region,
                                       int threads = 0, const GoOnSearching& elsewhere = {},
                                       const MatrixHere& here = {});

}  // namespace spmvgen::reordering
