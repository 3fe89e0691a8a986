// What benchmarks need of libcuda beside a Device: events and graphs. Launches run at once, so that
// an event is a time.
#include "world.hpp"

using namespace spmvgen::standin;

#pragma GCC visibility push(default)
extern "C" {

int cuEventCreate(void** event, unsigned) {
    return cuda().call("cuEventCreate", [&] {
        *event = new double(0);
        return success;
    });
}
int cuEventDestroy_v2(void* event) {
    delete static_cast<double*>(event);
    return success;
}
int cuEventRecord(void* event, void* stream) {
    return cuda().call("cuEventRecord", [&] {
        *static_cast<double*>(event) = cuda().event_us();
        return cuda().check_stream(stream);
    });
}
int cuStreamWaitEvent(void* stream, void*, unsigned) {
    return cuda().call("cuStreamWaitEvent", [&] { return cuda().check_stream(stream); });
}
int cuMemcpyAsync(void* to, const void* from, std::size_t bytes, void* /*stream*/) {
    return cuda().call("cuMemcpyAsync", [&] { return cuda().on_device(to, from, bytes); });
}
int cuEventSynchronize(void*) {
    return cuda().call("cuEventSynchronize", [] { return success; });
}
int cuEventElapsedTime(float* ms, void* begin, void* end) {
    return cuda().call("cuEventElapsedTime", [&] {
        *ms =
            static_cast<float>(1e-3 * (*static_cast<double*>(end) - *static_cast<double*>(begin)));
        return success;
    });
}
int cuStreamBeginCapture_v2(void* stream, int mode) {
    return cuda().call("cuStreamBeginCapture_v2",
                       [&] { return cuda().start_capture(stream, mode); });
}
int cuStreamIsCapturing(void* stream, int* state) {
    *state = cuda().captures(stream) ? 1 : 0;
    return cuda().call("cuStreamIsCapturing", [] { return success; });
}
int cuStreamEndCapture(void* stream, void** graph) {
    return cuda().call("cuStreamEndCapture", [&] { return cuda().finish_capture(stream, graph); });
}
int cuGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long) {
    return cuda().call("cuGraphInstantiateWithFlags",
                       [&] { return cuda().instantiate(executable, graph); });
}
int cuGraphGetNodes(void* graph, void**, std::size_t* nodes) {
    return cuda().call("cuGraphGetNodes", [&] { return cuda().count_nodes(graph, nodes); });
}
int cuGraphDestroy(void* graph) {
    return cuda().call("cuGraphDestroy", [&] { return cuda().release_graph(graph, false); });
}
int cuGraphExecDestroy(void* graph) {
    return cuda().call("cuGraphExecDestroy", [&] { return cuda().release_graph(graph, true); });
}
int cuGraphLaunch(void* graph, void* stream) {
    return cuda().call("cuGraphLaunch", [&] { return cuda().launch_graph(graph, stream); });
}
}
#pragma GCC visibility pop
