#pragma once
#include <memory>
#include <vector>

#include "devices/device.hpp"
#include "formats/stored_matrix.hpp"
#include "formats/value_pattern.hpp"

namespace spmvgen {

/// Where arrays of the caller's lie that a stored matrix has as they are, and how much it may take.
struct UploadFrom {
    const CsrView* on_device = nullptr;  ///< the same matrix in the device's memory; null = nowhere
    bool borrow = false;                 ///< take these arrays themselves, not copies of them
    std::int64_t memory_limit = 0;       ///< of what is allocated; 0 = no limit
    bool waits = true;  ///< complete when it returns; else for the default stream alone
};

/// A stored matrix in a device's memory; its arrays are device pointers. The device must outlive
/// it.
struct GpuMatrix {
    StoredMatrix stored;  ///< owns nothing
    std::vector<std::unique_ptr<DeviceMemory>> memory;
};

/// The least multiple of what arrays in the same memory begin at.
std::size_t aligned(std::size_t bytes);

/// One array of several in the same memory, of which each keeps all.
class PartOfMemory : public DeviceMemory {
  public:
    PartOfMemory(std::shared_ptr<DeviceMemory> all, std::size_t begin, std::size_t bytes)
        : all_(std::move(all)), begin_(begin), bytes_(bytes) {}
    void* data() const override { return static_cast<std::byte*>(all_->data()) + begin_; }
    std::size_t bytes() const override { return bytes_; }
    void let_reuse() noexcept override { all_->let_reuse(); }

  private:
    std::shared_ptr<DeviceMemory> all_;
    std::size_t begin_, bytes_;
};

/// Throws TooLarge when so many bytes on a device are more than the limit; 0 = there is none.
void check_device_limit(Format format, std::size_t bytes, std::int64_t limit);

/// Copies all arrays of `stored`, which was made of `matrix` and may borrow from it. Throws as
/// Device::allocate does, and TooLarge before anything is allocated.
GpuMatrix upload(Device& device, const StoredMatrix& stored, const CsrView& matrix,
                 const UploadFrom& from = {});

/// The stored matrix with new arrays in the place of those of its values, whatever their sizes: its
/// `memory` is these, the other arrays are those of `matrix`. Throws as Device::allocate does, and
/// TooLarge when both together are beyond the limit (0 = none).
GpuMatrix with_new_values(Device& device, const GpuMatrix& matrix, const StoredValues& fresh,
                          std::int64_t memory_limit);

}  // namespace spmvgen
