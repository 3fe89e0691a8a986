#include "tuner/learned_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "process/log.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

double over(double a, double b) {
    return b > 0 ? a / b : 0;
}
double real(std::int64_t n) {
    return static_cast<double>(n);
}
int threads(const Request& r) {
    return architecture(r.target).kind == TargetKind::host ? std::max(r.threads, 1) : 1;
}
/// Megabytes of entries, column indices included; of a CPU for each thread.
double megabytes(const RowFeatures& f, const Request& r) {
    const auto entry = static_cast<double>(size_of(stored_type(r, f.value_type)) + 4);
    return real(f.nnz) * entry / threads(r) / 1e6;
}

using F = RowFeatures;
using R = Request;
constexpr std::array features{
    TreeFeature{"rows", "rows", [](const F& f, const R&) { return real(f.rows); }},
    TreeFeature{"nnz", "entries", [](const F& f, const R&) { return real(f.nnz); }},
    TreeFeature{"mb", "MB of entries", megabytes},
    TreeFeature{"mean_row", "mean row", [](const F& f, const R&) { return f.mean_row; }},
    TreeFeature{"max_row", "longest row", [](const F& f, const R&) { return real(f.max_row); }},
    TreeFeature{"max_over_mean", "longest over mean row",
                [](const F& f, const R&) { return over(real(f.max_row), f.mean_row); }},
    TreeFeature{
        "max_share", "longest row over a thread's share",
        [](const F& f, const R& r) { return over(real(f.max_row) * threads(r), real(f.nnz)); }},
    TreeFeature{"variation", "variation of the rows' lengths",
                [](const F& f, const R&) { return over(std::sqrt(f.variance_row), f.mean_row); }},
    TreeFeature{"empty_share", "share of empty rows",
                [](const F& f, const R&) { return over(real(f.empty_rows), real(f.rows)); }},
    TreeFeature{"p99_over_mean", "99th percentile over mean row",
                [](const F& f, const R&) { return over(real(f.row_p99), f.mean_row); }},
    TreeFeature{"padding8", "padding in slices of 8",
                [](const F& f, const R&) { return f.sell_padding.front(); }},
    TreeFeature{"padding", "padding in slices of 32",
                [](const F& f, const R&) { return f.sell_padding.back(); }},
    TreeFeature{"sorted_padding8", "padding in sorted slices of 8",
                [](const F& f, const R&) { return f.sell_sorted_padding.front(); }},
    TreeFeature{"sorted_padding", "padding in sorted slices of 32",
                [](const F& f, const R&) { return f.sell_sorted_padding.back(); }},
    TreeFeature{"ell_padding", "padding to the longest row",
                [](const F& f, const R&) { return f.ell_padding; }},
    TreeFeature{"value_bytes", "bytes of a value", [](const F& f, const R& r) {
                    return real(static_cast<std::int64_t>(size_of(stored_type(r, f.value_type))));
                }}};

/// Without what a target ID switches on or off, and what a CPU is tuned for.
std::string_view bare(std::string_view arch) {
    return arch.substr(0, arch.find(':'));
}

RecordDevice device_of(const Request& request) {
    return record_device(request.target, request.device);
}

/// Whether trees are for such a request at all.
bool is_plain(const Request& r, ValueType value) {
    return r.format == "auto" && r.kernel == "auto" && r.params.empty() && r.num_rhs == 1 &&
           r.op == Op::none && !r.deterministic && !r.batch && r.epilogue.empty() &&
           vectors_type(r, value) == value && stored_type(r, value) == value &&
           sums_type(r, value) == value;
}

bool knows(const LearnedRule& rule, ValueType value) {
    return std::ranges::find(rule.values, value) != rule.values.end();
}

