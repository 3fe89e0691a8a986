#include "registry.hpp"

#include <algorithm>
#include <unordered_map>

#include "family.hpp"
#include "registry_convert.hpp"
#include "registry_permute.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

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

/// Whether a signature whose parameters are given adds sums to y atomically.
bool adds_atomically(const Signature& s, const KernelEntry& entry) {
    return entry.determinism == Determinism::never ||
           (entry.determinism == Determinism::by_parameter && s.params.at("deterministic") != 1);
}

/// What y's memory is matters only where it changes the code.
void settle_memory(Signature& s, const KernelEntry& entry) {
    const std::size_t bytes = size_of(s.value) / (is_complex(s.value) ? 2 : 1);
    s.target.device_memory = s.target.device_memory && adds_atomically(s, entry) &&
                             adds_natively_in_device_memory(s.target, bytes);
}

/// Sums that are wider than y cannot be added to it atomically: kernels that do so take them in
/// their deterministic form only.
void check_accumulator(Signature& s, const KernelEntry& entry) {
    if (!s.accumulator || entry.determinism == Determinism::always) return;
    if (entry.determinism == Determinism::by_parameter) s.params.try_emplace("deterministic", 1);
    if (!adds_atomically(s, entry)) return;
    refuse("kernel " + s.kernel + " adds " + to_string(*s.accumulator) + " sums to " +
           to_string(s.value) + " elements of y atomically, which would round each: " +
           (entry.determinism == Determinism::never
                ? "leave the accumulator type out, or use a kernel that does not transpose"
                : "use parameter deterministic=1, or leave the accumulator type out"));
}

void check_forms(const Signature& s, const KernelEntry& entry) {
    if (s.x_form == VectorForm::dense && s.y_form == VectorForm::dense) return;
    const std::string form = s.x_form != VectorForm::dense
                                 ? std::string("x of form ") + to_string(s.x_form)
                                 : std::string("y of form ") + to_string(s.y_form);
    if (!entry.takes_forms) {
        std::vector<std::string_view> others;
        for (auto& e : kernel_registry())
            if (e.takes_forms && e.gpu == entry.gpu) others.push_back(e.id);
        refuse("kernel " + s.kernel + " takes no " + form + ": use dense, or kernel " +
               list(others, [](auto id) { return id; }));
    }
    if (s.num_rhs == 1) refuse("a single right-hand side has no " + form + ": use dense");
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

const ArgumentTemplate* find_in(std::span<const ArgumentTemplate> table, std::string_view name) {
    const auto found = std::ranges::find(table, name, &ArgumentTemplate::name);
    return found != table.end() ? &*found : nullptr;
}

}  // namespace

std::span<const KernelEntry> kernel_registry() {
    static const std::vector<KernelEntry> registry = [] {
        std::vector<KernelEntry> all;
        for (auto& family : families())
            all.insert(all.end(), family.kernels.begin(), family.kernels.end());
        return all;
    }();
    return registry;
}

std::span<const FormatEntry> format_registry() {
    static const std::vector<FormatEntry> registry = [] {
        std::vector<FormatEntry> all;
        for (auto& family : families())
            all.insert(all.end(), family.formats.begin(), family.formats.end());
        return all;
    }();
    return registry;
}

const FormatEntry& format_entry(Format format) {
    for (auto& entry : format_registry())
        if (entry.format == format) return entry;
    throw Error(ErrorCode::internal,
                std::string("no family describes format ") + to_string(format));
}

Format parse_format(std::string_view text) {
    for (auto& entry : format_registry())
        if (text == to_string(entry.format)) return entry.format;
    refuse("unknown format '" + std::string(text) + "': use one of " + format_names());
}

std::string format_names() {
    return list(format_registry(), [](auto& entry) { return to_string(entry.format); });
}

const ArgumentTemplate* find_argument(const KernelEntry& entry, std::string_view name) {
    if (auto* own = find_in(entry.arguments, name)) return own;
    if (auto* of_format = find_in(format_entry(entry.format).arguments, name)) return of_format;
    return find_in(common_arguments, name);
}

const ArgumentTemplate& argument_of(const KernelEntry& entry, std::string_view name) {
    if (auto* argument = find_argument(entry, name)) return *argument;
    throw Error(ErrorCode::internal, "kernel " + std::string(entry.id) +
                                         ": nothing is known of argument '" + std::string(name) +
                                         "': add it to the arguments of the kernel or of format " +
                                         to_string(entry.format) + " (templates/families)");
}

