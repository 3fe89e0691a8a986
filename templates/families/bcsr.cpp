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
constexpr Parameter block_rows{"block_rows", allowed<1, 2, 3, 4, 5, 6, 7, 8>, 3, "rows of a block; chosen with the matrix"};
constexpr Parameter block_cols{"block_cols", allowed<1, 2, 3, 4, 5, 6, 7, 8>, 3, "columns of a block; chosen with the matrix"};
constexpr Parameter block{"block", allowed<64, 128, 256>, 128, "threads of a block of the grid"};
constexpr Parameter subwarp{"subwarp", allowed<1, 2, 4, 8, 16, 32, 64, 128>, 8, "lanes for a block row"};
constexpr Parameter row_subwarp{"subwarp", allowed<1, 2, 4, 8, 16, 32, 64>, 4, "lanes for a row of the sums", true};
constexpr Parameter unroll{"unroll", allowed<1, 2, 4, 8>, 4, "blocks of a lane loaded before the first is used"};
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

constexpr KernelEntry bcsr() {
    return {.id = "bcsr",
            .format = Format::bcsr,
            .gpu = false,
            .file = "cpu/bcsr.hpp",
            .summary = "dense blocks, vectors along their longer side; several unknowns a node",
            .params = parameters<block_rows, block_cols>,
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

constexpr KernelEntry bcsr_fused() {
    return {.id = "bcsr_fused",
            .format = Format::bcsr,
            .gpu = true,
            .file = "gpu/bcsr_fused.hpp",
            .summary = "dense blocks, a group of lanes a block row; several unknowns a node",
            .params = parameters<block, subwarp, unroll, block_rows, block_cols>,
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

constexpr KernelEntry bcsr_split() {
    constexpr auto step = StepRule::grid;
    return {.id = "bcsr_split",
            .format = Format::bcsr,
            .gpu = true,
            .file = "gpu/bcsr_split.hpp",
            .summary = "dense blocks, a thread a block, then sums of rows; skewed rows of blocks",
            .params = parameters<block, row_subwarp, block_rows, block_cols>,
            .steps = {{"bcsr_split_multiply", step, block_each, block_of, has_product},
                      {"bcsr_split_sum", step, row_each, block_of}},
            .workspace = {{"products", "value", 1, true, "bcsr_split_multiply", products}},
            .determinism = Determinism::always};
}

constexpr std::array formats{FormatEntry{.format = Format::bcsr,
                                         .cpu_layout = {"block_rows", "block_cols"},
                                         .gpu_layout = {"block_rows", "block_cols"},
                                         .arguments = bcsr_arguments}};

constexpr std::array kernels{bcsr(), bcsr_fused(), bcsr_split()};

}  // namespace

extern constexpr Family bcsr_family{.formats = formats, .kernels = kernels};

}  // namespace spmvgen
