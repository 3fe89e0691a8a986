#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "devices/device.hpp"
#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// The CSR arrays of a matrix in a device's memory: the caller's that are there, or copies of
/// those on this host, made when they are first wanted. The device and the caller's arrays must
/// outlive it. For one thread.
class CsrOnDevice {
  public:
    /// `on_device` is the same matrix in the device's memory; null = `host` is to be copied.
    CsrOnDevice(Device& device, const CsrView& host, const CsrView* on_device);

    /// Device pointers, valid as long as this lives. Complete when it returns. Throws as
    /// Device::allocate does.
    const CsrView& view();

    /// What it is a view of, as it was given: of its arrays some may be elsewhere.
    const CsrView& matrix() const { return host_; }
    bool is_on_device() const { return !copies_ || !memory_.empty(); }
    /// Whether they are there, or the device has room for them beside what is made of them.
    bool has_room() const;
    double bytes() const;
    /// Whether converting on the device is worth the copy; with `compile` also the compilation of
    /// the kernel that converts.
    bool pays(bool compile = false) const;
    /// Gives up the copies, which come again when they are wanted.
    void release();

  private:
    Device& device_;
    const CsrView host_;
    const bool copies_;
    CsrView view_;
    std::vector<std::unique_ptr<DeviceMemory>> memory_;
};

}  // namespace spmvgen
