#include "store/key.hpp"

#include <sha2.h>

#include <cstdint>
#include <string_view>

#include "registry.hpp"

namespace spmvgen {
namespace {

void append_number(std::string& bytes, std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(number >> shift & 0xff);
}

void append_text(std::string& bytes, std::string_view text) {
    append_number(bytes, text.size());
    bytes += text;
}

}  // namespace

Maker this_maker() {
    return {std::string(generator_digest()), SPMVGEN_COMPILER_KIND, SPMVGEN_COMPILER_SERIES};
}

std::string Key::digest() const {
    std::string bytes;
    append_number(bytes, fields.size());
    for (auto& [name, value] : fields) {
        append_text(bytes, name);
        if (auto* text = std::get_if<std::string>(&value)) {
            bytes += 's';
            append_text(bytes, *text);
        } else {
            bytes += 'i';
            append_number(bytes, static_cast<std::uint64_t>(std::get<std::int64_t>(value)));
        }
    }
    return to_hex(sha256(bytes));
}

Key key_of(const Signature& s, BinaryKind kind, const Maker& maker) {
    Key key{{{"format", std::int64_t{store_format}},
             {"launch_abi", launch_abi},
             {"generator", maker.generator},
             {"compiler", maker.compiler},
             {"compiler_series", maker.compiler_series},
             {"binary", to_string(kind)},
             {"arch", s.target.arch},
             {"tune", s.target.tune},
             {"features", s.target.features},
             {"wavefront", std::int64_t{s.target.wavefront}},
             {"kernel", s.kernel},
             {"value", to_string(s.value)},
             {"storage", to_string(storage_type(s))},
             {"epilogue", s.epilogue},
             {"index", to_string(s.index)},
             {"offset", to_string(s.offset)},
             {"alpha", to_string(s.alpha)},
             {"beta", to_string(s.beta)},
             {"num_rhs", std::int64_t{s.num_rhs}}}};
    // Absent where there is none, so that other entries are as they were before it came.
    if (accumulator_type(s) != s.value) key.fields["accumulator"] = to_string(accumulator_type(s));
    if (s.x_form != VectorForm::dense) key.fields["x_form"] = to_string(s.x_form);
    if (s.y_form != VectorForm::dense) key.fields["y_form"] = to_string(s.y_form);
    if (s.target.device_memory) key.fields["memory"] = "device";
    for (auto& [name, value] : s.params) key.fields["param." + name.str()] = value;
    return key;
}

std::string compiled_digest(const KernelBinary& binary) {
    return Key{
        {{"source", binary.source_digest}, {"flags", binary.flags}, {"compiler", binary.compiler}}}
        .digest();
}

std::string sha256(std::string_view bytes) {
    static_assert(sha256_bytes == SHA256_DIGEST_LENGTH);
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    std::uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA256Final(digest, &context);
    return {reinterpret_cast<const char*>(digest), sizeof digest};
}

std::string to_hex(std::string_view bytes) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (unsigned char byte : bytes) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

}  // namespace spmvgen
