#include <algorithm>
#include <array>
#include <string>

#include "family.hpp"

namespace spmvgen {
namespace {

// clang-format off
constexpr Parameter block{"block", allowed<64, 128, 256, 512, 1024>, 256, "threads of a block"};
// clang-format on

// CSR and COO.

// clang-format off
constexpr Parameter subwarp{"subwarp", allowed<1, 2, 4, 8, 16, 32, 64>, 8, "lanes for a row; 1 = a thread a row", true};
constexpr Parameter unroll{"unroll", allowed<1, 2, 4, 8>, 4, "entries of a lane loaded before the first is used"};
constexpr Parameter balanced_block{"block", allowed<64, 128, 256>, 128, "threads of a block"};
constexpr Parameter coo_block{"block", allowed<64, 128, 256>, 256, "threads of a block"};
constexpr Parameter path_block{"block", allowed<128, 256>, 128, "threads of a block"};
constexpr Parameter entries{"entries", allowed<4, 8>, 8, "entries of a lane in a warp's chunk"};
constexpr Parameter coo_entries{"entries", allowed<4, 8>, 4, "entries of a lane that are loaded together"};
constexpr Parameter items{"items", allowed<3, 4, 5, 6, 7, 8, 9>, 7, "steps of a thread along the merge path"};
constexpr Parameter deterministic{"deterministic", allowed<0, 1>, 0, "1 = the same bits each time, without atomics"};
constexpr Parameter length_subwarp{"subwarp", allowed<1, 2, 4, 8, 16, 32, 64>, 4, "lanes for a short row", true};
constexpr Parameter most_short{"most_short", allowed<8, 16, 32, 64, 128, 256>, 16, "entries of a row that a subwarp takes at most"};
constexpr Parameter most_middle{"most_middle", allowed<64, 128, 256, 512, 1024, 2048>, 512, "entries of a row that a warp takes at most", false, true};
constexpr Parameter share{"share", allowed<512, 1024, 2048, 4096, 8192, 16384>, 4096, "entries of a longer row that a block takes", false, true};
constexpr Parameter omega{"omega", allowed<2, 8, 32, 128, 512>, 8, "threads started at most, in multiples of those that fit on the device", false, true};
// clang-format on

// What the steps beside the product itself are for: α = 0, cut rows and the epilogue. Sums that are
// added atomically need β before them and the epilogue behind.

bool is_deterministic(const Signature& s) {
    return param(s, "deterministic") == 1;
}

bool scales_cut_rows(const Signature& s) {
    return has_product(s) && !is_deterministic(s) && s.beta != Scale::one;
}

bool adds_carries(const Signature& s) {
    return has_product(s) && is_deterministic(s);
}

bool finishes_atomics(const Signature& s) {
    return has_product(s) && !is_deterministic(s) && !s.epilogue.empty();
}

std::int64_t chunk_size(const Signature& s) {
    return s.target.wavefront * param(s, "entries");
}

std::int64_t tile_size(const Signature& s) {
    return param(s, "block") * param(s, "items");
}

GridRule thread_a_chunk(const Signature& s) {
    return {.items = "nnz", .items_per_block = param(s, "block") * chunk_size(s)};
}

GridRule thread_a_tile(const Signature& s) {
    return {.items = "path_steps", .items_per_block = param(s, "block") * tile_size(s)};
}

GridRule coo_grid(const Signature& s) {
    return {.items = "nnz",
            .items_per_block = warps_of_block(s) * chunk_size(s),
            .blocks_per_unit = param(s, "omega") * max_threads(s.target) / param(s, "block")};
}

constexpr Workspaces carries(std::string_view step, std::int64_t (*per_block)(const Signature&)) {
    return {{"carry_row", "int64", 1, false, step, per_block},
            {"carry_sum", "value", 1, true, step, per_block}};
}

/// Blocks that leave each lane the registers for all pieces of x that it loads together. Without,
/// NVIDIA's compilers keep more warps, whose lanes load one piece after the other. Lanes that share
/// an entry with few others have few pieces, and with two pieces under way more warps count.
std::int64_t blocks_of_pieces(const Signature& s) {
    constexpr std::int64_t threads = 1024, fewer = 768;  // resident, with 64 and 80 registers
    constexpr int least_lanes = 4;
    if (rhs_lanes(s) < least_lanes) return 0;
    const std::size_t piece = static_cast<std::size_t>(rhs_group(s)) * size_of(accumulator_type(s));
    if (piece <= 16 && param(s, "unroll") <= 2) return 0;
    const bool rounds = piece > 16 && param(s, "subwarp") >= s.target.wavefront;
    return std::max<std::int64_t>(1, (rounds ? fewer : threads) / param(s, "block"));
}

constexpr KernelEntry csr_classical() {
    const auto grid = [](const Signature& s) {
        return GridRule{.items = "num_rows",
                        .items_per_block = param(s, "block") / param(s, "subwarp")};
    };
    return {.id = "csr_classical",
            .format = Format::csr,
            .gpu = true,
            .file = "gpu/csr_classical.hpp",
            .summary = "a group of lanes a row; rows of like lengths",
            .params = parameters<block, subwarp, unroll>,
            .steps = {{.function = "csr_classical",
                       .rule = StepRule::grid,
                       .grid = grid,
                       .block = block_of,
                       .resident_blocks = blocks_of_pieces,
                       .overlaps = true,
                       .loads_ahead = true}},
            .workspace = {},
            .determinism = Determinism::always,
            .shares_entries = [](const Signature&) { return true; },
            .takes_forms = true,
            .plain = true,
            .listed = "csr_listed"};
}

constexpr std::array load_balance_arguments{
    ArgumentTemplate{"warp_row", Element::index, "[chunks + 1]",
                     "0, the row of each further chunk's first entry, num_rows"},
};

constexpr KernelEntry csr_load_balance() {
    const auto grid = [](const Signature& s) {
        return GridRule{.items = "nnz", .items_per_block = warps_of_block(s) * chunk_size(s)};
    };
    constexpr auto step = StepRule::grid;
    return {.id = "csr_load_balance",
            .format = Format::csr,
            .gpu = true,
            .file = "gpu/csr_load_balance.hpp",
            .summary = "equally many entries a warp, long rows cut; skewed row lengths",
            .params = parameters<balanced_block, entries, deterministic>,
            .steps = {{"csr_load_balance_scaled", step, scaled_rows, block_of, only_scales},
                      {.function = "csr_load_balance_cut",
                       .rule = step,
                       .grid = thread_a_chunk,
                       .block = block_of,
                       .wanted = scales_cut_rows,
                       .overlaps = true},
                      {.function = "csr_load_balance",
                       .rule = step,
                       .grid = grid,
                       .block = block_of,
                       .wanted = has_product,
                       .overlaps = true},
                      {"csr_load_balance_carry", step, thread_a_chunk, block_of, adds_carries},
                      {"csr_load_balance_finish", step, thread_a_row, block_of, finishes_atomics}},
            .workspace = carries("csr_load_balance", warps_of_block),
            .arguments = load_balance_arguments,
            .layout = {"entries"},
            .determinism = Determinism::by_parameter,
            .effort = [](const Signature&) { return 2.0; }};
}

constexpr std::array merge_path_arguments{
    ArgumentTemplate{"path_steps", Element::count, "", "num_rows + entries of A"},
};

constexpr KernelEntry csr_merge_path() {
    const auto grid = [](const Signature& s) {
        return GridRule{.items = "path_steps", .items_per_block = tile_size(s)};
    };
    const auto warp_a_tile = [](const Signature& s) {
        return GridRule{.items = "path_steps", .items_per_block = warps_of_block(s) * tile_size(s)};
    };
    constexpr auto step = StepRule::grid;
    return {.id = "csr_merge_path",
            .format = Format::csr,
            .gpu = true,
            .file = "gpu/csr_merge_path.hpp",
            .summary = "equally many rows and entries a thread; many empty rows beside long ones",
            .params = parameters<path_block, items, deterministic>,
            .steps = {{"csr_merge_path_scaled", step, scaled_rows, block_of, only_scales},
                      {"csr_merge_path_cut", step, warp_a_tile, block_of, scales_cut_rows},
                      {"csr_merge_path", step, grid, block_of, has_product},
                      {"csr_merge_path_carry", step, thread_a_tile, block_of, adds_carries},
                      {"csr_merge_path_finish", step, thread_a_row, block_of, finishes_atomics}},
            .workspace = carries("csr_merge_path", nullptr),
            .arguments = merge_path_arguments,
            .determinism = Determinism::by_parameter};
}

std::string blocks_text(const ArgumentTemplate&, const Signature& s) {
    return " = num_parts + " + shared_out("num_middle", warps_of_block(s)) + " + " +
           shared_out("num_rows", param(s, "block") / param(s, "subwarp"));
}

constexpr std::array by_length_arguments{
    ArgumentTemplate{"num_parts", Element::count, "", "parts of long rows"},
    ArgumentTemplate{"num_middle", Element::count, "", "rows that a warp takes each"},
    ArgumentTemplate{"part_row", Element::index, "[num_parts]", "the long row that each is of"},
    ArgumentTemplate{"part_begin", Element::offset, "[num_parts]", "its first entry"},
    ArgumentTemplate{"part_end", Element::offset, "[num_parts]", "the entry behind its last"},
    ArgumentTemplate{"part_first", Element::index, "[num_parts]", "first part of its row"},
    ArgumentTemplate{"part_last", Element::index, "[num_parts]", "last part of its row"},
    ArgumentTemplate{"middle_row", Element::index, "[num_middle]",
                     "the rows that a warp takes each"},
    ArgumentTemplate{"middle_begin", Element::offset, "[num_middle]",
                     "where the entries of each begin"},
    ArgumentTemplate{"middle_end", Element::offset, "[num_middle]", "and where they end"},
    ArgumentTemplate{"grid_blocks", Element::count, "", "blocks with work", false, blocks_text},
};

constexpr KernelEntry csr_by_length() {
    const auto grid = [](const Signature&) { return GridRule{.items = "grid_blocks"}; };
    constexpr auto step = StepRule::grid;
    return {.id = "csr_by_length",
            .format = Format::csr,
            .gpu = true,
            .file = "gpu/csr_by_length.hpp",
            .summary = "a subwarp, a warp or blocks a row, one launch; a few rows far longer",
            .params = parameters<block, length_subwarp, unroll, most_short, most_middle, share>,
            .steps = {{"csr_by_length_scaled", step, scaled_rows, block_of, only_scales},
                      {.function = "csr_by_length",
                       .rule = StepRule::grid,
                       .grid = grid,
                       .block = block_of,
                       .wanted = has_product,
                       .overlaps = true,
                       .loads_ahead = true}},
            .workspace = {{.name = "meetings",
                           .element = "int64",
                           .elements = 1,
                           .per_rhs = true,
                           .of_step = "csr_by_length",
                           .per_block = meeting_words,
                           .zeroed = true}},
            .arguments = by_length_arguments,
            .layout = {"block", "subwarp", "most_short", "most_middle", "share"},
            .determinism = Determinism::always,
            .shares_entries = [](const Signature&) { return true; },
            .takes_forms = true,
            .effort = [](const Signature&) { return 2.5; }};
}

constexpr KernelEntry coo() {
    const auto scales = [](const Signature& s) { return s.beta != Scale::one || only_scales(s); };
    const auto finishes = [](const Signature& s) { return has_product(s) && !s.epilogue.empty(); };
    constexpr auto step = StepRule::grid;
    return {.id = "coo",
            .format = Format::coo,
            .gpu = true,
            .file = "gpu/coo.hpp",
            .summary = "sorted triplets, equally many a warp; mostly empty rows",
            .params = parameters<coo_block, coo_entries, omega, deterministic>,
            .steps = {{"coo_scale", step, scaled_rows, block_of, scales},
                      {"coo", step, coo_grid, block_of, has_product},
                      {"coo_carry", step, coo_grid, block_of, adds_carries},
                      {"coo_finish", step, thread_a_row, block_of, finishes}},
            .workspace = carries("coo", warps_of_block),
            .determinism = Determinism::by_parameter,
            .effort = [](const Signature&) { return 2.0; }};
}

constexpr std::array kernels{csr_classical(), csr_by_length(), csr_load_balance(), csr_merge_path(),
                             coo()};

}  // namespace

extern constexpr Family gpu_family{.kernels = kernels};

}  // namespace spmvgen
