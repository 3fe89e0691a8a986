#include "matrix/buffer.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace spmvgen {

// Stand-in until the room 'matrix' brings its own: drop this file when merging.
Buffer::Buffer(std::size_t bytes) : bytes_(bytes) {
    const std::size_t huge = std::size_t{2} << 20;
    const std::size_t unit = bytes >= 2 * huge ? huge : 64;
    const std::size_t rounded = (bytes + unit - 1) / unit * unit;
    void* p = std::aligned_alloc(unit, rounded == 0 ? unit : rounded);
    if (p == nullptr) throw std::bad_alloc();
    if (unit == huge) madvise(p, rounded, MADV_HUGEPAGE);
    data_.reset(p);
}

void Buffer::shrink(std::size_t bytes) {
    bytes_ = bytes;
}

void Buffer::Free::operator()(void* p) const noexcept {
    std::free(p);
}

}  // namespace spmvgen
