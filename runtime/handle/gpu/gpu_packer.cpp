#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "handle/base/apply_memory.hpp"
#include "handle/base/vector_packer.hpp"
#include "handle/gpu/gpu_bound_kernel.hpp"
#include "handle/gpu/stream_workspaces.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

class GpuPacker : public VectorPacker {
  public:
    GpuPacker(KernelProvider& provider, const KernelPolicy& policy, std::shared_ptr<Device> device)
        : provider_(provider), policy_(policy), device_(std::move(device)), workspaces_(*device_) {}

    void run(const PackedProduct& p, const Multiply& multiply, Stream stream) override {
        const bool moves_x = p.reads_x && !p.x.stays(p.width, p.columns);
        const bool moves_y = !p.y.stays(p.width, p.columns);
        void* const caller_y = const_cast<void*>(p.y.data);
        if (!moves_x && !moves_y) return multiply(p.x.data, caller_y);
        const std::size_t x_bytes = moves_x ? bytes(p, p.x.rows) : 0;
        const std::size_t y_bytes = moves_y ? bytes(p, p.y.rows) : 0;
        const StreamRef on{stream.native};
        const StreamWorkspaces::Lease memory =
            workspaces_.lease(on, {.scratch = x_bytes + y_bytes});
        std::byte* const x = memory.scratch();
        std::byte* const y = memory.scratch() + x_bytes;
        if (moves_x) kernel("pack_vectors", p, p.x).enqueue({nullptr, p.x.data, nullptr, x}, on);
        if (moves_y && p.reads_y)
            kernel("pack_vectors", p, p.y).enqueue({nullptr, p.y.data, nullptr, y}, on);
        multiply(moves_x ? x : p.x.data, moves_y ? y : caller_y);
        if (moves_y) kernel("unpack_vectors", p, p.y).enqueue({nullptr, y, nullptr, caller_y}, on);
    }

    void copy(ValueType type, std::int64_t count, const void* from, void* to,
              Stream stream) override {
        const PackedProduct one{.type = type};
        kernel("pack_vectors", one, {from, count, {}})
            .enqueue({nullptr, from, nullptr, to}, {stream.native});
    }

  private:
    /// The kernel, its type and width, and the scalars that are bound to it.
    using Key =
        std::tuple<std::string, ValueType, int, int, std::int64_t, std::int64_t, std::int64_t>;
    struct Bound {
        StoredMatrix scalars;  ///< as kernels name them; no arrays
        std::unique_ptr<const GpuBoundKernel> kernel;
    };

    static std::size_t bytes(const PackedProduct& p, std::int64_t rows) {
        return workspace_padded(static_cast<std::size_t>(rows * p.width) * size_of(p.type));
    }

    const GpuBoundKernel& kernel(const char* id, const PackedProduct& p, const PackedVectors& v) {
        const std::lock_guard lock(making_);
        Bound& bound =
            kernels_[{id, p.type, p.width, p.columns, v.rows, v.steps.row_step, v.steps.rhs_step}];
        if (bound.kernel == nullptr) {
            Signature s;
            s.kernel = id;
            s.value = p.type;
            s.num_rhs = p.width;
            s.target = device_->facts().target;
            bound.scalars.scalars = {{"num_rows", v.rows},
                                     {"columns", p.columns},
                                     {"row_step", v.steps.row_step},
                                     {"rhs_step", v.steps.rhs_step}};
            bound.kernel = std::make_unique<const GpuBoundKernel>(
                provider_.get(complete(s), policy_, device_).kernel, bound.scalars);
        }
        return *bound.kernel;
    }

    KernelProvider& provider_;
    const KernelPolicy policy_;
    std::shared_ptr<Device> device_;  ///< outlives what is on it
    std::mutex making_;               ///< guards kernels_
    std::map<Key, Bound> kernels_;
    StreamWorkspaces workspaces_;
};

}  // namespace

std::unique_ptr<VectorPacker> make_gpu_packer(KernelProvider& provider, const KernelPolicy& policy,
                                              std::shared_ptr<Device> device) {
    return std::make_unique<GpuPacker>(provider, policy, std::move(device));
}

}  // namespace spmvgen
