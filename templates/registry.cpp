#include "registry.hpp"

#include <algorithm>
#include <array>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

// clang-format off
const Parameter lanes{"lanes", {2, 4, 8, 16}, 0, "elements of one vector; fitted to the vector register unless chosen"};
const Parameter lanes_or_one{"lanes", {1, 2, 4, 8, 16}, 0, "entries of one vector; 1 = one entry after another"};
const Parameter unroll{"unroll", {1, 2, 4}, 1, "vectors with an accumulator of their own"};
const Parameter sigma{"sigma", {1, 64, 256, 1024, 4096, 16384}, 1, "rows in a sorting window; 1 = unsorted"};
const std::vector<WorkspaceTemplate> carries{{"carry_row", "int64", 1, false},
                                             {"carry_sum", "value", 1, true}};

const std::array registry{
    KernelEntry{.id = "csr_rows",
                .format = Format::csr,
                .kind = TargetKind::host,
                .file = "cpu/csr_rows.hpp",
                .summary = "one row after another, scalar; short rows of any kind",
                .params = {},
                .steps = {{"csr_rows", StepRule::per_thread}},
                .workspace = {}},
    KernelEntry{.id = "csr_vector",
                .format = Format::csr,
                .kind = TargetKind::host,
                .file = "cpu/csr_vector.hpp",
                .summary = "every row in vectors; longer rows",
                .params = {lanes, unroll},
                .steps = {{"csr_vector", StepRule::per_thread}},
                .workspace = {}},
    KernelEntry{.id = "csr_balanced",
                .format = Format::csr,
                .kind = TargetKind::host,
                .file = "cpu/csr_balanced.hpp",
                .summary = "exactly balanced shares, long rows cut between threads; dense rows",
                .params = {lanes_or_one, unroll},
                .steps = {{"csr_balanced", StepRule::per_thread},
                          {"csr_balanced_carry", StepRule::once}},
                .workspace = carries},
    KernelEntry{.id = "coo_segmented",
                .format = Format::coo,
                .kind = TargetKind::host,
                .file = "cpu/coo_segmented.hpp",
                .summary = "sorted triplets, exactly balanced shares; mostly empty rows",
                .params = {lanes_or_one},
                .steps = {{"coo_segmented", StepRule::per_thread},
                          {"coo_segmented_carry", StepRule::once}},
                .workspace = carries},
    KernelEntry{.id = "ell",
                .format = Format::ell,
                .kind = TargetKind::host,
                .file = "cpu/ell.hpp",
                .summary = "a row a lane, one width for all; rows of one length",
                .params = {lanes, unroll},
                .steps = {{"ell", StepRule::per_thread}},
                .workspace = {}},
    KernelEntry{.id = "sell",
                .format = Format::sell,
                .kind = TargetKind::host,
                .file = "cpu/sell.hpp",
                .summary = "SELL-C-σ, a row a lane, slices as wide as their longest row",
                .params = {lanes, unroll, sigma},
                .steps = {{"sell", StepRule::per_thread}},
                .workspace = {}},
};
// clang-format on

template <typename Range, typename Name>
std::string list(const Range& range, Name name) {
    std::string text;
    for (auto& x : range) text += (text.empty() ? "" : ", ") + std::string(name(x));
    return text;
}

std::int64_t preset(const Parameter& p, const Signature& s) {
    if (p.preset != 0) return p.preset;
    const auto fitted =
        architecture(s.target).vector_bytes / static_cast<std::int64_t>(size_of(s.value));
    return *std::prev(std::ranges::upper_bound(p.allowed, std::max(fitted, p.allowed.front())));
}

[[noreturn]] void refuse(const std::string& message) {
    throw Error(ErrorCode::invalid_argument, message);
}

}  // namespace

std::span<const KernelEntry> kernel_registry() {
    return registry;
}

const KernelEntry& kernel_entry(std::string_view id) {
    for (auto& entry : registry)
        if (entry.id == id) return entry;
    refuse("unknown kernel '" + std::string(id) + "': use one of " +
           list(registry, [](auto& e) { return e.id; }));
}

Signature complete(Signature s) {
    const KernelEntry& entry = kernel_entry(s.kernel);
    if (architecture(s.target).kind != entry.kind)
        refuse("kernel " + s.kernel + " is not for " + s.target.arch);
    if (s.num_rhs < 1 || s.num_rhs > 64)
        refuse("number of right-hand sides " + std::to_string(s.num_rhs) + " is outside 1…64");
    for (auto& p : entry.params) {
        auto [it, absent] = s.params.try_emplace(std::string(p.name), 0);
        if (absent) it->second = preset(p, s);
        if (!std::ranges::binary_search(p.allowed, it->second))
            refuse("parameter " + it->first + "=" + std::to_string(it->second) + " of kernel " +
                   s.kernel + ": use one of " +
                   list(p.allowed, [](auto v) { return std::to_string(v); }));
    }
    for (auto& [name, value] : s.params)
        if (std::ranges::none_of(entry.params, [&](auto& p) { return p.name == name; }))
            refuse("kernel " + s.kernel + " has no parameter '" + name + "'" +
                   (entry.params.empty() ? "" : ": use " + list(entry.params, [](auto& p) {
                                                    return p.name;
                                                })));
    return s;
}

}  // namespace spmvgen
