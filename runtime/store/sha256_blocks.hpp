#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace spmvgen {

/// What SHA-256 carries from block to block.
using Sha256State = std::array<std::uint32_t, 8>;
inline constexpr std::size_t sha256_block_bytes = 64;

/// Whether this CPU has instructions for it.
bool has_sha256_instructions();
/// Takes so many blocks in, by these instructions.
void add_sha256_blocks(Sha256State& state, const std::uint8_t* blocks, std::size_t count);

}  // namespace spmvgen
