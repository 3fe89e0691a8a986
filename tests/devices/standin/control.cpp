#include "control.hpp"

#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "world.hpp"

namespace spmvgen::standin {
namespace {

std::uint64_t next_age() {
    static std::atomic<std::uint64_t> age{0};
    return ++age;
}

}  // namespace

// Never destroyed: devices may live to the end of the program.
World& cuda() {
    static World& world = *new World(true);
    return world;
}

World& hip() {
    static World& world = *new World(false);
    return world;
}

void World::reset(const Setup& setup) {
    const std::lock_guard lock(mutex_);
    setup_ = setup;
    targets_.clear();
    for (auto& arch : setup.archs) {
        Target target;
        // Also one that the table does not know.
        try {
            target = parse_target(arch);
        } catch (const std::exception&) {
            target = {.arch = arch, .wavefront = cuda_ ? 32 : 64};
        }
        targets_.push_back(target);
    }
    contexts.clear();
    for (int device = 0; device < static_cast<int>(setup.archs.size()); ++device)
        contexts.push_back({device, 0});
    age_ = next_age();
    calls_.clear();
    misuse_.clear();
    failing_.clear();
    blocks_.clear();
    used_ = 0;
    pending_.clear();
    locked_.clear();
    reached_.clear();
    modules_.clear();
    streams_.clear();
    initialized_ = capturing_ = false;
    kept_.clear();
    graphs_.clear();
    clock_us_ = 0;
}

void World::fail_next(const std::string& name, int code) {
    const std::lock_guard lock(mutex_);
    failing_[name] = code;
}

std::string World::misuse() {
    const std::lock_guard lock(mutex_);
    return std::exchange(misuse_, "");
}

std::string World::calls() {
    const std::lock_guard lock(mutex_);
    return std::exchange(calls_, "");
}

std::string World::alive() {
    const std::lock_guard lock(mutex_);
    std::string text;
    for (auto& [base, block] : blocks_)
        if (!block.freed) text += fmt::format("{} bytes on device {}\n", block.bytes, block.device);
    for (auto& [base, memory] : locked_) text += fmt::format("{} locked bytes\n", memory.size());
    for (auto& module : modules_)
        if (!module.unloaded) text += fmt::format("a module on device {}\n", module.device);
    for (auto& stream : streams_)
        if (stream.of_library && !stream.destroyed)
            text += fmt::format("a stream of device {}\n", stream.device);
    for (auto& graph : graphs_)
        if (!graph.destroyed) text += fmt::format("a graph of {} nodes\n", graph.nodes.size());
    for (auto& context : contexts)
        if (context.retained != 0)
            text += fmt::format("the context of device {}, {} times\n", context.device,
                                context.retained);
    return text;
}

void* World::make_stream(int device) {
    const std::lock_guard lock(mutex_);
    streams_.push_back({device, false, false});
    return &streams_.back();
}

void World::destroy_stream(void* stream) {
    const std::lock_guard lock(mutex_);
    static_cast<Stream*>(stream)->destroyed = true;
}

void World::begin_capture(void* stream) {
    const std::lock_guard lock(mutex_);
    capturing_ = true;
    captured_ = stream;
}

int World::end_capture(int times) {
    const std::lock_guard lock(mutex_);
    capturing_ = false;
    name_ = "replay";
    for (int i = 0; i < times; ++i)
        for (auto& node : kept_) node();
    return static_cast<int>(std::exchange(kept_, {}).size());
}

}  // namespace spmvgen::standin

using namespace spmvgen::standin;

extern "C" {
__attribute__((visibility("default"))) int spmvgen_standin_cuda_enqueue(
    const char* name, void* stream, void (*run)(void*), void (*drop)(void*), void* data) {
    const std::shared_ptr<void> held(data, drop);
    return cuda().call(name, [&] {
        return cuda().enqueue(stream, [run, held] {
            run(held.get());
            return success;
        });
    });
}
__attribute__((visibility("default"))) bool spmvgen_standin_cuda_captures(void* stream) {
    return cuda().captures(stream);
}
__attribute__((visibility("default"))) StandIn* spmvgen_standin_cuda() {
    return &cuda();
}
__attribute__((visibility("default"))) StandIn* spmvgen_standin_hip() {
    return &hip();
}
}
