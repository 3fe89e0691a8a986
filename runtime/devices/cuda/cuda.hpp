#pragma once
#include <memory>

#include "devices/gpu/vendor.hpp"

namespace spmvgen {

/// CUDA's driver API, from libcuda.so.1 or the file that SPMVGEN_CUDA_LIBRARY names. Works in the
/// devices' primary contexts, which are those of the runtime API: memory and streams of an
/// application that uses it can be used. Throws Error(unsupported) that says what was looked for
/// and found.
std::shared_ptr<const GpuVendor> load_cuda();

}  // namespace spmvgen
