#include "support.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "matrix/memory_limit.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t usual_memory = std::int64_t{1} << 18;
std::int64_t free_memory = usual_memory;

}  // namespace

// Stand in for runtime/matrix/memory_limit.cpp: a program's own come before the library's.
std::int64_t available_memory() {
    return free_memory;
}
std::string format_bytes(double bytes) {
    return std::to_string(bytes) + " bytes";
}

namespace fuzz {

void check(bool holds, const std::string& property) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", property.c_str());
    std::abort();
}

MemoryFile::MemoryFile(std::string_view bytes) : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    check(descriptor_ >= 0, "there are files in memory");
    check(::fchmod(descriptor_, 0600) == 0, "files in memory have a mode");
    path_ = "/proc/self/fd/" + std::to_string(descriptor_);
    const auto size = static_cast<ssize_t>(bytes.size());
    check(::write(descriptor_, bytes.data(), bytes.size()) == size, "files in memory can grow");
}

MemoryFile::~MemoryFile() {
    ::close(descriptor_);
}

FreeMemory::FreeMemory(std::int64_t bytes) {
    free_memory = bytes;
}
FreeMemory::~FreeMemory() {
    free_memory = usual_memory;
}

unsigned Input::byte() {
    const std::string_view one = bytes(1);
    return one.empty() ? 0 : static_cast<unsigned char>(one[0]);
}

unsigned Input::two_bytes() {
    const unsigned low = byte();
    return low | byte() << 8;
}

std::string_view Input::bytes(std::size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
}

}  // namespace fuzz
}  // namespace spmvgen
