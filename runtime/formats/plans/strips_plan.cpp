#include "formats/plans/strips_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "formats/block_row.hpp"
#include "formats/layout.hpp"
#include "formats/padded_rows.hpp"
#include "formats/plans/strips_columns.hpp"
#include "formats/plans/strips_holes.hpp"
#include "formats/plans/strips_rows.hpp"
#include "formats/value_encoding.hpp"
#include "kernel/refuse.hpp"
#include "matrix/chunks.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

int code_of(std::int32_t info) {
    return info & code_bits;
}

/// The narrowest of `codes` that holds what `narrowest` does; -1 when there is none.
int allowed_code(std::int64_t codes, int narrowest) {
    for (int code = narrowest; code < no_code; ++code)
        if ((codes >> code & 1) != 0) return code;
    return -1;
}

/// How slices that may have holes would lie if none had; empty where one would have no code.
struct PlainSlices {
    std::vector<std::int64_t> slice_ptr;
    std::vector<std::int32_t> slice_info;
};

/// What is looked at of the columns.
struct Look {
    /// Of every so many slices of a part one; others are taken to be as that before.
    std::int64_t step = 1;
    bool bases = true;                     ///< those of strips are wanted
    PlainSlices* without_holes = nullptr;  ///< wanted, too, of slices that may have holes

    /// As StripRanges::collect() takes it.
    std::optional<std::uint64_t> reach(const CsrView& matrix) const {
        if (bases || matrix.cols == 0) return {};
        return static_cast<std::uint64_t>(matrix.cols - 1);
    }
};

/// Throws where none of `codes` fits.
int checked_code(std::int64_t codes, int narrowest, std::int64_t slice) {
    const int code = allowed_code(codes, narrowest);
    if (code < 0)
        refuse(fmt::format("slice {} of format strips needs {}, which codes={} has not: {}", slice,
                           narrowest < no_code ? fmt::format("deltas of {} bits", 4 << narrowest)
                                               : "deltas of more than 32 bits",
                           codes, narrowest < no_code ? "use codes=15" : "use csr"));
    return code;
}

/// Those of one slice, by its ranges.
template <typename Number>
void add_bases(const StripRanges<Number>& ranges, std::int64_t slice, int code,
               StripsLayout& layout) {
    const auto s = static_cast<std::size_t>(slice);
    for (std::int64_t k = layout.slice_ptr[s]; k < layout.slice_ptr[s + 1]; ++k)
        layout.bases[static_cast<std::size_t>(k)] =
            ranges.base(static_cast<std::size_t>(k - layout.slice_ptr[s]), code);
}

/// The starts of the diagonals of slices that have holes, one slice after the other, of each part
/// of slices_a_part.
using FoundStarts = std::vector<std::vector<std::int64_t>>;

/// Moves the bases of each slice from where its strips were to where they are by `ends`; those of
/// slices that have holes are `starts`.
void move_bases(const StripsLayout& layout, std::span<const std::int64_t> ends,
                const FoundStarts& starts, std::vector<std::int64_t>& bases) {
    if (std::ranges::all_of(starts, [](auto& part) { return part.empty(); })) return;
    std::vector<std::int64_t> moved(static_cast<std::size_t>(ends.back()));
    std::size_t at = 0;  // in the slice's part
    for (std::size_t s = 0; s + 1 < ends.size(); ++s) {
        if (s % slices_a_part == 0) at = 0;
        const auto& part = starts[s / slices_a_part];
        const bool has_holes = layout.has_holes(static_cast<std::int64_t>(s));
        const auto from = has_holes ? part.begin() + static_cast<std::ptrdiff_t>(at)
                                    : bases.begin() + layout.slice_ptr[s];
        const std::int64_t count = ends[s + 1] - ends[s];
        std::copy_n(from, count, moved.begin() + ends[s]);
        if (has_holes) at += static_cast<std::size_t>(count);
    }
    bases = std::move(moved);
}

