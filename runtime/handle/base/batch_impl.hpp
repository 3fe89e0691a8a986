#pragma once
#include <memory>
#include <vector>

#include "formats/batch.hpp"
#include "handle/base/handle_impl.hpp"
#include "spmvgen/batch.hpp"

namespace spmvgen {

/// Where each system's vectors lie.
struct BatchShape {
    BatchKind kind = BatchKind::flexible;
    BatchLayout layout = BatchLayout::concatenated;
    std::int64_t systems = 0;
    std::int64_t x_size = 0, y_size = 0;
    /// Concatenated flexible systems: of each the first element of x and y.
    std::vector<std::int64_t> x_offset, y_offset;
    std::int64_t rows = 0, cols = 0;  ///< of each, where all have the same
    std::int64_t group = 1;           ///< interleaved: systems of a group, of the larger ones
    std::int64_t larger = 0;          ///< how many groups have `group` systems; others one less
};

/// Right-hand sides of a multi-vector product at most.
inline constexpr std::int64_t most_interleaved = 64;

BatchShape shape_of(const BatchSystems& systems, const BatchFeatures& features, BatchLayout layout);

/// What is behind a batch handle: where vectors lie, and what multiplies.
class BatchImpl {
  public:
    BatchImpl(BatchShape shape, std::unique_ptr<HandleImpl> product)
        : shape_(std::move(shape)), product_(std::move(product)) {}
    const BatchShape& shape() const { return shape_; }
    HandleImpl& product() const { return *product_; }
    static BatchHandle wrap(std::unique_ptr<BatchImpl> impl) {
        return BatchHandle(std::move(impl));
    }

  private:
    BatchShape shape_;
    std::unique_ptr<HandleImpl> product_;
};

/// The products of concatenated batches on a CPU and on a GPU, and of interleaved ones, which are
/// plain handles with many right-hand sides.
std::unique_ptr<HandleImpl> make_host_batch(const BatchSystems& systems,
                                            const BatchFeatures& features, const Options& options,
                                            KernelProvider& provider);
std::unique_ptr<HandleImpl> make_gpu_batch(const BatchSystems& systems,
                                           const BatchFeatures& features, const Options& options,
                                           KernelProvider& provider,
                                           std::shared_ptr<Device> device);
std::unique_ptr<HandleImpl> make_interleaved_batch(const BatchSystems& systems,
                                                   const BatchShape& shape, const Options& options,
                                                   KernelProvider& provider,
                                                   const std::shared_ptr<Device>& device);

/// A batch handle that gets its kernels from `provider`, which must outlive it. `device` stands for
/// options.device, which is else opened; unused when that is "host".
BatchHandle make_batch_handle(std::span<const CsrView> systems, const Options& options,
                              BatchLayout layout, KernelProvider& provider,
                              std::shared_ptr<Device> device = nullptr);

}  // namespace spmvgen
