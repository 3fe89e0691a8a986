#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "devices/device.hpp"
#include "matrix/buffer.hpp"
#include "spmvgen/spmvgen.hpp"

/// Where the arrays of a handle's matrix come from.
namespace spmvgen {

/// The device that the options name, which `device` stands for where it is not null; null for the
/// host.
std::shared_ptr<Device> device_for(const Options& options, std::shared_ptr<Device> device);

/// The entries begin … end-1 of a matrix; 0 <= begin <= end <= nnz.
struct EntryRange {
    std::int64_t begin = 0, end = 0;
};

/// Columns, and values where they were asked for, of ranges of entries, one behind another.
struct EntriesOfRanges {
    const void* col_idx = nullptr;  ///< of the matrix's index type
    const void* values = nullptr;   ///< of its value type, or null
    Buffer memory;                  ///< of both
};

/// A CSR matrix in a device's memory, whose row offsets are here, too; the rest is once it was
/// asked for. For one thread.
class DeviceCsr {
  public:
    /// Copies row_ptr. Throws Error(invalid_argument), as validate(), for sizes that contradict
    /// each other, before the arrays are read; nothing else is checked.
    DeviceCsr(Device& device, const CsrView& on_device);
    DeviceCsr(const DeviceCsr&) = delete;
    DeviceCsr& operator=(const DeviceCsr&) = delete;

    const CsrView& on_device() const { return on_device_; }
    /// On this host; columns and values are null until complete().
    const CsrView& on_host() const { return on_host_; }
    bool is_complete() const { return complete_; }
    /// Copies the rest.
    void complete();
    /// Copies what lies in these ranges, waiting once for all (Device::gather_to_host). Nothing is
    /// checked of the columns.
    EntriesOfRanges fetch(std::span<const EntryRange> ranges, bool with_values) const;

  private:
    Device& device_;
    CsrView on_device_, on_host_;
    Buffer row_ptr_, col_idx_, values_;
    bool complete_ = false;
};

/// Entries in any order, out of a device's memory.
struct DownloadedEntries {
    CooView view;
    Buffer row_idx, col_idx, values;
};
DownloadedEntries download(Device& device, const CooView& matrix);

}  // namespace spmvgen
