#pragma once
#include <memory>

#include "devices/device.hpp"
#include "matrix/csr_matrix.hpp"
#include "spmvgen/spmvgen.hpp"

/// Where the arrays of a handle's matrix come from.
namespace spmvgen {

/// The device that the options name, which `device` stands for where it is not null; null for the
/// host.
std::shared_ptr<Device> device_for(const Options& options, std::shared_ptr<Device> device);

/// A CSR matrix out of a device's memory. Throws Error(invalid_argument), as validate(), for sizes
/// that contradict each other, before the arrays are read; nothing else is checked.
CsrMatrix download(Device& device, const CsrView& matrix);

/// The same of entries in any order.
struct DownloadedEntries {
    CooView view;
    Buffer row_idx, col_idx, values;
};
DownloadedEntries download(Device& device, const CooView& matrix);

}  // namespace spmvgen