bool may_change(const KernelEntry& entry, std::string_view name) {
    const auto space = std::ranges::find(entry.workspace, name, &WorkspaceTemplate::name);
    if (space != entry.workspace.end()) return space->may_change;
    const ArgumentTemplate* argument = find_argument(entry, name);
    return argument != nullptr && argument->may_change;
}

const KernelEntry& plain_kernel(bool gpu) {
    return *std::ranges::find_if(kernel_registry(),
                                 [&](auto& k) { return k.plain && k.gpu == gpu; });
}

const KernelEntry& transposing_kernel(bool gpu) {
    return *std::ranges::find_if(kernel_registry(),
                                 [&](auto& k) { return k.transposes && k.gpu == gpu; });
}

const KernelEntry& kernel_entry(std::string_view id) {
    static const auto by_id = [] {
        std::unordered_map<std::string_view, const KernelEntry*> entries;
        for (auto& entry : kernel_registry()) entries.emplace(entry.id, &entry);
        return entries;
    }();
    if (const auto found = by_id.find(id); found != by_id.end()) return *found->second;
    for (const auto& helpers : {helper_kernels(), conversion_kernels()})
        if (const auto found = std::ranges::find(helpers, id, &KernelEntry::id);
            found != helpers.end())
            return *found;
    refuse("unknown kernel '" + std::string(id) + "': use one of " +
           list(kernel_registry(), [](auto& e) { return e.id; }));
}

bool is_fitted(const Parameter& p) {
    return p.preset == 0 && p.name == "lanes";
}

std::string values_text(const Parameter& p) {
    if (p.range) return std::to_string(p.allowed.front()) + ".." + std::to_string(p.allowed.back());
    std::string text;
    for (const std::int64_t value : p.allowed)
        text += (text.empty() ? "" : ",") + std::to_string(value);
    return text;
}

std::string preset_text(const Parameter& p) {
    return is_fitted(p) ? "fitted to the vector width" : std::to_string(p.preset);
}

bool allows(const Parameter& p, std::int64_t value) {
    if (p.range) return value >= p.allowed.front() && value <= p.allowed.back();
    return std::ranges::binary_search(p.allowed, value);
}

bool has_fixed_rows(const KernelEntry& entry) {
    return std::ranges::none_of(entry.workspace, &WorkspaceTemplate::zeroed);
}

bool overlaps_launches(const StepTemplate& step, const Signature& signature) {
    // α and β may be what the launch ahead writes.
    const bool reads_scalars = signature.alpha == Scale::device || signature.beta == Scale::device;
    return step.overlaps && !reads_scalars && architecture(signature.target).gpu.overlaps_launches;
}

double compile_effort(const Signature& signature) {
    auto* const effort = kernel_entry(signature.kernel).effort;
    return effort != nullptr && signature.alpha != Scale::zero ? effort(signature) : 1;
}

namespace {

constexpr int load_bytes = 16;      ///< that one instruction of a lane moves at most
constexpr int lanes_of_a_line = 8;  ///< that move 128 bytes at once

/// What one instruction of a lane moves of a row of x, in numbers: 16 bytes where the dialect loads
/// them at once, which it does of real numbers, or as much less as divides the row evenly.
int numbers_of_a_load(const Signature& s) {
    int numbers = is_complex(s.value) ? 1 : load_bytes / static_cast<int>(size_of(s.value));
    while (s.num_rhs % numbers != 0) numbers /= 2;
    return numbers;
}

/// Pieces of a row of x that a lane moves at once, the last of which may be shorter.
int pieces_of_a_row(const Signature& s) {
    if (is_complex(s.value)) return s.num_rhs;
    const int row = s.num_rhs * static_cast<int>(size_of(s.value));
    return (row + load_bytes - 1) / load_bytes;
}

/// Whether lanes share blocks: each has the sums of all rows of a block, and hands on all values.
bool shares_dense_blocks(const Signature& s) {
    return s.params.contains("block_rows");
}

/// Lanes that a kernel's lanes may share an entry among: 8 move a line of 128 bytes at once. A
/// subwarp of 16 moves two, where rows of x have as many, and where a lane that had pieces of both
/// would have too few registers for sums.
int most_sharing(const Signature& s) {
    constexpr int two_lines = 2 * lanes_of_a_line;
    const auto shares = kernel_entry(s.kernel).shares_entries;
    if (shares == nullptr || !shares(s)) return 1;
    const int subwarp = static_cast<int>(s.params.at("subwarp")), pieces = pieces_of_a_row(s);
    const bool has_two =
        subwarp == two_lines &&
        (pieces >= two_lines || (shares_dense_blocks(s) && pieces > lanes_of_a_line));
    return has_two ? two_lines : std::min(lanes_of_a_line, subwarp);
}

constexpr int most_bytes_of_sums = 32;  ///< that a lane has registers for

/// The most of `numbers` that divide it, whose sums a lane has registers for.
int most_sums(const Signature& s, int numbers, int of) {
    int group = of;
    for (int n = of; n * static_cast<int>(size_of(accumulator_type(s))) <= most_bytes_of_sums;
         n += of)
        if (numbers % n == 0) group = n;
    return group;
}

/// How right-hand sides are shared out: lanes that share an entry, and numbers of each.
struct Sharing {
    int lanes = 1;
    int group = 1;
};

/// The fewest lanes, a power of two up to `most`, that have a part each of `parts`.
int lanes_for(int parts, int most) {
    int lanes = 1;
    while (2 * lanes <= most && lanes < parts) lanes *= 2;
    return lanes;
}

/// As many lanes as a row of x has loads, so that one instruction moves all of it, up to a line. In
/// a row that they do not divide the last lanes have fewer numbers than others. Of blocks, all
/// values are handed on to each lane: where shorter loads would take 8, they are as many as for
/// loads of 16 bytes. Rows whose sums they have no registers for are cut evenly.
Sharing sharing_of(const Signature& s) {
    const int each = numbers_of_a_load(s), loads = s.num_rhs / each, most = most_sharing(s);
    int lanes = lanes_for(loads, most);
    if (shares_dense_blocks(s) && lanes == lanes_of_a_line)
        lanes = lanes_for(pieces_of_a_row(s), most);
    const int group = (loads + lanes - 1) / lanes * each;
    if (most > 1 && group * static_cast<int>(size_of(accumulator_type(s))) <= most_bytes_of_sums)
        return {lanes, group};
    while (loads % lanes != 0) lanes /= 2;
    return {lanes, most_sums(s, s.num_rhs / lanes, lanes == 1 ? 1 : each)};
}

}  // namespace

