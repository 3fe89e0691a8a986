#include "families/tiles.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "dialect/formats/tiles_format.hpp"
#include "family.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr std::array tiles_arguments{
    ArgumentTemplate{"num_tiles", Element::count, "", "tiles of A"},
    ArgumentTemplate{"num_runs", Element::count, "", "runs of tiles, one for each warp"},
    ArgumentTemplate{"num_filled", Element::count, "", "rows with entries"},
    ArgumentTemplate{"num_empty", Element::count, "", "rows without entries"},
    ArgumentTemplate{"tile_row", Element::index, "[num_tiles]",
                     "number of the row open as each tile begins, or -1"},
    ArgumentTemplate{"row_marks", Element::u8, "[stored entries / 8]",
                     "a bit for each entry that begins a row"},
    ArgumentTemplate{"cut_first_run", Element::index, "[num_runs + 1]",
                     "first run of the row cut where each begins, or -1"},
    ArgumentTemplate{"cut_last_run", Element::index, "[num_runs + 1]",
                     "last run of that row, or -1"},
    ArgumentTemplate{"filled_rows", Element::index, "[num_filled]", "the rows with entries"},
    ArgumentTemplate{"empty_rows", Element::index, "[num_empty]", "the rows without"},
    columns_array("[stored entries]"),
    values_array("[stored entries]"),
    coded_values_array,
    ArgumentTemplate{"num_hot", Element::count, "", "columns that x is gathered for"},
    ArgumentTemplate{"hot_cols", Element::index, "[num_hot]",
                     "the most used columns, most used first"},
};

// clang-format off
constexpr Parameter block{"block", allowed<64, 128, 256, 512>, 256, "threads of a block"};
constexpr Parameter items{"items", allowed<8, 16, 32>, 8, "entries of a lane in a tile"};
constexpr Parameter run{"run", allowed<1, 2, 4, 8, 16, 32>, 4, "tiles that a warp takes, one after another"};
constexpr Parameter staged{"staged", allowed<32, 64, 128, 256>, 64, "sums of rows that a warp has in shared memory"};
constexpr Parameter gaps{"gaps", allowed<0, 1>, 1, "whether some rows are empty", false, false, false, true};
constexpr Parameter value_code{"value_code", allowed<0, 1, 2, 3>, 0, "how values are coded: 0 plain, 1 small integers, 2 one value, 3 dictionary", false, false, false, true};
constexpr Parameter hubs_block{"block", allowed<128, 256, 512, 1024>, 512, "threads of a block"};
constexpr Parameter hubs{"hubs", allowed<0, 512, 1024, 2048, 4096, 6144, 8192, 10240, 12288, 16384, 20480, 24576, 32768, 49152>, 1024, "most used columns, in shared memory"};
constexpr Parameter warm{"warm", allowed<0, 4096, 16384, 65536, 262144, 1048576>, 0, "columns used most after these, gathered in global memory"};
constexpr Parameter per_unit{"per_unit", allowed<1, 2, 3, 4, 8>, 2, "blocks of a multiprocessor, if so many fit", false, true};
// clang-format on

/// Threads of the launch that gathers x, as in the template.
constexpr int gather_threads = 256;

/// Fixed shared memory of a block on every NVIDIA GPU.
constexpr std::int64_t most_fixed_shared = 48 * 1024;

/// Of the runs of a block.
std::int64_t meetings(const Signature& s) {
    return warps_of_block(s) * meeting_words(s);
}

/// By itself ptxas spills a few registers for a fourth block of 256 threads; one is all that is
/// asked for. Not on sm_90, where what ptxas makes was measured to be fast, and does not spill.
std::int64_t any_resident(const Signature& s) {
    return s.target.arch == "sm_90" ? 0 : 1;
}

std::string blocks_text(const ArgumentTemplate&, const Signature& s) {
    return " = " + shared_out("num_runs", warps_of_block(s)) + " + " +
           shared_out("num_empty", param(s, "block") * empty_rows_a_thread);
}

std::string gather_text(const ArgumentTemplate&, const Signature& s) {
    return std::string(" = max(num_runs, ") + (param(s, "gaps") == 1 ? "num_empty, " : "") +
           "num_hot)";
}

constexpr std::array own_arguments{
    ArgumentTemplate{"grid_blocks", Element::count, "", "blocks with work", false, blocks_text}};
constexpr std::array hubs_arguments{
    ArgumentTemplate{"gather_items", Element::count, "", "threads with work", false, gather_text}};

constexpr KernelEntry tiles() {
    const auto grid = [](const Signature& s) {
        if (param(s, "gaps") == 1) return GridRule{.items = "grid_blocks"};
        return GridRule{.items = "num_runs", .items_per_block = warps_of_block(s)};
    };
    constexpr auto step = StepRule::grid;
    return {.id = "tiles",
            .format = Format::tiles,
            .gpu = true,
            .file = "gpu/tiles.hpp",
            .summary = "equally many entries a lane, one launch; rows of any lengths",
            .params = parameters<block, items, run, staged, gaps, value_code>,
            .steps = {{"tiles_scaled", step, scaled_rows, block_of, only_scales},
                      {.function = "tiles",
                       .rule = step,
                       .grid = grid,
                       .block = block_of,
                       .wanted = has_product,
                       .resident_blocks = any_resident,
                       .overlaps = true}},
            .workspace = {{.name = "meetings",
                           .element = "int64",
                           .elements = 1,
                           .per_rhs = true,
                           .of_step = "tiles",
                           .per_block = meetings,
                           .zeroed = true}},
            .arguments = own_arguments,
            .determinism = Determinism::always,
            .any_order = {{"gaps", 1}},
            .effort = [](const Signature& s) { return param(s, "items") >= 16 ? 5.0 : 3.0; },
            .check = check_tiles};
}

