#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include "devices/device.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {

/// Where the numbers of several vectors are, in elements: number i of vector r is
/// data[i·row_step + r·rhs_step].
struct VectorSteps {
    std::int64_t row_step = 1;
    std::int64_t rhs_step = 1;
    bool operator==(const VectorSteps&) const = default;
};

/// Some of several vectors, as the caller has them, on the way into a product with `width` of them
/// that lie in some form, or out of one.
struct PackedVectors {
    const void* data = nullptr;
    std::int64_t rows = 0;
    VectorSteps steps;
    VectorForm form = VectorForm::dense;  ///< that the product takes them in
    /// Whether they lie row by row without gaps.
    bool is_dense(int width, int columns) const {
        return width == columns && (width == 1 || steps.rhs_step == 1) && steps.row_step == width;
    }
    /// Whether they lie as the product takes them, so that nothing needs to be moved.
    bool stays(int width, int columns) const {
        return form != VectorForm::dense || is_dense(width, columns);
    }
    /// The leading dimension of that form.
    std::int64_t ld() const { return steps.rhs_step == 1 ? steps.row_step : steps.rhs_step; }
};

/// One product with some of several vectors.
struct PackedProduct {
    ValueType type = ValueType::f64;
    int width = 1;    ///< vectors of the product
    int columns = 1;  ///< of them the caller's, the first; the others are zero, and go nowhere
    PackedVectors x = {}, y = {};
    bool reads_x = true, reads_y = false;
};

/// Moves vectors into memory of its own, where they lie as a product takes them, and the result
/// back. Safe for any number of threads, each with its own y.
class VectorPacker {
  public:
    /// A product of x into y, of `width` vectors that lie row by row.
    using Multiply = std::function<void(const void* x, void* y)>;

    virtual ~VectorPacker() = default;
    /// Calls `multiply` once, with vectors that are moved where they have to be. On a GPU all of it
    /// is enqueued on `stream`.
    virtual void run(const PackedProduct& product, const Multiply& multiply, Stream stream) = 0;
    /// to[i] = from[i] for `count` numbers; on a GPU enqueued on `stream`.
    virtual void copy(ValueType type, std::int64_t count, const void* from, void* to,
                      Stream stream) = 0;
};

std::unique_ptr<VectorPacker> make_host_packer(int threads);

/// Its kernels come from `provider`, when they are first wanted; run() throws as that does.
std::unique_ptr<VectorPacker> make_gpu_packer(KernelProvider& provider, const KernelPolicy& policy,
                                              std::shared_ptr<Device> device);

}  // namespace spmvgen
