#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "formats/block_row.hpp"
#include "formats/format_storage.hpp"
#include "formats/layout.hpp"
#include "formats/padded_rows.hpp"
#include "formats/plans/strips_columns.hpp"
#include "formats/plans/strips_deltas.hpp"
#include "formats/plans/strips_holes.hpp"
#include "formats/plans/strips_plan.hpp"
#include "formats/value_encoding.hpp"
#include "matrix/chunks.hpp"
#include "matrix/memory_limit.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// Bytes that no bound is put on: what is so small is nobody's memory trouble.
constexpr double always_allowed = 1 << 20;
constexpr double most_times_csr = 1.2;

/// What the signature says of the matrix; throws where that is not so.
void check_promises(const Signature& signature, const StripsLayout& layout) {
    const auto refuse = [](std::string_view parameter, std::string_view what) {
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("{}=0, but the matrix {} in format strips: use {}=1", parameter,
                                what, parameter));
    };
    if (param(signature, "ragged", 1) == 0 && layout.has_lengths())
        refuse("ragged", "has slices with rows of different lengths");
    const bool filled = std::ranges::any_of(
        layout.slice_info, [](std::int32_t info) { return (info & filled_slice) != 0; });
    if (param(signature, "fill", 1) == 0 && filled)
        refuse("fill", "has blocks with elements that are not stored");
}

/// add_array() whose one element, when there should be none, is zero.
template <typename T>
T* add_numbers(StoredMatrix& stored, std::string_view name, std::int64_t count) {
    T* const numbers = add_array<T>(stored, name, count);
    if (count == 0) *numbers = T{};
    return numbers;
}

/// Calls body(begin, end) for parts of the slices; for a CPU's kernel the parts are the shares of
/// its threads, so that each writes what it will read.
template <typename Body>
void for_slices(const StripsLayout& layout, Body body) {
    const auto before = [&](std::int64_t s) {
        return layout.slice_ptr[static_cast<std::size_t>(s)];
    };
    if (layout.shape.wavefront == 0) return for_shares(layout.slices(), before, body);
    for_parts(layout.slices(), slices_a_part, 0,
              [&](std::int64_t begin, std::int64_t end, int) { body(begin, end); });
}

/// Calls body(row) for each number of a long row, shared out likewise.
template <typename Body>
void for_long_rows(const StripsLayout& layout, Body body) {
    const auto before = [&](std::int64_t r) {
        return layout.long_ptr[static_cast<std::size_t>(r)];
    };
    for_shares(std::ssize(layout.long_row), before, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) body(static_cast<std::size_t>(row));
    });
}

template <typename Number>
void copy_numbers(const std::vector<std::int64_t>& from, Number* to) {
    std::ranges::transform(from, to, [](std::int64_t n) { return static_cast<Number>(n); });
}

template <typename Number>
void copy_all(StoredMatrix& stored, std::string_view name, const std::vector<Number>& from) {
    std::ranges::copy(from, add_numbers<Number>(stored, name, std::ssize(from)));
}

/// Where the bytes of each slice begin in deltas, in units of S; at last their number.
std::vector<std::int64_t> delta_offsets(const StripsLayout& layout) {
    std::vector<std::int64_t> ends(static_cast<std::size_t>(layout.slices()) + 1, 0);
    for (std::int64_t slice = 0; slice < layout.slices(); ++slice)
        ends[static_cast<std::size_t>(slice) + 1] = layout.delta_units(slice);
    std::inclusive_scan(ends.begin(), ends.end(), ends.begin());
    return ends;
}

