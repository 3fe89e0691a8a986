#pragma once
#include <algorithm>
#include <cmath>

#include "tuner/cost/work/gpu_shared_out.hpp"
#include "tuner/cost/work/gpu_units.hpp"
#include "tuner/cost/work/gpu_work.hpp"
#include "tuner/cost/work/problem.hpp"

/// What the kernels' counts of work have in common.
namespace spmvgen::gpu {

inline constexpr double begin_waits = 2;  ///< of a warp: where its rows are, and its first entries
inline constexpr double start_waits = 1.92;  ///< loads that a launch's start takes as long as

/// Warps that a multiprocessor holds at a time, each lane of which has `bytes` of the entries that
/// it loads together, beside what any kernel has.
inline double resident_warps(double bytes) {
    constexpr double file = 65536, most = 64, own = 24, word = 4;  // registers, warps, …
    return std::min(most, file / warp / (own + bytes / word));
}

/// With what a GPU's device says.
class Problem : public CostProblem {
  public:
    Problem(MatrixFigures& figures, const Signature& signature, double multiprocessors)
        : CostProblem(figures, signature),
          units(multiprocessors),
          block(param("block", 256)),
          sharing(Sharing::of(signature)) {}

    double units, block;
    Sharing sharing;

    /// Of so many lanes for a row, each with `unroll` loads of x under way.
    SharedOut shared_out(double lanes, double unroll) const {
        return SharedOut::of(sharing, lanes, unroll, s.target.wavefront);
    }

    /// What a kernel has done before it waits for the launch ahead, which lets it begin early: its
    /// start, and the loads that a warp begins with if it takes few entries at a time
    /// (dialect/gpu_rows.hpp).
    double begun_ahead(double unroll) const {
        const bool loads = unroll <= 4 || sharing.lanes > 1;
        return start_waits + (loads ? begin_waits : 0);
    }
    /// Warps that a multiprocessor holds at a time, of lanes that load `unroll` entries, or parts
    /// of elements of x, together.
    double resident(double unroll) const {
        if (sharing.bounded_blocks > 0) return sharing.bounded_blocks * block / warp;
        if (sharing.lanes == 1) return resident_warps(loaded(unroll));
        const double turns = shared_out(param("subwarp"), unroll).turns;
        const double sums = sharing.sums * static_cast<double>(size_of(accumulator_type(s)));
        return resident_warps(turns * sharing.loads * load_bytes + value + index + sums);
    }
    /// GpuWork::busiest of `blocks` that take `height` rows each, as they come or sorted.
    double busiest_of(double blocks, double height) const {
        return blocks <= units ? m.busiest_rows(static_cast<std::int64_t>(height), sigma) : 1;
    }
    /// Bytes of registers that `unroll` entries take: value, column, and element of x.
    double loaded(double unroll) const { return unroll * (std::max(value, 4.0) + index + vector); }
    /// Steps where lanes load `unroll` entries at a time whether they have them or not; one that
    /// is not there costs half.
    double steps(double lanes, double unroll, double above = 0,
                 double most = LengthHistogram::any) const {
        return (lengths.rounds(lanes, above, most) +
                unroll * lengths.rounds(lanes * unroll, above, most)) /
               2;
    }
    /// Loads that rows of these lengths wait for.
    double waits(const SharedOut& shared, double above = 0,
                 double most = LengthHistogram::any) const {
        const double rounds = lengths.rounds(shared.entries(), above, most);
        if (std::isinf(shared.loaded)) return rounds;
        return rounds + lengths.rounds(shared.loaded, above, most) - lengths.rows(above, most);
    }
    /// Whether an element of x, which several right-hand sides make a row of numbers, has a sector
    /// of its own.
    bool has_rows_of_x() const { return vector >= sector; }
    /// Sectors, or lines, that all parts of the right-hand sides ask for of such an element.
    double pieces_of_x(double piece) const {
        const double parts = sharing.parts, bytes = vector / parts;
        const bool fits = std::fmod(bytes, piece) == 0 || std::fmod(piece, bytes) == 0;
        const double number = vector / s.num_rhs;
        return parts * (fits ? std::max(bytes / piece, 1.0) : 1 + (bytes - number) / piece);
    }
    double of_vector(double sectors) const { return lines_of(sectors, sector); }
    /// Of x an entry, for a warp that gives `lanes` lanes to a row.
    double x_near(double lanes) const {
        if (has_rows_of_x()) return row_of_x_near();
        const auto i = static_cast<std::size_t>(std::log2(std::clamp(lanes, 1.0, warp)));
        return of_vector(m.warp_sectors(i, sigma));
    }
    /// The same of a row of x: lines that its lanes' loads ask for, and further sectors of these.
    double row_of_x_near() const {
        const double lines = std::max(sharing.parts * sharing.loads, vector / line);
        return lines + std::max(0.0, pieces_of_x(sector) - lines) * next_sector;
    }
    /// Of x, all that a block asks for that has `height` neighbouring rows. The sample knows little
    /// of rows so long that they walk over x, line after line: their sectors are those of as many
    /// columns drawn at random.
    double far(double height) const {
        constexpr double line_columns = 16;
        constexpr double walked = 0.5;  ///< of a gather's time: the next sector of the same line
        const double walk = static_cast<double>(f.cols) / line_columns;
        const double walks = lengths.rows(walk), entries = lengths.entries(walk);
        const double drawn = (nnz - entries) * window_far(height);
        if (walks == 0) return drawn;
        const double places =
            std::max(static_cast<double>(f.cols) * std::min(vector / sector, 1.0), 1.0);
        const double sectors = places * (has_rows_of_x() ? pieces_of_x(sector) : 1);
        return drawn + walked * walks * sectors * (1 - std::exp(-entries / walks / places));
    }
    /// The same an entry, of entries that are anywhere.
    double window_far(double height) const {
        if (!has_rows_of_x()) return of_vector(window_sectors(height));
        const auto together = std::max<std::int64_t>(1, std::llround(height));
        return m.columns_of_rows(together) * pieces_of_x(sector);
    }
    /// Share of an element's sectors that follow another one of theirs in a line.
    double sectors_beside() const {
        return has_rows_of_x() ? 1 - pieces_of_x(line) / pieces_of_x(sector) : m.sectors_beside();
    }
    /// Sectors of the dictionary that values are looked up in: a gather beside that of x.
    double dictionary_near(double entries) const {
        constexpr double dictionary = 3, lookup = 0.5;
        return param("value_code", 0) == dictionary ? entries * lookup : 0;
    }
    /// Sectors of A where neighbouring lanes have neighbouring entries.
    double a_near(double entries) const { return entries * (value + index) / sector; }
    /// The same when `lanes` lanes take a row: each group's own, unless rows are so short that
    /// groups share them. A sector that the group asks for once more is still on its way or near.
    double row_near(double lanes) const {
        constexpr double asked_again = 0.5;
        const double mean = std::max(f.mean_row, 1.0);
        const auto of = [&](double bytes) {
            const double once = bytes / sector;
            return once + asked_again * std::max(0.0, std::min(1.0, mean * once) / lanes - once);
        };
        return nnz * (of(value) + of(index));
    }
};

}  // namespace spmvgen::gpu
