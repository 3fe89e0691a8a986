#include <array>

#include "family.hpp"

namespace spmvgen {
namespace {

constexpr ArgumentTemplate stride{"stride", Element::count, "",
                                  "distance of neighbouring entries of a row"};
constexpr ArgumentTemplate width{"width", Element::count, "", "entries of a row, padding included"};
constexpr std::array ell_arguments{
    columns_array("[stored entries]"),
    values_array("[stored entries]"),
    stride,
    width,
    ArgumentTemplate{"block_full", Element::offset, "[blocks of rows]",
                     "length of each block's shortest row"},
    ArgumentTemplate{"block_width", Element::offset, "[blocks of rows]",
                     "length of each block's longest row"},
};

constexpr std::array sell_arguments{
    columns_array("[stored entries]"),
    values_array("[stored entries]"),
    ArgumentTemplate{"num_slices", Element::count, "", "slices of rows"},
    ArgumentTemplate{"slice_ptr", Element::offset, "[num_slices + 1]",
                     "where each slice begins, in columns of slices"},
    ArgumentTemplate{"slice_full", Element::offset, "[num_slices]",
                     "length of each slice's shortest row"},
};

constexpr std::array hyb_arguments{
    columns_array("[stored entries]"),
    values_array("[stored entries]"),
    stride,
    width,
    ArgumentTemplate{"coo_nnz", Element::count, "", "entries behind those in columns"},
    ArgumentTemplate{"coo_ptr", Element::offset, "[num_rows + 1]",
                     "where each row's entries behind those in columns begin, then their number"},
    ArgumentTemplate{"coo_row", Element::index, "[coo_nnz]", "row of each of these, ascending"},
    ArgumentTemplate{"coo_col", Element::index, "[coo_nnz]", "column of each, from 0"},
    ArgumentTemplate{"coo_values", Element::storage, "[coo_nnz]", "value of each", true},
};

// clang-format off
constexpr Parameter block{"block", allowed<128, 256, 512, 1024>, 256, "threads of a block"};
constexpr Parameter ell_block{"block", allowed<128, 256, 512, 1024>, 512, "threads of a block"};
constexpr Parameter hyb_block{"block", allowed<128, 256, 512>, 256, "threads of a block"};
constexpr Parameter groups{"groups", allowed<1, 2, 4, 8, 16>, 1, "groups of a block's threads that share its rows"};
constexpr Parameter blocks_per_row{"blocks_per_row", allowed<1, 2, 4, 8, 16, 32, 64, 128, 256, 512>, 1, "blocks that share their rows; for few wide rows"};
constexpr Parameter unroll{"unroll", allowed<1, 2, 4, 8>, 4, "entries that a thread loads before it uses the first"};
constexpr Parameter deterministic{"deterministic", allowed<0, 1>, 0, "1 = no float atomics: sums are left and added in order"};
constexpr Parameter group{"group", allowed<2, 4, 8, 16, 32, 64>, 4, "lanes that share a row", true};
constexpr Parameter slice{"slice", allowed<32, 64>, 32, "rows of a slice"};
constexpr Parameter sigma{"sigma", allowed<1, 64, 256, 1024, 4096, 16384>, 1, "rows in a sorting window; 1 = unsorted"};
constexpr Parameter threads_per_row{"threads_per_row", allowed<1, 2, 4, 8, 16, 32>, 1, "lanes that share a row"};
constexpr Parameter per_thread{"per_thread", allowed<4, 8, 16, 32, 64>, 16, "COO entries of a thread"};
constexpr Parameter partition{.name = "partition", .allowed = allowed<0, 1, 2, 3>, .preset = 0, .summary = "ELL width: 0 = limit, 1 = quantile, 2 = minstorage, 3 = column_limit", .launch_only = true};
constexpr Parameter percent{.name = "percent", .allowed = allowed<1, 33, 99>, .preset = 33, .summary = "quantile of the row lengths, for partition 0 and 1", .launch_only = true, .range = true};
constexpr Parameter columns{.name = "columns", .allowed = allowed<0, 8, 1'000'000'000>, .preset = 8, .summary = "ELL width at most, for partition 3", .launch_only = true, .range = true};
// clang-format on

GridRule rows_of_blocks(const Signature& s, std::int64_t rows) {
    return {"num_rows", rows, 0, s.num_rhs / rhs_group(s)};
}

/// A thread a row.
GridRule row_each(const Signature& s) {
    return rows_of_blocks(s, param(s, "block"));
}

// ell_groups

bool shares_rows(const Signature& s) {
    return param(s, "blocks_per_row") > 1;
}

std::int64_t rows_of_part(const Signature& s) {
    return param(s, "block") / param(s, "groups");
}

GridRule part_each(const Signature& s) {
    if (!shares_rows(s)) return rows_of_blocks(s, rows_of_part(s));
    return {"num_parts", 1, 0, s.num_rhs / rhs_group(s)};
}

bool adds_atomically(const Signature& s) {
    return shares_rows(s) && param(s, "deterministic") == 0;
}

bool scales_first(const Signature& s) {
    // With α = 0 it is the only step.
    return adds_atomically(s) && (s.beta != Scale::one || !has_product(s));
}

bool multiplies_parts(const Signature& s) {
    return !adds_atomically(s) || has_product(s);
}

bool sums_parts(const Signature& s) {
    return shares_rows(s) && param(s, "deterministic") == 1;
}

bool finishes_parts(const Signature& s) {
    return adds_atomically(s) && has_epilogue(s);
}

std::string parts_text(const ArgumentTemplate&, const Signature& s) {
    return " = " + std::to_string(param(s, "blocks_per_row")) + " * " +
           shared_out("num_rows", rows_of_part(s));
}

constexpr std::array ell_groups_arguments{
    ArgumentTemplate{"num_parts", Element::count, "", "blocks that share rows", false, parts_text}};

constexpr KernelEntry ell_groups() {
    return {.id = "ell_groups",
            .format = Format::ell,
            .gpu = true,
            .file = "gpu/ell_groups.hpp",
            .summary = "ELL, a thread a row or groups of threads; rows of one length",
            .params = parameters<ell_block, groups, blocks_per_row, unroll, deterministic>,
            .steps = {{"ell_groups_scale", StepRule::grid, row_each, block_of, scales_first},
                      {"ell_groups", StepRule::grid, part_each, block_of, multiplies_parts},
                      {"ell_groups_sum", StepRule::grid, row_each, block_of, sums_parts},
                      {"ell_groups_finish", StepRule::grid, row_each, block_of, finishes_parts}},
            .workspace = {{"parts", "value", 1, true, "ell_groups", rows_of_part}},
            .arguments = ell_groups_arguments,
            .determinism = Determinism::by_parameter};
}

// ell_shuffle

GridRule rows_of_groups(const Signature& s) {
    return rows_of_blocks(s, param(s, "block") / param(s, "group"));
}

constexpr KernelEntry ell_shuffle() {
    return {.id = "ell_shuffle",
            .format = Format::ell,
            .gpu = true,
            .file = "gpu/ell_shuffle.hpp",
            .summary = "ELL in chunks, neighbouring lanes share a row; long rows of one length",
            .params = parameters<block, group, unroll>,
            .steps = {{"ell_shuffle", StepRule::grid, rows_of_groups, block_of}},
            .workspace = {}};
}

// sell_slices

GridRule rows_of_slices(const Signature& s) {
    return rows_of_blocks(s, param(s, "block") / param(s, "threads_per_row"));
}

constexpr KernelEntry sell_slices() {
    const auto is_sorted = [](const Signature& s) { return param(s, "sigma") > 1; };
    return {.id = "sell_slices",
            .format = Format::sell,
            .gpu = true,
            .file = "gpu/sell_slices.hpp",
            .summary = "SELL-C-σ, slices as wide as their longest row; meshes and stencils",
            .params = parameters<block, slice, sigma, threads_per_row, unroll>,
            .steps = {{.function = "sell_slices",
                       .rule = StepRule::grid,
                       .grid = rows_of_slices,
                       .block = block_of,
                       .overlaps = true,
                       .loads_ahead = true}},
            .workspace = {},
            .orders_rows = is_sorted};
}

// hyb

GridRule runs_of_entries(const Signature& s) {
    return {"coo_nnz", param(s, "block") * param(s, "per_thread"), 0, s.num_rhs / rhs_group(s)};
}

/// A thread for each of the two sums that each warp leaves.
GridRule carry_each(const Signature& s) {
    const std::int64_t run = param(s, "per_thread") * s.target.wavefront;
    return {"coo_nnz", param(s, "block") / 2 * run, 0, s.num_rhs / rhs_group(s)};
}

bool carries(const Signature& s) {
    return has_product(s) && param(s, "deterministic") == 1;
}

std::int64_t carries_of_block(const Signature& s) {
    return 2 * param(s, "block") / s.target.wavefront;
}

constexpr KernelEntry hyb() {
    return {
        .id = "hyb",
        .format = Format::hyb,
        .gpu = true,
        .file = "gpu/hyb.hpp",
        .summary = "ELL for the first entries of each row, balanced COO for the rest",
        .params =
            parameters<hyb_block, unroll, per_thread, deterministic, partition, percent, columns>,
        .steps = {{"hyb_ell", StepRule::grid, row_each, block_of},
                  {"hyb_coo", StepRule::grid, runs_of_entries, block_of, has_product},
                  {"hyb_carry", StepRule::grid, carry_each, block_of, carries},
                  {"hyb_finish", StepRule::grid, row_each, block_of, has_epilogue}},
        .workspace = {{"carry_row", "int64", 1, false, "hyb_coo", carries_of_block},
                      {"carry_sum", "value", 1, true, "hyb_coo", carries_of_block}},
        .determinism = Determinism::by_parameter};
}

constexpr KernelEntry hyb_fused() {
    return {.id = "hyb_fused",
            .format = Format::hyb,
            .gpu = true,
            .file = "gpu/hyb_fused.hpp",
            .summary = "HYB in one launch without atomics; no neighbourhood of very long rows",
            .params = parameters<hyb_block, unroll, partition, percent, columns>,
            .steps = {{"hyb_fused", StepRule::grid, row_each, block_of}},
            .workspace = {}};
}

constexpr std::array formats{
    FormatEntry{.format = Format::ell,
                .cpu_layout = {"lanes", "unroll"},
                .gpu_layout = {"block", "groups", "blocks_per_row", "group"},
                .arguments = ell_arguments},
    FormatEntry{.format = Format::sell,
                .cpu_layout = {"lanes", "unroll", "sigma"},
                .gpu_layout = {"slice", "sigma", "threads_per_row"},
                .arguments = sell_arguments},
    FormatEntry{.format = Format::hyb,
                .gpu_layout = {"partition", "percent", "columns", "block"},
                .arguments = hyb_arguments}};

constexpr std::array kernels{ell_groups(), ell_shuffle(), sell_slices(), hyb(), hyb_fused()};

}  // namespace

extern constexpr Family padded_family{.formats = formats, .kernels = kernels};

}  // namespace spmvgen