std::string number(double value) {
    return std::abs(value) >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

/// What the way to a leaf asked: of several questions about one figure only those that bind.
struct Answer {
    const TreeFeature* feature;
    bool less;
    double limit;
};

void add_answer(std::vector<Answer>& way, const Answer& answer) {
    const auto same = std::ranges::find_if(
        way, [&](const Answer& a) { return a.feature == answer.feature && a.less == answer.less; });
    same != way.end() ? void(*same = answer) : way.push_back(answer);
}

std::string leaf_text(const TreeNode& leaf, const FoundRule& found) {
    std::string params;
    for (auto& [name, value] : leaf.params) params += fmt::format(" {}={}", name, value);
    constexpr std::array where{"", ", of the same architecture", ", of the same vendor"};
    return fmt::format("{}{} ({:.0f} % above the best in the mean of {} {}, learned on {}{})",
                       leaf.kernel, params, 100 * (leaf.mean - 1), leaf.matrices,
                       leaf.matrices == 1 ? "matrix" : "matrices", found.rule->device.name,
                       where[static_cast<std::size_t>(found.nearness)]);
}

}  // namespace

std::span<const TreeFeature> tree_features() {
    return features;
}

std::vector<LearnedRule> read_learned_rules(std::span<const TuningFile> files,
                                            std::vector<std::string>& warnings) {
    std::vector<LearnedRule> rules;
    for (auto& file : files) try {
            rules.push_back(parse_learned_rule(file.readable_text()));
            rules.back().file = file.label();
        } catch (const Error& error) {
            warnings.push_back(
                fmt::format("tuning file {} is left out: {}", file.name, error.what()));
        }
    return rules;
}

std::span<const LearnedRule> learned_rules() {
    static const std::vector<LearnedRule> rules = [] {
        std::vector<std::string> warnings;
        std::vector<LearnedRule> read = read_learned_rules(tuning_files("rule-"), warnings);
        Log log;
        for (auto& warning : warnings) log.warn(warning);
        return read;
    }();
    return rules;
}

FoundRule find_learned_rule(std::span<const LearnedRule> rules, const Request& request,
                            ValueType value) {
    FoundRule found;
    if (!is_plain(request, value)) return found;
    const bool gpu = architecture(request.target).kind != TargetKind::host;
    const RecordDevice device = device_of(request);
    for (auto& rule : rules) {
        if (!knows(rule, value) || rule.device.vendor != device.vendor) continue;
        if (!gpu && (request.threads < rule.least_threads || request.threads > rule.most_threads))
            continue;
        const bool same_arch = bare(rule.device.arch) == bare(device.arch);
        const bool same = same_arch && rule.device.name == device.name;
        const Nearness nearness = same        ? Nearness::device
                                  : same_arch ? Nearness::architecture
                                              : Nearness::vendor;
        if (found.rule == nullptr || nearness < found.nearness) found = {&rule, nearness};
    }
    return found;
}

Pick pick_learned(const FoundRule& found, const RowFeatures& features, const Request& request) {
    std::vector<Answer> way;
    const TreeNode* node = found.rule->nodes.data();
    while (node->feature != nullptr) {
        const bool less = node->feature->of(features, request) < node->below;
        add_answer(way, {node->feature, less, node->below});
        node = &found.rule->nodes[less ? node->less : node->not_less];
    }
    if (node->kernel == hand_written) return {};
    std::string reason;
    for (auto& [feature, less, limit] : way)
        reason +=
            fmt::format("{}{} {} {} {}", reason.empty() ? "" : ", ", feature->words,
                        number(feature->of(features, request)), less ? "<" : "≥", number(limit));
    reason += fmt::format("{}{}", reason.empty() ? "" : ": ", leaf_text(*node, found));
    return {node->kernel, std::move(reason), node->params};
}

std::vector<const TreeNode*> possible_leaves(std::span<const LearnedRule> rules,
                                             const Request& request, ValueType value) {
    std::vector<const TreeNode*> leaves;
    if (!is_plain(request, value)) return leaves;
    const RecordDevice device = device_of(request);
    for (auto& rule : rules) {
        if (!knows(rule, value) || rule.device.vendor != device.vendor) continue;
        for (auto& node : rule.nodes)
            if (node.feature == nullptr && node.kernel != hand_written) leaves.push_back(&node);
    }
    return leaves;
}

}  // namespace spmvgen
