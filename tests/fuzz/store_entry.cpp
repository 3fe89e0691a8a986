// An entry of the store, decoded as bytes and found through a directory. An input is a byte of
// flags and, without flag 1, the file. With flag 1 it is the lengths of header and source (two
// bytes each) and then header, source and payload; the entry around them gets right lengths and a
// right checksum. With flag 2, too, the header gets the digests that belong to source, flags and
// compiler; with flag 4, the key that is looked for. Flag 8 has the directory
// listed, an entry kept and all removed, too, which takes time.
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "samples.hpp"
#include "spmvgen/error.hpp"
#include "store/entry.hpp"
#include "store/store.hpp"
#include "support.hpp"

namespace spmvgen::fuzz {
namespace {

using nlohmann::json;

Key wanted_key() {
    return key_of(sample_signature(), BinaryKind::shared_object, sample_maker());
}

/// The key as the header tells it, cut out of an entry that encode_entry wrote.
json wanted_key_json() {
    const std::string entry = encode_entry(wanted_key(), sample_binary(), {"1.0.0", 0});
    const Preamble p =
        read_preamble(std::string_view(entry).substr(0, preamble_bytes), entry.size());
    return json::parse(entry.substr(preamble_bytes, p.header_bytes)).at("key");
}

std::string text_of(const json& header, const char* name) {
    const auto it = header.find(name);
    return it != header.end() && it->is_string() ? it->get<std::string>() : "";
}

std::string mended(std::string_view header, std::string_view source, unsigned flags) {
    json parsed = json::parse(header, nullptr, false);
    if (!parsed.is_object()) return std::string(header);
    if (flags & 2) {
        KernelBinary binary;
        binary.source_digest = to_hex(sha256(source));
        binary.flags = text_of(parsed, "flags");
        binary.compiler = text_of(parsed, "compiler");
        parsed["source_digest"] = binary.source_digest;
        parsed["compiled_digest"] = compiled_digest(binary);
    }
    static const json key = wanted_key_json();
    if (flags & 4) parsed["key"] = key;
    return parsed.dump() + "\n";
}

std::string number(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
    return text;
}

std::string assemble(Input input) {
    const unsigned flags = input.byte();
    if (!(flags & 1)) return std::string(input.rest());
    const unsigned header_bytes = input.two_bytes(), source_bytes = input.two_bytes();
    std::string header(input.bytes(header_bytes));
    const std::string source(input.bytes(source_bytes)), payload(input.rest());
    if (flags & 6) header = mended(header, source, flags);
    const std::string body = "SPMVGEN\n" + number(store_format, 4) + number(header.size(), 4) +
                             number(source.size(), 8) + number(payload.size(), 8) + header +
                             source + payload;
    return body + sha256(body);
}

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
    const std::string entry = assemble(Input(data, size));
    const bool summary = has_summary(entry);
    const auto binary = decoded(entry);
    check_find(entry, binary);
    if (size > 0 && (data[0] & 8)) check_verbs(entry, binary && summary);
    return 0;
}
