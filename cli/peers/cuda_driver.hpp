#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "devices/gpu/vendor.hpp"

/// What benchmarks and tests need of CUDA's driver beside a Device: events, streams, graphs,
/// kernels of their own. Own declarations, found at run time.
namespace spmvgen {

/// The driver, with the primary context of a device current on the calling thread: the one that
/// Devices and the CUDA runtime work in. For one thread. Errors are Error(io).
class CudaDriver {
  public:
    /// Throws Error(unsupported) when there is no driver or no such device.
    explicit CudaDriver(int device = 0);
    ~CudaDriver();
    CudaDriver(const CudaDriver&) = delete;
    CudaDriver& operator=(const CudaDriver&) = delete;

    using Owned = std::shared_ptr<void>;
    Owned make_event() const;
    /// `urgent`: its kernels go first where those of several streams wait for multiprocessors.
    Owned make_stream(bool urgent = false) const;

    void record(const Owned& event, void* stream) const;
    /// What comes on the stream waits for the event, which may be of another device.
    void wait(void* stream, const Owned& event) const;
    /// Waits for `end`; milliseconds from `begin` to it.
    double milliseconds(const Owned& begin, const Owned& end) const;
    void synchronize(void* stream) const;
    /// Bytes of the device's last-level cache.
    std::int64_t cache_bytes() const;
    void fill(void* device, unsigned char byte, std::size_t bytes, void* stream) const;
    /// Within a device or between two.
    void copy(void* to, const void* from, std::size_t bytes, void* stream) const;

    /// What this thread enqueues on the stream until end_capture() becomes a graph.
    void begin_capture(void* stream) const;
    /// Ready to be launched. `nodes`: how many launches, copies and fills it has.
    Owned end_capture(void* stream, std::size_t* nodes = nullptr) const;
    /// Ends a capture in which something failed; the stream can be used again.
    void drop_capture(void* stream) const noexcept;
    void launch(const Owned& graph, void* stream) const;

    /// A module of PTX, which the driver compiles for the device.
    Owned load(const char* ptx) const;
    /// Lives as long as the module.
    void* function(const Owned& module, const char* name) const;
    void launch(void* function, unsigned blocks, unsigned threads, void* stream,
                void** arguments) const;

  private:
    template <typename... P>
    void check(int status, const VendorCall<P...>& call) const {
        if (status != 0) fail(status, call.name);
    }
    [[noreturn]] void fail(int status, const char* call) const;

    VendorLibrary library_;
    int device_ = 0;
    VendorCall<unsigned> initialize_{library_, "cuInit"};
    VendorCall<int*, int> get_device_{library_, "cuDeviceGet"};
    VendorCall<int*, int, int> attribute_{library_, "cuDeviceGetAttribute"};
    VendorCall<void**, int> retain_{library_, "cuDevicePrimaryCtxRetain"};
    VendorCall<int> release_{library_, "cuDevicePrimaryCtxRelease_v2"};
    VendorCall<void*> set_current_{library_, "cuCtxSetCurrent"};
    VendorCall<int, const char**> error_string_{library_, "cuGetErrorString"};
    VendorCall<void**, unsigned> create_event_{library_, "cuEventCreate"};
    VendorCall<void*> destroy_event_{library_, "cuEventDestroy_v2"};
    VendorCall<void*, void*> record_{library_, "cuEventRecord"};
    VendorCall<void*, void*, unsigned> wait_{library_, "cuStreamWaitEvent"};
    VendorCall<void*> synchronize_event_{library_, "cuEventSynchronize"};
    VendorCall<float*, void*, void*> elapsed_{library_, "cuEventElapsedTime"};
    VendorCall<void**, unsigned> create_stream_{library_, "cuStreamCreate"};
    VendorCall<void*> destroy_stream_{library_, "cuStreamDestroy_v2"};
    VendorCall<void*> synchronize_{library_, "cuStreamSynchronize"};
    VendorCall<void*, unsigned char, std::size_t, void*> fill_{library_, "cuMemsetD8Async"};
    VendorCall<void*, const void*, std::size_t, void*> copy_{library_, "cuMemcpyAsync"};
    VendorCall<void*, int> begin_capture_{library_, "cuStreamBeginCapture_v2"};
    VendorCall<void*, void**> end_capture_{library_, "cuStreamEndCapture"};
    VendorCall<void**, void*, unsigned long long> instantiate_{library_,
                                                               "cuGraphInstantiateWithFlags"};
    VendorCall<void*, void**, std::size_t*> nodes_{library_, "cuGraphGetNodes"};
    VendorCall<void*> destroy_graph_{library_, "cuGraphDestroy"};
    VendorCall<void*> destroy_executable_{library_, "cuGraphExecDestroy"};
    VendorCall<void*, void*> launch_{library_, "cuGraphLaunch"};
    VendorCall<void**, const void*, unsigned, int*, void**> load_{library_, "cuModuleLoadDataEx"};
    VendorCall<void*> unload_{library_, "cuModuleUnload"};
    VendorCall<void**, void*, const char*> function_{library_, "cuModuleGetFunction"};
    VendorCall<void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
               void**, void**>
        launch_function_{library_, "cuLaunchKernel"};
};

}  // namespace spmvgen
