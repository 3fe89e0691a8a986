#include <array>

#include "family.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr std::array bcsr_arguments{
    ArgumentTemplate{"num_block_rows", Element::count, "", "rows of blocks"},
    ArgumentTemplate{"num_blocks", Element::count, "", "blocks"},
    ArgumentTemplate{"block_ptr", Element::offset, "[num_block_rows + 1]",
                     "where each row of blocks begins, then their number"},
    ArgumentTemplate{"col_idx", Element::index, "[blocks]", "first column of each block, from 0"},
    values_array("[stored entries]"),
    ArgumentTemplate{"block_masks", Element::i64, "[blocks]",
                     "a bit for each element that is none of fill"},
};

// clang-format off
const Parameter block_rows{"block_rows", {1, 2, 3, 4, 5, 6, 7, 8}, 3, "rows of a block; chosen with the matrix"};
const Parameter block_cols{"block_cols", {1, 2, 3, 4, 5, 6, 7, 8}, 3, "columns of a block; chosen with the matrix"};
const Parameter block{"block", {64, 128, 256}, 128, "threads of a block of the grid"};
const Parameter subwarp{"subwarp", {1, 2, 4, 8, 16, 32, 64, 128}, 8, "lanes for a block row"};
const Parameter row_subwarp{"subwarp", {1, 2, 4, 8, 16, 32, 64}, 4, "lanes for a row of the sums", true};
const Parameter unroll{"unroll", {1, 2, 4, 8}, 4, "blocks of a lane loaded before the first is used"};
// clang-format on

GridRule block_row_each(const Signature& s) {
    return {.items = "num_block_rows", .items_per_block = param(s, "block") / param(s, "subwarp")};
}

GridRule block_each(const Signature& s) {
    return {.items = "num_blocks", .items_per_block = param(s, "block")};
}

GridRule row_each(const Signature& s) {
    return {.items = "num_rows", .items_per_block = param(s, "block") / param(s, "subwarp")};
}

/// Of blocks that a lane has the registers for while it hands them round.
bool shares_blocks(const Signature& s) {
    constexpr std::int64_t most = 8;  // elements
    return param(s, "block_rows") * param(s, "block_cols") <= most;
}

/// Of each block of the grid, for each right-hand side.
std::int64_t products(const Signature& s) {
    return param(s, "block") * param(s, "block_rows");
}

KernelEntry bcsr() {
    return {.id = "bcsr",
            .format = Format::bcsr,
            .gpu = false,
            .file = "cpu/bcsr.hpp",
            .summary = "dense blocks, vectors along their longer side; several unknowns a node",
            .params = {block_rows, block_cols},
            .steps = {{"bcsr", StepRule::per_thread}},
            .workspace = {}};
}

/// Blocks that leave each lane the registers for all pieces of x that it loads together, where few
/// lanes would have few pieces, and for the sums of all rows of a block.
std::int64_t blocks_of_shared_pieces(const Signature& s) {
    constexpr std::int64_t threads = 640;  // resident, with 96 registers
    constexpr int least_lanes = 4;
    if (rhs_lanes(s) < least_lanes) return 0;
    return std::max<std::int64_t>(1, threads / param(s, "block"));
}

/// The lanes of a block row belong to one block of the grid.
void check_lanes(const Signature& s) {
    const std::int64_t lanes = param(s, "subwarp"), threads = param(s, "block");
    if (lanes > threads)
        throw Error(ErrorCode::invalid_argument,
                    "kernel bcsr_fused has blocks of " + std::to_string(threads) +
                        " threads, fewer than subwarp=" + std::to_string(lanes) +
                        ": use a smaller subwarp");
}

KernelEntry bcsr_fused() {
    return {.id = "bcsr_fused",
            .format = Format::bcsr,
            .gpu = true,
            .file = "gpu/bcsr_fused.hpp",
            .summary = "dense blocks, a group of lanes a block row; several unknowns a node",
            .params = {block, subwarp, unroll, block_rows, block_cols},
            .steps = {{.function = "bcsr_fused",
                       .rule = StepRule::grid,
                       .grid = block_row_each,
                       .block = block_of,
                       .resident_blocks = blocks_of_shared_pieces,
                       .overlaps = true,
                       .loads_ahead = true}},
            .workspace = {},
            .determinism = Determinism::always,
            .shares_entries = shares_blocks,
            .takes_forms = true,
            .check = check_lanes};
}

KernelEntry bcsr_split() {
    constexpr auto step = StepRule::grid;
    return {.id = "bcsr_split",
            .format = Format::bcsr,
            .gpu = true,
            .file = "gpu/bcsr_split.hpp",
            .summary = "dense blocks, a thread a block, then sums of rows; skewed rows of blocks",
            .params = {block, row_subwarp, block_rows, block_cols},
            .steps = {{"bcsr_split_multiply", step, block_each, block_of, has_product},
                      {"bcsr_split_sum", step, row_each, block_of}},
            .workspace = {{"products", "value", 1, true, "bcsr_split_multiply", products}},
            .determinism = Determinism::always};
}

}  // namespace

Family bcsr_family() {
    return {.formats = {{.format = Format::bcsr,
                         .cpu_layout = {"block_rows", "block_cols"},
                         .gpu_layout = {"block_rows", "block_cols"},
                         .arguments = bcsr_arguments}},
            .kernels = {bcsr(), bcsr_fused(), bcsr_split()}};
}

}  // namespace spmvgen
