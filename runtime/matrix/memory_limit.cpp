#include "matrix/memory_limit.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// "MemAvailable: N kB" of /proc/meminfo; all memory where the system does not tell.
std::int64_t system_memory() {
    std::ifstream file("/proc/meminfo");
    std::string key, unit;
    std::int64_t kilobytes = 0;
    while (file >> key >> kilobytes) {
        std::getline(file, unit);
        if (key == "MemAvailable:") return kilobytes * 1024;
    }
    return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

std::int64_t read_number(const char* path, std::int64_t otherwise) {
    std::ifstream file(path);
    std::int64_t value = 0;
    return file >> value ? value : otherwise;
}

/// What is left of the process's own limit of its address space (ulimit -v).
std::int64_t address_space_left() {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return INT64_MAX;
    const std::int64_t used = read_number("/proc/self/statm", 0) * sysconf(_SC_PAGESIZE);
    const auto most = static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, INT64_MAX));
    return std::max<std::int64_t>(most - used, 0);
}

}  // namespace

std::int64_t available_memory() {
    const std::int64_t limit = read_number("/sys/fs/cgroup/memory.max", INT64_MAX);
    const std::int64_t used = read_number("/sys/fs/cgroup/memory.current", 0);
    return std::min({system_memory(), std::max(limit - used, limit / 2), address_space_left()});
}

std::string format_bytes(double bytes) {
    constexpr std::array<const char*, 7> units{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
    return unit == 0 ? fmt::format("{:.0f} bytes", bytes)
                     : fmt::format("{:.1f} {}", bytes, units[unit]);
}

void check_vectors_fit(ValueType type, double x_elements, double y_elements, int y_copies) {
    const auto element = static_cast<double>(size_of(type));
    const double x = element * x_elements, y = element * y_elements * y_copies;
    const auto available = static_cast<double>(available_memory());
    if (x + y <= available) return;
    throw Error(ErrorCode::unsupported,
                fmt::format("not enough memory: x needs {} and y{} {}, but {} are free",
                            format_bytes(x), y_copies > 1 ? " with its copies" : "",
                            format_bytes(y), format_bytes(available)));
}

}  // namespace spmvgen
