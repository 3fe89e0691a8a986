#include "registry_tiles.hpp"

#include <algorithm>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

// clang-format off
const Parameter block{"block", {64, 128, 256, 512}, 256, "threads of a block"};
const Parameter items{"items", {8, 16, 32}, 8, "entries of a lane in a tile"};
const Parameter run{"run", {1, 2, 4, 8, 16, 32}, 4, "tiles that a warp takes, one after another"};
const Parameter staged{"staged", {32, 64, 128, 256}, 64, "sums of rows that a warp has in shared memory"};
const Parameter gaps{"gaps", {0, 1}, 1, "whether some rows are empty", false, false, false, true};
const Parameter value_code{"value_code", {0, 1, 2, 3}, 0, "how values are coded: 0 plain, 1 small integers, 2 one value, 3 dictionary", false, false, false, true};
// clang-format on

/// Fixed shared memory of a block on every NVIDIA GPU.
constexpr std::int64_t most_fixed_shared = 48 * 1024;

std::int64_t param(const Signature& s, const char* name) {
    return s.params.at(name);
}

int block_of(const Signature& s) {
    return static_cast<int>(param(s, "block"));
}

bool has_product(const Signature& s) {
    return s.alpha != Scale::zero;
}

bool only_scales(const Signature& s) {
    return !has_product(s);
}

std::int64_t warps(const Signature& s) {
    return param(s, "block") / s.target.wavefront;
}

/// Counts of parts that have arrived: one for each run and group of right-hand sides.
std::int64_t counters(const Signature& s) {
    return warps(s) * (s.num_rhs / rhs_group(s));
}

GridRule thread_a_row(const Signature& s) {
    return {.items = "num_rows", .items_per_block = param(s, "block")};
}

KernelEntry tiles() {
    const auto grid = [](const Signature&) { return GridRule{.items = "grid_blocks"}; };
    constexpr auto step = StepRule::grid;
    return {.id = "tiles",
            .format = Format::tiles,
            .gpu = true,
            .file = "gpu/tiles.hpp",
            .summary = "equally many entries a lane, one launch; rows of any lengths",
            .params = {block, items, run, staged, gaps, value_code},
            .steps = {{"tiles_scaled", step, thread_a_row, block_of, only_scales},
                      {"tiles", step, grid, block_of, has_product}},
            .workspace = {{"open_sum", "value", 1, true, "tiles", warps},
                          {"end_sum", "value", 1, true, "tiles", warps},
                          {.name = "arrived",
                           .element = "int64",
                           .elements = 1,
                           .per_rhs = false,
                           .of_step = "tiles",
                           .per_block = counters,
                           .zeroed = true}},
            .determinism = Determinism::always};
}

std::int64_t staged_bytes(const Signature& s) {
    return warps(s) * param(s, "staged") * static_cast<std::int64_t>(size_of(accumulator_type(s)));
}

}  // namespace

std::vector<KernelEntry> tiles_kernels() {
    return {tiles()};
}

void check_tiles(const Signature& s) {
    const std::int64_t bytes = staged_bytes(s);
    const std::int64_t most =
        std::min<std::int64_t>(architecture(s.target).gpu.shared_bytes, most_fixed_shared);
    if (bytes > most)
        throw Error(ErrorCode::invalid_argument,
                    "kernel " + s.kernel + " with block=" + std::to_string(param(s, "block")) +
                        " and staged=" + std::to_string(param(s, "staged")) + " takes " +
                        std::to_string(bytes) + " bytes of shared memory, more than the " +
                        std::to_string(most) + " that it may: use a smaller block or staged");
}

}  // namespace spmvgen
