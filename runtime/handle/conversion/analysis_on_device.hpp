#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "devices/device.hpp"
#include "handle/conversion/order_on_device.hpp"
#include "handle/conversion/rows_on_device.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "matrix/buffer.hpp"
#include "matrix/entry_source.hpp"
#include "matrix/reorder/row_clusters.hpp"
#include "matrix/value_classes.hpp"
#include "spmvgen/matrix.hpp"
#include "spmvgen/signature.hpp"

/// What is found out of a matrix on the device that has it, by kernels that are no products.
namespace spmvgen {

/// The kernels that look at values of a type, and that gather elements as large as an index.
Signature classifying(ValueType value, const Target& target);
/// of a matrix with such offsets.
Signature gathering(IndexType index, IndexType offset, const Target& target);

/// What all values of a matrix with device pointers, which has some, have in common: as
/// encode_values() finds it out on a host, to the last bit. Waits once. `kernel` is classifying()'s
/// for them, loaded. Unless `lists` the different values are not looked for, which is sooner done.
ValueTraits classify_values(Device& device, const DeviceKernel& kernel, const CsrView& matrix,
                            bool lists = true);

/// Ranges of entries of an array on the device, whose elements have 4 or 8 bytes.
struct PiecesOfArray {
    const void* array;
    std::size_t element;  ///< bytes
    std::span<const EntryRange> ranges;
};

/// The elements of each, one behind another. Waits once for all of them. kernels[i] is
/// gathering()'s for pieces[i], loaded.
std::vector<Buffer> gather(Device& device, std::span<const DeviceKernel* const> kernels,
                           std::span<const PiecesOfArray> pieces);

/// The same with the kernels from where they are: made and loaded when they are first wanted. For
/// one thread.
class AnalysisOnDevice {
  public:
    /// The provider must outlive it.
    AnalysisOnDevice(KernelProvider& provider, KernelPolicy policy, std::shared_ptr<Device> device)
        : provider_(provider), policy_(std::move(policy)), device_(std::move(device)) {}

    /// Nothing where the kernel cannot be had.
    std::optional<ValueTraits> value_traits(const CsrView& matrix, bool lists = true);
    /// As gather(); nothing, too, where elements have other sizes.
    std::optional<std::vector<Buffer>> gathered(std::span<const PiecesOfArray> pieces,
                                                IndexType offset);
    /// What gathers elements of so many bytes; null where there is none, or it cannot be had.
    std::shared_ptr<const GpuKernel> gatherer(std::size_t element, IndexType offset);
    /// As RowsOnDevice; nothing, too, where elements have other sizes, or the device lacks room.
    std::unique_ptr<RowsOnDevice> rows_in(const CsrView& on_device, const CsrView& on_host,
                                          std::span<const std::int32_t> order, int threads);
    /// Whether that begins with compiling a kernel.
    bool compiles_for_rows_in(const CsrView& matrix);

    /// Goes on with a search for regions of a matrix with device pointers, which is square, with
    /// row offsets that are right. Whether to its end: not where the kernel cannot be had, after
    /// many rounds, or where a column is no row.
    bool search(const CsrView& matrix, reordering::RegionSearch& search,
                std::uint64_t most_rounds = most_search_rounds);
    /// Whether that begins with compiling a kernel.
    bool compiles_search(const CsrView& matrix);
    /// Puts its regions into clusters; not where the kernel cannot be had, and as cluster() says.
    bool cluster(const CsrView& matrix, reordering::RegionsToCluster& regions);
    /// Whether that begins with compiling a kernel.
    bool compiles_clusters(const CsrView& matrix);

  private:
    bool is_to_be_compiled(const Signature& signature);
    /// Null where it cannot be had.
    std::shared_ptr<const GpuKernel> kernel(const Signature& signature);

    KernelProvider& provider_;
    KernelPolicy policy_;
    std::shared_ptr<Device> device_;
};

}  // namespace spmvgen
