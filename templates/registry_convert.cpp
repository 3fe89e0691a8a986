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
constexpr Parameter block{"block", allowed<128, 256, 512, 1024>, 256, "threads of a block"};
constexpr Parameter strips_block{"block", allowed<128, 256, 512, 1024>, 512, "threads of a block"};
constexpr Parameter strips_slice{"slice", allowed<32, 64>, 32, "lanes of a slice", true};
constexpr Parameter slice{"slice", allowed<32, 64>, 32, "rows of a slice"};
constexpr Parameter sigma{"sigma", allowed<1, 64, 256, 1024, 4096>, 1, "rows of a sorting window; 1 = unsorted"};
constexpr Parameter sell_sigma{"sigma", allowed<1, 64, 256, 1024, 4096, 16384>, 1, "rows of a sorting window; 1 = unsorted"};
constexpr Parameter threads_per_row{"threads_per_row", allowed<1, 2, 4, 8, 16, 32>, 1, "lanes that share a row"};
constexpr Parameter group{"group", allowed<1, 2, 4, 8, 16, 32, 64>, 1, "neighbouring entries of a row that stand together"};
constexpr Parameter block_rows{"block_rows", allowed<1, 2, 3, 4, 5, 6, 7, 8>, 1, "rows of a block"};
constexpr Parameter block_cols{"block_cols", allowed<1, 2, 3, 4, 5, 6, 7, 8>, 1, "columns of a block"};
constexpr Parameter period{"period", allowed<1, 2, 3, 4, 6>, 1, "rows of a slice are so many apart"};
constexpr Parameter fill{"fill", allowed<0, 1>, 0, "1 = slices may be diagonals with holes"};
constexpr Parameter items{"items", allowed<8, 16, 32>, 8, "entries of a lane in a tile"};
constexpr Parameter run{"run", allowed<1, 2, 4, 8, 16, 32>, 4, "tiles that a warp takes, one after another"};
constexpr Parameter has_hubs{"has_hubs", allowed<0, 1>, 0, "1 = the most used columns have numbers of their own"};
constexpr Parameter value_code{"value_code", allowed<0, 1, 2, 3>, 0, "as of the kernel that reads the format"};
// clang-format on

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
                     *offsets = "num_offsets", *gathered = "num_gathered", *regions = "num_regions";

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

/// Whether codes stand for values that are listed.
bool decodes(const Signature& s) {
    return code_of(s) >= 2;
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
Steps with_long_scan(Steps steps) {
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
            .params = parameters<block>,
            .steps = {check_columns(),
                      check_range(),
                      step("convert_values", all_entries, rounds)},
            .workspace = {},
            .arguments = conversion_arguments()};
}

KernelEntry convert_integers() {
    return {.id = "convert_integers",
            .format = Format::csr,
            .gpu = true,
            .file = "gpu/convert/convert_integers.hpp",
            .summary = "CSR's columns and offsets in 32 bits, on the device that has them",
            .params = parameters<block>,
            .steps = {step("convert_integers_columns", all_entries),
                      step("convert_integers_offsets", thread_each<offsets>)},
            .workspace = {},
            .arguments = conversion_arguments()};
}

KernelEntry classify_values() {
    return {.id = "classify_values",
            .format = Format::csr,
            .gpu = true,
            .file = "gpu/convert/classify_values.hpp",
            .summary = "What the values of CSR have in common, on the device that has them",
            .params = parameters<block>,
            .steps = {step("value_traits", all_entries)},
            .workspace = {},
            .arguments = conversion_arguments()};
}

KernelEntry gather_columns() {
    return {.id = "gather_columns",
            .format = Format::csr,
            .gpu = true,
            .file = "gpu/convert/gather_columns.hpp",
            .summary = "Columns of pieces of CSR's entries, on the device that has them",
            .params = parameters<block>,
            .steps = {step("gathered_pieces", thread_each<gathered>)},
            .workspace = {},
            .arguments = conversion_arguments()};
}

KernelEntry reach_rows() {
    return {.id = "reach_rows",
            .format = Format::csr,
            .gpu = true,
            .file = "gpu/convert/reach_rows.hpp",
            .summary = "A round of a search by breadth from many rows, on the device that has CSR",
            .params = parameters<block>,
            .steps = {step("search_round", thread_each<rows>)},
            .workspace = {},
            .arguments = conversion_arguments()};
}

