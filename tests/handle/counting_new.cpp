#include "counting_new.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<int> count{0};
}

void* operator new(std::size_t bytes) {
    ++count;
    if (void* memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
    throw std::bad_alloc();
}
// Ends in the same delete, so AddressSanitizer wants it to begin in the same malloc.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    ++count;
    return std::malloc(bytes > 0 ? bytes : 1);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

// What buffers come from that are too small for mappings of their own.
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    ++count;
    void* memory = nullptr;
    alignment = std::max(alignment, sizeof(void*));
    return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

int spmvgen::allocations_so_far() {
    return count;
}
