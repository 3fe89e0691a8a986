#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <span>
#include <vector>

#include "dialect/formats/tiles_format.hpp"
#include "formats/format_storage.hpp"
#include "formats/layout.hpp"
#include "formats/narrow.hpp"
#include "formats/plans/tiles_plan.hpp"
#include "formats/value_encoding.hpp"
#include "matrix/chunks.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t tile_rows_a_part = 1 << 14;
constexpr std::int64_t tiles_a_part = 64;

constexpr std::int64_t divide_up(std::int64_t count, std::int64_t unit) {
    return (count + unit - 1) / unit;
}

/// The rows that have entries, and how many of them come before each part of tile_rows_a_part rows.
struct FilledRows {
    std::int64_t count = 0;
    std::vector<std::int64_t> before;
};

FilledRows filled_rows(const CsrView& matrix) {
    FilledRows filled;
    filled.before.resize(static_cast<std::size_t>(divide_up(matrix.rows, tile_rows_a_part)));
    for_parts(matrix.rows, tile_rows_a_part, 0, [&](std::int64_t begin, std::int64_t end, int) {
        std::int64_t count = 0;
        for (std::int64_t row = begin; row < end; ++row) count += matrix.row_length(row) > 0;
        filled.before[static_cast<std::size_t>(begin / tile_rows_a_part)] = count;
    });
    for (auto& before : filled.before) filled.count += std::exchange(before, filled.count);
    return filled;
}

/// The arrays that say where rows begin; uninitialised.
template <typename Index>
struct RowArrays {
    Index* tile_row;          ///< for each tile: number of the row open as it begins, or -1
    std::uint8_t* row_marks;  ///< a bit for each entry that begins a row
    Index *cut_first_run,
        *cut_last_run;  ///< for each run and one more: runs of the row cut there, or -1
    Index *filled_rows, *empty_rows;  ///< where rows are looked up; else empty
};

template <typename Index>
RowArrays<Index> add_row_arrays(const CsrView& matrix, const TilesShape& shape,
                                const FilledRows& filled, bool gaps, StoredMatrix& stored) {
    RowArrays<Index> rows{};
    rows.tile_row = add_array<Index>(stored, "tile_row", shape.tiles);
    rows.row_marks = add_array<std::uint8_t>(stored, "row_marks", shape.tiles * shape.tile / 8);
    rows.cut_first_run = add_array<Index>(stored, "cut_first_run", shape.runs + 1);
    rows.cut_last_run = add_array<Index>(stored, "cut_last_run", shape.runs + 1);
    rows.filled_rows = add_array<Index>(stored, "filled_rows", gaps ? filled.count : 0);
    rows.empty_rows = add_array<Index>(stored, "empty_rows", gaps ? matrix.rows - filled.count : 0);
    // Of an empty array there is one element, too.
    for (Index* array : {rows.tile_row, rows.filled_rows, rows.empty_rows}) *array = 0;
    std::fill_n(rows.tile_row, shape.tiles, Index{no_row});
    std::fill_n(rows.row_marks, shape.tiles * shape.tile / 8, std::uint8_t{0});
    std::fill_n(rows.cut_first_run, shape.runs + 1, Index{no_row});
    std::fill_n(rows.cut_last_run, shape.runs + 1, Index{no_row});
    return rows;
}

void set_mark(std::uint8_t* row_marks, std::int64_t entry) {
    // Neighbouring parts of rows share bytes.
    std::atomic_ref(row_marks[entry / 8])
        .fetch_or(static_cast<std::uint8_t>(1 << entry % 8), std::memory_order_relaxed);
}

/// Writes what a row of the entries begin … end-1, which is the filled row `number`, is known by.
template <typename Index>
void write_row(const TilesShape& shape, std::int64_t number, std::int64_t begin, std::int64_t end,
               const RowArrays<Index>& rows) {
    set_mark(rows.row_marks, begin);
    const std::int64_t after = std::min(end / shape.tile + 1, shape.tiles);
    for (std::int64_t tile = begin / shape.tile + 1; tile < after; ++tile)
        rows.tile_row[tile] = static_cast<Index>(number);
    const std::int64_t size = shape.tile * shape.run;
    const std::int64_t last = (end - 1) / size;
    for (std::int64_t run = begin / size + 1; run <= last; ++run) {
        rows.cut_first_run[run] = static_cast<Index>(begin / size);
        rows.cut_last_run[run] = static_cast<Index>(last);
    }
}

