#include "registry.hpp"

#include <algorithm>
#include <array>

#include "registry_batch.hpp"
#include "registry_bcsr.hpp"
#include "registry_convert.hpp"
#include "registry_csr_k.hpp"
#include "registry_gpu.hpp"
#include "registry_light.hpp"
#include "registry_matrix_units.hpp"
#include "registry_permute.hpp"
#include "registry_strips.hpp"
#include "registry_strips_cpu.hpp"
#include "registry_tiles.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

// clang-format off
const Parameter lanes{"lanes", {2, 4, 8, 16}, 0, "elements of one vector; fitted to the vector register unless chosen"};
const Parameter lanes_or_one{"lanes", {1, 2, 4, 8, 16}, 0, "entries of one vector; 1 = one entry after another"};
const Parameter unroll{"unroll", {1, 2, 4}, 1, "vectors with an accumulator of their own"};
const Parameter sigma{"sigma", {1, 64, 256, 1024, 4096, 16384}, 1, "rows in a sorting window; 1 = unsorted"};
const std::vector<WorkspaceTemplate> carries{{"carry_row", "int64", 1, false},
                                             {"carry_sum", "value", 1, true},
                                             {"head_row", "int64", 1, false},
                                             {"head_sum", "value", 1, true}};

const std::array cpu_kernels{
    KernelEntry{.id = "csr_rows",
                .format = Format::csr,
                .gpu = false,
                .file = "cpu/csr_rows.hpp",
                .summary = "one row after another, scalar; short rows of any kind",
                .params = {},
                .steps = {{"csr_rows", StepRule::per_thread}},
                .workspace = {}},
    KernelEntry{.id = "csr_vector",
                .format = Format::csr,
                .gpu = false,
                .file = "cpu/csr_vector.hpp",
                .summary = "every row in vectors; longer rows",
                .params = {lanes, unroll},
                .steps = {{"csr_vector", StepRule::per_thread}},
                .workspace = {}},
    KernelEntry{.id = "csr_balanced",
                .format = Format::csr,
                .gpu = false,
                .file = "cpu/csr_balanced.hpp",
                .summary = "exactly balanced shares, long rows cut between threads; dense rows",
                .params = {lanes_or_one, unroll},
                .steps = {{"csr_balanced", StepRule::per_thread},
                          {"csr_balanced_carry", StepRule::once}},
                .workspace = carries},
    KernelEntry{.id = "coo_segmented",
                .format = Format::coo,
                .gpu = false,
                .file = "cpu/coo_segmented.hpp",
                .summary = "sorted triplets, exactly balanced shares; mostly empty rows",
                .params = {lanes_or_one},
                .steps = {{"coo_segmented", StepRule::per_thread},
                          {"coo_segmented_carry", StepRule::once}},
                .workspace = carries},
    KernelEntry{.id = "ell",
                .format = Format::ell,
                .gpu = false,
                .file = "cpu/ell.hpp",
                .summary = "a row a lane, one width for all; rows of one length",
                .params = {lanes, unroll},
                .steps = {{"ell", StepRule::per_thread}},
                .workspace = {}},
    KernelEntry{.id = "sell",
                .format = Format::sell,
                .gpu = false,
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
    if (!is_fitted(p)) return p.preset;
    const auto fitted = architecture(s.target).vector_bytes /
                        static_cast<std::int64_t>(size_of(accumulator_type(s)));
    return *std::prev(std::ranges::upper_bound(p.allowed, std::max(fitted, p.allowed.front())));
}

[[noreturn]] void refuse(const std::string& message) {
    throw Error(ErrorCode::invalid_argument, message);
}

std::string what_is_allowed(const Parameter& p) {
    if (p.range)
        return "a number from " + std::to_string(p.allowed.front()) + " to " +
               std::to_string(p.allowed.back());
    return "one of " + list(p.allowed, [](auto v) { return std::to_string(v); });
}

void check_types(Signature& s) {
    if (is_storage_only(s.value))
        refuse(std::string(to_string(s.value)) +
               " is a storage type: products are not computed with it; use value f32 and storage " +
               to_string(s.value));
    if (s.storage == s.value) s.storage.reset();
    if (s.storage && !is_narrower(*s.storage, s.value))
        refuse(std::string("storage type ") + to_string(*s.storage) +
               " is not a narrower type of the numbers that value type " + to_string(s.value) +
               " has: use f16 or bf16 for f32; these or f32 for f64; c32 for c64");
    if (s.accumulator == s.value) s.accumulator.reset();
    if (s.accumulator && !is_narrower(s.value, *s.accumulator))
        refuse(std::string("accumulator type ") + to_string(*s.accumulator) +
               " is not wider than value type " + to_string(s.value) +
               ": use f64 for f32, c64 for c32, or leave it out");
}

/// Sums that are wider than y cannot be added to it atomically: kernels that do so take them in
/// their deterministic form only.
void check_accumulator(Signature& s, const KernelEntry& entry) {
    if (!s.accumulator || entry.determinism == Determinism::always) return;
    const bool atomics = entry.determinism == Determinism::never ||
                         s.params.try_emplace("deterministic", 1).first->second != 1;
    if (!atomics) return;
    refuse("kernel " + s.kernel + " adds " + to_string(*s.accumulator) + " sums to " +
           to_string(s.value) + " elements of y atomically, which would round each: " +
           (entry.determinism == Determinism::never
                ? "leave the accumulator type out, or use a kernel that does not transpose"
                : "use parameter deterministic=1, or leave the accumulator type out"));
}

/// A block whose size is a product of parameters: whole warps, and no more than a device takes.
void check_block(const Signature& s, const KernelEntry& entry) {
    for (auto& step : entry.steps) {
        if (step.block == nullptr) continue;
        const int threads = step.block(s);
        if (threads < 32 || threads > 1024 || threads % 32 != 0)
            refuse("kernel " + s.kernel + " would have blocks of " + std::to_string(threads) +
                   " threads: use parameters that give a multiple of 32 up to 1024");
    }
}

}  // namespace