/// What was found of a slice that may have holes.
struct FoundHoles {
    int narrowest = 0;  ///< code without them
    std::int64_t diagonals = 0;
};

/// Makes diagonals with holes of the slices that gain by it. The others get their codes,
/// and the bases that are wanted.
template <typename Columns>
void find_holes(const CsrView& matrix, std::int64_t codes, StripsLayout& layout, int threads,
                const Look& look) {
    std::vector<std::int64_t> ends(layout.slice_ptr.size(), 0);
    FoundStarts starts(static_cast<std::size_t>(layout.slices() / slices_a_part) + 1);
    if (look.bases) layout.bases.assign(static_cast<std::size_t>(layout.strips()), no_base);
    if (look.without_holes != nullptr) *look.without_holes = {layout.slice_ptr, layout.slice_info};
    std::atomic<bool> all_coded{true};
    const auto value = static_cast<std::int64_t>(size_of(matrix.value_type));
    for_parts(
        layout.slices(), slices_a_part, threads, [&](std::int64_t begin, std::int64_t end, int) {
            Columns columns(matrix, layout);
            StripRanges<typename Columns::Number> ranges;
            SliceDiagonals<typename Columns::Number> diagonals;
            std::optional<FoundHoles> found;  // of the last slice that was looked at
            for (std::int64_t slice = begin; slice < end; ++slice) {
                const auto s = static_cast<std::size_t>(slice);
                const std::int64_t width = layout.slice_ptr[s + 1] - layout.slice_ptr[s];
                ends[s + 1] = width;
                if (width == 0) continue;
                if (!found || (slice - begin) % look.step == 0) {
                    ranges.collect(layout, slice, columns, look.reach(matrix));
                    const int narrowest = ranges.narrowest();
                    const bool has_holes =
                        narrowest != 0 &&
                        diagonals.collect(layout, slice, columns, matrix.cols,
                                          most_diagonals_of(layout.shape, width, narrowest, value));
                    found = {narrowest, has_holes ? diagonals.size() : 0};
                    if (narrowest >= no_code) all_coded = false;
                }
                if (look.without_holes != nullptr)
                    look.without_holes->slice_info[s] |= found->narrowest & code_bits;
                if (found->diagonals == 0) {
                    const int code = checked_code(codes, found->narrowest, slice);
                    layout.slice_info[s] |= code;
                    if (look.bases) add_bases(ranges, slice, code, layout);
                    continue;
                }
                ends[s + 1] = found->diagonals;
                if (look.bases) diagonals.add_starts_to(starts[s / slices_a_part]);
                layout.slice_info[s] = info_of_diagonals(static_cast<int>(found->diagonals));
            }
        });
    if (look.without_holes != nullptr && !all_coded) *look.without_holes = {};
    std::inclusive_scan(ends.begin(), ends.end(), ends.begin());
    if (look.bases) move_bases(layout, ends, starts, layout.bases);
    layout.slice_ptr = std::move(ends);
}

template <typename Columns>
void find_codes(const CsrView& matrix, std::int64_t codes, StripsLayout& layout, int threads,
                const Look& look) {
    if (look.bases) layout.bases.assign(static_cast<std::size_t>(layout.strips()), no_base);
    for_parts(layout.slices(), slices_a_part, threads,
              [&](std::int64_t begin, std::int64_t end, int) {
                  Columns columns(matrix, layout);
                  StripRanges<typename Columns::Number> ranges;
                  std::optional<std::int32_t> found;  // of the last slice that was looked at
                  for (std::int64_t slice = begin; slice < end; ++slice) {
                      if (layout.has_holes(slice)) continue;
                      const auto s = static_cast<std::size_t>(slice);
                      if (found && (slice - begin) % look.step != 0) {
                          layout.slice_info[s] |= *found;
                          continue;
                      }
                      // Of rows without entries there is nothing to look at.
                      if (layout.slice_ptr[s] == layout.slice_ptr[s + 1] && (codes & 1) != 0)
                          continue;
                      ranges.collect(layout, slice, columns, look.reach(matrix));
                      const int code = checked_code(codes, ranges.narrowest(), slice);
                      found = code | (ranges.has_fill() ? filled_slice : 0);
                      layout.slice_info[s] |= *found;
                      if (look.bases) add_bases(ranges, slice, code, layout);
                  }
              });
}

