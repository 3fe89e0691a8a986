#include "matrix/buffer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace spmvgen {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t mapped_from = std::size_t{4} << 20;
/// Fewer bytes than this are not worth a team of threads.
constexpr std::int64_t worth_a_team = 1 << 15;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

std::size_t page() {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// Maps `bytes` at a multiple of 2 MiB by mapping more and giving both ends back.
void* map_aligned(std::size_t bytes) {
    const std::size_t wide = bytes + huge_page;
    void* raw = mmap(nullptr, wide, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) throw std::bad_alloc();
    char* start = static_cast<char*>(raw);
    const auto address = reinterpret_cast<std::uintptr_t>(raw);
    const std::size_t lead = round_up(address, huge_page) - address;
    if (lead > 0) munmap(start, lead);
    if (huge_page > lead) munmap(start + lead + bytes, huge_page - lead);
    madvise(start + lead, bytes, MADV_HUGEPAGE);
    return start + lead;
}

}  // namespace

Buffer::Buffer(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    if (bytes > SIZE_MAX / 2) throw std::bad_alloc();
    if (bytes >= mapped_from) {
        const std::size_t mapped = round_up(bytes, page());
        data_ = {map_aligned(mapped), Free{mapped}};
        return;
    }
    void* p = std::aligned_alloc(alignment, round_up(bytes, alignment));
    if (p == nullptr) throw std::bad_alloc();
    data_ = {p, Free{}};
}

void Buffer::shrink(std::size_t bytes) {
    if (bytes >= bytes_) return;
    bytes_ = bytes;
    std::size_t& mapped = data_.get_deleter().mapped;
    if (mapped == 0) return;
    const std::size_t kept = std::max(round_up(bytes, page()), page());
    if (kept >= mapped) return;
    munmap(static_cast<char*>(data_.get()) + kept, mapped - kept);
    mapped = kept;
}

void Buffer::Free::operator()(void* p) const noexcept {
    if (mapped > 0)
        munmap(p, mapped);
    else
        std::free(p);
}

Buffer copy_bytes(const void* from, std::int64_t elements, std::size_t element_bytes) {
    const std::int64_t bytes = elements * static_cast<std::int64_t>(element_bytes);
    Buffer to = make_buffer<char>(bytes);
    const char* source = static_cast<const char*>(from);
    char* target = static_cast<char*>(to.data());
#pragma omp parallel for schedule(static) if (bytes > worth_a_team)
    for (std::int64_t i = 0; i < bytes; ++i) target[i] = source[i];
    return to;
}

}  // namespace spmvgen
