#pragma once
#include <memory>
#include <vector>

#include "formats/value_sources.hpp"
#include "handle/conversion/gpu_matrix.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "matrix/value_classes.hpp"

namespace spmvgen {

/// Puts new values into a matrix that a device has, on the device.
class GpuValues {
  public:
    /// Of a matrix that is stored for the signature of values of type `given`; null `sources`: in
    /// the order of its entries. Null when the kernel cannot be had.
    static std::unique_ptr<GpuValues> of(const ValueSources* sources, const Signature& signature,
                                         ValueType given, const std::shared_ptr<Device>& device,
                                         KernelProvider& provider, const KernelPolicy& policy);

    /// Of what is kept on the device.
    std::int64_t bytes() const;

    /// `values` are in the device's memory, one for each of `entries`. `dictionary` has the
    /// different ones where the signature wants it; the others do not look at it. What the
    /// signature's code does not hold comes out wrong. Complete when it returns.
    void put(const void* values, std::int64_t entries, const std::vector<ValueBits>& dictionary,
             const GpuMatrix& matrix) const;

  private:
    struct Array {
        std::string name;
        std::unique_ptr<DeviceMemory> entry;  ///< as ValueSources::Array has it
    };
    void put_in_order(const void* values, std::int64_t entries, const GpuMatrix& matrix) const;

    std::shared_ptr<Device> device_;
    std::shared_ptr<const GpuKernel> kernel_;
    bool in_order_ = false;
    std::vector<Array> arrays_;
};

}  // namespace spmvgen
