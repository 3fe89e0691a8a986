// An entry of the store (the input: entries.hpp), decoded as bytes and found through a directory.
// Flag 8 has the directory listed, an entry kept and all removed, too, which takes time.
#include <cstdlib>
#include <filesystem>

#include "entries.hpp"
#include "spmvgen/error.hpp"
#include "store/entry.hpp"
#include "store/store.hpp"

namespace spmvgen::fuzz {
namespace {

/// What decoding says. What was accepted is encoded and decoded again, and compared.
std::optional<KernelBinary> decoded(std::string_view entry) {
    try {
        KernelBinary binary = decode_entry(entry, wanted_key());
        binary.signature = sample_signature();
        const std::string again = encode_entry(wanted_key(), binary, {"1.0.0", 0});
        KernelBinary reread = decode_entry(again, wanted_key());
        reread.signature = sample_signature();
        check(same(binary, reread) && binary.facts == reread.facts, "an entry reads back");
        return binary;
    } catch (const BadEntry&) {
        return {};
    }
}

/// Whether there is a summary for people, which takes the header alone.
bool has_summary(std::string_view entry) {
    try {
        const Preamble p = read_preamble(entry.substr(0, preamble_bytes), entry.size());
        const Summary s = read_summary(entry.substr(preamble_bytes, p.header_bytes));
        check(s.key.digest().size() == 64, "every key has a digest");
        return true;
    } catch (const BadEntry&) {
        return false;
    }
}

/// A directory for the life of the process, in memory where there is such a file system.
const std::string& directory() {
    struct Directory {
        Directory() {
            const bool memory = std::filesystem::is_directory("/dev/shm");
            path = std::string(memory ? "/dev/shm" : "/tmp") + "/spmvgen-fuzz-XXXXXX";
            check(::mkdtemp(path.data()) != nullptr, "a directory can be made");
        }
        ~Directory() {
            std::error_code ignored;
            std::filesystem::remove_all(path, ignored);
        }
        std::string path;
    };
    static const Directory made;
    return made.path;
}

Store open_store() {
    StoreOptions options;
    options.directory = directory();
    options.maker = sample_maker();
    options.sync = false;
    options.warn = [](const std::string&) {};
    return Store(options);
}

void check_find(const std::string& entry, const std::optional<KernelBinary>& expected) {
    Store store = open_store();
    write_file(store.path_of(sample_signature()), entry);
    const auto found = store.find(sample_signature());
    check(found.has_value() == expected.has_value(), "the store finds what can be decoded");
    check(!found || same(*found, *expected), "and finds nothing else");
    const Store::Counters counters = store.counters();
    check(counters.hits + counters.misses == 1 && counters.rejected == counters.misses,
          "a find is a hit, or a miss that is counted as rejected");
}

void check_verbs(const std::string& entry, bool sound) {
    Store store = open_store();
    write_file(store.path_of(sample_signature()), entry);
    const auto listed = store.list(Store::Check::everything);
    check(listed.size() == 1, "every entry is listed");
    check(!sound || listed[0].problem.empty(),
          "what is found is listed as sound: " + listed[0].problem);
    check(store.put(sample_binary()) && store.find(sample_signature()),
          "whatever was there, the next kernel can be kept and found");
    check(store.clear() == 1, "entries are removed");
}

}  // namespace
}  // namespace spmvgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace spmvgen::fuzz;
    const std::string entry = assembled_entry(Input(data, size));
    const bool summary = has_summary(entry);
    const auto binary = decoded(entry);
    check_find(entry, binary);
    if (size > 0 && (data[0] & 8)) check_verbs(entry, binary && summary);
    return 0;
}
