#include "store/sha256.hpp"

#include <sha2.h>

#include <algorithm>
#include <cstdint>

#include "store/sha256_blocks.hpp"

namespace spmvgen {
namespace {

std::string by_instructions(std::string_view bytes) {
    Sha256State state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    const std::size_t whole = bytes.size() / sha256_block_bytes;
    add_sha256_blocks(state, data, whole);
    // The rest, a one, and in the last 8 bytes the number of bits.
    constexpr std::size_t of_number = 8;
    std::uint8_t last[2 * sha256_block_bytes]{};
    const std::uint8_t* const rest = data + whole * sha256_block_bytes;
    const std::size_t left = bytes.size() - whole * sha256_block_bytes;
    std::copy_n(rest, left, last);
    last[left] = 0x80;
    const std::size_t blocks = left + 1 + of_number <= sha256_block_bytes ? 1 : 2;
    std::uint64_t bits = 8 * static_cast<std::uint64_t>(bytes.size());
    for (std::size_t i = blocks * sha256_block_bytes; bits != 0; bits >>= 8)
        last[--i] = static_cast<std::uint8_t>(bits);
    add_sha256_blocks(state, last, blocks);
    std::string digest;
    for (const std::uint32_t word : state)
        for (int shift = 24; shift >= 0; shift -= 8) digest += static_cast<char>(word >> shift);
    return digest;
}

}  // namespace

std::string sha256_by_loop(std::string_view bytes) {
    static_assert(sha256_bytes == SHA256_DIGEST_LENGTH);
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    std::uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA256Final(digest, &context);
    return {reinterpret_cast<const char*>(digest), sizeof digest};
}

std::string sha256(std::string_view bytes) {
    return has_sha256_instructions() ? by_instructions(bytes) : sha256_by_loop(bytes);
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
