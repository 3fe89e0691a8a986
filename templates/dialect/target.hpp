// What a GPU kernel is made for. The generator puts the target's own values in place of this file;
// as it stands it serves to compile a template by hand.
#pragma once

constexpr bool nvidia = true;             ///< NVIDIA's GPUs, else AMD's
constexpr int warp_size = 32;             ///< threads of a warp (NVIDIA) or wavefront (AMD)
constexpr bool launches_overlap = true;   ///< a launch may begin before the one ahead has ended
constexpr bool prefetches_ranges = true;  ///< a thread can have a range brought to the cache
constexpr unsigned most_joining_blocks = 512;  ///< a grid of more leaves sums to another launch
