#pragma once
#include <memory>

#include "formats/value_sources.hpp"
#include "handle/conversion/gpu_matrix.hpp"
#include "handle/kernels/kernel_provider.hpp"

namespace spmvgen {

/// Puts new values into a matrix that a device has, on the device.
class GpuValues {
  public:
    /// Of a matrix that is stored for the signature of values of type `given`. Null where there is
    /// no such kernel: of storage types of two bytes, or when none can be had.
    static std::unique_ptr<GpuValues> of(const ValueSources& sources, const Signature& signature,
                                         ValueType given, const std::shared_ptr<Device>& device,
                                         KernelProvider& provider, const KernelPolicy& policy);

    /// Of what is kept on the device.
    std::int64_t bytes() const;

    /// `values` are in the device's memory, one for each entry. Complete when it returns.
    void put(const void* values, const GpuMatrix& matrix) const;

  private:
    struct Array {
        std::string name;
        std::unique_ptr<DeviceMemory> entry;  ///< as ValueSources::Array has it
    };
    std::shared_ptr<Device> device_;
    std::shared_ptr<const GpuKernel> kernel_;
    std::vector<Array> arrays_;
};

}  // namespace spmvgen
