#pragma once
#include <algorithm>
#include <array>
#include <cmath>

#include "formats/value_encoding.hpp"
#include "registry.hpp"
#include "tuner/cost/gpu_units.hpp"
#include "tuner/cost/gpu_work.hpp"
#include "tuner/cost/length_histogram.hpp"

/// What the kernels' counts of work have in common.
namespace spmvgen::gpu {

inline constexpr double begin_waits = 2;  ///< of a warp: where its rows are, and its first entries

/// Warps that a multiprocessor holds at a time, each lane of which has `bytes` of the entries that
/// it loads together, beside what any kernel has.
inline double resident_warps(double bytes) {
    constexpr double file = 65536, most = 64, own = 24, word = 4;  // registers, warps, …
    return std::min(most, file / warp / (own + bytes / word));
}

/// A kernel's parameters beside the matrix' figures, in doubles.
class Problem {
  public:
    Problem(MatrixFigures& figures, const Signature& signature, double multiprocessors)
        : m(figures),
          units(multiprocessors),
          f(figures.features()),
          s(signature),
          lengths(f),
          rows(static_cast<double>(f.rows)),
          nnz(static_cast<double>(f.nnz)),
          longest(static_cast<double>(f.max_row)),
          index(static_cast<double>(size_of(s.index))),
          offset(static_cast<double>(size_of(s.offset))),
          vector(static_cast<double>(size_of(s.value))),
          value(value_bytes_of(s)),
          block(param("block", 256)) {}

    MatrixFigures& m;
    double units;
    const Features& f;
    const Signature& s;
    LengthHistogram lengths;
    double rows, nnz, longest, index, offset, vector, value, block;

    double param(const char* name, double otherwise = 1) const {
        const auto found = s.params.find(name);
        return found != s.params.end() ? static_cast<double>(found->second) : otherwise;
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
    bool is_sorted() const { return param("sigma") > 1; }
    double vectors_bytes() const {
        return vector * (rows + std::min(static_cast<double>(f.cols), nnz));
    }
    double csr_bytes() const { return nnz * (value + index) + rows * offset + vectors_bytes(); }

    /// Sectors an entry are counted for 8-byte elements: of others one that is used up holds more
    /// or fewer, and one of which a single element is used stays one.
    double of_vector(double sectors) const {
        constexpr double full = 0.25;
        const double own_full = vector / sector;
        if (sectors <= full) return sectors * own_full / full;
        return own_full + (sectors - full) / (1 - full) * (1 - own_full);
    }
    /// Of x an entry, for a warp that gives `lanes` lanes to a row.
    double x_near(double lanes) const {
        const auto i = static_cast<std::size_t>(std::log2(std::clamp(lanes, 1.0, warp)));
        return of_vector((is_sorted() ? m.sorted() : f).warp_sectors[i]);
    }
    /// Of x, all that a block asks for that has `height` neighbouring rows.
    double far(double height) const {
        const Features& g = is_sorted() ? m.sorted() : f;
        const std::array<double, 4> known{g.warp_sectors[5], g.window_sectors[0],
                                          g.window_sectors[1], g.window_sectors[2]};
        // Of 1, 32, 512 and 8192 rows.
        static constexpr std::array<double, 4> at{0, 5, 9, 13};
        const double level = std::clamp(std::log2(std::max(height, 1.0)), 0.0, at.back());
        std::size_t i = 1;
        while (at[i] < level) ++i;
        const double part = (level - at[i - 1]) / (at[i] - at[i - 1]);
        const double an_entry =
            known[i - 1] * std::pow(std::max(known[i], 1e-3) / std::max(known[i - 1], 1e-3), part);
        return nnz * of_vector(an_entry);
    }
    /// Sectors of A where neighbouring lanes have neighbouring entries.
    double a_near(double entries) const { return entries * (value + index) / sector; }
    /// The same when `lanes` lanes take a row: each group's own, unless rows are so short that
    /// groups share them.
    double row_near(double lanes) const {
        const double mean = std::max(f.mean_row, 1.0);
        const auto of = [&](double bytes) {
            return std::max(bytes / sector, std::min(1 / lanes, mean * bytes / sector / lanes));
        };
        return nnz * (of(value) + of(index));
    }
    double slice_padding(double height) const {
        const auto& p = is_sorted() ? f.sell_sorted_padding : f.sell_padding;
        if (height <= 8) return std::max(p[0], 1.0);
        if (height <= 16) return std::max(p[1], 1.0);
        return std::max(p[2], 1.0);
    }

  private:
    static double value_bytes_of(const Signature& s) {
        const auto code = s.params.find("value_code");
        return static_cast<double>(value_bytes(
            {storage_type(s),
             code != s.params.end() ? static_cast<ValueCode>(code->second) : ValueCode::plain}));
    }
};

/// ELL and HYB.
GpuWork ell_work(const Problem& problem);
GpuWork hyb_work(const Problem& problem);

}  // namespace spmvgen::gpu
