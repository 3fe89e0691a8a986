#pragma once
#include <memory>
#include <vector>

#include "devices/device.hpp"
#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// A copy of a matrix in a device's memory.
class OnDevice {
  public:
    OnDevice(Device& device, const CsrView& a) : view_(a) {
        view_.row_ptr = put(device, a.row_ptr, a.rows + 1, size_of(a.offset_type));
        view_.col_idx = put(device, a.col_idx, a.nnz, size_of(a.index_type));
        view_.values = put(device, a.values, a.nnz, size_of(a.value_type));
    }
    /// Device pointers.
    const CsrView& view() const { return view_; }

  private:
    const void* put(Device& device, const void* from, std::int64_t count, std::size_t element) {
        const std::size_t bytes = static_cast<std::size_t>(count) * element;
        auto& memory = memory_.emplace_back(device.allocate(bytes));
        device.copy_to_device(memory->data(), from, bytes);
        return memory->data();
    }
    CsrView view_;
    std::vector<std::unique_ptr<DeviceMemory>> memory_;
};

}  // namespace spmvgen
