#include "registry_strips.hpp"

namespace spmvgen {
namespace {

// clang-format off
const Parameter block{"block", {64, 128, 256, 512}, 256, "threads of a block"};
const Parameter slice{"slice", {32, 64}, 32, "lanes of a slice"};
const Parameter sigma{"sigma", {1, 64, 256, 1024, 4096, 16384}, 1, "block rows in a sorting window; 1 = unsorted"};
const Parameter threads_per_row{"threads_per_row", {1, 2, 4, 8, 16, 32}, 1, "lanes that share a block row"};
const Parameter unroll{"unroll", {1, 2, 3, 4, 5, 6, 7, 8}, 4, "blocks that a lane loads before it uses the first"};
const Parameter block_rows{.name = "block_rows", .allowed = {1, 2, 3, 4, 5, 6, 7, 8}, .preset = 1, .summary = "rows of a block, all of one lane", .of_matrix = true};
const Parameter block_cols{.name = "block_cols", .allowed = {1, 2, 3, 4, 5, 6, 7, 8}, .preset = 1, .summary = "columns of a block", .of_matrix = true};
const Parameter codes{.name = "codes", .allowed = {1, 15}, .preset = 15, .summary = "deltas that occur: 1 = none, 2 = 8 bits, 4 = 16, 8 = 32, added up", .range = true, .of_matrix = true};
const Parameter ragged{.name = "ragged", .allowed = {0, 1}, .preset = 1, .summary = "1 = rows of a slice differ in length", .of_matrix = true};
const Parameter fill{.name = "fill", .allowed = {0, 1}, .preset = 1, .summary = "1 = a block may have elements that the matrix does not have, a diagonal of a slice holes", .of_matrix = true};
const Parameter value_code{.name = "value_code", .allowed = {0, 1, 2, 3}, .preset = 0, .summary = "values: 0 = as they are, 1 = small integers, 2 = one for all, 3 = from a dictionary", .of_matrix = true};
const Parameter long_rows{.name = "long_rows", .allowed = {0, 1}, .preset = 1, .summary = "1 = rows of more than long_from strips have warps of their own", .of_matrix = true};
const Parameter any_order{.name = "any_order", .allowed = {0, 1}, .preset = 0, .summary = "1 = rows have an order of their own, y's places are read (options.reorder rows)", .of_matrix = true};
const Parameter period{.name = "period", .allowed = {1, 2, 3, 4, 6}, .preset = 1, .summary = "rows of a slice are so many apart: unknowns that take turns (of sigma 1, 1x1, a lane a row)", .of_matrix = true};
const Parameter long_from{.name = "long_from", .allowed = {32, 64, 128, 256, 512, 1024, 4096, 16384}, .preset = 256, .summary = "strips beyond which a row is long", .launch_only = true};
// clang-format on

int block_threads(const Signature& s) {
    return static_cast<int>(s.params.at("block"));
}

std::int64_t warps_of_block(const Signature& s) {
    return s.params.at("block") / s.target.wavefront;
}

GridRule warp_each(const Signature& s) {
    return {"num_warps", warps_of_block(s), 0, s.num_rhs / rhs_group(s)};
}

KernelEntry strips() {
    return {.id = "strips",
            .format = Format::strips,
            .gpu = true,
            .file = "gpu/strips.hpp",
            .summary = "slices with compressed columns, long rows apart; stencils, meshes, blocks",
            .params = {block, slice, sigma, threads_per_row, unroll, block_rows, block_cols, codes,
                       ragged, fill, value_code, long_rows, long_from, any_order, period},
            .steps = {{.function = "strips",
                       .rule = StepRule::grid,
                       .grid = warp_each,
                       .block = block_threads,
                       .overlaps = true}},
            .workspace = {{.name = "parts",
                           .element = "value",
                           .elements = 1,
                           .per_rhs = true,
                           .of_step = "strips",
                           .per_block = warps_of_block},
                          {.name = "chunks_done",
                           .element = "int64",
                           .elements = 1,
                           .per_rhs = true,
                           .of_step = "strips",
                           .per_block = warps_of_block,
                           .zeroed = true}},
            .determinism = Determinism::always};
}

}  // namespace

std::vector<KernelEntry> strips_kernels() {
    return {strips()};
}

}  // namespace spmvgen
