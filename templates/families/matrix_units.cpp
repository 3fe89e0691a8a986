#include "families/matrix_units.hpp"

#include <algorithm>
#include <array>

#include "family.hpp"

namespace spmvgen {
namespace {

// PTX ISA, mma: .f64 needs sm_80; AMD's CDNA 2 and 3 ISA manuals. tests/compilers holds AMD's
// against what LLVM knows.
constexpr std::array<std::string_view, 8> with_matrix_units{"sm_80",  "sm_86",  "sm_89",  "sm_90",
                                                            "sm_100", "sm_120", "gfx90a", "gfx942"};

// clang-format off
constexpr Parameter block{"block", allowed<64, 128, 256, 512>, 128, "threads of a block"};
constexpr Parameter tiles{"tiles", allowed<1, 2, 4>, 1, "tiles of rows that a warp has under way at a time"};
constexpr Parameter unroll{"unroll", allowed<1, 2, 3, 4>, 2, "tiles' widths of 4 entries loaded before the first is used"};
// clang-format on

std::string names_of_architectures() {
    std::string names;
    for (auto& name : with_matrix_units) names += (names.empty() ? "" : ", ") + std::string(name);
    return names;
}

std::string refuses(const Signature& s) {
    if (std::ranges::find(with_matrix_units, s.target.arch) == with_matrix_units.end())
        return "multiplies with matrix units for f64, which " + s.target.arch +
               " does not have: use another kernel, or one of " + names_of_architectures();
    if (accumulator_type(s) != ValueType::f64)
        return std::string("multiplies with matrix units for f64, and has no sums of type ") +
               to_string(accumulator_type(s)) +
               ": use value type f64, f32 with accumulator f64, or another kernel";
    if (s.num_rhs != 1)
        return "multiplies with one right-hand side, not " + std::to_string(s.num_rhs) +
               ": use another kernel";
    return "";
}

/// A thread for each of the 4 entries of a row that a tile takes.
std::int64_t rows_of_tiles(const Signature& s) {
    return param(s, "block") / 4;
}

constexpr KernelEntry csr_matrix_units() {
    const auto grid = [](const Signature& s) {
        return GridRule{.items = "num_rows",
                        .items_per_block = rows_of_tiles(s) * param(s, "tiles")};
    };
    return {.id = "csr_matrix_units",
            .format = Format::csr,
            .gpu = true,
            .file = "gpu/csr_matrix_units.hpp",
            .summary = "f64 tensor cores or MFMA on CSR, y in order; short rows of like lengths",
            .params = parameters<block, tiles, unroll>,
            .steps = {{"csr_matrix_units", StepRule::grid, grid, block_of}},
            .workspace = {},
            .determinism = Determinism::always,
            .refuses = refuses};
}

constexpr std::array kernels{csr_matrix_units()};

}  // namespace

std::span<const std::string_view> architectures_with_matrix_units() {
    return with_matrix_units;
}

extern constexpr Family matrix_units_family{.kernels = kernels};

}  // namespace spmvgen
