#pragma once

namespace spmvgen {

/// What the data sheet or the driver of a GPU says of it, beside its name, architecture and
/// multiprocessors. 0 = not known.
struct DeviceSheet {
    double clock_ghz = 0;           ///< of the multiprocessors, the highest
    double memory_bytes_per_s = 0;  ///< the peak
    double l2_bytes = 0;            ///< of the cache that all multiprocessors share
    bool operator==(const DeviceSheet&) const = default;
};

/// The same, with `others` where `sheet` knows nothing.
inline DeviceSheet completed(DeviceSheet sheet, const DeviceSheet& others) {
    for (auto member :
         {&DeviceSheet::clock_ghz, &DeviceSheet::memory_bytes_per_s, &DeviceSheet::l2_bytes})
        if (sheet.*member == 0) sheet.*member = others.*member;
    return sheet;
}

}  // namespace spmvgen