std::int64_t bytes_of_hole(const Signature& s) {
    if (is_gpu(s)) return 1;
    return std::max<std::int64_t>(value_bytes({storage_type(s), value_code_of(s)}), 1);
}

}  // namespace

StripsShape strips_shape(const Signature& s) {
    StripsShape shape;
    const bool gpu = is_gpu(s);
    shape.block_cols = param(s, "block_cols", 1);
    shape.block_rows = param(s, "block_rows", 1);
    shape.lanes = param(s, gpu ? "slice" : "lanes");
    shape.sigma = param(s, "sigma", 1);
    shape.threads_per_row = param(s, "threads_per_row", 1);
    const bool plain = shape.sigma == 1 && shape.block_size() == 1 && shape.threads_per_row == 1;
    shape.period = plain ? param(s, "period", 1) : 1;
    shape.long_from = param(s, "long_rows", 0) != 0 ? param(s, "long_from", 0) : 0;
    shape.wavefront = gpu ? s.target.wavefront : 0;
    if (shape.block_size() == 1 && shape.threads_per_row == 1 && param(s, "fill", 0) == 1)
        shape.hole_bytes = bytes_of_hole(s);
    if (gpu) shape.chunk = entries_of_chunk(s.target.wavefront);
    return shape;
}

std::int64_t StripsPlan::codes() const {
    std::int64_t codes = 0;
    for (std::size_t code = 0; code < strips_of_code.size(); ++code)
        if (strips_of_code[code] > 0) codes |= std::int64_t{1} << code;
    return codes == 0 ? 1 : codes;
}

std::int64_t StripsLayout::delta_units(std::int64_t slice) const {
    const auto s = static_cast<std::size_t>(slice);
    const std::int32_t info = slice_info[s];
    return (slice_ptr[s + 1] - slice_ptr[s]) *
           (delta_bytes(code_of(info)) + ((info & filled_slice) != 0 ? shape.mask_bytes() : 0));
}

bool StripsLayout::has_lengths() const {
    return std::ranges::any_of(slice_info,
                               [](std::int32_t info) { return (info & ragged_slice) != 0; });
}

std::int64_t StripsSizes::bytes(IndexType index, IndexType offset) const {
    const std::int64_t offsets = 2 * (slices + 1) + 2 * (long_rows + 1);
    const std::int64_t indices = strips + long_rows + long_entries + chunks;
    return offsets * static_cast<std::int64_t>(size_of(offset)) +
           indices * static_cast<std::int64_t>(size_of(index)) + 4 * slices +
           2 * (places + lengths) + delta_bytes + bytes_beyond_deltas;
}

std::int64_t StripsLayout::index_bytes(IndexType index, IndexType offset) const {
    StripsSizes sizes{.slices = slices(),
                      .strips = strips(),
                      .places = std::ssize(places),
                      .lengths = has_lengths() ? slices() * shape.lanes : 0,
                      .long_rows = std::ssize(long_row),
                      .long_entries = long_ptr.back()};
    for (std::int64_t slice = 0; slice < slices(); ++slice)
        sizes.delta_bytes += delta_units(slice) * shape.lanes;
    for (std::size_t row = 0; row < long_row.size(); ++row) sizes.chunks += chunks_of(row);
    return sizes.bytes(index, offset);
}

