#pragma once
#include <array>
#include <cstdint>

#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// A number for each size of a block: [r-1][c-1], r and c in 1 … most_block.
inline constexpr int most_block = 8;
using BlockTable = std::array<std::array<double, most_block>, most_block>;

/// Fill ratios of blocks r×c that begin at multiples of r and c: elements of the blocks that A
/// touches, those beyond its edge included, over its nonzeros; 1 when it has none. What a column
/// has twice in a row counts twice below the line and once above it.
struct BlockFill {
    BlockTable ratio{};
    double share = 1;  ///< of the rows that were looked at; 1 = all: the ratios are exact
    double at(int rows, int cols) const {
        return ratio[static_cast<std::size_t>(rows - 1)][static_cast<std::size_t>(cols - 1)];
    }
    bool operator==(const BlockFill&) const = default;
};

/// Share of the block rows that the choice of a block size looks at.
inline constexpr double default_sigma = 0.02;
/// Mean row beyond which nobody has to look for blocks: there are too few rows to be shared out,
/// and the 128 strips that are looked at have most of the entries.
inline constexpr double most_blocked_mean = 8192;

/// Fill ratios of all 64 sizes from one pass over a sample (GOSpMV, section 3.2.2; OSKI): strips of
/// 24 rows, sigma times as many as there are, but no fewer than 128, drawn with chances that grow
/// with their entries. A block row belongs to the strip that it begins in. sigma ≥ 1: all rows, the
/// exact ratios. threads = 0: what OpenMP would use; the result does not depend on it. `matrix`
/// must be valid. Throws Error(invalid_argument) for a sigma that is not positive.
BlockFill block_fill(const CsrView& matrix, double sigma = default_sigma, int threads = 0);

/// The same from strips with about `entries` entries; from a sixth of these where they show that
/// blocks of any size would store so much that nobody wants them.
BlockFill sampled_block_fill(const CsrView& matrix, std::int64_t entries, int threads = 0);

/// The fill of one size, 1 … most_block each, from block rows that are spread evenly over the
/// matrix and have about `entries` entries, at least 16 of them. One thread. Columns outside the
/// matrix, which is refused later, count as none.
double spread_block_fill(const CsrView& matrix, int rows, int cols, std::int64_t entries);

}  // namespace spmvgen
