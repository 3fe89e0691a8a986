#include <array>

#include "family.hpp"

namespace spmvgen {
namespace {

constexpr std::array strips_arguments{
    ArgumentTemplate{"num_slices", Element::count, "", "slices of rows"},
    ArgumentTemplate{"slice_ptr", Element::offset, "[num_slices + 1]",
                     "where each slice begins, in columns of slices"},
    ArgumentTemplate{"slice_info", Element::i32, "[num_slices]",
                     "code of deltas (bits 0, 1), ragged (2), masks (3), strips of all lanes"},
    ArgumentTemplate{"delta_ptr", Element::offset, "[num_slices + 1]",
                     "where each slice's deltas begin, in bytes of a lane"},
    ArgumentTemplate{"bases", Element::index, "[strips]",
                     "what the deltas of each strip are added to"},
    ArgumentTemplate{"deltas", Element::u8, "",
                     "deltas of block columns, as many bits as the slice's code says"},
    ArgumentTemplate{"lengths", Element::u16, "[lanes of slices]",
                     "strips of each; 65535 = its row is long"},
    ArgumentTemplate{"places", Element::u16, "[block rows]",
                     "which one of its window is at each position"},
    values_array("[stored entries]"),
    coded_values_array,
    ArgumentTemplate{"num_chunks", Element::count, "", "chunks of long rows"},
    ArgumentTemplate{"num_long", Element::count, "", "long rows"},
    ArgumentTemplate{"long_begin", Element::count, "", "place of the first value of long rows"},
    ArgumentTemplate{"long_row", Element::index, "[long rows]", "row of A of each"},
    ArgumentTemplate{"long_ptr", Element::offset, "[long rows + 1]",
                     "where the entries of each begin, then their number"},
    ArgumentTemplate{"long_col", Element::index, "[entries of long rows]", "column of each"},
    ArgumentTemplate{"chunk_ptr", Element::offset, "[long rows + 1]",
                     "first chunk of each, then their number"},
    ArgumentTemplate{"chunk_row", Element::index, "[num_chunks]",
                     "the long row of each, counted from 0"},
};

// clang-format off
constexpr Parameter block{"block", allowed<64, 128, 256, 512>, 256, "threads of a block"};
constexpr Parameter slice{"slice", allowed<32, 64>, 32, "lanes of a slice"};
constexpr Parameter sigma{"sigma", allowed<1, 64, 256, 1024, 4096, 16384>, 1, "block rows in a sorting window; 1 = unsorted"};
constexpr Parameter threads_per_row{"threads_per_row", allowed<1, 2, 4, 8, 16, 32>, 1, "lanes that share a block row"};
constexpr Parameter unroll{"unroll", allowed<1, 2, 3, 4, 5, 6, 7, 8>, 4, "blocks that a lane loads before it uses the first"};
constexpr Parameter block_rows{.name = "block_rows", .allowed = allowed<1, 2, 3, 4, 5, 6, 7, 8>, .preset = 1, .summary = "rows of a block, all of one lane", .of_matrix = true};
constexpr Parameter block_cols{.name = "block_cols", .allowed = allowed<1, 2, 3, 4, 5, 6, 7, 8>, .preset = 1, .summary = "columns of a block", .of_matrix = true};
constexpr Parameter codes{.name = "codes", .allowed = allowed<1, 15>, .preset = 15, .summary = "deltas that occur: 1 = none, 2 = 8 bits, 4 = 16, 8 = 32, added up", .range = true, .of_matrix = true};
constexpr Parameter ragged{.name = "ragged", .allowed = allowed<0, 1>, .preset = 1, .summary = "1 = rows of a slice differ in length", .of_matrix = true};
constexpr Parameter fill{.name = "fill", .allowed = allowed<0, 1>, .preset = 1, .summary = "1 = a block may have elements that the matrix does not have, a diagonal of a slice holes", .of_matrix = true};
constexpr Parameter value_code{.name = "value_code", .allowed = allowed<0, 1, 2, 3>, .preset = 0, .summary = "values: 0 = as they are, 1 = small integers, 2 = one for all, 3 = from a dictionary", .of_matrix = true};
constexpr Parameter long_rows{.name = "long_rows", .allowed = allowed<0, 1>, .preset = 1, .summary = "1 = rows of more than long_from strips have warps of their own", .of_matrix = true};
constexpr Parameter any_order{.name = "any_order", .allowed = allowed<0, 1>, .preset = 0, .summary = "1 = rows have an order of their own, y's places are read (options.reorder rows)", .of_matrix = true};
constexpr Parameter period{.name = "period", .allowed = allowed<1, 2, 3, 4, 6>, .preset = 1, .summary = "rows of a slice are so many apart: unknowns that take turns (of sigma 1, 1x1, a lane a row)", .of_matrix = true};
constexpr Parameter long_from{.name = "long_from", .allowed = allowed<32, 64, 128, 256, 512, 1024, 4096, 16384>, .preset = 256, .summary = "strips beyond which a row is long", .launch_only = true};
// clang-format on

GridRule warp_each(const Signature& s) {
    return {"num_warps", warps_of_block(s), 0, s.num_rhs / rhs_group(s)};
}

std::string warps_text(const ArgumentTemplate&, const Signature& s) {
    const std::int64_t lanes = param(s, "slice");
    return std::string(" = ") + (param(s, "long_rows") == 1 ? "num_chunks + " : "") +
           (lanes == s.target.wavefront
                ? "num_slices"
                : shared_out("num_slices * " + std::to_string(lanes), s.target.wavefront));
}

constexpr std::array gpu_arguments{
    ArgumentTemplate{"num_warps", Element::count, "", "warps with work", false, warps_text}};

double effort(const Signature& s) {
    return 1.2 + (param(s, "ragged") == 1 ? 0.2 : 0) + (param(s, "fill") == 1 ? 1.2 : 0) +
           (param(s, "long_rows") == 1 ? 1.3 : 0);
}

constexpr KernelEntry strips() {
    return {
        .id = "strips",
        .format = Format::strips,
        .gpu = true,
        .file = "gpu/strips.hpp",
        .summary = "slices with compressed columns, long rows apart; stencils, meshes, blocks",
        .params =
            parameters<block, slice, sigma, threads_per_row, unroll, block_rows, block_cols, codes,
                       ragged, fill, value_code, long_rows, long_from, any_order, period>,
        .steps = {{.function = "strips",
                   .rule = StepRule::grid,
                   .grid = warp_each,
                   .block = block_of,
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
        .arguments = gpu_arguments,
        .determinism = Determinism::always,
        .any_order = {{"any_order", 1}},
        .effort = effort};
}

constexpr std::array formats{FormatEntry{
    .format = Format::strips,
    .cpu_layout = {"lanes", "sigma", "block_rows", "block_cols", "codes", "ragged", "fill",
                   "long_rows", "long_from", "value_code"},
    .gpu_layout = {"slice", "threads_per_row", "sigma", "block_rows", "block_cols", "codes",
                   "ragged", "fill", "long_rows", "long_from", "value_code", "any_order", "period"},
    .arguments = strips_arguments}};

constexpr std::array kernels{strips()};

}  // namespace

extern constexpr Family strips_family{.formats = formats, .kernels = kernels};

}  // namespace spmvgen
