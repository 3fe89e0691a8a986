#pragma once
#include <memory>
#include <vector>

#include "devices/device.hpp"
#include "formats/stored_matrix.hpp"

namespace spmvgen {

/// A stored matrix in a device's memory; its arrays are device pointers. The device must outlive
/// it.
struct GpuMatrix {
    StoredMatrix stored;  ///< owns nothing
    std::vector<std::unique_ptr<DeviceMemory>> memory;
};

/// Copies all arrays of `stored`, which was made of `matrix` and may borrow from it. Complete when
/// it returns. Throws as Device::allocate does.
GpuMatrix upload(Device& device, const StoredMatrix& stored, const CsrView& matrix);

}  // namespace spmvgen
