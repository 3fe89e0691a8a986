#pragma once
#include <functional>
#include <memory>

#include "devices/device.hpp"
#include "devices/gpu/open_vendor_device.hpp"

namespace spmvgen {

/// Device::record() of a vendor's device; null when its library has no graphs.
std::unique_ptr<DeviceGraph> record_graph(std::shared_ptr<const OpenDevice> device,
                                          const std::function<void(StreamRef)>& enqueue);

}  // namespace spmvgen
