#include "registry_permute.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace spmvgen {
namespace {

/// Of pack_vectors and unpack_vectors: which vectors, and where their numbers are.
constexpr std::array pack_arguments{
    ArgumentTemplate{"columns", Element::count, "", "vectors that are moved, at most num_rhs"},
    ArgumentTemplate{"row_step", Element::count, "",
                     "elements from a row to the next of vectors that do not lie row by row"},
    ArgumentTemplate{"rhs_step", Element::count, "", "elements from one of them to the next"},
};

/// Of exchange_rows.
constexpr std::array exchange_arguments{
    ArgumentTemplate{"num_sends", Element::count, "", "devices that want elements of x"},
    ArgumentTemplate{"num_receives", Element::count, "", "devices that have elements of the halo"},
    ArgumentTemplate{"peers", Element::i64, "[4 * num_sends + num_receives + 1]",
                     "where pieces begin and end, addresses at the others, and of the flags here"},
};

constexpr Parameter block{"block", allowed<64, 128, 256, 512, 1024>, 256, "threads of a block"};

using GridOf = GridRule (*)(const Signature&);

GridRule thread_a_row(const Signature& s) {
    return {.items = "num_rows", .items_per_block = s.params.at("block")};
}
/// tile_rows of gpu/moves/pack_vectors.hpp.
GridRule block_a_tile(const Signature& s) {
    return {.items = "num_rows", .items_per_block = s.num_rhs < 8 ? 256 : 32};
}
/// No more, for they are there while they wait for other devices.
GridRule block_a_unit(const Signature& s) {
    return {.items = "num_rows", .items_per_block = s.params.at("block"), .blocks_per_unit = 1};
}

/// `product` "x": it moves vectors, without α and β.
KernelEntry helper_kernel(std::string_view id, std::string_view file, std::string_view product,
                          std::string_view summary, GridOf grid,
                          std::span<const ArgumentTemplate> arguments = {}) {
    const auto block_of = [](const Signature& s) { return static_cast<int>(s.params.at("block")); };
    return {.id = id,
            .format = Format::csr,
            .gpu = true,
            .file = file,
            .summary = summary,
            .params = parameters<block>,
            .steps = {{id, StepRule::grid, grid, block_of}},
            .workspace = {},
            .arguments = arguments,
            .determinism = Determinism::always,
            .product = product,
            .scales = product != "x"};
}

KernelEntry exchange_kernel() {
    KernelEntry entry = helper_kernel("exchange_rows", "gpu/moves/exchange_rows.hpp", "x",
                                      "rows of x into the halos of other devices", block_a_unit,
                                      exchange_arguments);
    entry.refuses = [](const Signature& s) -> std::string {
        if (architecture(s.target).kind == TargetKind::cuda) return "";
        return "is for NVIDIA GPUs, which " + s.target.arch +
               " is none of: pack rows or fetch them";
    };
    return entry;
}

/// Plain CSR for rows that are listed.
KernelEntry listed_kernel() {
    KernelEntry entry = plain_kernel(true);
    entry.id = entry.listed;
    entry.listed = {};
    entry.plain = false;
    entry.summary = "rows of y that are listed; in the place of csr_classical and scatter_rows";
    entry.steps.front().function = entry.id;
    return entry;
}

}  // namespace

std::span<const KernelEntry> helper_kernels() {
    static const std::vector<KernelEntry> kernels{
        helper_kernel("gather_rows", "gpu/moves/permute_rows.hpp", "P x",
                      "rows of x in another order; before a reordered product", thread_a_row),
        helper_kernel("scatter_rows", "gpu/moves/permute_rows.hpp", "P^T x",
                      "rows of y back in their order, with α and β; after it", thread_a_row),
        helper_kernel("pack_vectors", "gpu/moves/pack_vectors.hpp", "x",
                      "several vectors row by row without gaps; before a product", block_a_tile,
                      pack_arguments),
        helper_kernel("unpack_vectors", "gpu/moves/pack_vectors.hpp", "x", "and back; after it",
                      block_a_tile, pack_arguments),
        exchange_kernel(),
        listed_kernel()};
    return kernels;
}

}  // namespace spmvgen