std::span<const KernelEntry> kernel_registry() {
    static const std::vector<KernelEntry> registry = [] {
        std::vector<KernelEntry> all(cpu_kernels.begin(), cpu_kernels.end());
        for (auto& entry : gpu_kernels()) all.push_back(entry);
        for (auto& entry : light_and_transposing_kernels()) all.push_back(entry);
        for (auto& entry : csr_k_kernels()) all.push_back(entry);
        for (auto& entry : batch_kernels()) all.push_back(entry);
        for (auto& entry : bcsr_kernels()) all.push_back(entry);
        for (auto& entry : matrix_unit_kernels()) all.push_back(entry);
        for (auto& entry : strips_kernels()) all.push_back(entry);
        for (auto& entry : tiles_kernels()) all.push_back(entry);
        for (auto& entry : strips_cpu_kernels()) all.push_back(entry);
        return all;
    }();
    return registry;
}

const KernelEntry& kernel_entry(std::string_view id) {
    for (auto& entry : kernel_registry())
        if (entry.id == id) return entry;
    for (auto& entry : helper_kernels())
        if (entry.id == id) return entry;
    for (auto& entry : conversion_kernels())
        if (entry.id == id) return entry;
    refuse("unknown kernel '" + std::string(id) + "': use one of " +
           list(kernel_registry(), [](auto& e) { return e.id; }));
}

bool is_fitted(const Parameter& p) {
    return p.preset == 0 && p.name == "lanes";
}

bool allows(const Parameter& p, std::int64_t value) {
    if (p.range) return value >= p.allowed.front() && value <= p.allowed.back();
    return std::ranges::binary_search(p.allowed, value);
}

bool overlaps_launches(const StepTemplate& step, const Signature& signature) {
    return step.overlaps && architecture(signature.target).gpu.overlaps_launches;
}

int rhs_group(const Signature& s) {
    constexpr int most_bytes = 32;
    int group = 1;
    for (int n = 1; n * static_cast<int>(size_of(accumulator_type(s))) <= most_bytes; ++n)
        if (s.num_rhs % n == 0) group = n;
    return group;
}

Signature complete(Signature s) {
    const KernelEntry& entry = kernel_entry(s.kernel);
    const Architecture& machine = architecture(s.target);
    if ((machine.kind != TargetKind::host) != entry.gpu)
        refuse("kernel " + s.kernel + " is not for " + s.target.arch + ": it is for " +
               (entry.gpu ? "GPUs" : "CPUs"));
    check_types(s);
    check_accumulator(s, entry);
    if (s.num_rhs < 1 || s.num_rhs > 64)
        refuse("number of right-hand sides " + std::to_string(s.num_rhs) + " is outside 1…64");
    for (auto& p : entry.params) {
        auto [it, absent] = s.params.try_emplace(std::string(p.name), 0);
        if (absent) it->second = preset(p, s);
        if (!allows(p, it->second))
            refuse("parameter " + it->first + "=" + std::to_string(it->second) + " of kernel " +
                   s.kernel + ": use " + what_is_allowed(p));
        if (p.within_wavefront && it->second > s.target.wavefront)
            refuse("parameter " + it->first + "=" + std::to_string(it->second) + " of kernel " +
                   s.kernel + " is wider than a wavefront of " + to_string(s.target) + ": " +
                   std::to_string(s.target.wavefront));
    }
    for (auto& [name, value] : s.params)
        if (std::ranges::none_of(entry.params, [&](auto& p) { return p.name == name; }))
            refuse("kernel " + s.kernel + " has no parameter '" + name + "'" +
                   (entry.params.empty() ? "" : ": use " + list(entry.params, [](auto& p) {
                                                    return p.name;
                                                })));
    check_block(s, entry);
    if (entry.batch) check_batch(s);
    if (const std::string why = entry.refuses != nullptr ? entry.refuses(s) : ""; !why.empty())
        refuse("kernel " + s.kernel + " " + why);
    if (entry.format == Format::tiles && !is_conversion(s.kernel)) check_tiles(s);
    return s;
}

}  // namespace spmvgen
