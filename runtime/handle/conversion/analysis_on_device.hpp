#pragma once
#include <memory>
#include <optional>

#include "devices/device.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "matrix/value_classes.hpp"
#include "spmvgen/matrix.hpp"
#include "spmvgen/signature.hpp"

/// What is found out of a matrix on the device that has it, by kernels that are no products.
namespace spmvgen {

/// The kernel that looks at values of a type.
Signature classifying(ValueType value, const Target& target);

/// What all values of a matrix with device pointers, which has some, have in common: as
/// encode_values() finds it out on a host, to the last bit. Waits once. `kernel` is classifying()'s
/// for them, loaded.
ValueTraits classify_values(Device& device, const DeviceKernel& kernel, const CsrView& matrix);

/// The same with the kernels from where they are: made and loaded when they are first wanted. For
/// one thread.
class AnalysisOnDevice {
  public:
    /// The provider must outlive it.
    AnalysisOnDevice(KernelProvider& provider, KernelPolicy policy, std::shared_ptr<Device> device)
        : provider_(provider), policy_(std::move(policy)), device_(std::move(device)) {}

    /// Nothing where the kernel cannot be had.
    std::optional<ValueTraits> value_traits(const CsrView& matrix);

  private:
    /// Null where it cannot be had.
    std::shared_ptr<const GpuKernel> kernel(const Signature& signature);

    KernelProvider& provider_;
    KernelPolicy policy_;
    std::shared_ptr<Device> device_;
};

}  // namespace spmvgen
