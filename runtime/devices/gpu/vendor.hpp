#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "devices/device.hpp"
#include "devices/gpu/vendor_library.hpp"
#include "spmvgen/kernel.hpp"

namespace spmvgen {

/// An entry point of a vendor's library and its name there. Returns 0 or an error code.
template <typename... Parameters>
struct VendorCall {
    const char* name = "";
    int (*function)(Parameters...) = nullptr;

    VendorCall() = default;
    VendorCall(const VendorLibrary& library, const char* symbol)
        : name(symbol), function(reinterpret_cast<int (*)(Parameters...)>(library.get(symbol))) {}
    int operator()(Parameters... arguments) const { return function(arguments...); }
};

/// What CUDA's driver API and HIP's module API have in common, in one spelling. The two agree in
/// parameters and meaning but for types that are passed alike on 64-bit x86 and Arm: enumerations
/// are int here, handles void*, and so are device pointers (CUdeviceptr is a 64-bit integer).
struct VendorCalls {
    VendorCall<unsigned> initialize;
    VendorCall<int*> version;
    VendorCall<int*> count_devices;
    VendorCall<int*, int> device;  ///< from its number
    VendorCall<char*, int, int> device_name;
    VendorCall<std::size_t*, int> device_memory;
    VendorCall<int*, int, int> device_attribute;
    VendorCall<std::size_t*, std::size_t*> free_memory;  ///< free, all
    VendorCall<void**, std::size_t> allocate;
    VendorCall<void*> release;
    VendorCall<void**, std::size_t, unsigned> allocate_locked;  ///< of the host's, page-locked
    VendorCall<void*> release_locked;
    VendorCall<void*, const void*, std::size_t> copy_to_device;
    VendorCall<void*, const void*, std::size_t> copy_to_host;
    VendorCall<void*, const void*, std::size_t> copy_on_device;
    VendorCall<void*, const void*, std::size_t, void*> send;         ///< to the device, on a stream
    VendorCall<void*, const void*, std::size_t, void*> fetch;        ///< to the host, on a stream
    VendorCall<void*, unsigned char, std::size_t, void*> set_bytes;  ///< on a stream
    VendorCall<void**, unsigned> make_stream;
    VendorCall<void*> destroy_stream;
    VendorCall<void**, void*, const char*> function;
    VendorCall<int*, int, void*> function_attribute;
    VendorCall<void*> unload;
    VendorCall<void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
               void**, void**>
        launch;
    VendorCall<void*> synchronize;
    VendorCall<int*> exchange_capture_mode;  ///< of the calling thread
    VendorCall<int*, int, int> can_reach;  ///< whether the first device can use the other's memory
};

/// Entry points of graphs, which libraries need not have.
struct GraphCalls {
    VendorCall<void*, int> begin_capture;
    VendorCall<void*, void**> end_capture;
    VendorCall<void**, void*, unsigned long long> instantiate;
    VendorCall<void*> destroy_graph;
    VendorCall<void*> destroy_executable;
    VendorCall<void*, void*> launch;
    VendorCall<void*, int*> is_capturing;  ///< 0 = not
};

/// The entry points of these names, in the struct's order; nothing when one is missing.
std::optional<GraphCalls> find_graph_calls(const VendorLibrary& library,
                                           const std::array<const char*, 7>& names);

/// What a thread must be in to work on a device: CUDA has contexts, HIP has a current device.
struct VendorContext {
    void* handle = nullptr;
    int device = 0;
    bool operator==(const VendorContext&) const = default;
};

/// An error code or 0, and the call that returned it.
struct CallStatus {
    int status = 0;
    const char* call = "";
};

/// One vendor's library, loaded and initialised, and what it does in a way of its own. Any thread
/// may call it. Functions throw Error(io) that names call, error and code where nothing else is
/// said.
class GpuVendor {
  public:
    virtual ~GpuVendor() = default;
    GpuVendor(const GpuVendor&) = delete;
    GpuVendor& operator=(const GpuVendor&) = delete;

    const VendorCalls& calls() const { return calls_; }
    const std::optional<GraphCalls>& graph_calls() const { return graph_calls_; }
    const VendorLibrary& library() const { return library_; }

    virtual TargetKind kind() const = 0;
    /// "CUDA 13.0"
    virtual std::string version() const = 0;
    /// "out of memory (CUDA_ERROR_OUT_OF_MEMORY, 2)"
    virtual std::string error_text(int status) const = 0;
    /// Multiprocessors, compute units.
    virtual int units(int device) const = 0;
    /// Its clock, bandwidth and cache; what the driver does not tell is 0.
    virtual DeviceSheet rated(int) const { return {}; }
    /// What kernels for the device are compiled for. Throws Error(unsupported) when that is no row
    /// of the architecture table.
    virtual Target target(int device) const = 0;
    /// Whether a binary of kind() runs on the device, as far as its target tells.
    virtual bool can_load(const KernelBinary& binary, int device) const = 0;

    /// The context to work in; to be given back with close().
    virtual VendorContext open(int device) const = 0;
    virtual void close(const VendorContext& context) const noexcept = 0;
    /// The calling thread's; an error code or 0.
    virtual int get_current(VendorContext& context) const noexcept = 0;
    virtual int set_current(const VendorContext& context) const noexcept = 0;

    /// Lets the current context use the memory of another one. An error code or 0.
    virtual CallStatus reach(const VendorContext& other) const = 0;

    /// Loads a module into the current context; messages begin with `what` and have the driver's
    /// log.
    virtual void* load(const std::string& image, const std::string& what) const = 0;
    /// Sees to it that a function's first launch loads nothing and may have that much dynamic
    /// shared memory. Messages begin with `what`.
    virtual void prepare(void* function, std::int64_t shared_bytes,
                         const std::string& what) const = 0;

    /// Launches a function; `launch.overlaps` where the vendor can. What the call returned.
    virtual CallStatus launch(void* function, const GridLaunch& launch, void* stream,
                              void** arguments) const {
        return {
            calls_.launch(function, launch.grid[0], launch.grid[1], 1, launch.block, 1, 1,
                          static_cast<unsigned>(launch.shared_bytes), stream, arguments, nullptr),
            calls_.launch.name};
    }

    /// Throws Error(io) "WHAT: CALL: TEXT" when status, which `call` returned, is not 0.
    template <typename... P>
    void check(int status, const VendorCall<P...>& call, const std::string& what) const {
        if (status != 0) fail(status, call.name, what);
    }
    [[noreturn]] void fail(int status, const char* call, const std::string& what) const;

  protected:
    explicit GpuVendor(VendorLibrary library) : library_(std::move(library)) {}
    /// Throws Error(unsupported) that says what the library answers, and `hint`.
    void initialize(const std::string& hint) const;

    VendorLibrary library_;
    VendorCalls calls_;
    std::optional<GraphCalls> graph_calls_;
};

}  // namespace spmvgen
