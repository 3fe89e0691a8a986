// Graphs of the stand-in for libcuda, and the time that its events tell.
#include <chrono>
#include <utility>

#include "world.hpp"

namespace spmvgen::standin {
namespace {

constexpr int capture_mode_thread_local = 1;

}  // namespace

double World::event_us() const {
    if (setup_.kernel_us > 0 || setup_.enqueue_us > 0) return clock_us_;
    return std::chrono::duration<double, std::micro>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

bool World::captures(void* stream) {
    const std::lock_guard lock(mutex_);
    return capturing_ && stream == captured_;
}

int World::run_node(const std::function<int()>& node) {
    clock_us_ += setup_.kernel_us;
    return node();
}

int World::enqueue(void* stream, std::function<int()> node) {
    if (const int code = check_current()) return code;
    if (const int code = check_stream(stream)) return code;
    clock_us_ += setup_.enqueue_us;
    if (!capturing_ || stream != captured_) return run_node(node);
    kept_.push_back(std::move(node));
    return success;
}

int World::start_capture(void* stream, int mode) {
    if (const int code = check_current()) return code;
    if (const int code = check_stream(stream)) return code;
    if (stream == nullptr) return note("the default stream", capture_unsupported);
    if (mode != capture_mode_thread_local) return note("a mode for all threads", invalid_value);
    if (capturing_) return note("a capture is under way", capture_unsupported);
    capturing_ = true;
    captured_ = stream;
    return success;
}

int World::finish_capture(void* stream, void** graph) {
    if (!capturing_ || stream != captured_) return note("no capture", invalid_value);
    capturing_ = false;
    graphs_.push_back({std::exchange(kept_, {})});
    *graph = &graphs_.back();
    return success;
}

Graph* World::find_graph(void* graph, bool executable) {
    for (auto& known : graphs_)
        if (&known == graph && known.executable == executable && !known.destroyed) return &known;
    return nullptr;
}

int World::instantiate(void** executable, void* graph) {
    const Graph* known = find_graph(graph, false);
    if (known == nullptr) return note("no graph", invalid_handle);
    graphs_.push_back({known->nodes, true});
    *executable = &graphs_.back();
    return success;
}

int World::count_nodes(void* graph, std::size_t* nodes) {
    const Graph* known = find_graph(graph, false);
    if (known == nullptr) return note("no graph", invalid_handle);
    *nodes = known->nodes.size();
    return success;
}

int World::release_graph(void* graph, bool executable) {
    Graph* known = find_graph(graph, executable);
    if (known == nullptr) return note("no graph", invalid_handle);
    known->destroyed = true;
    known->nodes.clear();
    return success;
}

int World::launch_graph(void* graph, void* stream) {
    deliver();
    if (const int code = check_current()) return code;
    if (const int code = check_stream(stream)) return code;
    const Graph* known = find_graph(graph, true);
    if (known == nullptr) return note("no executable graph", invalid_handle);
    clock_us_ += setup_.enqueue_us;
    for (auto& node : known->nodes)
        if (const int code = run_node(node)) return code;
    return success;
}

}  // namespace spmvgen::standin
