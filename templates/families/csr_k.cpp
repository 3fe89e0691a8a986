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
constexpr Parameter k{"k", allowed<2, 3>, 2, "levels: 2 = threads share out super-rows, 3 = super-super-rows"};
constexpr Parameter lanes{"lanes", allowed<1, 2, 4, 8, 16>, 0, "entries of one vector; 1 = one entry after another"};
constexpr Parameter subwarp{"subwarp", allowed<1, 2, 4, 8, 16, 32, 64>, 1, "lanes for a row, the block's x; 1 = a thread a row", true};
constexpr Parameter row_threads{"row_threads", allowed<4, 8, 16, 32>, 8, "rows of a super-row under way at a time, the block's y"};
constexpr Parameter sr_threads{"sr_threads", allowed<1, 2, 3, 4, 6, 8, 12, 16, 32>, 12, "super-rows under way at a time, the block's z"};
constexpr Parameter unroll{"unroll", allowed<1, 2, 4, 8>, 4, "entries of a lane loaded before the first is used"};
constexpr Parameter cpu_srs{.name = "srs", .allowed = allowed<1, 96, 4096>, .preset = 96, .summary = "rows of a super-row", .launch_only = true, .range = true};
constexpr Parameter gpu_srs{.name = "srs", .allowed = allowed<1, 8, 4096>, .preset = 8, .summary = "rows of a super-row", .launch_only = true, .range = true};
constexpr Parameter ssrs{.name = "ssrs", .allowed = allowed<1, 8, 1024>, .preset = 8, .summary = "super-rows of a super-super-row", .launch_only = true, .range = true};
// clang-format on

std::int64_t threads_of_block(const Signature& s) {
    return param(s, "subwarp") * param(s, "row_threads") * param(s, "sr_threads");
}

constexpr KernelEntry csr_k_rows() {
    return {.id = "csr_k_rows",
            .format = Format::csr_k,
            .gpu = false,
            .file = "cpu/csr_k_rows.hpp",
            .summary = "CSR-2 and CSR-3, groups of rows shared out to threads",
            .params = parameters<k, lanes, cpu_srs, ssrs>,
            .steps = {{"csr_k_rows", StepRule::per_thread}},
            .workspace = {}};
}

constexpr KernelEntry csr_k_blocks() {
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
            .params = parameters<subwarp, row_threads, sr_threads, unroll, gpu_srs, ssrs>,
            .steps = {{"csr_k_blocks", StepRule::grid, grid, block}},
            .workspace = {}};
}

constexpr std::array formats{FormatEntry{.format = Format::csr_k,
                                         .cpu_layout = {"k", "srs", "ssrs"},
                                         .gpu_layout = {"srs", "ssrs"},
                                         .arguments = csr_k_arguments}};

constexpr std::array kernels{csr_k_rows(), csr_k_blocks()};

}  // namespace

extern constexpr Family csr_k_family{.formats = formats, .kernels = kernels};

}  // namespace spmvgen
