#pragma once
#include <fmt/format.h>

#include <memory>

#include "devices/gpu/vendor.hpp"
#include "devices/gpu/vendor_device.hpp"
#include "spmvgen/error.hpp"

/// A vendor's device while it is open, and what a thread must be in to work on it.
namespace spmvgen {

// Enumerators that CUDA and HIP share.
inline constexpr int capture_mode_thread_local = 1, capture_mode_relaxed = 2;
inline constexpr unsigned stream_non_blocking = 1;

inline const char* prefix_of(const GpuVendor& vendor) {
    return vendor.kind() == TargetKind::cuda ? "cuda" : "hip";
}

/// The vendor's handle of a device.
inline int handle_of(const GpuVendor& vendor, int number) {
    int device = 0;
    vendor.check(vendor.calls().device(&device, number), vendor.calls().device,
                 fmt::format("{}:{}", prefix_of(vendor), number));
    return device;
}

/// A vendor's device between open() and close().
class OpenDevice {
  public:
    OpenDevice(std::shared_ptr<const GpuVendor> vendor_of, int number)
        : vendor(std::move(vendor_of)),
          facts(device_facts(*vendor, number)),
          device(handle_of(*vendor, number)),
          context(vendor->open(device)) {}
    ~OpenDevice() { vendor->close(context); }
    OpenDevice(const OpenDevice&) = delete;
    OpenDevice& operator=(const OpenDevice&) = delete;

    const std::shared_ptr<const GpuVendor> vendor;
    const DeviceFacts facts;
    const int device;
    const VendorContext context;
};

/// Puts the calling thread into a device's context; puts it back at the end.
class InContext {
  public:
    explicit InContext(const OpenDevice& device) : vendor_(*device.vendor) {
        int status = vendor_.get_current(before_);
        changed_ = status == 0 && !same(device.context);
        if (changed_) status = vendor_.set_current(device.context);
        if (status != 0)
            throw Error(ErrorCode::io, fmt::format("{}: its context cannot be made current: {}",
                                                   device.facts.text, vendor_.error_text(status)));
    }
    // What goes wrong here comes from an earlier call or from the driver's end with the process.
    ~InContext() {
        if (changed_) vendor_.set_current(before_);
    }
    InContext(const InContext&) = delete;
    InContext& operator=(const InContext&) = delete;

  private:
    bool same(const VendorContext& wanted) const {
        return vendor_.kind() == TargetKind::cuda ? before_.handle == wanted.handle
                                                  : before_.device == wanted.device;
    }

    const GpuVendor& vendor_;
    VendorContext before_;
    bool changed_ = false;
};

/// Lets the calling thread allocate, free, load and copy although some thread captures a stream:
/// otherwise the call is refused and the capture is spoiled.
class DespiteCapture {
  public:
    explicit DespiteCapture(const OpenDevice& device) : vendor_(*device.vendor) {
        exchanged_ = vendor_.calls().exchange_capture_mode(&mode_) == 0;
    }
    ~DespiteCapture() {
        if (exchanged_) vendor_.calls().exchange_capture_mode(&mode_);
    }
    DespiteCapture(const DespiteCapture&) = delete;
    DespiteCapture& operator=(const DespiteCapture&) = delete;

  private:
    const GpuVendor& vendor_;
    int mode_ = capture_mode_relaxed;
    bool exchanged_ = false;
};

/// A stream that waits for no other, in the current context.
class OwnStream {
  public:
    explicit OwnStream(const OpenDevice& device) : vendor_(*device.vendor) {
        const auto& calls = vendor_.calls();
        vendor_.check(calls.make_stream(&handle_, stream_non_blocking), calls.make_stream,
                      device.facts.text);
    }
    ~OwnStream() { vendor_.calls().destroy_stream(handle_); }
    OwnStream(const OwnStream&) = delete;
    OwnStream& operator=(const OwnStream&) = delete;
    void* handle() const { return handle_; }

  private:
    const GpuVendor& vendor_;
    void* handle_ = nullptr;
};

}  // namespace spmvgen
