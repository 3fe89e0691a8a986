// What benchmarks need of libcuda beside a Device: events, and memory set on the default stream.
// Launches run at once, so that an event is a time. Graphs are there, but not supported.
#include <chrono>

#include "world.hpp"

using namespace spmvgen::standin;

namespace {

using Clock = std::chrono::steady_clock;
constexpr int not_supported = 801;

int no_graphs(const char* name) {
    return cuda().call(name, [] { return not_supported; });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int cuEventCreate(void** event, unsigned) {
    return cuda().call("cuEventCreate", [&] {
        *event = new Clock::time_point();
        return success;
    });
}
int cuEventDestroy_v2(void* event) {
    delete static_cast<Clock::time_point*>(event);
    return success;
}
int cuEventRecord(void* event, void*) {
    return cuda().call("cuEventRecord", [&] {
        *static_cast<Clock::time_point*>(event) = Clock::now();
        return success;
    });
}
int cuEventSynchronize(void*) {
    return cuda().call("cuEventSynchronize", [] { return success; });
}
int cuEventElapsedTime(float* ms, void* begin, void* end) {
    return cuda().call("cuEventElapsedTime", [&] {
        *ms = std::chrono::duration<float, std::milli>(*static_cast<Clock::time_point*>(end) -
                                                       *static_cast<Clock::time_point*>(begin))
                  .count();
        return success;
    });
}
int cuMemsetD8_v2(void* data, unsigned char byte, std::size_t count) {
    return cuda().call("cuMemsetD8_v2",
                       [&] { return cuda().set_bytes(data, byte, count, nullptr); });
}
int cuStreamBeginCapture_v2(void*, int) {
    return no_graphs("cuStreamBeginCapture_v2");
}
int cuStreamEndCapture(void*, void**) {
    return no_graphs("cuStreamEndCapture");
}
int cuGraphInstantiateWithFlags(void**, void*, unsigned long long) {
    return no_graphs("cuGraphInstantiateWithFlags");
}
int cuGraphDestroy(void*) {
    return no_graphs("cuGraphDestroy");
}
int cuGraphExecDestroy(void*) {
    return no_graphs("cuGraphExecDestroy");
}
int cuGraphLaunch(void*, void*) {
    return no_graphs("cuGraphLaunch");
}
}
