#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "family.hpp"
#include "spmvgen/target.hpp"

namespace spmvgen {
namespace {

// clang-format off
constexpr Parameter lanes{"lanes", allowed<2, 4, 8, 16, 32>, 8, "lanes of a slice"};
constexpr Parameter block_rows{"block_rows", allowed<1, 2, 3, 4, 5, 6, 7, 8>, 1, "rows of a block"};
constexpr Parameter block_cols{"block_cols", allowed<1, 2, 3, 4, 5, 6, 7, 8>, 1, "columns of a block"};
constexpr Parameter sigma{"sigma", allowed<1, 64, 256, 1024, 4096, 16384>, 1, "block rows in a sorting window; 1 = unsorted"};
constexpr Parameter codes{.name = "codes", .allowed = allowed<1, 15>, .preset = 15, .summary = "bits of the delta codes that occur: 0, 8, 16, 32 bits", .range = true, .of_matrix = true};
constexpr Parameter ragged{.name = "ragged", .allowed = allowed<0, 1>, .preset = 1, .summary = "1 = a slice may have lanes of different lengths", .of_matrix = true};
constexpr Parameter fill{.name = "fill", .allowed = allowed<0, 1>, .preset = 1, .summary = "1 = a block may have elements that the matrix does not have, a diagonal of a slice holes", .of_matrix = true};
constexpr Parameter long_rows{.name = "long_rows", .allowed = allowed<0, 1>, .preset = 1, .summary = "1 = rows of more than long_from blocks are kept apart", .of_matrix = true};
constexpr Parameter long_from{.name = "long_from", .allowed = allowed<16, 64, 65534>, .preset = 4096, .summary = "blocks beyond which a row is long", .launch_only = true, .range = true};
constexpr Parameter value_code{.name = "value_code", .allowed = allowed<0, 1, 2, 3>, .preset = 0, .summary = "0 = values as they are, 1 = 8-bit integers, 2 = one value, 3 = dictionary", .of_matrix = true};
constexpr Parameter prefetch{"prefetch", allowed<0, 1024, 2048, 4096, 8192>, 0, "how many bytes ahead of their use A is prefetched; 0 = not at all"};
// clang-format on

bool has_long_rows(const Signature& s) {
    return param(s, "long_rows") == 1;
}

/// How many loops over whole strips a kernel has: one for lanes side by side and one for each other
/// code, or for all of these where x is gathered; each twice where blocks have zeros of fill.
int strip_loops(const Signature& signature) {
    const auto occurring = static_cast<std::uint64_t>(param(signature, "codes"));
    const int others = std::popcount(occurring & ~1UL);
    const bool gathers = has_fast_gathers(signature.target) && signature.num_rhs == 1;
    const int loops = static_cast<int>(occurring & 1) + (gathers ? std::min(others, 1) : others);
    const bool has_zeros = param(signature, "fill") == 1 && param(signature, "value_code") < 2;
    return has_zeros && param(signature, "block_rows") * param(signature, "block_cols") > 1
               ? 2 * loops
               : loops;
}

double effort(const Signature& signature) {
    const bool has_blocks = param(signature, "block_rows") * param(signature, "block_cols") > 1;
    return 0.9 + (has_blocks ? 0.45 : 0.3) * strip_loops(signature) +
           (param(signature, "ragged") == 1 ? 0.25 : 0) + (has_long_rows(signature) ? 0.75 : 0) +
           (param(signature, "value_code") == 3 ? 0.3 : 0);
}

constexpr std::array kernels{
    KernelEntry{.id = "strips_cpu",
                .format = Format::strips,
                .gpu = false,
                .file = "cpu/strips.hpp",
                .summary = "compressed columns, decoded in registers; stencils, meshes, blocks",
                .params = parameters<lanes, block_rows, block_cols, sigma, codes, ragged, fill,
                                     long_rows, long_from, value_code, prefetch>,
                .steps = {{"strips_cpu", StepRule::per_thread},
                          {"strips_cpu_join", StepRule::once, nullptr, nullptr, has_long_rows}},
                .workspace = {{"carry_row", "int64", 1, false},
                              {"carry_sum", "value", 1, true},
                              {"head_row", "int64", 1, false},
                              {"head_sum", "value", 1, true}},
                .effort = effort}};

}  // namespace

extern constexpr Family strips_cpu_family{.kernels = kernels};

}  // namespace spmvgen
