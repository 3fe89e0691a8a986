#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kernel/device_sheet.hpp"
#include "spmvgen/kernel.hpp"

/// GPUs and what stands for one: memory, loaded kernels, launches, streams. Implemented for CUDA
/// (driver API), HIP (module API) and the SIMT executor; handles know this interface only.
namespace spmvgen {

/// What is known of an opened device.
struct DeviceFacts {
    std::string name;  ///< as the driver tells it: "NVIDIA H200"
    std::string text;  ///< as it was asked for: "cuda:0", "hip:1", "simt:gfx906"
    Target target;     ///< what kernels are compiled for
    BinaryKind loads = BinaryKind::cubin;
    int units = 0;      ///< multiprocessors, compute units
    DeviceSheet rated;  ///< as the driver tells it; HIP's and the SIMT executor's tell nothing
    std::int64_t memory_bytes = 0;
    std::string driver;  ///< version of the driver, for people
};

/// A stream as the vendor's API has it: CUstream (= cudaStream_t), hipStream_t; null = the default
/// stream. The SIMT executor has only that.
struct StreamRef {
    void* native = nullptr;
    bool operator==(const StreamRef&) const = default;
};

/// Memory on a device, freed with the object (also when the device's last other owner is gone).
class DeviceMemory {
  public:
    virtual ~DeviceMemory() = default;
    /// The device pointer: what kernels get; for vendors' devices not to be read here.
    virtual void* data() const = 0;
    virtual std::size_t bytes() const = 0;
    /// Nothing but work on the default stream has used it: of Device::allocate_kept(), it may serve
    /// others when the object goes. Else it means nothing.
    virtual void let_reuse() noexcept {}
};

/// A kernel binary in a device. Unloaded with the object.
class DeviceKernel {
  public:
    virtual ~DeviceKernel() = default;
    virtual const Signature& signature() const = 0;
    virtual const LaunchDescription& launch() const = 0;
};

/// A launch of one step of a kernel.
struct GridLaunch {
    std::array<unsigned, 2> grid{1, 1};
    unsigned block = 1;
    std::size_t shared_bytes = 0;
    bool overlaps = false;  ///< as Step::overlaps
};

/// A piece of a device's memory.
struct DevicePiece {
    const void* data = nullptr;
    std::size_t bytes = 0;
};

/// Work that a device repeats without the host: a CUDA or HIP graph on a stream of its own. For one
/// thread. The device must outlive it.
class DeviceGraph {
  public:
    virtual ~DeviceGraph() = default;
    virtual void launch() = 0;       ///< enqueues the work once more
    virtual void synchronize() = 0;  ///< waits for all launches
};

class MemoryPool;

/// All functions may be called from any thread. Vendors' errors become Error(io) with the call, its
/// code and the vendor's text.
class Device {
  public:
    Device();
    virtual ~Device() = default;
    virtual const DeviceFacts& facts() const = 0;

    /// 0 bytes are allowed: data() is null then. Throws Error(io) when the device has not that much
    /// memory free.
    virtual std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) = 0;
    /// The same for work on the default stream alone that soon gives it back: from a pool, which
    /// keeps at most most_pooled bytes that nobody uses, as long as the device is open. It holds
    /// whatever was left in it.
    std::unique_ptr<DeviceMemory> allocate_scratch(std::size_t bytes);
    static constexpr std::size_t most_pooled = std::size_t{1} << 28;
    /// The same for what stays: from the pool where that has a block of about this size, for the
    /// driver takes long to map another one. Freed with the object, which waits for all streams,
    /// unless DeviceMemory::let_reuse() was called before: then it goes back to the pool.
    std::unique_ptr<DeviceMemory> allocate_kept(std::size_t bytes);
    /// Frees what the pool keeps and nobody uses. Whether there was anything.
    bool empty_pool();
    /// Synchronous copies: complete when they return. They wait for what was launched on the
    /// default stream, not for other streams; vendors refuse them while a stream is being captured.
    virtual void copy_to_device(void* device, const void* host, std::size_t bytes) = 0;
    virtual void copy_to_host(void* host, const void* device, std::size_t bytes) = 0;
    /// The same for what is enqueued on the default stream later, which finds the bytes there:
    /// where the device can, without waiting. The host's bytes may change once the call returns, of
    /// page-locked memory once the default stream was waited for.
    virtual void enqueue_to_device(void* device, const void* host, std::size_t bytes);
    virtual void enqueue_on_device(void* to, const void* from, std::size_t bytes);
    /// The pieces to the host, one behind another, waiting once where the device can: unless it
    /// knows better, one by one.
    virtual void gather_to_host(void* host, std::span<const DevicePiece> pieces);
    /// The same within the device. Unless a device knows better, through this host.
    virtual void copy_on_device(void* to, const void* from, std::size_t bytes);
    /// Zeros in memory that no work in flight uses; complete, for all streams, when it returns. May
    /// be called while a stream is being captured, and is no part of what is captured.
    virtual void zero(void* device, std::size_t bytes) = 0;
    virtual std::size_t free_bytes() = 0;

    /// Loads a binary of kind facts().loads (CUDA devices also PTX). Throws Error(unsupported) when
    /// it is for another architecture, Error(io) when the driver refuses it or a symbol is missing.
    virtual std::unique_ptr<DeviceKernel> load(const KernelBinary& binary) = 0;

    /// Enqueues step `step`; arguments[i] points to argument i. Neither allocates, loads nor
    /// synchronises, and may be captured into a graph. Throws Error(invalid_argument) for a kernel
    /// of another device and for a grid that the device does not take (see gpu/grid.hpp).
    virtual void launch(const DeviceKernel& kernel, std::size_t step, const GridLaunch& launch,
                        void* const* arguments, StreamRef stream) = 0;

    virtual void synchronize(StreamRef stream) = 0;
    /// Lets kernels and copies of this device use the memory of another one. Whether that can be.
    virtual bool reach(Device& other);
    /// Whether what is enqueued on the stream is captured into a graph instead of run.
    virtual bool is_capturing(StreamRef stream);

    /// What `enqueue` enqueues on the stream that it is given, ready to be launched again and
    /// again; nothing of it runs yet. Null when the device has no graphs. What `enqueue` throws
    /// passes through.
    virtual std::unique_ptr<DeviceGraph> record(const std::function<void(StreamRef)>& enqueue);

  private:
    std::shared_ptr<MemoryPool> pool_;
};

/// Opens "cuda:0", "cuda" (= cuda:0), "hip:1" or "simt:ARCH" ("simt:gfx906", "simt:sm_90",
/// "simt:gfx1030:wave=64"); the vendor's library is looked for at the first call. The same text
/// gives the same device as long as it has an owner. Throws Error(invalid_argument) for another
/// text, Error(unsupported) that says what was looked for and found when there is no such device.
std::shared_ptr<Device> open_device(std::string_view text);

/// What open_device would find, for `spmvgen doctor`: one line a library and device.
std::string describe_devices();

}  // namespace spmvgen
