#pragma once
#include <memory>

#include "devices/device.hpp"
#include "devices/simt/simt.hpp"

namespace spmvgen {

/// A device of host memory that stands for a GPU of `target`: it loads binaries of kind simt, each
/// step's spmvgen_simt_kernel exported as step.symbol + "_simt", and runs them with the SIMT
/// executor in warps of the kernel's wavefront. Fresh memory has all bits set, so that what was not
/// written reads as NaN or -1. launch() returns when all blocks have run; only the default stream
/// exists. Throws Error(invalid_argument) when `target` is no GPU.
std::shared_ptr<Device> open_simt_device(const Target& target, ThreadOrder order);

/// The order that SPMVGEN_SIMT_ORDER asks for: "forward", also when it is not set, or "reverse".
/// Throws Error(invalid_argument) for anything else.
ThreadOrder simt_thread_order();

}  // namespace spmvgen
