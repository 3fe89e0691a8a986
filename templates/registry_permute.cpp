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

/// `product` "x": it moves vectors, without α and β.
KernelEntry helper_kernel(std::string_view id, std::string_view file, std::string_view product,
                          std::string_view summary,
                          std::span<const ArgumentTemplate> arguments = {}) {
    const auto block_of = [](const Signature& s) { return static_cast<int>(s.params.at("block")); };
    const auto thread_a_row = [](const Signature& s) {
        return GridRule{.items = "num_rows", .items_per_block = s.params.at("block")};
    };
    const auto block_a_tile = [](const Signature& s) {  // tile_rows of gpu/pack_vectors.hpp
        return GridRule{.items = "num_rows", .items_per_block = s.num_rhs < 8 ? 256 : 32};
    };
    const bool moves = product == "x";
    return {.id = id,
            .format = Format::csr,
            .gpu = true,
            .file = file,
            .summary = summary,
            .params = {{"block", {64, 128, 256, 512, 1024}, 256, "threads of a block"}},
            .steps = {{id, StepRule::grid, moves ? block_a_tile : thread_a_row, block_of}},
            .workspace = {},
            .arguments = arguments,
            .determinism = Determinism::always,
            .product = product,
            .scales = !moves};
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
        helper_kernel("gather_rows", "gpu/permute_rows.hpp", "P x",
                      "rows of x in another order; before a reordered product"),
        helper_kernel("scatter_rows", "gpu/permute_rows.hpp", "P^T x",
                      "rows of y back in their order, with α and β; after it"),
        helper_kernel("pack_vectors", "gpu/pack_vectors.hpp", "x",
                      "several vectors row by row without gaps; before a product", pack_arguments),
        helper_kernel("unpack_vectors", "gpu/pack_vectors.hpp", "x", "and back; after it",
                      pack_arguments),
        listed_kernel()};
    return kernels;
}

}  // namespace spmvgen