/// `row_order` as convert() takes it; it shows where rows are looked up.
template <typename Index>
void write_rows(const CsrView& matrix, const TilesShape& shape, const FilledRows& filled, bool gaps,
                std::span<const std::int32_t> row_order, const RowArrays<Index>& rows) {
    const auto element_of_y = [&](std::int64_t row) {
        return row_order.empty() ? static_cast<Index>(row)
                                 : static_cast<Index>(row_order[static_cast<std::size_t>(row)]);
    };
    for_parts(matrix.rows, tile_rows_a_part, 0, [&](std::int64_t first, std::int64_t last, int) {
        std::int64_t number = filled.before[static_cast<std::size_t>(first / tile_rows_a_part)];
        std::int64_t begin = matrix.row_begin(first);
        for (std::int64_t row = first; row < last; ++row) {
            const std::int64_t end = matrix.row_begin(row + 1);
            if (end > begin) {
                write_row(shape, number, begin, end, rows);
                if (gaps) rows.filled_rows[number] = element_of_y(row);
                ++number;
            } else if (gaps) {
                rows.empty_rows[row - number] = element_of_y(row);
            }
            begin = end;
        }
    });
    if (matrix.nnz < shape.tiles * shape.tile) set_mark(rows.row_marks, matrix.nnz);
}

/// Calls put(entry, place) for every place of the tiles; those behind the last entry go on counting
/// entries. Parallel.
template <typename Put>
void place_entries(const TilesShape& shape, Put&& put) {
    for_parts(shape.tiles, tiles_a_part, 0, [&](std::int64_t first, std::int64_t last, int) {
        for (std::int64_t tile = first; tile < last; ++tile)
            for (std::int64_t k = 0; k < shape.items; ++k)
                for (std::int64_t lane = 0; lane < shape.lanes; ++lane) {
                    const std::int64_t entry = tile * shape.tile + lane * shape.items + k;
                    put(entry, tile * shape.tile + place_in_tile(shape.lanes, lane, k));
                }
    });
}

/// What stands for each column in the stored ones.
template <typename Index>
std::vector<Index> column_codes(const CsrView& matrix, std::int64_t hot, StoredMatrix& stored) {
    const std::vector<std::int64_t> columns = most_used_columns(column_uses(matrix), hot);
    std::vector<Index> codes(static_cast<std::size_t>(matrix.cols));
    for (std::size_t j = 0; j < codes.size(); ++j)
        codes[j] = static_cast<Index>(hot) + static_cast<Index>(j);
    Index* hot_cols = add_array<Index>(stored, "hot_cols", std::ssize(columns));
    for (std::size_t k = 0; k < columns.size(); ++k) {
        hot_cols[k] = static_cast<Index>(columns[k]);
        codes[static_cast<std::size_t>(columns[k])] = static_cast<Index>(k);
    }
    stored.scalars["num_hot"] = std::ssize(columns);
    return codes;
}

template <typename Index>
void write_columns(const CsrView& matrix, const TilesShape& shape, std::int64_t hot,
                   StoredMatrix& stored) {
    Index* const col_idx = add_array<Index>(stored, "col_idx", stored.stored);
    if (matrix.col_idx == nullptr) return;
    const std::vector<Index> codes =
        hot > 0 ? column_codes<Index>(matrix, hot, stored) : std::vector<Index>();
    dispatch(matrix.index_type, [&]<typename Column>(Column) {
        const Column* const columns = matrix.col_idx_as<Column>();
        place_entries(shape, [&](std::int64_t entry, std::int64_t place) {
            // Behind the last entry stands its column again: one that there is.
            const Column column = columns[std::min(entry, matrix.nnz - 1)];
            col_idx[place] =
                hot > 0 ? codes[static_cast<std::size_t>(column)] : static_cast<Index>(column);
        });
    });
}

template <typename From, typename To>
void write_values(const CsrView& matrix, const Signature& signature, const TilesShape& shape,
                  StoredMatrix& stored) {
    const ValueArrays<From, To> values(matrix, signature, stored, stored.stored);
    const From* const from = matrix.values_as<From>();
    place_entries(shape, [&](std::int64_t entry, std::int64_t place) {
        if (entry < matrix.nnz)
            values.put(place, from[entry]);
        else
            values.pad(place);
    });
}