/// A CPU's kernel for slices that may be ragged reads the lengths of all, also where none is.
void add_lengths(const Signature& signature, const StripsLayout& layout, StoredMatrix& stored) {
    const std::int64_t lanes = layout.shape.lanes, all_lanes = layout.slices() * lanes;
    const bool wanted = layout.has_lengths();
    const bool are_read =
        wanted || (layout.shape.wavefront == 0 && param(signature, "ragged", 1) == 1);
    auto* lengths = add_numbers<std::uint16_t>(stored, "lengths", are_read ? all_lanes : 0);
    if (!wanted) {
        if (are_read) std::fill_n(lengths, all_lanes, std::uint16_t{0});
        return;
    }
    const std::int64_t t = layout.shape.threads_per_row;
#pragma omp parallel for schedule(static)
    for (std::int64_t slice = 0; slice < layout.slices(); ++slice) {
        std::uint16_t* const of_slice = lengths + slice * lanes;
        std::int64_t written = 0;
        layout.for_block_rows(slice, [&](std::int64_t position, std::int64_t row) {
            const std::int64_t all = layout.blocks[static_cast<std::size_t>(row)];
            for (std::int64_t lane = position * t; lane < (position + 1) * t; ++lane)
                of_slice[lane] =
                    static_cast<std::uint16_t>(all < 0  ? length_of_long
                                               : t == 1 ? all
                                                        : strips_of_lane(all, lane, t));
            written = (position + 1) * t;
        });
        std::fill(of_slice + written, of_slice + lanes, std::uint16_t{0});
    }
}

/// Which element of y each row makes, where the kernel is told.
template <typename Index>
void add_row_order(std::span<const std::int32_t> order, StoredMatrix& stored) {
    const std::int64_t rows = stored.scalars.at("num_rows");
    Index* const to = add_numbers<Index>(stored, "row_order", rows);
    if (order.empty())
        std::iota(to, to + rows, Index{0});
    else
        std::ranges::transform(order, to, [](std::int32_t row) { return static_cast<Index>(row); });
    stored.bytes += rows * static_cast<std::int64_t>(sizeof(Index));
}

/// The arrays of long rows but their values, and the scalars that count them.
template <typename Index, typename Offset>
void add_long_rows(const CsrView& matrix, const StripsLayout& layout, StoredMatrix& stored) {
    std::vector<std::int64_t> chunk_ptr{0}, chunk_row;
    for (std::size_t row = 0; row < layout.long_row.size(); ++row) {
        chunk_ptr.push_back(chunk_ptr.back() + layout.chunks_of(row));
        chunk_row.resize(static_cast<std::size_t>(chunk_ptr.back()),
                         static_cast<std::int64_t>(row));
    }
    copy_numbers(layout.long_row,
                 add_numbers<Index>(stored, "long_row", std::ssize(layout.long_row)));
    copy_numbers(layout.long_ptr,
                 add_numbers<Offset>(stored, "long_ptr", std::ssize(layout.long_ptr)));
    copy_numbers(chunk_ptr, add_numbers<Offset>(stored, "chunk_ptr", std::ssize(chunk_ptr)));
    copy_numbers(chunk_row, add_numbers<Index>(stored, "chunk_row", std::ssize(chunk_row)));
    Index* columns = add_numbers<Index>(stored, "long_col", layout.long_ptr.back());
    if (matrix.col_idx != nullptr)
        dispatch(matrix.index_type, [&]<typename Column>(Column) {
            for_long_rows(layout, [&](std::size_t row) {
                const Column* from = matrix.col_idx_as<Column>();
                std::transform(from + matrix.row_begin(layout.long_row[row]),
                               from + matrix.row_begin(layout.long_row[row] + 1),
                               columns + layout.long_ptr[row],
                               [](Column column) { return static_cast<Index>(column); });
            });
        });
    stored.scalars["num_long"] = std::ssize(layout.long_row);
    stored.scalars["num_chunks"] = std::ssize(chunk_row);
    stored.scalars["long_begin"] = layout.strips() * layout.shape.lanes * layout.shape.block_size();
}

