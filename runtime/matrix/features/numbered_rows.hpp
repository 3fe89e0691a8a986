#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "matrix/features/row_strips.hpp"
#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// Columns of x in a sector of 32 bytes, of 8 bytes an element.
constexpr std::int64_t sector_columns = 4;
/// Lanes of a warp, as gathers are counted.
constexpr std::int64_t gather_lanes = 32;
/// Rows of windows, and the binary logarithms of these.
constexpr std::array<std::int64_t, 3> window_rows{32, 512, 8192};
constexpr std::array<int, 3> window_bits{5, 9, 13};

/// Rows with the sector of x of each entry, by a number below `different`; or with other groups of
/// neighbouring columns. Plain data.
struct NumberedRows {
    std::vector<std::int64_t> first;    ///< entry of each row; one more
    std::vector<std::uint32_t> sector;  ///< of each entry
    std::size_t different = 0;

    std::int64_t rows() const { return std::ssize(first) - 1; }
    std::int64_t entries() const { return std::ssize(sector); }
    /// Their offsets alone.
    CsrView offsets() const;
};

/// Of all rows, with groups of so many columns, a power of two. Fewer than 2^32 entries; entries in
/// columns that are there.
NumberedRows number_sectors(const CsrView& matrix, std::int64_t columns = sector_columns);
/// Of the rows of these strips of `height` rows, in the strips' order.
NumberedRows number_sectors(const CsrView& matrix, std::span<const RowStrip> strips,
                            std::int64_t height, std::int64_t columns = sector_columns);
/// The same rows in another order, for one row at a place.
NumberedRows in_order(const NumberedRows& rows, std::span<const std::int64_t> order);

/// Counts the sectors that a warp asks for which gives some lanes to each of neighbouring rows.
/// Keeps its memory from one count to the next. For one thread at a time.
class WarpGathers {
  public:
    explicit WarpGathers(std::size_t different) : seen_(different) {}
    /// Of rows first … last-1, in all loads of all warps: 2^bits lanes take the next 2^bits entries
    /// of a row at a time, each warp of as many rows as it has lanes for.
    std::int64_t count(const NumberedRows& rows, std::int64_t first, std::int64_t last, int bits);

  private:
    struct Seen {
        std::uint64_t round = 0, loads = 0;  ///< a bit each
    };
    std::vector<Seen> seen_;
    std::uint64_t round_ = 0;
};

/// Strips of gather_lanes rows that warps are counted of: all, or some that were drawn.
struct WarpStrips {
    std::vector<RowStrip> strips;
    bool all = true;
};
/// About `entries` entries of them, where the matrix, of which only offsets are read, has more than
/// twice as many.
WarpStrips draw_warp_strips(const CsrView& offsets, std::int64_t entries);

/// Features::warp_sectors[bits]: the mean over the strips of these rows.
double warp_sectors(const NumberedRows& rows, const WarpStrips& strips, int bits,
                    WarpGathers& gathers);

/// What gathers of x cost, as Features has it, of few rows: each figure is counted when it is first
/// asked for. For one thread at a time.
class RowGathers {
  public:
    /// Of warps from about `of_warps` entries. Without entries all is 1.
    RowGathers(NumberedRows rows, std::int64_t of_warps);

    const NumberedRows& rows() const { return rows_; }
    double run();                                             ///< Features::run_sectors
    double warp(std::size_t bits);                            ///< Features::warp_sectors[bits]
    const std::array<double, window_rows.size()>& windows();  ///< Features::window_sectors

  private:
    NumberedRows rows_;
    std::int64_t of_warps_;
    std::optional<WarpStrips> strips_;
    std::optional<WarpGathers> gathers_;
    std::optional<double> run_;
    std::array<std::optional<double>, 6> warp_;
    std::optional<std::array<double, window_rows.size()>> windows_;
};

}  // namespace spmvgen
