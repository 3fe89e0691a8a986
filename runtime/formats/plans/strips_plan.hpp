#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "dialect/formats/strips_format.hpp"
#include "formats/stored_matrix.hpp"
#include "spmvgen/matrix.hpp"
#include "spmvgen/signature.hpp"

/// How a matrix lies in the format `strips` (docs/explanation/strips.md), short of its arrays.
namespace spmvgen {

/// Slices that a thread takes at a time.
inline constexpr std::int64_t slices_a_part = 64;
/// Stands in the place of a slice's first base where it has to be looked for.
inline constexpr std::int64_t no_base = INT64_MIN;
/// The parameter `codes` that has every code.
inline constexpr std::int64_t all_strip_codes = 15;
/// Bytes behind the last delta, which vectors may be loaded from.
inline constexpr std::int64_t bytes_beyond_deltas = 64;

/// What of a signature decides where things go.
struct StripsShape {
    std::int64_t block_rows = 1;  ///< r
    std::int64_t block_cols = 1;  ///< c
    std::int64_t lanes = 32;      ///< S
    std::int64_t threads_per_row = 1;
    std::int64_t sigma = 1;
    std::int64_t period = 1;     ///< rows of a slice are so many apart; of 1×1, σ = 1, a lane a row
    std::int64_t long_from = 0;  ///< strips beyond which a row is long; 0 = none is
    std::int64_t chunk = 4096;   ///< entries of a chunk of a long row
    std::int64_t wavefront = 0;  ///< threads of a warp; 0 = a CPU's
    /// Slices may be diagonals with holes, each of which has so many bytes on a CPU (on a GPU this
    /// is 1); only of 1×1, a lane a row. 0 = there are no holes.
    std::int64_t hole_bytes = 0;

    bool may_have_holes() const { return hole_bytes > 0; }
    std::int64_t block_size() const { return block_rows * block_cols; }
    /// Block rows of a slice.
    std::int64_t positions() const {
        return threads_per_row == 1 ? lanes : lanes / threads_per_row;
    }
    /// Blocks that a block row in slices has at most.
    std::int64_t most_blocks() const {
        return (long_from > 0 ? long_from : most_strips) * threads_per_row;
    }
    /// Rows that whole groups of `period` slices have, of so many; the others keep their order.
    std::int64_t grouped_rows(std::int64_t rows) const {
        return rows / (lanes * period) * (lanes * period);
    }
    /// What a row's lane adds to a base without deltas.
    std::int64_t offset_of(std::int64_t lane) const { return lane * period; }
    /// Bytes of a block's mask.
    std::int64_t mask_bytes() const { return ::mask_bytes(static_cast<int>(block_size())); }
    bool operator==(const StripsShape&) const = default;
};

/// Of a complete signature of a kernel of this format.
StripsShape strips_shape(const Signature& signature);

/// What storing a matrix so would take, and what of it the signature must say.
struct StripsPlan {
    std::int64_t slices = 0;
    std::int64_t strips = 0;
    /// Strips of slices whose narrowest code is 0 (affine), 1 (8 bits), 2 (16) and 3 (32).
    std::array<std::int64_t, 4> strips_of_code{};
    std::int64_t ragged_slices = 0;  ///< whose lanes with a row differ in their numbers of blocks
    std::int64_t filled_slices = 0;  ///< with blocks that are not whole
    std::int64_t long_rows = 0;
    std::int64_t long_entries = 0;
    std::int64_t stored = 0;  ///< values with padding and fill, those of long rows included
    /// Bytes of all arrays but those of values, with the narrowest code for each slice.
    std::int64_t index_bytes = 0;
    /// Of these the masks of holes: no apply reads them unless its x is infinite somewhere.
    std::int64_t hole_mask_bytes = 0;

