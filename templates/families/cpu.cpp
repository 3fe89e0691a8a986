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
constexpr Parameter lanes{"lanes", allowed<2, 4, 8, 16>, 0, "elements of one vector; fitted to the vector register unless chosen"};
constexpr Parameter lanes_or_one{"lanes", allowed<1, 2, 4, 8, 16>, 0, "entries of one vector; 1 = one entry after another"};
constexpr Parameter unroll{"unroll", allowed<1, 2, 4>, 1, "vectors with an accumulator of their own"};
constexpr Parameter ahead{"ahead", allowed<32, 64, 128, 192>, 192, "entries before its own, at which an entry's row of x is prefetched"};
constexpr Parameter past_caches{"past_caches", allowed<0, 1>, 0, "1: y is stored past the caches where its rows are whole lines and β = 0"};
constexpr Parameter sigma{"sigma", allowed<1, 64, 256, 1024, 4096, 16384>, 1, "rows in a sorting window; 1 = unsorted"};
constexpr Parameter prefetch{"prefetch", allowed<0, 4096>, 0, "how many bytes ahead of their use A is prefetched; 0 = not at all"};
constexpr Workspaces carries{{"carry_row", "int64", 1, false},
                                             {"carry_sum", "value", 1, true},
                                             {"head_row", "int64", 1, false},
                                             {"head_sum", "value", 1, true}};
// clang-format on

constexpr std::array formats{FormatEntry{.format = Format::csr, .arguments = csr_arguments},
                             FormatEntry{.format = Format::coo, .arguments = coo_arguments}};

constexpr std::array kernels{
    KernelEntry{.id = "csr_rows",
                .format = Format::csr,
                .gpu = false,
                .file = "cpu/csr_rows.hpp",
                .summary = "one row after another, scalar; short rows of any kind",
                .params = {},
                .steps = {{"csr_rows", StepRule::per_thread}},
                .workspace = {},
                .takes_forms = true,
                .plain = true},
    KernelEntry{.id = "csr_vector",
                .format = Format::csr,
                .gpu = false,
                .file = "cpu/csr_vector.hpp",
                .summary = "every row in vectors; longer rows",
                .params = parameters<lanes, unroll, prefetch>,
                .steps = {{"csr_vector", StepRule::per_thread}},
                .workspace = {},
                .takes_forms = true},
    KernelEntry{.id = "csr_ahead",
                .format = Format::csr,
                .gpu = false,
                .file = "cpu/csr_ahead.hpp",
                .summary = "one row after another, x prefetched; vectors beyond a core's caches",
                .params = parameters<ahead, past_caches>,
                .steps = {{"csr_ahead", StepRule::per_thread}},
                .workspace = {},
                .takes_forms = true,
                .of_several = true},
    KernelEntry{
        .id = "csr_balanced",
        .format = Format::csr,
        .gpu = false,
        .file = "cpu/csr_balanced.hpp",
        .summary = "exactly balanced shares, long rows cut between threads; dense rows",
        .params = parameters<lanes_or_one, unroll, prefetch>,
        .steps = {{"csr_balanced", StepRule::per_thread}, {"csr_balanced_carry", StepRule::once}},
        .workspace = carries,
        .takes_forms = true},
    KernelEntry{
        .id = "coo_segmented",
        .format = Format::coo,
        .gpu = false,
        .file = "cpu/coo_segmented.hpp",
        .summary = "sorted triplets, exactly balanced shares; mostly empty rows",
        .params = parameters<lanes_or_one>,
        .steps = {{"coo_segmented", StepRule::per_thread}, {"coo_segmented_carry", StepRule::once}},
        .workspace = carries},
    KernelEntry{.id = "ell",
                .format = Format::ell,
                .gpu = false,
                .file = "cpu/ell.hpp",
                .summary = "a row a lane, one width for all; rows of one length",
                .params = parameters<lanes, unroll>,
                .steps = {{"ell", StepRule::per_thread}},
                .workspace = {}},
    KernelEntry{.id = "sell",
                .format = Format::sell,
                .gpu = false,
                .file = "cpu/sell.hpp",
                .summary = "SELL-C-σ, a row a lane, slices as wide as their longest row",
                .params = parameters<lanes, unroll, sigma, prefetch>,
                .steps = {{"sell", StepRule::per_thread}},
                .workspace = {},
                .takes_forms = true}};

}  // namespace

extern constexpr Family cpu_family{.formats = formats, .kernels = kernels};

}  // namespace spmvgen
