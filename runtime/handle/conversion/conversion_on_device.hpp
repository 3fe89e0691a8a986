#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "devices/device.hpp"
#include "handle/conversion/gpu_matrix.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "matrix/value_classes.hpp"
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
    /// As convert() takes it: which element of y each row makes; empty = its own.
    std::span<const std::int32_t> row_order = {};
    /// The different values, sorted by their bits, for value_code 3; empty = not known yet.
    std::vector<ValueBits> dictionary = {};
};

/// Whether a parameter of a signature is not one that was asked for.
using IsOpen = std::function<bool(const char* parameter)>;

/// Columns and row offsets of a matrix in 32 bits, on the device that has them in 64: what a
/// conversion begins with where the signature wants it.
class NarrowedOnDevice {
  public:
    /// Enqueues what makes them with `kernel`, which is loaded from narrowing_to().
    NarrowedOnDevice(Device& device, const DeviceKernel& kernel, const CsrView& matrix,
                     const Signature& signature);
    /// The matrix with them; as long as this lives.
    const CsrView& view() const { return view_; }

  private:
    CsrView view_;
    std::unique_ptr<DeviceMemory> columns_, offsets_;
};

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

    /// Whether the arrays that `converter` makes here are those of such a signature.
    virtual bool is_for(const Signature& converter, const Signature& signature,
                        const CsrView& matrix) const;

    /// Makes the arrays; once. Complete when it returns. The signature is that of the constructor
    /// but for what conversion_to() does not look at. Throws TooLarge as convert() and upload() do.
    virtual GpuMatrix store(const Signature& signature, std::int64_t memory_limit) = 0;

    /// Lets the arrays that it converts live as long as it.
    void keep(std::unique_ptr<const NarrowedOnDevice> narrowed) { narrowed_ = std::move(narrowed); }

  private:
    std::unique_ptr<const NarrowedOnDevice> narrowed_;
};

/// What a signature wants of the matrix that the device does not make; "" = nothing. The host makes
/// everything.
std::string why_not_on_device(const MatrixOnDevice& matrix, const Signature& signature);

/// The kernel that converts `matrix` for a signature that the device makes.
Signature conversion_to(const Signature& signature, const CsrView& matrix);
/// Whether that kernel, which converts, is the one for such a signature, too.
bool converts_for(const Signature& converter, const Signature& signature, const CsrView& matrix);
/// The kernel that makes its columns and offsets as narrow as the signature's; nothing where they
/// are.
std::optional<Signature> narrowing_to(const Signature& signature, const CsrView& matrix);

/// All of them, loaded; those that are not needed are null.
struct ConversionKernels {
    std::shared_ptr<const GpuKernel> converter, narrowing;
    std::shared_ptr<const GpuKernel> classifying;  ///< finds the values of a dictionary
};
/// Throws as KernelProvider::get().
ConversionKernels load_converters(KernelProvider& provider, const KernelPolicy& policy,
                                  const std::shared_ptr<Device>& device, const Signature& signature,
                                  const CsrView& matrix);
/// The kernels that it loads.
std::vector<Signature> conversions_to(const Signature& signature, const CsrView& matrix);
/// How far the farthest of them is.
KernelProvider::Distance conversion_distance(KernelProvider& provider, const KernelPolicy& policy,
                                             const std::shared_ptr<Device>& device,
                                             const Signature& signature, const CsrView& matrix);

/// Whether the arrays of the signature's kernel are CSR's, beside what row offsets tell: then
/// nothing is converted but numbers of other types, and columns are looked at.
bool has_csr_arrays(const Signature& signature);
/// Whether they are `matrix`'s own, whose columns need a look at most.
bool has_arrays_of(const CsrView& matrix, const Signature& signature);

/// Begins a conversion that why_not_on_device() has nothing against, with load_converters().
/// Columns are checked, and a dictionary's values found unless they are known: fault() tells.
std::unique_ptr<ConversionOnDevice> begin_conversion(Device& device,
                                                     const ConversionKernels& kernels,
                                                     MatrixOnDevice matrix,
                                                     const Signature& signature);

}  // namespace spmvgen
