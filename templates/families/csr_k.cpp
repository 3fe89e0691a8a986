#include <array>

#include "family.hpp"

namespace spmvgen {
namespace {

constexpr std::array csr_k_arguments{
    values_array("[row_ptr[num_rows]]"),
    ArgumentTemplate{"num_sr", Element::count, "", "super-rows of A"},
    ArgumentTemplate{"sr_ptr", Element::index, "[super-rows + 1]",
                     "first row of each super-row, then num_rows"},
    ArgumentTemplate{"num_ssr", Element::count, "", "super-super-rows of A"},
    ArgumentTemplate{"ssr_ptr", Element::index, "[super-super-rows + 1]",
                     "first super-row of each, then their number"},
};

// clang-format off
const Parameter k{"k", {2, 3}, 2, "levels: 2 = threads share out super-rows, 3 = super-super-rows"};
const Parameter lanes{"lanes", {1, 2, 4, 8, 16}, 0, "entries of one vector; 1 = one entry after another"};
const Parameter subwarp{"subwarp", {1, 2, 4, 8, 16, 32, 64}, 1, "lanes for a row, the block's x; 1 = a thread a row", true};
const Parameter row_threads{"row_threads", {4, 8, 16, 32}, 8, "rows of a super-row under way at a time, the block's y"};
const Parameter sr_threads{"sr_threads", {1, 2, 3, 4, 6, 8, 12, 16, 32}, 12, "super-rows under way at a time, the block's z"};
const Parameter unroll{"unroll", {1, 2, 4, 8}, 4, "entries of a lane loaded before the first is used"};
// clang-format on

/// Rows of a super-row, super-rows of a super-super-row.
Parameter srs(std::int64_t preset) {
    return {.name = "srs",
            .allowed = {1, preset, 4096},
            .preset = preset,
            .summary = "rows of a super-row",
            .launch_only = true,
            .range = true};
}
Parameter ssrs(std::int64_t preset) {
    return {.name = "ssrs",
            .allowed = {1, preset, 1024},
            .preset = preset,
            .summary = "super-rows of a super-super-row",
            .launch_only = true,
            .range = true};
}

std::int64_t threads_of_block(const Signature& s) {
    return param(s, "subwarp") * param(s, "row_threads") * param(s, "sr_threads");
}

KernelEntry csr_k_rows() {
    return {.id = "csr_k_rows",
            .format = Format::csr_k,
            .gpu = false,
            .file = "cpu/csr_k_rows.hpp",
            .summary = "CSR-2 and CSR-3, groups of rows shared out to threads",
            .params = {k, lanes, srs(96), ssrs(8)},
            .steps = {{"csr_k_rows", StepRule::per_thread}},
            .workspace = {}};
}

KernelEntry csr_k_blocks() {
    const auto grid = [](const Signature& s) {
        if (s.alpha == Scale::zero)
            return GridRule{.items = "num_rows", .items_per_block = threads_of_block(s)};
        return GridRule{.items = "num_ssr", .items_per_block = 1};
    };
    const auto block = [](const Signature& s) { return static_cast<int>(threads_of_block(s)); };
    return {.id = "csr_k_blocks",
            .format = Format::csr_k,
            .gpu = true,
            .file = "gpu/csr_k_blocks.hpp",
            .summary = "CSR-3, a super-super-row a block; regular rows",
            .params = {subwarp, row_threads, sr_threads, unroll, srs(8), ssrs(8)},
            .steps = {{"csr_k_blocks", StepRule::grid, grid, block}},
            .workspace = {}};
}

}  // namespace

Family csr_k_family() {
    return {.formats = {{.format = Format::csr_k,
                         .cpu_layout = {"k", "srs", "ssrs"},
                         .gpu_layout = {"srs", "ssrs"},
                         .arguments = csr_k_arguments}},
            .kernels = {csr_k_rows(), csr_k_blocks()}};
}

}  // namespace spmvgen