template <typename Index>
void add_columns(const CsrView& matrix, const StripsLayout& layout,
                 const std::vector<std::int64_t>& offsets, StoredMatrix& stored) {
    const std::int64_t bytes = offsets.back() * layout.shape.lanes;
    Index* bases = add_numbers<Index>(stored, "bases", layout.strips());
    auto* deltas = add_numbers<unsigned char>(stored, "deltas", bytes + bytes_beyond_deltas);
    std::fill_n(deltas + bytes, bytes_beyond_deltas, static_cast<unsigned char>(0));
    if (matrix.col_idx == nullptr) return;
    dispatch_columns(matrix, layout.shape, [&]<typename Columns>(Columns*) {
        for_slices(layout, [&](std::int64_t begin, std::int64_t end) {
            DeltaWriter<Index, Columns> writer(matrix, layout, bases, deltas);
            for (std::int64_t slice = begin; slice < end; ++slice)
                writer.write(slice, offsets[static_cast<std::size_t>(slice)]);
        });
    });
}

/// Writes the values of one slice of entries, with a lane a row.
template <typename From, typename Values>
void write_strips(const CsrView& matrix, const StripsLayout& layout, std::int64_t slice,
                  SliceLanes& of_slice, const Values& values) {
    const auto s = static_cast<std::size_t>(slice);
    const std::int64_t lanes = layout.shape.lanes;
    of_slice.take(matrix, layout, slice);
    const From* from = matrix.values_as<From>();
    std::int64_t place = layout.slice_ptr[s] * lanes;
    for (; place < layout.slice_ptr[s + 1] * lanes; place += lanes, ++from) {
        const auto with_entry = of_slice.of(place / lanes - layout.slice_ptr[s]);
        if (std::ssize(with_entry) < lanes)
            for (std::int64_t lane = 0; lane < lanes; ++lane) values.pad(place + lane);
        for (auto& lane : with_entry) values.put(place + lane.number, from[lane.first]);
    }
}

/// The same of rows that lanes share.
template <typename From, typename Values>
void write_entries(const CsrView& matrix, const StripsLayout& layout, std::int64_t slice,
                   const Values& values) {
    const auto s = static_cast<std::size_t>(slice);
    const std::int64_t lanes = layout.shape.lanes, t = layout.shape.threads_per_row;
    const std::int64_t first = layout.slice_ptr[s], width = layout.slice_ptr[s + 1] - first;
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
        const std::int64_t row = layout.block_row_at(slice * layout.shape.positions() + lane / t);
        const std::int64_t strips = layout.strips_of(slice, lane);
        const From* from =
            strips == 0 ? nullptr : matrix.values_as<From>() + matrix.row_begin(row) + lane % t;
        for (std::int64_t k = 0; k < strips; ++k)
            values.put(place_in_strips(first + k, 1, 0, lanes, lane), from[k * t]);
        for (std::int64_t k = strips; k < width; ++k)
            values.pad(place_in_strips(first + k, 1, 0, lanes, lane));
    }
}

/// Writes the values of one slice of blocks, which `blocks` makes.
template <typename From, typename Values>
void write_blocks(const CsrView& matrix, const StripsLayout& layout, std::int64_t slice,
                  BlockRow& blocks, const Values& values) {
    const StripsShape& shape = layout.shape;
    const auto s = static_cast<std::size_t>(slice);
    const std::int64_t lanes = shape.lanes, size = shape.block_size();
    const std::int64_t begin = layout.slice_ptr[s], end = layout.slice_ptr[s + 1];
    for (std::int64_t place = begin * lanes * size; place < end * lanes * size; ++place)
        values.pad(place);
    const From* from = matrix.values_as<From>();
    const std::int64_t t = shape.threads_per_row, block_cols = shape.block_cols;
    BlockColumns columns(matrix, layout);
    layout.for_block_rows(slice, [&](std::int64_t p, std::int64_t row) {
        if (layout.blocks[static_cast<std::size_t>(row)] <= 0) return;
        const auto write = [&, p](std::size_t number, std::int64_t i, std::int64_t j,
                                  std::int64_t entry) {
            const auto block = static_cast<std::int64_t>(number);
            const std::int64_t strip = begin + (t == 1 ? block : block / t);
            const std::int64_t lane = t == 1 ? p : p * t + block % t;
            values.put(place_in_strips(strip, size, i * block_cols + j, lanes, lane), from[entry]);
        };
        const std::span of_row = columns.blocks_of(row);
        const bool once =
            std::ranges::adjacent_find(of_row, std::greater_equal<>()) == of_row.end();
        once ? blocks.make(row * shape.block_rows, of_row, write)
             : blocks.make(row * shape.block_rows, write);
    });
}

