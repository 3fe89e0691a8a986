#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "devices/device.hpp"
#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// A matrix in a device's memory that has the rows of another one there in another order; the
/// entries of a row stand as they stood.
class RowsOnDevice {
  public:
    /// The kernels that copy columns and values, gathering()'s, loaded.
    struct Kernels {
        const DeviceKernel &columns, &values;
    };
    /// Copies; complete when it returns. `on_host` has the row offsets of `on_device`, `order` says
    /// which row each is. Columns and values have 4 or 8 bytes. Throws as Device::allocate_scratch.
    RowsOnDevice(Device& device, const Kernels& kernels, const CsrView& on_device,
                 const CsrView& on_host, std::span<const std::int32_t> order, int threads = 0);

    /// Device pointers, valid as long as this lives.
    const CsrView& view() const { return view_; }

  private:
    CsrView view_;
    std::unique_ptr<DeviceMemory> row_ptr_, columns_, values_;
};

}  // namespace spmvgen