    /// The parameter `codes` that has all that occur, and no more.
    std::int64_t codes() const;
    bool operator==(const StripsPlan&) const = default;
};

/// How the matrix lies for the signature's shape and types; what the parameters `codes`, `ragged`
/// and `value_code` say is not looked at, nor `fill` but for whether there may be holes. Reads rows
/// and columns, no values. Parallel on `threads` threads (0 = what OpenMP would use), with the same
/// result for any number. With a `step` above 1 columns are looked at in one of so many slices, and
/// the others are taken to be like it. Where there may be holes, `without_holes` gets the plan of
/// the signature without; nothing where that does not exist. Throws Error(invalid_argument) for a
/// row of more than 65534 strips that cannot be long.
StripsPlan plan_strips(const CsrView& matrix, const Signature& signature, int threads = 0,
                       std::int64_t step = 1, std::optional<StripsPlan>* without_holes = nullptr);

/// Sizes of the arrays but those of values.
struct StripsSizes {
    std::int64_t slices = 0, strips = 0;
    std::int64_t delta_bytes = 0;  ///< with masks, without those beyond the last
    std::int64_t places = 0, lengths = 0;
    std::int64_t long_rows = 0, long_entries = 0, chunks = 0;
    /// Of all of them.
    std::int64_t bytes(IndexType index, IndexType offset) const;
};

/// The blocks of all block rows, kept by who counts them for the passes that follow.
struct StripsBlocks {
    struct Part {
        std::vector<std::int64_t> columns;  ///< of blocks, as BlockRow has them
        std::vector<std::uint64_t> masks;
    };
    static constexpr std::int64_t rows_a_part = 4096;
    std::vector<Part> parts;          ///< of so many block rows each
    std::vector<std::size_t> begins;  ///< of each block row: its first block in its part
};

/// Blocks of each block row of that shape. Parallel. `kept` gets the blocks where it is not null
/// and these are larger than 1×1.
std::vector<std::int64_t> count_strip_blocks(const CsrView& matrix, const StripsShape& shape,
                                             int threads = 0, StripsBlocks* kept = nullptr);

/// Strips of all slices when the block rows have so many blocks: what a choice of σ looks at, of a
/// sample.
std::int64_t count_strips(const std::vector<std::int64_t>& blocks, const StripsShape& shape);

/// The way from lanes to block rows, and what each slice has: the first passes of a conversion.
struct StripsLayout {
    StripsShape shape;
    std::vector<std::int64_t> blocks;      ///< of each block row; -1 = it is long
    StripsBlocks blocks_kept;              ///< of blocks larger than 1×1
    std::vector<std::uint16_t> places;     ///< as the array of that name; empty for σ = 1
    std::vector<std::int64_t> slice_ptr;   ///< as the array
    std::vector<std::int32_t> slice_info;  ///< as the array
    std::vector<std::int64_t> bases;       ///< of each strip; `no_base` first = of none of a slice
    std::vector<std::int64_t> long_row;    ///< as the array
    std::vector<std::int64_t> long_ptr;    ///< as the array

