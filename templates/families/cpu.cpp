#include <array>

#include "family.hpp"

namespace spmvgen {
namespace {

constexpr std::array csr_arguments{
    values_array("[row_ptr[num_rows]]"),
};

constexpr std::array coo_arguments{
    ArgumentTemplate{"row_idx", Element::index, "[nnz]", "row of each entry, ascending"},
    columns_array("[nnz]"),
    values_array("[nnz]"),
};

// clang-format off
const Parameter lanes{"lanes", {2, 4, 8, 16}, 0, "elements of one vector; fitted to the vector register unless chosen"};
const Parameter lanes_or_one{"lanes", {1, 2, 4, 8, 16}, 0, "entries of one vector; 1 = one entry after another"};
const Parameter unroll{"unroll", {1, 2, 4}, 1, "vectors with an accumulator of their own"};
const Parameter ahead{"ahead", {32, 64, 128, 192}, 192, "entries before its own, at which an entry's row of x is prefetched"};
const Parameter past_caches{"past_caches", {0, 1}, 0, "1: y is stored past the caches where its rows are whole lines and β = 0"};
const Parameter sigma{"sigma", {1, 64, 256, 1024, 4096, 16384}, 1, "rows in a sorting window; 1 = unsorted"};
const std::vector<WorkspaceTemplate> carries{{"carry_row", "int64", 1, false},
                                             {"carry_sum", "value", 1, true},
                                             {"head_row", "int64", 1, false},
                                             {"head_sum", "value", 1, true}};
// clang-format on

}  // namespace

Family cpu_family() {
    return {.formats = {{.format = Format::csr, .arguments = csr_arguments},
                        {.format = Format::coo, .arguments = coo_arguments}},
            .kernels = {
                {.id = "csr_rows",
                 .format = Format::csr,
                 .gpu = false,
                 .file = "cpu/csr_rows.hpp",
                 .summary = "one row after another, scalar; short rows of any kind",
                 .params = {},
                 .steps = {{"csr_rows", StepRule::per_thread}},
                 .workspace = {},
                 .takes_forms = true,
                 .plain = true},
                {.id = "csr_vector",
                 .format = Format::csr,
                 .gpu = false,
                 .file = "cpu/csr_vector.hpp",
                 .summary = "every row in vectors; longer rows",
                 .params = {lanes, unroll},
                 .steps = {{"csr_vector", StepRule::per_thread}},
                 .workspace = {},
                 .takes_forms = true},
                {.id = "csr_ahead",
                 .format = Format::csr,
                 .gpu = false,
                 .file = "cpu/csr_ahead.hpp",
                 .summary = "one row after another, x prefetched; vectors beyond a core's caches",
                 .params = {ahead, past_caches},
                 .steps = {{"csr_ahead", StepRule::per_thread}},
                 .workspace = {},
                 .takes_forms = true,
                 .of_several = true},
                {.id = "csr_balanced",
                 .format = Format::csr,
                 .gpu = false,
                 .file = "cpu/csr_balanced.hpp",
                 .summary = "exactly balanced shares, long rows cut between threads; dense rows",
                 .params = {lanes_or_one, unroll},
                 .steps = {{"csr_balanced", StepRule::per_thread},
                           {"csr_balanced_carry", StepRule::once}},
                 .workspace = carries,
                 .takes_forms = true},
                {.id = "coo_segmented",
                 .format = Format::coo,
                 .gpu = false,
                 .file = "cpu/coo_segmented.hpp",
                 .summary = "sorted triplets, exactly balanced shares; mostly empty rows",
                 .params = {lanes_or_one},
                 .steps = {{"coo_segmented", StepRule::per_thread},
                           {"coo_segmented_carry", StepRule::once}},
                 .workspace = carries},
                {.id = "ell",
                 .format = Format::ell,
                 .gpu = false,
                 .file = "cpu/ell.hpp",
                 .summary = "a row a lane, one width for all; rows of one length",
                 .params = {lanes, unroll},
                 .steps = {{"ell", StepRule::per_thread}},
                 .workspace = {}},
                {.id = "sell",
                 .format = Format::sell,
                 .gpu = false,
                 .file = "cpu/sell.hpp",
                 .summary = "SELL-C-σ, a row a lane, slices as wide as their longest row",
                 .params = {lanes, unroll, sigma},
                 .steps = {{"sell", StepRule::per_thread}},
                 .workspace = {},
                 .takes_forms = true}}};
}

}  // namespace spmvgen
