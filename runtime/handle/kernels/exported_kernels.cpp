// Kernels as bytes: what a provider gives away and takes in (spmvgen/kernels.hpp).
#include <algorithm>
#include <set>

#include "handle/kernels/kernel_provider.hpp"
#include "sets/exported.hpp"

namespace spmvgen {
namespace {

/// The binaries of all kernels that were loaded. Takes one lock after another: a kernel that is
/// being made holds its own for long.
template <typename Table, typename Binaries>
void collect(Table& table, Binaries& binaries) {
    using Slot = typename decltype(table.slots)::mapped_type::element_type;
    std::vector<Slot*> slots;
    {
        const std::lock_guard lock(table.mutex);
        for (auto& [name, slot] : table.slots) slots.push_back(slot.get());
    }
    for (Slot* slot : slots) {
        const std::lock_guard lock(slot->mutex);
        if (slot->binary != nullptr) binaries.push_back(slot->binary);
    }
}

}  // namespace

std::string KernelProvider::export_kernels() {
    std::vector<std::shared_ptr<const KernelBinary>> binaries;
    collect(host_, binaries);
    std::vector<Table<GpuKernel>*> tables;  // a table stays where it is
    {
        const std::lock_guard lock(mutex_);
        for (auto& [device, table] : gpus_) tables.push_back(&table);
    }
    for (auto* table : tables) collect(*table, binaries);
    SetEntries entries;
    for (auto& named : imported())
        for (std::size_t i = 0; i < named.set->size(); ++i)
            if (why_no_entry(*named.set, i).empty())
                entries.emplace(named.set->digest(i), named.set->entry(i));
    for (auto& binary : binaries) add_entry(entries, *binary);
    return encode_set(header_for(entries, "exported"), entries);
}

ImportReport KernelProvider::import_kernels(std::string blob) {
    ImportReport report;
    const auto reject = [&](const std::string& reason) {
        ++report.rejected;
        if (std::ranges::find(report.reasons, reason) == report.reasons.end())
            report.reasons.push_back(reason);
    };
    std::shared_ptr<const KernelSet> set;
    try {
        set = std::make_shared<const KernelSet>(set_from_bytes(std::move(blob)));
    } catch (const BadSet& e) {
        reject(e.what());
        return report;
    }
    for (std::size_t i = 0; i < set->size(); ++i)
        if (const std::string reason = why_no_entry(*set, i); !reason.empty())
            reject(reason);
        else
            ++report.accepted;
    if (report.accepted == 0) return report;
    const std::lock_guard lock(importing_);
    imported_.push_back({"imported", std::move(set), ""});
    return report;
}

std::string export_kernels() {
    return KernelProvider::process().export_kernels();
}

ImportReport import_kernels(std::string_view blob) {
    return KernelProvider::process().import_kernels(std::string(blob));
}

}  // namespace spmvgen
