#include "sets/exported.hpp"

#include <fmt/format.h>

#include <set>

#include "spmvgen/spmvgen.hpp"

namespace spmvgen {
namespace {

std::int64_t integer_of(const Key& key, const char* name) {
    const auto it = key.fields.find(name);
    const auto* number = it != key.fields.end() ? std::get_if<std::int64_t>(&it->second) : nullptr;
    return number != nullptr ? *number : -1;
}

}  // namespace

void add_entry(SetEntries& entries, const KernelBinary& binary) {
    const Key key = key_of(binary.signature, binary.kind, this_maker());
    // No time: sets of the same kernels are the same bytes.
    entries.emplace(key.digest(), encode_entry(key, binary, {version(), 0}));
}

SetHeader header_for(const SetEntries& entries, const std::string& name) {
    std::set<std::string> targets;
    for (auto& [digest, bytes] : entries) targets.insert(summary_of_entry(bytes).target);
    return {.maker = this_maker(),
            .version = version(),
            .name = name,
            .targets = {targets.begin(), targets.end()}};
}

std::string why_no_entry(const KernelSet& set, std::size_t i) {
    try {
        const std::string bytes = set.entry(i);
        const Summary s = summary_of_entry(bytes);
        if (!is_made_by(this_maker(), s.key) || integer_of(s.key, "launch_abi") != launch_abi)
            return fmt::format("made by another spmvgen (version {})", s.version);
        if (s.key.digest() != set.digest(i))
            return fmt::format("damaged: {} is not in its place", s.name);
        decode_entry(bytes, s.key);
        return "";
    } catch (const std::runtime_error& e) {
        return fmt::format("damaged: {}", e.what());
    }
}

}  // namespace spmvgen
