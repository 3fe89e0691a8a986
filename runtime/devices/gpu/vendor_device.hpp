#pragma once
#include <memory>
#include <string>

#include "devices/device.hpp"
#include "devices/gpu/vendor.hpp"

namespace spmvgen {

/// What a vendor tells of device `number` ("cuda:0"), without making a context. Throws
/// Error(unsupported) when there is no code for it.
DeviceFacts device_facts(const GpuVendor& vendor, int number);

/// How many devices the vendor's library sees.
int device_count(const GpuVendor& vendor);

/// A device of CUDA or HIP. Leaves the calling thread's current context or device as it was. While
/// a stream is being captured into a graph, launch() may be called, and memory and kernels may be
/// made and freed; copies and synchronize() the vendors refuse.
/// Throws Error(unsupported) when there is no such device or no code for it.
std::shared_ptr<Device> open_vendor_device(std::shared_ptr<const GpuVendor> vendor, int number);

}  // namespace spmvgen