/// Writes the values of slices of diagonals with holes, one after the other.
template <typename From>
class HoledSlices {
  public:
    HoledSlices(const CsrView& matrix, const StripsLayout& layout)
        : matrix_(matrix), layout_(layout) {}
    template <typename Values>
    void write(std::int64_t slice, const Values& values) {
        dispatch(matrix_.index_type, [&]<typename Column>(Column) {
            EntryColumns<Column> columns(matrix_, layout_);
            write_between_holes<From>(matrix_, layout_, slice, columns,
                                      std::get<SliceDiagonals<Column>>(diagonals_), values);
        });
    }

  private:
    const CsrView& matrix_;
    const StripsLayout& layout_;
    std::tuple<SliceDiagonals<std::int32_t>, SliceDiagonals<std::int64_t>> diagonals_;
};

template <typename From, typename To>
void add_values(const CsrView& matrix, const Signature& signature, const StripsLayout& layout,
                StoredMatrix& stored) {
    const ValueArrays<From, To> values(matrix, signature, stored, layout.stored());
    stored.bytes += values.bytes();
    if (values.code() == ValueCode::one_value) return;  // no entry has any of its own
    values.with_writer([&](const auto writer) {
        for_slices(layout, [&](std::int64_t begin, std::int64_t end) {
            BlockRow blocks(matrix, layout.shape.block_rows, layout.shape.block_cols, false);
            SliceLanes lanes;
            HoledSlices<From> holed(matrix, layout);
            for (std::int64_t slice = begin; slice < end; ++slice)
                if (layout.has_holes(slice))
                    holed.write(slice, writer);
                else if (layout.shape.block_size() > 1)
                    write_blocks<From>(matrix, layout, slice, blocks, writer);
                else if (layout.shape.threads_per_row == 1)
                    write_strips<From>(matrix, layout, slice, lanes, writer);
                else
                    write_entries<From>(matrix, layout, slice, writer);
        });
    });
    const std::int64_t long_begin = stored.scalars.at("long_begin");
    for_long_rows(layout, [&](std::size_t row) {
        const From* from = matrix.values_as<From>() + matrix.row_begin(layout.long_row[row]);
        const std::int64_t entries = layout.long_ptr[row + 1] - layout.long_ptr[row];
        for (std::int64_t k = 0; k < entries; ++k)
            values.put(long_begin + layout.long_ptr[row] + k, from[k]);
    });
}

template <typename Index, typename Offset>
void add_all(const CsrView& matrix, const Signature& signature, const StripsLayout& layout,
             StoredMatrix& stored) {
    const std::vector<std::int64_t> offsets = delta_offsets(layout);
    copy_numbers(layout.slice_ptr, add_numbers<Offset>(stored, "slice_ptr", layout.slices() + 1));
    copy_numbers(offsets, add_numbers<Offset>(stored, "delta_ptr", layout.slices() + 1));
    copy_all(stored, "slice_info", layout.slice_info);
    copy_all(stored, "places", layout.places);
    add_lengths(signature, layout, stored);
    add_long_rows<Index, Offset>(matrix, layout, stored);
    add_columns<Index>(matrix, layout, offsets, stored);
    dispatch_values(matrix.value_type, signature, [&]<typename From, typename To>(From, To) {
        add_values<From, To>(matrix, signature, layout, stored);
    });
}

