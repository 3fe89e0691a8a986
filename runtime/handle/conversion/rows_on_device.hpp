#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "devices/device.hpp"
#include "matrix/value_order.hpp"
#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// An order of pieces (ValueOrder::pieces) in a device's memory, for arrays that are there.
class PiecesOnDevice {
  public:
    enum class Memory { scratch, own };
    /// Throws as Device::allocate. The device must outlive it.
    PiecesOnDevice(Device& device, const ValueOrder& order, Memory memory);
    /// A copy of an array in this order. Enqueued on the default stream. `kernel` is gathering()'s
    /// for elements as large as these, of 4 or 8 bytes, and offsets of the order's type, loaded.
    /// Throws as Device::allocate_scratch.
    std::unique_ptr<DeviceMemory> copied(const DeviceKernel& kernel, const void* array,
                                         std::size_t element) const;
    /// What comes before each piece, on the device.
    const void* before() const { return before_->data(); }
    std::int64_t bytes() const {
        return static_cast<std::int64_t>(from_->bytes() + before_->bytes());
    }

  private:
    Device& device_;
    std::int64_t pieces_, count_;
    std::unique_ptr<DeviceMemory> from_, before_;
};

/// A matrix in a device's memory that has the rows of another one there in another order; the
/// entries of a row stand as they stood.
class RowsOnDevice {
  public:
    /// The kernels that copy columns and values, gathering()'s, loaded.
    struct Kernels {
        const DeviceKernel &columns, &values;
    };
    /// Copies; complete when it returns. `on_host` has the row offsets of `on_device`, `order` says
    /// which row each is. Columns and values have 4 or 8 bytes. Throws as Device::allocate.
    RowsOnDevice(Device& device, const Kernels& kernels, const CsrView& on_device,
                 const CsrView& on_host, std::span<const std::int32_t> order, int threads = 0);

    /// Device pointers, valid as long as this lives.
    const CsrView& view() const { return view_; }
    /// Where each value comes from. It can be taken once.
    ValueOrder take_order() { return std::move(order_); }

  private:
    CsrView view_;
    ValueOrder order_;
    PiecesOnDevice pieces_;  ///< the rows
    std::unique_ptr<DeviceMemory> columns_, values_;
};

}  // namespace spmvgen
