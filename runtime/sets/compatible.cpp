#include "sets/compatible.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace spmvgen {
namespace {

void add(std::vector<Target>& targets, Target target) {
    if (std::ranges::find(targets, target) == targets.end()) targets.push_back(std::move(target));
}

/// 90 of sm_90.
int capability(std::string_view arch) {
    int number = 0;
    std::from_chars(arch.data() + 3, arch.data() + arch.size(), number);
    return number;
}

void add_lower_levels(std::vector<Target>& targets, const Target& target) {
    const std::span<const Architecture> table = architectures();
    auto row = std::ranges::find(table, target.arch, &Architecture::name);
    // The table has the levels of a processor family in ascending order.
    while (row != table.begin() && std::prev(row)->triple == row->triple)
        add(targets, {.arch = std::string((--row)->name)});
}

void add_lower_capabilities(std::vector<Target>& targets, const Target& target, BinaryKind kind) {
    const int own = capability(target.arch);
    std::vector<int> lower;
    for (auto& row : architectures()) {
        const int number = row.kind == TargetKind::cuda ? capability(row.name) : own;
        if (number < own && (kind == BinaryKind::ptx || number / 10 == own / 10))
            lower.push_back(number);
    }
    std::ranges::sort(lower, std::greater());
    for (const int number : lower) {
        Target other = target;
        other.arch = "sm_" + std::to_string(number);
        add(targets, other);
    }
}

/// ":sramecc+:xnack-" → {":sramecc+", ":xnack-"}.
std::vector<std::string> settings(const std::string& features) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < features.size();) {
        const std::size_t end = std::min(features.find(':', at + 1), features.size());
        parts.push_back(features.substr(at, end - at));
        at = end;
    }
    return parts;
}

void add_fewer_settings(std::vector<Target>& targets, const Target& target) {
    Target other = target;
    const std::vector<std::string> parts = settings(target.features);
    if (parts.size() > 1)
        for (auto& part : parts) {
            other.features = part;
            add(targets, other);
        }
    other.features = "";
    add(targets, other);
}

}  // namespace

std::vector<Target> compatible_targets(const Target& target, BinaryKind kind) {
    std::vector<Target> targets{target};
    switch (architecture(target).kind) {
        case TargetKind::host: {
            Target untuned = target;
            untuned.tune.clear();
            add(targets, untuned);
            add_lower_levels(targets, target);
            break;
        }
        case TargetKind::cuda:
            if (kind == BinaryKind::cubin || kind == BinaryKind::ptx)
                add_lower_capabilities(targets, target, kind);
            break;
        case TargetKind::hip:
            add_fewer_settings(targets, target);
            if (target.device_memory) {  // code for any memory is right in the device's, too
                Target any = target;
                any.device_memory = false;
                add(targets, any);
                add_fewer_settings(targets, any);
            }
            break;
    }
    return targets;
}

}  // namespace spmvgen