KernelEntry cluster_rows() {
    return {.id = "cluster_rows",
            .format = Format::csr,
            .gpu = true,
            .file = "gpu/convert/cluster_rows.hpp",
            .summary = "Rows of regions in clusters of neighbours, on the device that has CSR",
            .params = parameters<block>,
            .steps = {step("clusters_of_regions", block_each<regions>)},
            .workspace = {},
            .arguments = conversion_arguments()};
}

KernelEntry put_values() {
    return {.id = "put_values",
            .format = Format::csr,
            .gpu = true,
            .file = "gpu/convert/put_values.hpp",
            .summary = "New values in their places, whatever the format",
            .params = parameters<block, value_code>,
            .steps = {step("values_at_places", thread_each<places>, has_values),
                      step("values_of_codes", block_each<one>, decodes)},
            .workspace = {},
            .arguments = conversion_arguments()};
}

KernelEntry convert_coo() {
    return {.id = "convert_coo",
            .format = Format::coo,
            .gpu = true,
            .file = "gpu/convert/convert_coo.hpp",
            .summary = "CSR into COO, on the device that has it",
            .params = parameters<block>,
            .steps = {check_columns(),
                      check_range(),
                      step("convert_values", all_entries, rounds),
                      step("convert_coo_rows", stretch_each)},
            .workspace = {},
            .arguments = conversion_arguments()};
}

KernelEntry convert_ell() {
    return {.id = "convert_ell",
            .format = Format::ell,
            .gpu = true,
            .file = "gpu/convert/convert_ell.hpp",
            .summary = "CSR into ELL, on the device that has it",
            .params = parameters<block, group>,
            .steps = {check_columns(),
                      check_range(),
                      step("convert_ell_fill", block_each<patches>)},
            .workspace = {},
            .arguments = conversion_arguments()};
}

KernelEntry convert_sell() {
    return {.id = "convert_sell",
            .format = Format::sell,
            .gpu = true,
            .file = "gpu/convert/convert_sell.hpp",
            .summary = "CSR into SELL-C-σ, on the device that has it",
            .params = parameters<block, slice, sell_sigma, threads_per_row>,
            .steps = {check_columns(),
                      check_range(),
                      step("convert_sell_order", window_each, sorts),
                      step("convert_sell_merge", thread_each<rows>, merges),
                      step("convert_sell_widths", thread_each<slices>),
                      scan(),
                      step("convert_sell_fill", block_each<slices>)},
            .workspace = {},
            .arguments = conversion_arguments()};
}

KernelEntry convert_bcsr() {
    return {.id = "convert_bcsr",
            .format = Format::bcsr,
            .gpu = true,
            .file = "gpu/convert/convert_bcsr.hpp",
            .summary = "CSR into blocks, on the device that has it",
            .params = parameters<block, block_rows, block_cols>,
            .steps = with_long_scan({step("convert_count_blocks", thread_each<rows_of_blocks>),
                                     check_range(),
                                     step("convert_bcsr_list", thread_each<rows_of_blocks>),
                                     step("convert_bcsr_fill", thread_each<places>)}),
            .workspace = {},
            .arguments = conversion_arguments()};
}

KernelEntry convert_tiles() {
    return {.id = "convert_tiles",
            .format = Format::tiles,
            .gpu = true,
            .file = "gpu/convert/convert_tiles.hpp",
            .summary = "CSR into tiles, on the device that has it",
            .params = parameters<block, items, run, value_code, has_hubs>,
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
            .arguments = conversion_arguments()};
}

KernelEntry convert_strips() {
    return {.id = "convert_strips",
            .format = Format::strips,
            .gpu = true,
            .file = "gpu/convert/convert_strips.hpp",
            .summary = "CSR into compressed strips, on the device that has it",
            .params = parameters<strips_block, strips_slice, sigma, threads_per_row, block_rows, block_cols, period, fill,
                                 value_code>,
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
            .arguments = conversion_arguments()};
}
// clang-format on

}  // namespace

std::span<const KernelEntry> conversion_kernels() {
    static const std::vector<KernelEntry> all{
        convert_csr(),  convert_integers(), classify_values(), gather_columns(), reach_rows(),
        cluster_rows(), put_values(),       convert_coo(),     convert_ell(),    convert_sell(),
        convert_bcsr(), convert_tiles(),    convert_strips()};
    return all;
}

bool is_conversion(std::string_view id) {
    return std::ranges::find(conversion_kernels(), id, &KernelEntry::id) !=
           conversion_kernels().end();
}

}  // namespace spmvgen