StoredMatrix store_strips(const CsrView& matrix, const Signature& signature, const Storing& how) {
    StoredMatrix stored = new_stored(Format::strips, matrix, how.memory_limit);
    const StripsShape shape = strips_shape(signature);
    std::optional<StripsLayout> own;
    if (how.strips == nullptr || how.strips->shape != shape)
        own = lay_out_strips(matrix, shape, param(signature, "codes", all_strip_codes));
    const StripsLayout& layout = own ? *own : *how.strips;
    check_promises(signature, layout);
    stored.bytes = layout.index_bytes(signature.index, signature.offset);
    stored.stored = layout.stored();
    if (how.memory_limit == 0) check_strips_bytes(matrix, signature, stored.stored, stored.bytes);
    check_fits(stored.stored, signature.offset, "stored entries", "offset");
    stored.scalars["num_slices"] = layout.slices();
    stored.scalars["num_strips"] = layout.strips();
    dispatch(signature.index, [&]<typename Index>(Index) {
        if (param(signature, "any_order", 0) == 1) add_row_order<Index>(how.row_order, stored);
        dispatch(signature.offset, [&]<typename Offset>(Offset) {
            add_all<Index, Offset>(matrix, signature, layout, stored);
        });
    });
    if (const std::int64_t width = layout.shape.wavefront; width > 0)
        stored.scalars["num_warps"] = stored.scalars.at("num_chunks") +
                                      (layout.slices() * layout.shape.lanes + width - 1) / width;
    return stored;
}

ValuePlaces places(const Signature& s) {
    const StripsShape shape = strips_shape(s);
    return shape.block_size() > 1 || shape.may_have_holes() ? ValuePlaces::by_column
                                                            : ValuePlaces::by_row;
}

}  // namespace

StripsMemory strips_memory(const CsrView& matrix, const Signature& signature, std::int64_t stored,
                           std::int64_t index_bytes) {
    const std::int64_t code = param(signature, "value_code", 0);
    const auto value = static_cast<std::int64_t>(size_of(storage_type(signature)));
    const std::int64_t bytes_a_value = code == 0 ? value : code == 2 ? 0 : 1;
    const auto bytes = static_cast<double>(stored * bytes_a_value + index_bytes);
    const auto csr = static_cast<double>(
        matrix.nnz *
            static_cast<std::int64_t>(size_of(matrix.value_type) + size_of(signature.index)) +
        (matrix.rows + 1) * static_cast<std::int64_t>(size_of(signature.offset)));
    return {bytes, csr, bytes <= always_allowed || bytes <= most_times_csr * csr};
}

void check_strips_bytes(const CsrView& matrix, const Signature& signature, std::int64_t stored,
                        std::int64_t index_bytes) {
    const StripsMemory memory = strips_memory(matrix, signature, stored, index_bytes);
    if (memory.allowed) return;
    throw TooLarge(
        fmt::format("format strips would store {} entries for {} nonzeros: {}, {:.2f} times the {} "
                    "of CSR, more than the {} times that it may take",
                    stored, matrix.nnz, format_bytes(memory.bytes), memory.bytes / memory.csr,
                    format_bytes(memory.csr), most_times_csr),
        "; use another sigma or threads_per_row, csr or tiles, or allow it with "
        "options.memory_limit");
}

extern constexpr FormatStorage strips_storage{
    .format = Format::strips,
    .store = store_strips,
    .places = places,
    .update_products = {.cpu = 4, .gpu = 3},
    .rows_suffice = [](std::string_view kernel, const Params& params) {
        const bool may = kernel.empty() || kernel_entry(kernel).gpu;
        return may && params.contains("block_rows") && params.contains("block_cols");
    }};

}  // namespace spmvgen
