#include "entries.hpp"

#include <nlohmann/json.hpp>

#include "store/entry.hpp"

namespace spmvgen::fuzz {
namespace {

using nlohmann::json;

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

}  // namespace

Key wanted_key() {
    return key_of(sample_signature(), BinaryKind::shared_object, sample_maker());
}

std::string assembled_entry(Input input) {
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

}  // namespace spmvgen::fuzz
