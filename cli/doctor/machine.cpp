#include "doctor/machine.hpp"

#include <unistd.h>

#include <fstream>
#include <thread>

#include "handle/kernels/kernel_sources.hpp"
#include "measure/bandwidth.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "spmvgen/spmvgen.hpp"
#include "spmvgen/target.hpp"

namespace spmvgen::cli {
namespace {

std::string native() {
    try {
        return to_string(parse_target("native"));
    } catch (const Error&) {
        return "none";
    }
}

}  // namespace

std::string cpu_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "unknown";
}

Json machine_json(const Device* device) {
    Json machine{{"cpu", cpu_name()},
                 {"native", native()},
                 {"processors", std::thread::hardware_concurrency()},
                 {"l1_bytes", sysconf(_SC_LEVEL1_DCACHE_SIZE)},
                 {"l2_bytes", sysconf(_SC_LEVEL2_CACHE_SIZE)},
                 {"last_level_cache_bytes", last_level_cache_bytes()}};
    if (device != nullptr) {
        const DeviceFacts& f = device->facts();
        machine["gpu"] = {{"name", f.name},
                          {"target", to_string(f.target)},
                          {"units", f.units},
                          {"memory_bytes", f.memory_bytes},
                          {"driver", f.driver}};
    }
    return machine;
}

Json versions_json() {
    Json versions{
        {"spmvgen", version()}, {"generator", generator_digest()}, {"compiler", __VERSION__}};
    try {
        for (auto& [name, text] : load_generator().versions()) versions[name] = text;
    } catch (const Error&) {
        versions["jit"] = nullptr;  // kernels of the cache and of sets run without it
    }
    return versions;
}

}  // namespace spmvgen::cli