int rhs_lanes(const Signature& s) {
    return sharing_of(s).lanes;
}

int rhs_group(const Signature& s) {
    return kernel_entry(s.kernel).scales ? sharing_of(s).group
                                         : s.num_rhs;  // else moved, not summed
}

int rhs_of_a_load(const Signature& s) {
    int numbers = numbers_of_a_load(s);
    while (rhs_group(s) % numbers != 0) numbers /= 2;
    return numbers;
}

Signature complete(Signature s) {
    const KernelEntry& entry = kernel_entry(s.kernel);
    const Architecture& machine = architecture(s.target);
    if ((machine.kind != TargetKind::host) != entry.gpu)
        refuse("kernel " + s.kernel + " is not for " + s.target.arch + ": it is for " +
               (entry.gpu ? "GPUs" : "CPUs"));
    if (!entry.gpu && (s.alpha == Scale::device || s.beta == Scale::device))
        refuse("α and β in a device's memory are for kernels of GPUs, which " + s.kernel +
               " is not: use general");
    check_types(s);
    check_accumulator(s, entry);
    if (s.num_rhs < 1 || s.num_rhs > 64)
        refuse("number of right-hand sides " + std::to_string(s.num_rhs) + " is outside 1…64");
    check_forms(s, entry);
    for (auto& p : entry.params) {
        auto [it, absent] = s.params.try_emplace(p.name, 0);
        if (absent) it->second = preset(p, s);
        if (!allows(p, it->second))
            refuse("parameter " + it->first.str() + "=" + std::to_string(it->second) +
                   " of kernel " + s.kernel + ": use " + what_is_allowed(p));
        if (p.within_wavefront && it->second > s.target.wavefront)
            refuse("parameter " + it->first.str() + "=" + std::to_string(it->second) +
                   " of kernel " + s.kernel + " is wider than a wavefront of " +
                   to_string(s.target) + ": " + std::to_string(s.target.wavefront));
    }
    // All of the kernel's own are there.
    const bool has_others = s.params.size() > entry.params.size();
    for (auto& [name, value] : s.params)
        if (has_others &&
            std::ranges::none_of(entry.params, [&](auto& p) { return p.name == name; }))
            refuse("kernel " + s.kernel + " has no parameter '" + name.str() + "'" +
                   (entry.params.empty() ? "" : ": use " + list(entry.params, [](auto& p) {
                                                    return p.name.view();
                                                })));
    settle_memory(s, entry);
    check_block(s, entry);
    if (const std::string why = entry.refuses != nullptr ? entry.refuses(s) : ""; !why.empty())
        refuse("kernel " + s.kernel + " " + why);
    if (entry.check != nullptr) entry.check(s);
    return s;
}

}  // namespace spmvgen
