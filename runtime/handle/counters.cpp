#include <fmt/format.h>

#include "spmvgen/spmvgen.hpp"

namespace spmvgen {
namespace {

std::string line(const char* what, const std::string& text) {
    return fmt::format("  {:<17}{}\n", what, text);
}

std::string bytes(std::int64_t count, const char* what) {
    return count == 0 ? "" : fmt::format(", {:.1f} kB {}", static_cast<double>(count) / 1e3, what);
}

}  // namespace

bool operator==(const KernelCounters& a, const KernelCounters& b) {
    return a.hits_memory == b.hits_memory && a.hits_store == b.hits_store &&
           a.hits_imported == b.hits_imported && a.hits_set == b.hits_set &&
           a.compiles_started == b.compiles_started && a.compiles_failed == b.compiles_failed &&
           a.fallbacks == b.fallbacks;
}

std::string to_string(const KernelCounters& c) {
    return line("from memory", std::to_string(c.hits_memory)) +
           line("imported", std::to_string(c.hits_imported)) +
           line("cache directory", std::to_string(c.hits_store)) +
           line("kernel sets", std::to_string(c.hits_set)) +
           line("compiled", fmt::format("{} started, {} failed{}", c.compiles_started,
                                        c.compiles_failed, bytes(c.bytes_written, "kept"))) +
           line("fallbacks", std::to_string(c.fallbacks)) +
           line("time",
                fmt::format("{:.1f} ms looking, {:.1f} ms compiling, {:.1f} ms loading{}",
                            c.find_ms, c.compile_ms, c.load_ms, bytes(c.bytes_read, "read")));
}

}  // namespace spmvgen
