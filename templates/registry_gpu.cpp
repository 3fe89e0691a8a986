#include "registry_gpu.hpp"

#include "registry_padded.hpp"

namespace spmvgen {
namespace {

// clang-format off
const Parameter block{"block", {64, 128, 256, 512, 1024}, 256, "threads of a block"};
// clang-format on

std::int64_t param(const Signature& s, const char* name) {
    return s.params.at(name);
}

int block_of(const Signature& s) {
    return static_cast<int>(param(s, "block"));
}

// CSR and COO.

// clang-format off
const Parameter subwarp{"subwarp", {1, 2, 4, 8, 16, 32, 64}, 8, "lanes for a row; 1 = a thread a row", true};
const Parameter unroll{"unroll", {1, 2, 4, 8}, 4, "entries of a lane loaded before the first is used"};

std::vector<KernelEntry> csr_coo_kernels() {
    return {
        KernelEntry{.id = "csr_classical",
                    .format = Format::csr,
                    .gpu = true,
                    .file = "gpu/csr_classical.hpp",
                    .summary = "a group of lanes a row; rows of like lengths",
                    .params = {block, subwarp, unroll},
                    .steps = {{"csr_classical", StepRule::grid,
                               [](const Signature& s) {
                                   return GridRule{"num_rows", param(s, "block") / param(s, "subwarp")};
                               },
                               block_of}},
                    .workspace = {},
                    .determinism = Determinism::always},
    };
}
// clang-format on

}  // namespace

std::vector<KernelEntry> gpu_kernels() {
    std::vector<KernelEntry> all = csr_coo_kernels();
    for (auto& entry : padded_kernels()) all.push_back(entry);
    return all;
}

}  // namespace spmvgen
