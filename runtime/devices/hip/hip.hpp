#pragma once
#include <memory>

#include "devices/gpu/vendor.hpp"

namespace spmvgen {

/// HIP's module API, from libamdhip64.so.7, .6 or .5 or the file that SPMVGEN_HIP_LIBRARY names.
/// Throws Error(unsupported) that says what was looked for and found.
std::shared_ptr<const GpuVendor> load_hip();

}  // namespace spmvgen
