#pragma once
#include <memory>
#include <span>
#include <vector>

#include "handle/kernels/kernel_provider.hpp"

namespace spmvgen {

/// Makes those of a GPU's kernels that are to be compiled, where these are several: each on a
/// thread, with at most `threads` of them. result[i] is kernels[i] as it was had, without a kernel
/// where it was not made, or could not be; why is told when it is asked for.
std::vector<ProvidedGpuKernel> make_side_by_side(KernelProvider& provider,
                                                 const KernelPolicy& policy,
                                                 const std::shared_ptr<Device>& device,
                                                 std::span<const Signature> kernels, int threads);

}  // namespace spmvgen
