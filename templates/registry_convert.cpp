#include "registry_convert.hpp"

#include <algorithm>

namespace spmvgen {
namespace {

int block_threads(const Signature& s) {
    return static_cast<int>(s.params.at("block"));
}

/// A lane of a slice each thread.
GridRule lane_each(const Signature& s) {
    return {.items = "num_lanes", .items_per_block = s.params.at("block")};
}

GridRule window_each(const Signature& s) {
    return {.items = "num_rows", .items_per_block = s.params.at("sigma")};
}

GridRule value_each(const Signature& s) {
    return {.items = "nnz", .items_per_block = s.params.at("block"), .blocks_per_unit = 8};
}

GridRule one_block(const Signature&) {
    return {.items = "one"};
}

GridRule chunk_each(const Signature&) {
    return {.items = "num_chunks"};
}

bool sorts(const Signature& s) {
    return s.params.at("sigma") > 1;
}

/// Whether there is one for each entry.
bool has_values(const Signature& s) {
    return s.params.at("value_code") != 2;
}

bool codes_values(const Signature& s) {
    return s.params.at("value_code") > 0;
}

/// A block row each thread.
GridRule block_row_each(const Signature& s) {
    return {.items = "num_block_rows", .items_per_block = s.params.at("block")};
}

bool has_blocks(const Signature& s) {
    return s.params.at("block_rows") * s.params.at("block_cols") > 1;
}

bool may_have_holes(const Signature& s) {
    return s.params.at("fill") == 1;
}

bool has_entries(const Signature& s) {
    return !has_blocks(s);
}

// clang-format off
const KernelEntry convert_strips{
    .id = "convert_strips",
    .format = Format::strips,
    .gpu = true,
    .file = "gpu/convert_strips.hpp",
    .summary = "CSR into compressed strips, on the device that has it",
    .params = {{"block", {128, 256, 512, 1024}, 512, "threads of a block"},
               {"slice", {32, 64}, 32, "lanes of a slice", true},
               {"sigma", {1, 64, 256, 1024, 4096}, 1, "rows of a sorting window; 1 = unsorted"},
               {"threads_per_row", {1, 2, 4, 8, 16, 32}, 1, "lanes that share a row"},
               {"block_rows", {1, 2, 3, 4, 5, 6, 7, 8}, 1, "rows of a block"},
               {"block_cols", {1, 2, 3, 4, 5, 6, 7, 8}, 1, "columns of a block"},
               {"period", {1, 2, 3, 4, 6}, 1, "rows of a slice are so many apart"},
               {"fill", {0, 1}, 0, "1 = slices may be diagonals with holes"},
               {"value_code", {0, 1, 2}, 0, "as of the kernel that reads the strips"}},
    .steps = {{"convert_strips_count_blocks", StepRule::grid, block_row_each, block_threads, has_blocks},
              {"convert_strips_list_blocks", StepRule::grid, block_row_each, block_threads, has_blocks},
              {"convert_strips_order", StepRule::grid, window_each, block_threads, sorts},
              {"convert_strips_widths", StepRule::grid, lane_each, block_threads},
              {"convert_strips_holes", StepRule::grid, lane_each, block_threads, may_have_holes},
              {"convert_strips_scan", StepRule::grid, one_block, block_threads},
              {"convert_strips_codes", StepRule::grid, lane_each, block_threads},
              {"convert_strips_check", StepRule::grid, value_each, block_threads, codes_values},
              {"convert_strips_fill", StepRule::grid, lane_each, block_threads, has_entries},
              {"convert_strips_fill_blocks", StepRule::grid, lane_each, block_threads, has_blocks},
              {"convert_strips_long_columns", StepRule::grid, chunk_each, block_threads},
              {"convert_strips_long_values", StepRule::grid, chunk_each, block_threads, has_values}},
    .workspace = {},
};
// clang-format on

}  // namespace

std::span<const KernelEntry> conversion_kernels() {
    return {&convert_strips, 1};
}

bool is_conversion(std::string_view id) {
    return std::ranges::find(conversion_kernels(), id, &KernelEntry::id) !=
           conversion_kernels().end();
}

}  // namespace spmvgen
