#include "registry_convert.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace spmvgen {
namespace {

/// Sizes of a block of threads in a scan: of each thread as many as dialect/convert/gpu_convert.hpp has.
constexpr std::int64_t scan_items = 4;
/// Rows that are sorted at once, at most, as gpu/convert/convert_sell.hpp has them.
constexpr std::int64_t largest_sorted = 4096;
/// Entries of a block's threads, as gpu/convert/convert_coo.hpp has them.
constexpr std::int64_t coo_entries_each = 8;

// clang-format off
const Parameter block{"block", {128, 256, 512, 1024}, 256, "threads of a block"};
const Parameter strips_block{"block", {128, 256, 512, 1024}, 512, "threads of a block"};
const Parameter slice{"slice", {32, 64}, 32, "rows of a slice"};
const Parameter sigma{"sigma", {1, 64, 256, 1024, 4096}, 1, "rows of a sorting window; 1 = unsorted"};
const Parameter sell_sigma{"sigma", {1, 64, 256, 1024, 4096, 16384}, 1, "rows of a sorting window; 1 = unsorted"};
const Parameter threads_per_row{"threads_per_row", {1, 2, 4, 8, 16, 32}, 1, "lanes that share a row"};
const Parameter group{"group", {1, 2, 4, 8, 16, 32, 64}, 1, "neighbouring entries of a row that stand together"};
const Parameter block_rows{"block_rows", {1, 2, 3, 4, 5, 6, 7, 8}, 1, "rows of a block"};
const Parameter block_cols{"block_cols", {1, 2, 3, 4, 5, 6, 7, 8}, 1, "columns of a block"};
const Parameter items{"items", {8, 16, 32}, 8, "entries of a lane in a tile"};
const Parameter run{"run", {1, 2, 4, 8, 16, 32}, 4, "tiles that a warp takes, one after another"};
const Parameter has_hubs{"has_hubs", {0, 1}, 0, "1 = the most used columns have numbers of their own"};
const Parameter value_code{"value_code", {0, 1, 2, 3}, 0, "as of the kernel that reads the format"};
// clang-format on

/// What the steps take beside the arrays of the format that they make.
constexpr std::array arguments{
    ArgumentTemplate{"csr_col_idx", Element::index, "[row_ptr[num_rows]]",
                     "column of each entry of A"},
    ArgumentTemplate{"csr_values", Element::vector, "[row_ptr[num_rows]]",
                     "value of each entry of A"},
    ArgumentTemplate{"counts", Element::u64, "[16]",
                     "what the host reads, see count_ragged and the others"},
    ArgumentTemplate{"one", Element::count, "", "1"},
    ArgumentTemplate{"num_lanes", Element::count, "", "lanes of all slices"},
    ArgumentTemplate{"num_block_rows", Element::count, "", "rows of blocks"},
    ArgumentTemplate{"num_blocks", Element::count, "", "blocks"},
    ArgumentTemplate{"block_count", Element::offset, "[num_block_rows]",
                     "blocks of each row of blocks"},
    ArgumentTemplate{"block_col", Element::index, "[blocks]", "block column of each"},
    ArgumentTemplate{"block_whole", Element::u8, "[blocks]", "1 = all elements are in A"},
    ArgumentTemplate{"block_first", Element::index, "[num_blocks]",
                     "the column of A that each block begins with"},
    ArgumentTemplate{"block_entry", Element::offset, "[rows of a block][num_blocks]",
                     "first entry of each, in A"},
    ArgumentTemplate{"block_ptr", Element::offset, "[num_block_rows + 1]",
                     "where each row of blocks begins, then their number"},
    ArgumentTemplate{"num_places", Element::count, "",
                     "blocks, and what the last 32 of them are padded by"},
    ArgumentTemplate{"num_chunks", Element::count, "", "chunks of long rows"},
    ArgumentTemplate{"long_above", Element::count, "", "entries that a row in slices has at most"},
    ArgumentTemplate{"slice_size", Element::offset, "[num_slices]",
                     "strips of each, or bytes of a lane's deltas"},
    ArgumentTemplate{"codes", Element::count, "", "bit mask of the codes that slices may have"},
    ArgumentTemplate{"empty_code", Element::count, "", "code of slices without strips"},
    ArgumentTemplate{"num_sizes", Element::count, "", "numbers to sum up"},
    ArgumentTemplate{"sizes", Element::offset, "[num_sizes]", "the numbers"},
    ArgumentTemplate{"ptr", Element::offset, "[num_sizes + 1]",
                     "sums of the numbers before each, then of all"},
    ArgumentTemplate{"num_items", Element::count, "", "many numbers to sum up"},
    ArgumentTemplate{"item_sizes", Element::offset, "[num_items]", "the numbers"},
    ArgumentTemplate{"part_sums", Element::offset, "[blocks of the grid]",
                     "what the numbers of each block come to"},
    ArgumentTemplate{"part_ptr", Element::offset, "[blocks of the grid + 1]",
                     "sums of these before each, then of all"},
    ArgumentTemplate{"item_ptr", Element::offset, "[num_items + 1]",
                     "sums of the numbers before each, then of all"},
    ArgumentTemplate{"sorted_keys", Element::u32, "[num_rows]",
                     "of the rows of each part of a window, lengths and places, sorted"},
    ArgumentTemplate{"slots", Element::u64, "[1024]",
                     "an entry that has each value, counted from 1"},
    ArgumentTemplate{"slot_values", Element::vector, "[1024]", "the values that differ"},
    ArgumentTemplate{"num_distinct", Element::count, "", "values in the dictionary"},
    ArgumentTemplate{"dictionary", Element::vector, "[num_distinct]",
                     "values, sorted by their bits"},
    ArgumentTemplate{"num_stretches", Element::count, "",
                     "stretches of entries of a row, of 16 each"},
    ArgumentTemplate{"num_patches", Element::count, "", "stretches of 32 rows each"},
    ArgumentTemplate{"tiles_and_one", Element::count, "", "num_tiles + 1"},
    ArgumentTemplate{"gaps", Element::count, "",
                     "1 = rows are listed by whether they have entries"},
    ArgumentTemplate{"mark_words", Element::u64, "[stored entries / 64]",
                     "a bit for each entry that begins a row"},
    ArgumentTemplate{"uses", Element::u64, "[num_cols]", "how many entries each column has"},
    ArgumentTemplate{"bins", Element::u64, "[4096]",
                     "how many columns have so many, or in the last at least so many"},
    ArgumentTemplate{"least_uses", Element::count, "", "entries of a column that may be a hub"},
    ArgumentTemplate{"often_cols", Element::index, "", "columns with so many entries, ascending"},
    ArgumentTemplate{"often_uses", Element::u64, "", "entries of each of these"},
    ArgumentTemplate{"hot_columns", Element::count, "",
                     "hubs that there could be: the number of column 0"},
    ArgumentTemplate{"column_codes", Element::index, "[num_cols]", "what stands for each column"},
    ArgumentTemplate{"dictionary", Element::vector, "[num_distinct]",
                     "the different values, sorted by their bits"},
    ArgumentTemplate{"num_distinct", Element::count, "", "different values"},
    ArgumentTemplate{"sorted_keys", Element::u32, "[num_rows]",
                     "rows of each part of a window, sorted by falling length"},
    ArgumentTemplate{"slots", Element::u64, "[1024]",
                     "an entry with each of the different values, counted from 1; 0 = none"},
    ArgumentTemplate{"slot_values", Element::vector, "[1024]", "their values"},
    ArgumentTemplate{"num_pieces", Element::count, "", "pieces of A's entries"},
    ArgumentTemplate{"num_gathered", Element::count, "", "entries of all pieces"},
    ArgumentTemplate{"piece_begin", Element::i64, "[num_pieces]", "first entry of each piece"},
    ArgumentTemplate{"piece_ptr", Element::i64, "[num_pieces + 1]",
                     "entries of the pieces before each, then of all"},
    ArgumentTemplate{"gathered", Element::index, "[num_gathered]",
                     "columns of the pieces, one behind another"},
    ArgumentTemplate{"num_offsets", Element::count, "", "num_rows + 1"},
    ArgumentTemplate{"wide_col_idx", Element::i64, "[nnz]", "column of each entry of A"},
    ArgumentTemplate{"narrow_col_idx", Element::index, "[nnz]",
                     "the same, or -1 where A has no such column"},
    ArgumentTemplate{"wide_row_ptr", Element::i64, "[num_offsets]", "row offsets of A"},
    ArgumentTemplate{"narrow_row_ptr", Element::offset, "[num_offsets]", "the same"},
};

int block_threads(const Signature& s) {
    return static_cast<int>(s.params.at("block"));
}

/// A thread for each of what the scalar counts.
template <const char* const& scalar>
GridRule thread_each(const Signature& s) {
    return {.items = scalar, .items_per_block = s.params.at("block")};
}

/// A block for each.
template <const char* const& scalar>
GridRule block_each(const Signature&) {
    return {.items = scalar};
}

constexpr const char *lanes = "num_lanes", *rows = "num_rows", *rows_of_blocks = "num_block_rows",
                     *slices = "num_slices", *chunks = "num_chunks", *places = "num_places",
                     *tiles = "num_tiles", *tiles_and_one = "tiles_and_one", *one = "one",
                     *patches = "num_patches", *columns = "num_cols", *hot = "num_hot",
                     *offsets = "num_offsets", *gathered = "num_gathered";

/// A block for each window, or for each part of one that is sorted on its own.
GridRule window_each(const Signature& s) {
    return {.items = "num_rows", .items_per_block = std::min(s.params.at("sigma"), largest_sorted)};
}

/// Entries shared out evenly.
GridRule all_entries(const Signature& s) {
    return {.items = "nnz", .items_per_block = s.params.at("block"), .blocks_per_unit = 8};
}

GridRule all_columns(const Signature& s) {
    return {.items = "num_cols", .items_per_block = s.params.at("block"), .blocks_per_unit = 8};
}

GridRule stretch_each(const Signature& s) {
    return {.items = "nnz", .items_per_block = s.params.at("block") * coo_entries_each};
}

/// A block for each part of the sizes of a long scan.
GridRule part_each(const Signature& s) {
    return {.items = "num_items", .items_per_block = s.params.at("block") * scan_items};
}

bool sorts(const Signature& s) {
    return s.params.at("sigma") > 1;
}

/// Whether windows are sorted in parts.
bool merges(const Signature& s) {
    return s.params.at("sigma") > largest_sorted;
}

std::int64_t code_of(const Signature& s) {
    const auto code = s.params.find("value_code");
    return code != s.params.end() ? code->second : 0;
}

/// Whether there is one for each entry.
bool has_values(const Signature& s) {
    return code_of(s) != 2;
}

bool rounds(const Signature& s) {
    return s.storage && *s.storage != s.value;
}

/// Whether a value may be one that cannot be stored; a dictionary has all of them.
bool checks_values(const Signature& s) {
    const bool may_lack = code_of(s) == 1 || code_of(s) == 2;
    return may_lack || rounds(s);
}

bool has_blocks(const Signature& s) {
    return s.params.at("block_rows") * s.params.at("block_cols") > 1;
}

bool may_have_holes(const Signature& s) {
    return s.params.at("fill") == 1;
}

bool finds_hubs(const Signature& s) {
    return s.params.at("has_hubs") == 1;
}

bool has_entries(const Signature& s) {
    return !has_blocks(s);
}

StepTemplate step(std::string_view function, GridRule (*grid)(const Signature&),
                  bool (*wanted)(const Signature&) = nullptr) {
    return {function, StepRule::grid, grid, block_threads, wanted};
}

StepTemplate check_columns() {
    return step("convert_check_columns", all_entries);
}

StepTemplate check_range() {
    return step("convert_check_range", all_entries, rounds);
}

/// The same of values that may be coded.
StepTemplate check_values() {
    return step("convert_check_values", all_entries, checks_values);
}

StepTemplate scan() {
    return step("convert_scan", block_each<one>);
}

/// The steps of a scan of many sizes.
std::vector<StepTemplate> with_long_scan(std::vector<StepTemplate> steps) {
    steps.push_back(step("convert_sum_parts", part_each));
    steps.push_back(scan());
    steps.push_back(step("convert_scan_parts", part_each));
    return steps;
}

// clang-format off
KernelEntry convert_csr() {
    return {.id = "convert_csr",
            .format = Format::csr,
            .gpu = true,
            .file = "gpu/convert/convert_csr.hpp",
            .summary = "CSR as it is, checked; values rounded, on the device that has it",
            .params = {block},
            .steps = {check_columns(),
                      check_range(),
                      step("convert_values", all_entries, rounds)},
            .workspace = {},
            .arguments = arguments};
}

KernelEntry convert_integers() {
    return {.id = "convert_integers",
            .format = Format::csr,
            .gpu = true,
            .file = "gpu/convert/convert_integers.hpp",
            .summary = "CSR's columns and offsets in 32 bits, on the device that has them",
            .params = {block},
            .steps = {step("convert_integers_columns", all_entries),
                      step("convert_integers_offsets", thread_each<offsets>)},
            .workspace = {},
            .arguments = arguments};
}

KernelEntry classify_values() {
    return {.id = "classify_values",
            .format = Format::csr,
            .gpu = true,
            .file = "gpu/convert/classify_values.hpp",
            .summary = "What the values of CSR have in common, on the device that has them",
            .params = {block},
            .steps = {step("value_traits", all_entries)},
            .workspace = {},
            .arguments = arguments};
}

KernelEntry gather_columns() {
    return {.id = "gather_columns",
            .format = Format::csr,
            .gpu = true,
            .file = "gpu/convert/gather_columns.hpp",
            .summary = "Columns of pieces of CSR's entries, on the device that has them",
            .params = {block},
            .steps = {step("gathered_pieces", thread_each<gathered>)},
            .workspace = {},
            .arguments = arguments};
}

KernelEntry convert_coo() {
    return {.id = "convert_coo",
            .format = Format::coo,
            .gpu = true,
            .file = "gpu/convert/convert_coo.hpp",
            .summary = "CSR into COO, on the device that has it",
            .params = {block},
            .steps = {check_columns(),
                      check_range(),
                      step("convert_values", all_entries, rounds),
                      step("convert_coo_rows", stretch_each)},
            .workspace = {},
            .arguments = arguments};
}

KernelEntry convert_ell() {
    return {.id = "convert_ell",
            .format = Format::ell,
            .gpu = true,
            .file = "gpu/convert/convert_ell.hpp",
            .summary = "CSR into ELL, on the device that has it",
            .params = {block, group},
            .steps = {check_columns(),
                      check_range(),
                      step("convert_ell_fill", block_each<patches>)},
            .workspace = {},
            .arguments = arguments};
}

KernelEntry convert_sell() {
    return {.id = "convert_sell",
            .format = Format::sell,
            .gpu = true,
            .file = "gpu/convert/convert_sell.hpp",
            .summary = "CSR into SELL-C-σ, on the device that has it",
            .params = {block, slice, sell_sigma, threads_per_row},
            .steps = {check_columns(),
                      check_range(),
                      step("convert_sell_order", window_each, sorts),
                      step("convert_sell_merge", thread_each<rows>, merges),
                      step("convert_sell_widths", thread_each<slices>),
                      scan(),
                      step("convert_sell_fill", block_each<slices>)},
            .workspace = {},
            .arguments = arguments};
}

KernelEntry convert_bcsr() {
    return {.id = "convert_bcsr",
            .format = Format::bcsr,
            .gpu = true,
            .file = "gpu/convert/convert_bcsr.hpp",
            .summary = "CSR into blocks, on the device that has it",
            .params = {block, block_rows, block_cols},
            .steps = with_long_scan({step("convert_count_blocks", thread_each<rows_of_blocks>),
                                     check_range(),
                                     step("convert_bcsr_list", thread_each<rows_of_blocks>),
                                     step("convert_bcsr_fill", thread_each<places>)}),
            .workspace = {},
            .arguments = arguments};
}

KernelEntry convert_tiles() {
    return {.id = "convert_tiles",
            .format = Format::tiles,
            .gpu = true,
            .file = "gpu/convert/convert_tiles.hpp",
            .summary = "CSR into tiles, on the device that has it",
            .params = {block, items, run, value_code, has_hubs},
            .steps = with_long_scan({check_columns(),
                                     check_values(),
                                     step("convert_tiles_clear", thread_each<columns>, finds_hubs),
                                     step("convert_tiles_count_uses", all_entries, finds_hubs),
                                     step("convert_tiles_bins", all_columns, finds_hubs),
                                     step("convert_tiles_often", thread_each<columns>, finds_hubs),
                                     step("convert_tiles_list", thread_each<columns>, finds_hubs),
                                     step("convert_tiles_hot", thread_each<hot>, finds_hubs),
                                     step("convert_tiles_filled", thread_each<rows>),
                                     step("convert_tiles_begins", thread_each<tiles_and_one>),
                                     step("convert_tiles_rows", thread_each<rows>),
                                     step("convert_tiles_entries", block_each<tiles>)}),
            .workspace = {},
            .arguments = arguments};
}

KernelEntry convert_strips() {
    return {.id = "convert_strips",
            .format = Format::strips,
            .gpu = true,
            .file = "gpu/convert/convert_strips.hpp",
            .summary = "CSR into compressed strips, on the device that has it",
            .params = {strips_block,
                       {"slice", {32, 64}, 32, "lanes of a slice", true},
                       sigma, threads_per_row, block_rows, block_cols,
                       {"period", {1, 2, 3, 4, 6}, 1, "rows of a slice are so many apart"},
                       {"fill", {0, 1}, 0, "1 = slices may be diagonals with holes"},
                       value_code},
            .steps = {step("convert_count_blocks", thread_each<rows_of_blocks>, has_blocks),
                      step("convert_strips_list_blocks", thread_each<rows_of_blocks>, has_blocks),
                      step("convert_strips_order", window_each, sorts),
                      step("convert_strips_widths", thread_each<lanes>),
                      step("convert_strips_holes", thread_each<lanes>, may_have_holes),
                      scan(),
                      step("convert_strips_codes", thread_each<lanes>),
                      check_values(),
                      step("convert_strips_fill", thread_each<lanes>, has_entries),
                      step("convert_strips_fill_blocks", thread_each<lanes>, has_blocks),
                      step("convert_strips_long_columns", block_each<chunks>),
                      step("convert_strips_long_values", block_each<chunks>, has_values)},
            .workspace = {},
            .arguments = arguments};
}
// clang-format on

}  // namespace

std::span<const KernelEntry> conversion_kernels() {
    static const std::vector<KernelEntry> all{
        convert_csr(), convert_integers(), classify_values(), gather_columns(), convert_coo(),
        convert_ell(), convert_sell(),     convert_bcsr(),    convert_tiles(),  convert_strips()};
    return all;
}

bool is_conversion(std::string_view id) {
    return std::ranges::find(conversion_kernels(), id, &KernelEntry::id) !=
           conversion_kernels().end();
}

}  // namespace spmvgen
