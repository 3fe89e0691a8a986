#include "peers/cuda_driver.hpp"

#include <fmt/format.h>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

// Enumerators of cuda.h.
constexpr unsigned stream_non_blocking = 1;
constexpr int most_urgent = -100;  // of what the device has, the nearest is taken
constexpr int attribute_cache_bytes = 38;
constexpr int capture_mode_thread_local = 1;

}  // namespace

CudaDriver::CudaDriver(int device)
    : library_("CUDA driver", "SPMVGEN_CUDA_LIBRARY", {"libcuda.so.1"}) {
    if (const int status = initialize_(0); status != 0)
        throw Error(ErrorCode::unsupported,
                    fmt::format("{}: cuInit answers {}", library_.path(), status));
    if (const int status = get_device_(&device_, device); status != 0)
        throw Error(ErrorCode::unsupported,
                    fmt::format("{} has no device {}", library_.path(), device));
    void* context = nullptr;
    check(retain_(&context, device_), retain_);
    check(set_current_(context), set_current_);
}

CudaDriver::~CudaDriver() {
    release_(device_);
}

CudaDriver::Owned CudaDriver::make_event() const {
    void* event = nullptr;
    check(create_event_(&event, 0), create_event_);
    return {event, destroy_event_};
}

CudaDriver::Owned CudaDriver::make_stream(bool urgent) const {
    void* stream = nullptr;
    if (urgent) {
        const VendorCall<void**, unsigned, int> create(library_, "cuStreamCreateWithPriority");
        check(create(&stream, stream_non_blocking, most_urgent), create);
    } else {
        check(create_stream_(&stream, stream_non_blocking), create_stream_);
    }
    return {stream, destroy_stream_};
}

void CudaDriver::record(const Owned& event, void* stream) const {
    check(record_(event.get(), stream), record_);
}

void CudaDriver::wait(void* stream, const Owned& event) const {
    check(wait_(stream, event.get(), 0), wait_);
}

double CudaDriver::milliseconds(const Owned& begin, const Owned& end) const {
    check(synchronize_event_(end.get()), synchronize_event_);
    float time = 0;
    check(elapsed_(&time, begin.get(), end.get()), elapsed_);
    return time;
}

void CudaDriver::synchronize(void* stream) const {
    check(synchronize_(stream), synchronize_);
}

std::int64_t CudaDriver::cache_bytes() const {
    int bytes = 0;
    check(attribute_(&bytes, attribute_cache_bytes, device_), attribute_);
    return bytes;
}

void CudaDriver::fill(void* device, unsigned char byte, std::size_t bytes, void* stream) const {
    if (bytes > 0) check(fill_(device, byte, bytes, stream), fill_);
}

void CudaDriver::copy(void* to, const void* from, std::size_t bytes, void* stream) const {
    if (bytes > 0) check(copy_(to, from, bytes, stream), copy_);
}

void CudaDriver::begin_capture(void* stream) const {
    check(begin_capture_(stream, capture_mode_thread_local), begin_capture_);
}

CudaDriver::Owned CudaDriver::end_capture(void* stream, std::size_t* nodes) const {
    void* graph = nullptr;
    check(end_capture_(stream, &graph), end_capture_);
    const Owned owned(graph, destroy_graph_);
    if (nodes != nullptr) check(nodes_(graph, nullptr, nodes), nodes_);
    void* executable = nullptr;
    check(instantiate_(&executable, graph, 0), instantiate_);
    return {executable, destroy_executable_};
}

void CudaDriver::drop_capture(void* stream) const noexcept {
    void* graph = nullptr;
    end_capture_(stream, &graph);
    if (graph != nullptr) destroy_graph_(graph);
}

void CudaDriver::launch(const Owned& graph, void* stream) const {
    check(launch_(graph.get(), stream), launch_);
}

CudaDriver::Owned CudaDriver::load(const char* ptx) const {
    void* module = nullptr;
    check(load_(&module, ptx, 0, nullptr, nullptr), load_);
    return {module, unload_};
}

void* CudaDriver::function(const Owned& module, const char* name) const {
    void* function = nullptr;
    check(function_(&function, module.get(), name), function_);
    return function;
}

void CudaDriver::launch(void* function, unsigned blocks, unsigned threads, void* stream,
                        void** arguments) const {
    check(launch_function_(function, blocks, 1, 1, threads, 1, 1, 0, stream, arguments, nullptr),
          launch_function_);
}

void CudaDriver::fail(int status, const char* call) const {
    const char* text = nullptr;
    error_string_(status, &text);
    throw Error(ErrorCode::io,
                fmt::format("{}: {} ({})", call, text != nullptr ? text : "unknown error", status));
}

}  // namespace spmvgen
