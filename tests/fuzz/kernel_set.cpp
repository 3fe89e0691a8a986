// A kernel set. An input is a byte of flags and, without flag 1, the file; with flag 2 that gets
// its right size and a right checksum of what is in front of the entries. With flag 1 it is a list
// of entries, each with its length (two bytes) and as entries.hpp tells, of which a set is made.
#include <algorithm>
#include <cstring>
#include <system_error>

#include "entries.hpp"
#include "sets/exported.hpp"
#include "sets/search.hpp"
#include "sets/set_file.hpp"

namespace spmvgen::fuzz {
namespace {

std::string digest_of(const std::string& entry) {
    try {
        return summary_of_entry(entry).key.digest();
    } catch (const BadEntry&) {
        return to_hex(sha256(entry));
    }
}

std::string made_set(Input input) {
    SetEntries entries;
    while (!input.rest().empty()) {
        const std::string_view piece = input.bytes(input.two_bytes());
        const std::string entry = assembled_entry(
            Input(reinterpret_cast<const std::uint8_t*>(piece.data()), piece.size()));
        entries.emplace(digest_of(entry), entry);
    }
    return encode_set({.maker = sample_maker(), .version = "1", .name = "", .targets = {}},
                      entries);
}

template <typename T>
T number_at(const std::string& bytes, std::size_t at) {
    T number{};
    std::memcpy(&number, bytes.data() + at, sizeof number);
    return number;
}

std::string mended(std::string set) {
    if (set.size() < set_preamble_bytes) return set;
    const std::uint64_t size = set.size();
    std::memcpy(set.data() + 24, &size, sizeof size);
    const auto header = std::uint64_t{number_at<std::uint32_t>(set, 12)};
    const auto entries = std::min<std::uint64_t>(number_at<std::uint64_t>(set, 16), size);
    const std::string front = set.substr(set_preamble_bytes, header + set_index_bytes * entries);
    const std::string sum = sha256(set.substr(0, 32) + front);
    return set.replace(32, sum.size(), sum);
}

std::string assemble(Input input) {
    const unsigned flags = input.byte();
    if (flags & 1) return made_set(input);
    const std::string set(input.rest());
    return flags & 2 ? mended(set) : set;
}

/// Looking for the sample's key: the kernel, nothing, or why the entry cannot be used.
std::optional<KernelBinary> found(const KernelSet& set) {
    try {
        return set.find(wanted_key());
    } catch (const BadEntry&) {
        return {};
    }
}

void check_entries(const KernelSet& set) {
    std::uint64_t bytes = 0;
    SetEntries entries;
    for (std::size_t i = 0; i < set.size(); ++i) {
        const std::string entry = set.entry(i);
        check(entry.size() == set.entry_bytes(i), "an entry is as long as the index says");
        check(i == 0 || set.digest(i - 1) < set.digest(i), "digests ascend");
        why_no_entry(set, i);
        bytes += entry.size();
        entries.emplace(set.digest(i), entry);
    }
    check(bytes <= set.file_bytes(), "entries do not overlap");
    const KernelSet again = set_from_bytes(encode_set(set.header(), entries));
    check(again.header() == set.header() && again.size() == set.size(), "a set reads back");
    for (std::size_t i = 0; i < set.size(); ++i)
        check(again.entry(i) == set.entry(i) && again.digest(i) == set.digest(i),
              "with its entries");
}

/// The set as a file, searched as a handle does.
void check_search(const std::string& bytes, const std::optional<KernelBinary>& expected) {
    const MemoryFile file(bytes);
    const std::vector<NamedSet> sets = find_sets(file.path(), sample_maker());
    check(sets.size() == 1 && (sets[0].set != nullptr || !sets[0].problem.empty()),
          "a file is a set, or there is a problem");
    std::optional<KernelBinary> binary;
    search_sets(
        sets, sample_signature(), {BinaryKind::shared_object}, sample_maker(),
        [&](const FoundInSet& in_set) {
            // Those of lower targets run here, too.
            if (in_set.binary.signature != sample_signature()) return false;
            binary = in_set.binary;
            return true;
        },
        [](const std::string&) {});
    if (!sets[0].problem.empty()) return check(!binary, "nothing is found in a set with a problem");
    check(binary.has_value() == expected.has_value(), "the search finds what is in the set");
    check(!binary || binary->bytes == expected->bytes, "and finds the same");
}

}  // namespace
}  // namespace spmvgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace spmvgen;
    using namespace spmvgen::fuzz;
    const std::string bytes = assemble(Input(data, size));
    try {
        const KernelSet set = set_from_bytes(bytes);
        check(set.problems().size() <= set.size(), "problems are told for each entry");
        check_entries(set);
        check_search(bytes, found(set));
    } catch (const BadSet&) {
        check_search(bytes, {});
    }
    return 0;
}
