#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "formats/plans/strips_columns.hpp"
#include "formats/plans/strips_holes.hpp"
#include "formats/plans/strips_plan.hpp"

namespace spmvgen {

/// Writes what a layout in strips says of the columns, slice by slice: the arrays `bases` and
/// `deltas`, and masks. For one thread; the arrays are the caller's.
template <typename Index, typename Columns>
class DeltaWriter {
  public:
    DeltaWriter(const CsrView& matrix, const StripsLayout& layout, Index* bases,
                unsigned char* deltas)
        : matrix_(matrix),
          layout_(layout),
          columns_(matrix, layout),
          bases_(bases),
          deltas_(deltas) {}

    /// Those of one slice, whose bytes begin at `begin`, in units of S.
    void write(std::int64_t slice, std::int64_t begin) {
        const auto s = static_cast<std::size_t>(slice);
        const std::int64_t first = layout_.slice_ptr[s], width = layout_.slice_ptr[s + 1] - first;
        const int code = layout_.slice_info[s] & code_bits;
        if (layout_.has_holes(slice)) {
            write_holes(slice, bases_ + first, deltas_ + begin * layout_.shape.lanes);
            return;
        }
        write_bases(slice, first, width, code);
        unsigned char* const to = deltas_ + begin * layout_.shape.lanes;
        if (code == deltas_of_8_bits) write_deltas<std::uint8_t>(slice, bases_ + first, to);
        if (code == deltas_of_16_bits) write_deltas<std::uint16_t>(slice, bases_ + first, to);
        if (code == deltas_of_32_bits) write_deltas<std::uint32_t>(slice, bases_ + first, to);
        if ((layout_.slice_info[s] & filled_slice) != 0) {
            write_masks(slice, to + width * layout_.shape.lanes * delta_bytes(code));
        }
    }

  private:
    /// Calls f(lane, k, block) for strip k of each lane of the slice; `block` is its number in its
    /// block row, -1 where there is only padding. `visit` is called before with each block row.
    template <typename Visit, typename F>
    void for_blocks(std::int64_t slice, Visit visit, F f) {
        const auto s = static_cast<std::size_t>(slice);
        const std::int64_t width = layout_.slice_ptr[s + 1] - layout_.slice_ptr[s];
        const std::int64_t t = layout_.shape.threads_per_row;
        for (std::int64_t p = 0; p < layout_.shape.positions(); ++p) {
            const std::int64_t row = layout_.block_row_at(slice * layout_.shape.positions() + p);
            if (row >= 0) visit(row);
            for (std::int64_t lane = p * t; lane < (p + 1) * t; ++lane) {
                const std::int64_t strips = layout_.strips_of(slice, lane);
                for (std::int64_t k = 0; k < width; ++k)
                    f(lane, k, k < strips ? k * t + lane % t : -1);
            }
        }
    }

    /// Those that the layout has, or that are looked for.
    void write_bases(std::int64_t slice, std::int64_t first, std::int64_t width, int code) {
        // Without a base the delta is the column itself.
        if (code == deltas_of_32_bits && sizeof(Index) < 8) {
            std::fill_n(bases_ + first, width, Index{0});
            return;
        }
        const bool found = !layout_.bases.empty() && width > 0 &&
                           layout_.bases[static_cast<std::size_t>(first)] != no_base;
        if (!found) ranges_.collect(layout_, slice, columns_);
        for (std::int64_t k = 0; k < width; ++k)
            bases_[first + k] =
                static_cast<Index>(found ? layout_.bases[static_cast<std::size_t>(first + k)]
                                         : ranges_.base(static_cast<std::size_t>(k), code));
    }

    template <typename Delta>
    void write_deltas(std::int64_t slice, const Index* bases, unsigned char* to) {
        if constexpr (!std::is_same_v<Columns, BlockColumns>)
            if (layout_.shape.threads_per_row == 1)
                return write_deltas_of_entries<Delta>(slice, bases, to);
        const typename Columns::Number* of_row = nullptr;
        for_blocks(
            slice,
            [&](std::int64_t row) {
                if (layout_.blocks[static_cast<std::size_t>(row)] > 0) of_row = columns_.of(row);
            },
            [&](std::int64_t lane, std::int64_t k, std::int64_t block) {
                const auto delta = static_cast<Delta>(block < 0 ? 0 : of_row[block] - bases[k]);
                std::memcpy(to + place_in_strips(k, 1, 0, layout_.shape.lanes, lane) *
                                     static_cast<std::int64_t>(sizeof(Delta)),
                            &delta, sizeof(Delta));
            });
    }

    /// The same of entries, with a lane a row.
    template <typename Delta>
    void write_deltas_of_entries(std::int64_t slice, const Index* bases, unsigned char* to) {
        const auto s = static_cast<std::size_t>(slice);
        const std::int64_t width = layout_.slice_ptr[s + 1] - layout_.slice_ptr[s];
        const std::size_t strip = static_cast<std::size_t>(layout_.shape.lanes) * sizeof(Delta);
        lanes_.take(matrix_, layout_, slice);
        for (std::int64_t k = 0; k < width; ++k, to += strip) {
            const auto* const columns = columns_.all() + k;
            const Index base = bases[k];
            const auto lanes = lanes_.of(k);
            if (std::ssize(lanes) < layout_.shape.lanes) std::memset(to, 0, strip);
            for (auto& lane : lanes) {
                const auto delta = static_cast<Delta>(columns[lane.first] - base);
                std::memcpy(to + static_cast<std::size_t>(lane.number) * sizeof(Delta), &delta,
                            sizeof(Delta));
            }
        }
    }

    void write_masks(std::int64_t slice, unsigned char* to) {
        if constexpr (std::is_same_v<Columns, BlockColumns>) {
            const std::int64_t bytes = layout_.shape.mask_bytes();
            for_blocks(
                slice,
                [&](std::int64_t row) {
                    if (layout_.blocks[static_cast<std::size_t>(row)] > 0) columns_.of(row);
                },
                [&](std::int64_t lane, std::int64_t k, std::int64_t block) {
                    const std::uint64_t mask =
                        block < 0 ? 0 : columns_.mask(static_cast<std::size_t>(block));
                    // Little-endian, as all targets are: the lowest bytes come first.
                    std::memcpy(to + place_in_strips(k, 1, 0, layout_.shape.lanes, lane) * bytes,
                                &mask, static_cast<std::size_t>(bytes));
                });
        }
    }

    /// The diagonals, and masks of the lanes that have an entry of each.
    void write_holes(std::int64_t slice, Index* bases, unsigned char* masks) {
        if constexpr (!std::is_same_v<Columns, BlockColumns>) {
            const std::int64_t lanes = layout_.shape.lanes;
            diagonals_.take(layout_, slice);
            for (std::int64_t k = 0; k < diagonals_.size(); ++k)
                bases[k] = static_cast<Index>(diagonals_.start(k));
            std::fill_n(masks, diagonals_.size() * lanes, static_cast<unsigned char>(0));
            for_entries_between_holes(matrix_, layout_, slice, columns_, diagonals_,
                                      [&](std::int64_t strip, std::int64_t lane, std::int64_t) {
                                          masks[place_in_strips(strip, 1, 0, lanes, lane)] = 1;
                                      });
        }
    }

    const CsrView& matrix_;
    const StripsLayout& layout_;
    Columns columns_;
    SliceDiagonals<typename Columns::Number> diagonals_;
    StripRanges<typename Columns::Number> ranges_;
    SliceLanes lanes_;
    Index* bases_;
    unsigned char* deltas_;
};

}  // namespace spmvgen
