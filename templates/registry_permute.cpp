#include "registry_permute.hpp"

#include <vector>

namespace spmvgen {
namespace {

KernelEntry permute_kernel(std::string_view id, std::string_view summary) {
    const auto block_of = [](const Signature& s) { return static_cast<int>(s.params.at("block")); };
    const auto thread_a_row = [](const Signature& s) {
        return GridRule{.items = "num_rows", .items_per_block = s.params.at("block")};
    };
    return {.id = id,
            .format = Format::csr,
            .gpu = true,
            .file = "gpu/permute_rows.hpp",
            .summary = summary,
            .params = {{"block", {64, 128, 256, 512, 1024}, 256, "threads of a block"}},
            .steps = {{id, StepRule::grid, thread_a_row, block_of}},
            .workspace = {},
            .determinism = Determinism::always};
}

}  // namespace

std::span<const KernelEntry> helper_kernels() {
    static const std::vector<KernelEntry> kernels{
        permute_kernel("gather_rows", "rows of x in another order; before a reordered product"),
        permute_kernel("scatter_rows", "rows of y back in their order, with α and β; after it")};
    return kernels;
}

}  // namespace spmvgen
