#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "devices/device.hpp"
#include "handle/gpu_matrix.hpp"
#include "spmvgen/matrix.hpp"
#include "spmvgen/signature.hpp"

/// Conversions of CSR to other formats on the device that has the matrix.
namespace spmvgen {

/// A matrix whose arrays are in a device's memory.
struct MatrixOnDevice {
    CsrView on_device;         ///< device pointers
    CsrView on_host;           ///< the same, of which only row_ptr is on this host
    std::int64_t max_row = 0;  ///< entries of the longest row
    bool borrow = false;       ///< arrays that stay as they are need no copy
};

/// Whether a parameter of a signature is not one that was asked for.
using IsOpen = std::function<bool(const char* parameter)>;

/// A conversion in two parts: what decides sizes, then the arrays; what the signature says of the
/// matrix is decided between. All arrays are those that convert() makes, to the last bit. For one
/// thread; the device, the kernel and the matrix must outlive it.
class ConversionOnDevice {
  public:
    virtual ~ConversionOnDevice() = default;

    /// Why this is no matrix, or none for the signature; "" = all is well. The host's conversion
    /// refuses with a better text.
    virtual std::string fault() const = 0;

    /// Sets the open parameters that the columns decide, where the tuner has not seen all of them.
    /// Returns a line for people, or nothing.
    virtual std::string fit(Signature&, const IsOpen&) { return ""; }

    /// Makes the arrays; once. Complete when it returns. The signature is that of the constructor
    /// but for what conversion_to() does not look at. Throws TooLarge as convert() and upload() do.
    virtual GpuMatrix store(const Signature& signature, std::int64_t memory_limit) = 0;
};

/// What a signature wants of the matrix that the device does not make; "" = nothing. The host makes
/// everything.
std::string why_not_on_device(const MatrixOnDevice& matrix, const Signature& signature);

/// The kernel that converts `matrix` for a signature that the device makes.
Signature conversion_to(const Signature& signature, const CsrView& matrix);

/// Whether the arrays of the signature's kernel are CSR's, beside what row offsets tell: then
/// nothing is converted but values that are rounded, and columns are looked at.
bool has_csr_arrays(const Signature& signature);

/// Begins a conversion that why_not_on_device() has nothing against. `converter` is loaded from
/// conversion_to(). Columns are checked: fault() tells.
std::unique_ptr<ConversionOnDevice> begin_conversion(Device& device, const DeviceKernel& converter,
                                                     const MatrixOnDevice& matrix,
                                                     const Signature& signature);

}  // namespace spmvgen