void check_gaps(const CsrView& matrix, std::int64_t filled, const Signature& signature) {
    if (param(signature, "gaps") == 1 || filled == matrix.rows) return;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("kernel {} with gaps=0 takes no empty rows, but {} of {} rows are: use "
                            "gaps=1",
                            signature.kernel, matrix.rows - filled, matrix.rows));
}

/// Bytes that one apply reads beside the values.
std::int64_t index_bytes(const Signature& signature, const TilesShape& shape,
                         const StoredMatrix& stored) {
    const auto index = static_cast<std::int64_t>(size_of(signature.index));
    return stored.stored * index + stored.stored / 8 +
           (shape.tiles + 2 * (shape.runs + 1)) * index +
           (param(signature, "gaps") == 1 ? stored.scalars.at("num_rows") * index : 0);
}

StoredMatrix store_tiles(const CsrView& matrix, const Signature& signature, const Storing& how) {
    const std::int64_t hot = param(signature, "hubs", 0) + param(signature, "warm", 0);
    check_fits(matrix.rows, signature.index, "rows", "index");
    check_fits(matrix.cols + hot, signature.index, "columns and hubs", "index");
    StoredMatrix stored = new_stored(Format::tiles, matrix, how.memory_limit);
    const TilesShape shape = tiles_shape(matrix.nnz, signature);
    const FilledRows filled = filled_rows(matrix);
    check_gaps(matrix, filled.count, signature);
    const bool gaps = param(signature, "gaps") == 1;
    stored.stored = shape.tiles * shape.tile;
    dispatch(signature.index, [&]<typename Index>(Index) {
        const auto rows = add_row_arrays<Index>(matrix, shape, filled, gaps, stored);
        write_rows(matrix, shape, filled, gaps, how.row_order, rows);
        write_columns<Index>(matrix, shape, hot, stored);
    });
    dispatch_values(matrix.value_type, signature, [&]<typename From, typename To>(From, To) {
        write_values<From, To>(matrix, signature, shape, stored);
    });
    describe_tiles(matrix, signature, filled.count, stored);
    return stored;
}

}  // namespace

TilesShape tiles_shape(std::int64_t nnz, const Signature& signature) {
    TilesShape shape{.lanes = signature.target.wavefront,
                     .items = param(signature, "items"),
                     .tile = 0,
                     .run = param(signature, "run"),
                     .tiles = 0,
                     .runs = 0};
    shape.tile = shape.lanes * shape.items;
    shape.tiles = divide_up(nnz, shape.tile);
    shape.runs = divide_up(shape.tiles, shape.run);
    return shape;
}

void describe_tiles(const CsrView& matrix, const Signature& signature, std::int64_t filled,
                    StoredMatrix& stored) {
    check_gaps(matrix, filled, signature);
    const TilesShape shape = tiles_shape(matrix.nnz, signature);
    const std::int64_t empty = param(signature, "gaps") == 1 ? matrix.rows - filled : 0;
    const std::int64_t block = param(signature, "block");
    stored.stored = shape.tiles * shape.tile;
    stored.scalars["num_tiles"] = shape.tiles;
    stored.scalars["num_runs"] = shape.runs;
    stored.scalars["num_filled"] = filled;
    stored.scalars["num_empty"] = empty;
    const auto hot = stored.scalars.find("num_hot");
    stored.scalars["gather_items"] =
        std::max({shape.runs, empty, hot != stored.scalars.end() ? hot->second : std::int64_t{0}});
    stored.scalars["grid_blocks"] =
        divide_up(shape.runs, block / shape.lanes) + divide_up(empty, block * empty_rows_a_thread);
    stored.bytes =
        value_array_bytes(signature, stored.stored) + index_bytes(signature, shape, stored);
}

extern constexpr FormatStorage tiles_storage{
    .format = Format::tiles,
    .store = store_tiles,
    .places = [](const Signature&) { return ValuePlaces::by_row; },
    .update_products = {.cpu = 9, .gpu = 3},
    .rows_suffice =
        [](std::string_view kernel, const Params&) {
            // Which columns are hubs, columns tell.
            return !kernel.empty() &&
                   std::ranges::count(kernel_entry(kernel).params, "hubs", &Parameter::name) == 0;
        }};

}  // namespace spmvgen
