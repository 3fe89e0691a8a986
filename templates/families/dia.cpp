#include <array>

#include "family.hpp"

namespace spmvgen {
namespace {

constexpr Format dia_format{"dia"};

constexpr std::array dia_arguments{
    ArgumentTemplate{"tile_ptr", Element::offset, "[tiles of rows + 1]",
                     "where the pieces of each tile begin, then their number"},
    ArgumentTemplate{"piece_offset", Element::index, "[tile_ptr[tiles of rows]]",
                     "column minus row, of the entries of each piece"},
    ArgumentTemplate{"piece_rows", Element::u32, "[tile_ptr[tiles of rows]]",
                     "its first row in the tile, and 65536 times the row behind its last"},
    ArgumentTemplate{"piece_begin", Element::offset, "[tile_ptr[tiles of rows]]",
                     "where its values begin"},
    values_array("[stored entries]"),
};

// clang-format off
constexpr Parameter tile{"tile", allowed<64, 128, 256, 512, 1024>, 256, "rows of a tile"};
constexpr Parameter lanes{"lanes", allowed<2, 4, 8, 16>, 0, "rows in one vector; fitted to the vector register unless chosen"};
constexpr Parameter block{"block", allowed<64, 128, 256, 512, 1024>, 128, "threads of a block, and rows of a tile"};
constexpr Parameter unroll{"unroll", allowed<1, 2, 4, 8>, 4, "pieces that a thread loads before it uses the first"};
// clang-format on

GridRule row_each(const Signature& s) {
    return {"num_rows", param(s, "block"), 0, s.num_rhs / rhs_group(s)};
}

constexpr std::array formats{FormatEntry{.format = dia_format,
                                         .cpu_layout = {"tile"},
                                         .gpu_layout = {"block"},
                                         .arguments = dia_arguments}};

constexpr std::array kernels{
    KernelEntry{.id = "dia_cpu",
                .format = dia_format,
                .gpu = false,
                .file = "cpu/dia_cpu.hpp",
                .summary = "diagonals, cut where they have holes; stencils, spin chains",
                .params = parameters<tile, lanes>,
                .steps = {{"dia_cpu", StepRule::per_thread}},
                .workspace = {}},
    KernelEntry{.id = "dia",
                .format = dia_format,
                .gpu = true,
                .file = "gpu/dia.hpp",
                .summary = "diagonals, cut where they have holes; stencils, spin chains",
                .params = parameters<block, unroll>,
                .steps = {{.function = "dia",
                           .rule = StepRule::grid,
                           .grid = row_each,
                           .block = block_of,
                           .overlaps = true}},
                .workspace = {}}};

}  // namespace

extern constexpr Family dia_family{.formats = formats, .kernels = kernels};

}  // namespace spmvgen
