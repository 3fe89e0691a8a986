#include <array>

#include "family.hpp"

namespace spmvgen {
namespace {

// clang-format off
constexpr Parameter block{"block", allowed<64, 128, 256, 512, 1024>, 256, "threads of a block"};
constexpr Parameter subwarp{"subwarp", allowed<1, 2, 4, 8, 16, 32, 64>, 8, "lanes for a row; 1 = a thread a row", true};
constexpr Parameter level{"level", allowed<0, 1>, 1, "who draws rows: 0 = each subwarp, 1 = a warp for its subwarps"};
constexpr Parameter rows{"rows", allowed<1, 2, 4, 8>, 4, "rows that each subwarp gets of one draw"};
constexpr Parameter unroll{"unroll", allowed<1, 2, 4, 8>, 4, "entries of a lane loaded before the first is used"};
constexpr Parameter conjugate{"conjugate", allowed<0, 1>, 0, "1 = the conjugates of the entries"};
// clang-format on

bool scales(const Signature& s) {
    return s.beta != Scale::one || only_scales(s);
}

bool finishes(const Signature& s) {
    return has_product(s) && !s.epilogue.empty();
}

GridRule subwarp_a_row(const Signature& s) {
    return {.items = "num_rows", .items_per_block = param(s, "block") / param(s, "subwarp")};
}

GridRule scaled_columns(const Signature& s) {
    return rows_to_scale(s, "num_cols");
}

GridRule thread_a_column(const Signature& s) {
    return {.items = "num_cols", .items_per_block = param(s, "block")};
}

/// No block more than are on the device at once: they draw their rows.
GridRule resident_blocks(const Signature& s) {
    GridRule grid = subwarp_a_row(s);
    grid.items_per_block *= param(s, "rows");
    grid.blocks_per_unit = max_threads(s.target) / param(s, "block");
    return grid;
}

/// Groups of right-hand sides, which are rows of the grid.
std::int64_t groups(const Signature& s) {
    return s.num_rhs / rhs_group(s);
}

constexpr KernelEntry csr_light() {
    constexpr auto step = StepRule::grid;
    return {.id = "csr_light",
            .format = Format::csr,
            .gpu = true,
            .file = "gpu/csr_light.hpp",
            .summary = "a group of lanes a row, rows drawn from a counter; uneven rows of one kind",
            .params = parameters<block, subwarp, level, rows, unroll>,
            .steps = {{"csr_light_scaled", step, scaled_rows, block_of, only_scales},
                      {"csr_light", step, resident_blocks, block_of, has_product}},
            .workspace = {{.name = "row_counter",
                           .element = "int64",
                           .elements = 1,
                           .per_rhs = false,
                           .per_launch = groups,
                           .zeroed = true}},
            .determinism = Determinism::always};
}

constexpr KernelEntry csr_transposed_cpu() {
    constexpr auto step = StepRule::per_thread;
    return {.id = "csr_transposed_cpu",
            .format = Format::csr,
            .gpu = false,
            .file = "cpu/csr_transposed_cpu.hpp",
            .summary = "y = αAᵀx + βy with atomic additions: no second copy of A",
            .params = parameters<conjugate>,
            .steps = {{"csr_transposed_cpu_scale", step, nullptr, nullptr, scales},
                      {"csr_transposed_cpu", step, nullptr, nullptr, has_product},
                      {"csr_transposed_cpu_finish", step, nullptr, nullptr, finishes}},
            .workspace = {},
            .determinism = Determinism::never,
            .transposes = true};
}

constexpr KernelEntry csr_transposed_gpu() {
    constexpr auto step = StepRule::grid;
    return {.id = "csr_transposed_gpu",
            .format = Format::csr,
            .gpu = true,
            .file = "gpu/csr_transposed_gpu.hpp",
            .summary = "y = αAᵀx + βy with atomic additions: no second copy of A",
            .params = parameters<block, subwarp, conjugate>,
            .steps = {{"csr_transposed_gpu_scale", step, scaled_columns, block_of, scales},
                      {"csr_transposed_gpu", step, subwarp_a_row, block_of, has_product},
                      {"csr_transposed_gpu_finish", step, thread_a_column, block_of, finishes}},
            .workspace = {},
            .determinism = Determinism::never,
            .transposes = true};
}

constexpr std::array kernels{csr_light(), csr_transposed_cpu(), csr_transposed_gpu()};

}  // namespace

extern constexpr Family light_family{.kernels = kernels};

}  // namespace spmvgen
