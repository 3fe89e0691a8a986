#include "tuner/rules/possible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "spmvgen/error.hpp"
#include "tuner/plan/kernel_plan.hpp"
#include "tuner/rules/batch_rules.hpp"
#include "tuner/rules/choose.hpp"
#include "tuner/rules/rules.hpp"

namespace spmvgen {
namespace {

/// Blocked CSR cannot; where the matrix led to it, what row lengths alone suggest is the fallback.
bool can_be_listed(const KernelEntry& entry) {
    return !plan_of(entry.id).unlisted;
}

/// The kernels that the rules may pick among those.
std::vector<const KernelEntry*> possible_kernels(const std::vector<const KernelEntry*>& among,
                                                 const RuleSet& set) {
    if (among.size() == 1) return among;
    std::vector<const KernelEntry*> found;
    const auto add = [&](const KernelEntry* entry) {
        if (std::ranges::find(found, entry) == found.end()) found.push_back(entry);
    };
    for (auto& rule : set.by_matrix)
        for (auto& id : rule.kernels)
            if (const KernelEntry* entry = find_kernel(among, id); entry && can_be_listed(*entry))
                add(entry);
    for (auto& rule : set.rules) {
        bool all = true;  // of the rule's kernels are free
        for (auto& id : rule.kernels) {
            if (id.empty()) continue;
            const KernelEntry* entry = find_kernel(among, id);
            entry != nullptr ? add(entry) : void(all = false);
        }
        if (rule.always && all) return found;
    }
    add(among.front());  // what choose() takes when no rule applies
    return found;
}

/// The signatures with every pair of index types that the request leaves open, in order.
std::vector<Signature> with_index_types(const std::vector<Signature>& signatures,
                                        const Request& request) {
    constexpr IndexType types[] = {IndexType::i32, IndexType::i64};
    std::map<std::string, Signature> all;
    for (Signature s : signatures)
        for (const IndexType index : types)
            for (const IndexType offset : types) {
                s.index = request.csr_index.value_or(index);
                s.offset = request.csr_offset.value_or(offset);
                all.emplace(kernel_name(s), s);
            }
    std::vector<Signature> list;
    for (auto& [name, s] : all) list.push_back(std::move(s));
    return list;
}

}  // namespace

std::vector<Signature> possible_choices(const Request& request, ValueType value) {
    const RuleSet set =
        architecture(request.target).kind == TargetKind::host ? cpu_rules() : gpu_rules();
    std::vector<Signature> signatures;
    for (auto* entry : possible_kernels(candidates(request), set))
        for (auto& params : all_planned_params(*entry, request, value))
            signatures.push_back(signature_for(*entry, request, value, params));
    return with_index_types(signatures, request);
}

std::vector<Signature> possible_batch_choices(const Request& asked, ValueType value) {
    Request request = asked;
    request.batch = true;
    std::vector<Signature> signatures;
    for (auto* entry : candidates(request)) {
        if (!may_pick_batch_kernel(*entry, request)) continue;
        for (auto& params : possible_batch_params(*entry, request, value))
            signatures.push_back(signature_for(*entry, request, value, params));
    }
    return with_index_types(signatures, request);
}

std::vector<Modes> handle_modes(TargetKind kind, bool has_epilogue) {
    constexpr Scale scales[] = {Scale::zero, Scale::one, Scale::general};
    std::vector<Modes> modes;
    for (const Scale alpha : {Scale::one, Scale::general})
        for (const Scale beta : scales) modes.push_back({alpha, beta});
    // A CPU's handle scales y by itself; y = y is nothing to do.
    if (kind == TargetKind::host) return modes;
    for (const Scale beta : scales)
        if (beta != Scale::one || has_epilogue) modes.push_back({Scale::zero, beta});
    return modes;
}

}  // namespace spmvgen
