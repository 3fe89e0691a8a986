// Asking for memory ahead of its use.
#pragma once

/// Asks for the cache lines of `bytes` bytes that lie `ahead` bytes behind `at`, into the
/// second-level cache; nothing for ahead = 0. What lies beyond an array is asked for in vain, and
/// does no harm. A core's own prefetcher stops at each 4 KiB and keeps fewer lines under way.
template <int ahead, int bytes, typename Element>
[[gnu::always_inline]] inline void prefetch_ahead(const Element* at) {
    if constexpr (ahead > 0) {
        for (int line = 0; line < bytes; line += 64) {
            __builtin_prefetch(reinterpret_cast<const char*>(at) + (ahead + line), 0, 2);
        }
    }
}