std::int64_t staged_bytes(const Signature& s) {
    return warps_of_block(s) * (param(s, "staged") + rhs_group(s)) *
           static_cast<std::int64_t>(size_of(accumulator_type(s)));
}

std::int64_t hub_bytes(const Signature& s) {
    return param(s, "hubs") * rhs_group(s) * static_cast<std::int64_t>(size_of(s.value));
}

std::int64_t hot_columns(const Signature& s) {
    return param(s, "hubs") + param(s, "warm");
}

int gather_block(const Signature&) {
    return gather_threads;
}

/// Each thread of the launch that gathers stands for a run, too.
std::int64_t meetings_of_gather(const Signature& s) {
    return gather_threads * meeting_words(s);
}

GridRule gather_grid(const Signature&) {
    return {.items = "gather_items", .items_per_block = gather_threads};
}

/// Blocks of a multiprocessor: as many as are asked for, if they fit.
std::int64_t resident_blocks(const Signature& s) {
    const std::int64_t fit = architecture(s.target).gpu.shared_bytes /
                             std::max<std::int64_t>(1, hub_bytes(s) + staged_bytes(s));
    return std::min(param(s, "per_unit"), std::max<std::int64_t>(fit, 1));
}

/// As many of them as leave a thread the registers that it needs.
std::int64_t bounded_blocks(const Signature& s) {
    return std::clamp<std::int64_t>(most_tiles_hubs_threads(s) / param(s, "block"), 1,
                                    resident_blocks(s));
}

/// No block more than are on the device at once: each loads the hubs.
GridRule resident_grid(const Signature& s) {
    return {.items = "num_runs",
            .items_per_block = warps_of_block(s),
            .blocks_per_unit = resident_blocks(s)};
}

constexpr KernelEntry tiles_hubs() {
    constexpr auto step = StepRule::grid;
    return {.id = "tiles_hubs",
            .format = Format::tiles,
            .gpu = true,
            .file = "gpu/tiles_hubs.hpp",
            .summary = "tiles with the most used columns in shared memory; networks",
            .params =
                parameters<hubs_block, items, run, staged, gaps, value_code, hubs, warm, per_unit>,
            .steps = {{"tiles_hubs_scaled", step, scaled_rows, block_of, only_scales},
                      {.function = "tiles_hubs_gather",
                       .rule = step,
                       .grid = gather_grid,
                       .block = gather_block,
                       .wanted = has_product,
                       .overlaps = true},
                      {.function = "tiles_hubs",
                       .rule = step,
                       .grid = resident_grid,
                       .block = block_of,
                       .wanted = has_product,
                       .dynamic_array = "hub_x",
                       .dynamic_bytes = hub_bytes,
                       .resident_blocks = bounded_blocks,
                       .overlaps = true}},
            .workspace = {{.name = "hot_x",
                           .element = "value",
                           .elements = 1,
                           .per_rhs = true,
                           .per_launch = hot_columns,
                           .may_change = true},
                          {.name = "meetings",
                           .element = "int64",
                           .elements = 1,
                           .per_rhs = true,
                           .of_step = "tiles_hubs_gather",
                           .per_block = meetings_of_gather,
                           .zeroed = true}},
            .arguments = hubs_arguments,
            .determinism = Determinism::always,
            .effort = [](const Signature&) { return 3.0; },
            .check = check_tiles};
}

[[noreturn]] void refuse(const Signature& s, const std::string& why) {
    throw Error(ErrorCode::invalid_argument, "kernel " + s.kernel + why);
}

constexpr std::array formats{
    FormatEntry{.format = Format::tiles,
                .gpu_layout = {"items", "run", "block", "gaps", "value_code", "hubs", "warm"},
                .arguments = tiles_arguments}};

constexpr std::array kernels{tiles(), tiles_hubs()};

}  // namespace

extern constexpr Family tiles_family{.formats = formats, .kernels = kernels};

std::int64_t most_tiles_hubs_threads(const Signature& s) {
    constexpr std::int64_t registers = 65536;
    const std::size_t sums = size_of(accumulator_type(s)) * static_cast<std::size_t>(rhs_group(s));
    return registers / (sums > sizeof(double) || s.target.arch == "sm_120" ? 128 : 64);
}

std::int64_t tiles_shared_bytes(const Signature& s) {
    return staged_bytes(s) + (s.params.contains("hubs") ? hub_bytes(s) : 0);
}

void check_tiles(const Signature& s) {
    const bool has_hubs = s.params.contains("hubs");
    if (has_hubs && hot_columns(s) == 0)
        refuse(s, " with hubs=0 and warm=0 gathers nothing: use kernel tiles");
    const std::int64_t in_block = architecture(s.target).gpu.shared_bytes;
    const std::int64_t staged_here = staged_bytes(s);
    const std::int64_t most = std::min(in_block, most_fixed_shared);
    if (staged_here > most)
        refuse(s, " with block=" + std::to_string(param(s, "block")) +
                      " and staged=" + std::to_string(param(s, "staged")) + " takes " +
                      std::to_string(staged_here) + " bytes of shared memory, more than the " +
                      std::to_string(most) + " that it may: use a smaller block or staged");
    if (!has_hubs) return;
    if (const std::int64_t all = tiles_shared_bytes(s); all > in_block)
        refuse(s, " with hubs=" + std::to_string(param(s, "hubs")) +
                      ", block=" + std::to_string(param(s, "block")) +
                      " and staged=" + std::to_string(param(s, "staged")) + " takes " +
                      std::to_string(all) + " bytes of shared memory, more than the " +
                      std::to_string(in_block) + " that a block has on " + to_string(s.target) +
                      ": use a smaller hubs, block or staged");
}

}  // namespace spmvgen
