#pragma once

/// What counting a GPU's work and timing it have in common.
namespace spmvgen::gpu {

inline constexpr double warp = 32;            ///< threads; of a wavefront of 64 twice as many
inline constexpr double sector = 32;          ///< bytes that a cache moves at least
inline constexpr double line = 128;           ///< bytes that a cache's place has
inline constexpr double next_sector = 0.5;    ///< of a gather's time: the next one of its line
inline constexpr double typical_units = 132;  ///< multiprocessors of a device that does not tell
/// Blocks a multiprocessor that the next launch may begin beside (gpu_instructions.cpp).
inline constexpr double few_blocks = 0.5;

}  // namespace spmvgen::gpu