    std::int64_t slices() const { return static_cast<std::int64_t>(slice_info.size()); }
    std::int64_t strips() const { return slice_ptr.back(); }
    std::int64_t block_rows() const { return static_cast<std::int64_t>(blocks.size()); }
    /// The block row at a position; -1 beyond the last.
    std::int64_t block_row_at(std::int64_t position) const {
        if (position >= block_rows()) return -1;
        if (shape.period > 1) return row_of_group_at(position);
        if (shape.sigma == 1) return position;
        // σ is a power of two.
        return (position & -shape.sigma) + places[static_cast<std::size_t>(position)];
    }
    /// Calls f(position within the slice, block row) for those that the slice has, in order.
    template <typename F>
    void for_block_rows(std::int64_t slice, F f) const {
        const std::int64_t first = slice * shape.positions();
        const std::int64_t count = std::min(shape.positions(), block_rows() - first);
        if (shape.period > 1) {
            for (std::int64_t p = 0; p < count; ++p) f(p, row_of_group_at(first + p));
        } else if (shape.sigma == 1) {
            for (std::int64_t p = 0; p < count; ++p) f(p, first + p);
        } else {
            const std::uint16_t* const at = places.data() + first;
            for (std::int64_t p = 0; p < count; ++p)
                f(p, ((first + p) & -shape.sigma) + at[static_cast<std::size_t>(p)]);
        }
    }
    /// The same of slices whose rows are `period` apart.
    std::int64_t row_of_group_at(std::int64_t position) const {
        if (position >= shape.grouped_rows(block_rows())) return position;
        const std::int64_t slice = position / shape.lanes, lane = position % shape.lanes;
        return slice / shape.period * shape.lanes * shape.period + shape.offset_of(lane) +
               slice % shape.period;
    }
    /// Strips of the lane `lane` of a slice; 0 beyond the last block row, and for a long one.
    std::int64_t strips_of(std::int64_t slice, std::int64_t lane) const {
        const std::int64_t t = shape.threads_per_row;
        const std::int64_t position =
            t == 1 ? slice * shape.lanes + lane : (slice * shape.lanes + lane) / t;
        const std::int64_t row = block_row_at(position);
        const std::int64_t all = row < 0 ? 0 : blocks[static_cast<std::size_t>(row)];
        if (t == 1) return all < 0 ? 0 : all;
        return all <= 0 ? 0 : strips_of_lane(all, lane, t);
    }
    /// Whether the strips of a slice are diagonals with holes (formats/plans/strips_holes.hpp).
    bool has_holes(std::int64_t slice) const {
        return shape.may_have_holes() &&
               (slice_info[static_cast<std::size_t>(slice)] & filled_slice) != 0;
    }
    /// Values with padding and fill, those of long rows included.
    std::int64_t stored() const {
        return strips() * shape.lanes * shape.block_size() + long_ptr.back();
    }
    /// Bytes of deltas and masks of a slice, in units of S.
    std::int64_t delta_units(std::int64_t slice) const;
    /// Chunks of the long row number `row` of long_row: one at least, for somebody must store y.
    std::int64_t chunks_of(std::size_t row) const {
        const std::int64_t entries = long_ptr[row + 1] - long_ptr[row];
        return entries <= shape.chunk ? 1 : (entries + shape.chunk - 1) / shape.chunk;
    }
    /// Whether a slice is ragged: whether there are lengths.
    bool has_lengths() const;
    /// Bytes of all arrays but those of values.
    std::int64_t index_bytes(IndexType index, IndexType offset) const;
};

/// What a matrix takes in this format, beside CSR.
struct StripsMemory {
    double bytes = 0, csr = 0;
    bool allowed = true;  ///< without Options::memory_limit
};

/// Of so many stored values, and so many bytes of the other arrays.
StripsMemory strips_memory(const CsrView& matrix, const Signature& signature, std::int64_t stored,
                           std::int64_t index_bytes);

/// Throws TooLarge when that is not allowed.
void check_strips_bytes(const CsrView& matrix, const Signature& signature, std::int64_t stored,
                        std::int64_t index_bytes);

/// The layout, with the narrowest code in the bit mask `codes` for each slice; codes and fill stay
/// 0 for a matrix without columns. Throws as plan_strips(), and Error(invalid_argument) for a slice
/// that none of `codes` fits.
StripsLayout lay_out_strips(const CsrView& matrix, const StripsShape& shape, std::int64_t codes,
                            int threads = 0);

/// What a layout with all codes comes to: plan_strips().
StripsPlan plan_of(const StripsLayout& layout, const Signature& signature);

/// Makes of a layout with all codes the one that lay_out_strips() makes with those of `codes`.
/// False where that is another one, or none: the layout is then of no use any more.
bool use_codes(StripsLayout& layout, std::int64_t codes);

}  // namespace spmvgen
