#pragma once
#include <algorithm>
#include <cmath>
#include <string_view>

#include "tuner/model.hpp"
#include "tuner/row_steps.hpp"

/// What the costs of model.hpp are computed from: of each kernel what it does for one apply.
namespace spmvgen::model {

inline constexpr double warp = 32;  ///< entries that Features::warp_sectors takes together

/// What a kernel does for one apply.
struct Work {
    double launches = 1;
    double stored = 0;   ///< bytes of A and of scratch memory
    double entries = 0;  ///< that meet x
    double near = 0;     ///< sectors of x and A an entry that are asked for
    double steps = 0;    ///< of all warps (threads, on a CPU), idle lanes included
    double waits = 0;    ///< of all warps for loads, those under way together counted once
    double depth = 0;    ///< of loads that wait for each other in the busiest thread
    double atomics = 0;  ///< additions to y
    double rows = 0;     ///< that are begun and ended
    double sorted = 0;   ///< entries whose neighbours are other rows' than in A
};

/// Elements of a matrix as the features have them, in doubles.
class Problem {
  public:
    Problem(const Features& features, const Signature& signature)
        : f(features),
          s(signature),
          rows(static_cast<double>(f.rows)),
          nnz(static_cast<double>(f.nnz)),
          longest(static_cast<double>(f.max_row)),
          value(static_cast<double>(size_of(storage_type(s)))),
          index(static_cast<double>(size_of(s.index))),
          offset(static_cast<double>(size_of(s.offset))),
          vector(static_cast<double>(size_of(s.value)) * s.num_rhs) {}

    const Features& f;
    const Signature& s;
    double rows, nnz, longest, value, index, offset, vector;

    double param(const char* name, double otherwise = 1) const {
        const auto found = s.params.find(name);
        return found != s.params.end() ? static_cast<double>(found->second) : otherwise;
    }
    double filled_rows() const { return rows - static_cast<double>(f.empty_rows); }
    double x_bytes() const { return static_cast<double>(f.cols - f.empty_cols) * vector; }
    double y_bytes() const { return rows * vector; }
    double csr_bytes() const { return nnz * (value + index) + (rows + 1) * offset; }
    double coo_bytes(double entries) const { return entries * (value + 2 * index); }
    double padded_bytes(double entries) const { return entries * (value + index); }

    /// Features count sectors of 8-byte elements: of others, a sector that is used up holds more or
    /// fewer, and one of which a single element is used stays one.
    double sectors(double of_8_bytes) const {
        constexpr double full = 0.25;
        const double own_full = std::min(vector / 32, 1.0);
        if (of_8_bytes <= full) return of_8_bytes * own_full / full;
        return own_full + (of_8_bytes - full) / (1 - full) * (1 - own_full);
    }
    /// Of a warp that gives `lanes` lanes to a row.
    double warp_sectors(double lanes) const {
        const auto i = static_cast<std::size_t>(std::log2(std::clamp(lanes, 1.0, warp)));
        return sectors(f.warp_sectors[i]);
    }
    double run_sectors() const { return sectors(f.run_sectors); }
    /// What is left to load when a unit's cache keeps what some neighbouring rows touch.
    double window_sectors() const { return sectors(f.window_sectors[1]); }

    /// Stored entries over nonzeros in slices of `height` rows.
    double slice_padding(double height, bool is_sorted) const {
        const auto& p = is_sorted ? f.sell_sorted_padding : f.sell_padding;
        if (height <= 8) return std::max(p[0], 1.0);
        if (height <= 16) return std::max(p[1], 1.0);
        const double padding = std::max(p[2], 1.0);
        return height <= 32 ? padding : padding * std::max(p[2] / std::max(p[1], 1.0), 1.0);
    }
    /// Sectors of A's values and columns an entry, where neighbouring lanes have neighbouring
    /// entries.
    double coalesced_sectors() const { return (value + index) / 32; }
    /// The same when `lanes` lanes take a row: each group's own, unless rows are so short that
    /// groups share them.
    double row_sectors(double lanes) const {
        const double mean = std::max(f.mean_row, 1.0);
        const auto of = [&](double bytes) {
            return std::max(bytes / 32, std::min(1 / lanes, mean * bytes / 32 / lanes));
        };
        return of(value) + of(index);
    }
    /// Waits of all warps when `lanes` lanes take a row and load `unroll` entries at a time.
    double row_waits(double lanes, double unroll) const {
        const int width = static_cast<int>(std::clamp(lanes, 1.0, warp));
        const int neighbours = static_cast<int>(warp) / width;
        return rows / neighbours * mean_steps(f, width * static_cast<int>(unroll)) *
               longest_over_mean(f, neighbours);
    }
    /// Steps of all warps when `lanes` lanes take a row: each row's, as long as the longest of its
    /// warp's takes, and one to begin and end it.
    double row_steps(double lanes) const {
        const int width = static_cast<int>(std::clamp(lanes, 1.0, warp));
        const int neighbours = static_cast<int>(warp) / width;
        return rows / neighbours * (mean_steps(f, width) * longest_over_mean(f, neighbours) + 1);
    }
    /// Entries of ELL that are looked at: a warp ends at its longest row's first padding.
    double ell_entries() const {
        return std::min(rows * longest, nnz * slice_padding(32, false) + rows);
    }
    /// Stored entries over nonzeros in dense blocks: between the squares that features know, and
    /// less than these where blocks are no squares.
    double block_fill(double high, double wide) const {
        const double longer = std::max(high, wide), shorter = std::min(high, wide);
        if (longer <= 1) return 1;
        constexpr double line_share = 0.35;  // of a square's fill, as a power, in a line of blocks
        const double square = std::log(std::max(square_fill(longer), 1.0));
        return std::exp(square *
                        (line_share + (1 - line_share) * std::log(shorter) / std::log(longer)));
    }

  private:
    double square_fill(double side) const {
        static constexpr std::array<double, 5> sides{1, 2, 3, 4, 8};
        const std::array<double, 5> fills{1, f.block_fill[0], f.block_fill[1], f.block_fill[2],
                                          f.block_fill[3]};
        if (side == 6 && fills[1] * fills[2] < fills[3]) return fills[1] * fills[2];
        std::size_t i = 1;
        while (i + 1 < sides.size() && sides[i] < side) ++i;
        const double share = std::log(side / sides[i - 1]) / std::log(sides[i] / sides[i - 1]);
        return fills[i - 1] * std::pow(fills[i] / std::max(fills[i - 1], 1e-9), share);
    }
};

/// Microseconds of so many at such a rate.
inline double us_of(double amount, double per_s) {
    return 1e6 * amount / per_s;
}

/// Blocked CSR, of either kind of device, with what a GPU's kernels cost.
Work blocks_work(const Problem& problem);

/// The costs of a GPU's and of a CPU's kernels; nothing for one that is not known.
std::optional<Costs> gpu_costs(const Problem& problem, const DeviceProfile& profile);
std::optional<Costs> cpu_costs(const Problem& problem, const DeviceProfile& profile, int threads);

/// What computes the work of a kernel; each of the two families has a table of them.
struct KernelWork {
    std::string_view kernel;
    Work (*work)(const Problem&);
};

}  // namespace spmvgen::model
