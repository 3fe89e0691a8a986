#include "store/sha256.hpp"

#include <sha2.h>

#include <cstdint>

namespace spmvgen {

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