namespace {

StripsLayout lay_out(const CsrView& matrix, const StripsShape& shape, std::int64_t codes,
                     int threads, const Look& look) {
    StripsLayout layout;
    layout.shape = shape;
    layout.blocks = count_strip_blocks(matrix, shape, threads, &layout.blocks_kept);
    take_long_rows(matrix, layout);
    sort_windows(layout, threads);
    measure_slices(layout, threads);
    if (matrix.col_idx != nullptr)
        dispatch_columns(matrix, shape, [&]<typename Columns>(Columns*) {
            const bool holes = !std::is_same_v<Columns, BlockColumns> && shape.may_have_holes() &&
                               (codes & 1) != 0;
            if constexpr (!std::is_same_v<Columns, BlockColumns>)
                if (holes) return find_holes<Columns>(matrix, codes, layout, threads, look);
            find_codes<Columns>(matrix, codes, layout, threads, look);
        });
    return layout;
}

}  // namespace

StripsLayout lay_out_strips(const CsrView& matrix, const StripsShape& shape, std::int64_t codes,
                            int threads) {
    return lay_out(matrix, shape, codes, threads, {});
}

bool use_codes(StripsLayout& layout, std::int64_t codes) {
    std::array<std::int32_t, 4> wider{};
    for (int code = 0; code < 4; ++code)
        wider[static_cast<std::size_t>(code)] = allowed_code(codes, code);
    for (std::int64_t slice = 0; slice < layout.slices(); ++slice) {
        const auto s = static_cast<std::size_t>(slice);
        std::int32_t& info = layout.slice_info[s];
        const std::int32_t code = wider[static_cast<std::size_t>(code_of(info))];
        if (code < 0 || (code > 0 && layout.has_holes(slice))) return false;
        // With deltas a base is the least column, without the start of a diagonal.
        if (code > code_of(info) && code_of(info) == affine_deltas &&
            layout.slice_ptr[s] < layout.slice_ptr[s + 1] && !layout.bases.empty())
            layout.bases[static_cast<std::size_t>(layout.slice_ptr[s])] = no_base;
        info += code - code_of(info);
    }
    return true;
}

StripsPlan plan_strips(const CsrView& matrix, const Signature& signature, int threads,
                       std::int64_t step, std::optional<StripsPlan>* without_holes) {
    const StripsShape shape = strips_shape(signature);
    Look look{.step = step, .bases = false};
    PlainSlices plain;
    if (without_holes != nullptr && shape.may_have_holes()) look.without_holes = &plain;
    StripsLayout layout = lay_out(matrix, shape, all_strip_codes, threads, look);
    const StripsPlan plan = plan_of(layout, signature);
    if (plain.slice_ptr.empty()) return plan;
    layout.shape.hole_bytes = 0;
    layout.slice_ptr = std::move(plain.slice_ptr);
    layout.slice_info = std::move(plain.slice_info);
    *without_holes = plan_of(layout, signature);
    return plan;
}

StripsPlan plan_of(const StripsLayout& layout, const Signature& signature) {
    StripsPlan plan;
    plan.slices = layout.slices();
    plan.strips = layout.strips();
    for (std::int64_t slice = 0; slice < plan.slices; ++slice) {
        const auto s = static_cast<std::size_t>(slice);
        const std::int32_t info = layout.slice_info[s];
        plan.strips_of_code[static_cast<std::size_t>(code_of(info))] +=
            layout.slice_ptr[s + 1] - layout.slice_ptr[s];
        plan.ragged_slices += (info & ragged_slice) != 0;
        plan.filled_slices += (info & filled_slice) != 0;
        if (layout.has_holes(slice))
            plan.hole_mask_bytes += layout.delta_units(slice) * layout.shape.lanes;
    }
    plan.long_rows = static_cast<std::int64_t>(layout.long_row.size());
    plan.long_entries = layout.long_ptr.back();
    plan.stored = layout.stored();
    plan.index_bytes = layout.index_bytes(signature.index, signature.offset);
    return plan;
}

}  // namespace spmvgen
