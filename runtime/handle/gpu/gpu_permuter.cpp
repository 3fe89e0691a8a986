#include "handle/base/apply_memory.hpp"
#include "handle/base/permuter.hpp"
#include "handle/base/variant_table.hpp"
#include "handle/gpu/gpu_bound_kernel.hpp"
#include "handle/gpu/stream_workspaces.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

class GpuPermuter : public Permuter {
  public:
    GpuPermuter(const PermutedVectors& vectors, const std::string& epilogue,
                KernelProvider& provider, const KernelPolicy& policy,
                std::shared_ptr<Device> device);
    void apply(HandleImpl& product, const Operands& operands, Scale alpha, Scale beta,
               Stream stream) override;
    void prepare(HandleImpl& product, Scale alpha, Scale beta, Stream stream) override;
    std::size_t workspace_bytes(HandleImpl& product, Scale alpha, Scale beta) override;
    int launches() const override { return gather_ != nullptr ? 2 : 0; }
    std::map<std::string, KernelFacts> facts() const override { return facts_; }

  private:
    using Kernel = std::unique_ptr<const GpuBoundKernel>;

    Kernel make(const char* id, Scale alpha, Scale beta);
    const GpuBoundKernel& scatter(Scale alpha, Scale beta);
    void gather_multiply_scatter(HandleImpl& product, const Operands& o, const GpuBoundKernel& back,
                                 Stream stream, std::byte* vectors, const WorkspaceMemory* rest);
    bool is_nothing(Scale alpha, Scale beta) const {
        return gather_ == nullptr ||
               (alpha == Scale::zero && beta == Scale::one && epilogue_.empty());
    }

    const PermutedVectors vectors_;
    const std::string epilogue_;
    KernelProvider& provider_;
    const KernelPolicy policy_;
    std::shared_ptr<Device> device_;  ///< outlives what is on it
    std::unique_ptr<DeviceMemory> order_;
    StoredMatrix stored_;  ///< the order, as kernels name it; owns nothing
    std::size_t vector_bytes_ = 0;
    Kernel gather_;  ///< null when there are no rows
    VariantTable<Kernel> scatters_;
    StreamWorkspaces workspaces_;  ///< x and the product, both in the matrix's order
    std::map<std::string, KernelFacts> facts_;
};

GpuPermuter::GpuPermuter(const PermutedVectors& vectors, const std::string& epilogue,
                         KernelProvider& provider, const KernelPolicy& policy,
                         std::shared_ptr<Device> device)
    : vectors_(vectors),
      epilogue_(epilogue),
      provider_(provider),
      policy_(policy),
      device_(std::move(device)),
      workspaces_(*device_) {
    const auto& [type, num_rhs, order] = vectors_;
    if (order.empty()) return;
    const std::size_t bytes = order.size() * static_cast<std::size_t>(num_rhs) * size_of(type);
    vector_bytes_ = workspace_padded(bytes);
    order_ = device_->allocate(order.size_bytes());
    device_->copy_to_device(order_->data(), order.data(), order.size_bytes());
    stored_.arrays["row_order"] = order_->data();
    stored_.scalars["num_rows"] = static_cast<std::int64_t>(order.size());
    gather_ = make("gather_rows", Scale::one, Scale::zero);
    facts_ = gather_->kernel().facts;
    facts_.merge(std::map(scatter(Scale::one, Scale::zero).kernel().facts));
}

GpuPermuter::Kernel GpuPermuter::make(const char* id, Scale alpha, Scale beta) {
    Signature signature;
    signature.kernel = id;
    signature.value = vectors_.type;
    signature.alpha = alpha;
    signature.beta = beta;
    signature.num_rhs = vectors_.num_rhs;
    signature.target = device_->facts().target;
    if (signature.kernel == "scatter_rows") signature.epilogue = epilogue_;
    return std::make_unique<const GpuBoundKernel>(
        provider_.get(complete(signature), policy_, device_).kernel, stored_);
}

const GpuBoundKernel& GpuPermuter::scatter(Scale alpha, Scale beta) {
    return *scatters_.get(alpha, beta,
                          [&](Scale a, Scale b) { return make("scatter_rows", a, b); });
}

void GpuPermuter::apply(HandleImpl& product, const Operands& o, Scale alpha, Scale beta,
                        Stream stream) {
    if (is_nothing(alpha, beta)) return;
    const GpuBoundKernel& back = scatter(alpha, beta);
    const StreamRef on{stream.native};
    if (alpha == Scale::zero) return back.enqueue(o, on);
    if (o.workspace != nullptr) {
        const WorkspaceCut own(*o.workspace, 2 * vector_bytes_);
        return gather_multiply_scatter(product, o, back, stream, own.data(), &own.rest());
    }
    const StreamWorkspaces::Lease workspace = workspaces_.lease(on, {.scratch = 2 * vector_bytes_});
    gather_multiply_scatter(product, o, back, stream, workspace.scratch(), nullptr);
}

void GpuPermuter::gather_multiply_scatter(HandleImpl& product, const Operands& o,
                                          const GpuBoundKernel& back, Stream stream,
                                          std::byte* vectors, const WorkspaceMemory* rest) {
    const StreamRef on{stream.native};
    std::byte* const x = vectors;
    std::byte* const y = vectors + vector_bytes_;
    gather_->enqueue({o.alpha, o.x, o.beta, x}, on);
    dispatch(vectors_.type, [&](auto tag) {
        const decltype(tag) one(1), zero(0);
        product.apply(vectors_.type, {&one, x, &zero, y, rest, vectors_.num_rhs}, stream);
    });
    back.enqueue({o.alpha, y, o.beta, o.y}, on);
}

std::size_t GpuPermuter::workspace_bytes(HandleImpl& product, Scale alpha, Scale beta) {
    if (is_nothing(alpha, beta)) return 0;
    scatter(alpha, beta);
    if (alpha == Scale::zero) return 0;
    return workspace_with_slack(2 * vector_bytes_) +
           product.workspace_bytes(Scale::one, Scale::zero);
}

void GpuPermuter::prepare(HandleImpl& product, Scale alpha, Scale beta, Stream stream) {
    if (is_nothing(alpha, beta)) return;
    scatter(alpha, beta);
    if (alpha == Scale::zero) return;
    workspaces_.lease({stream.native}, {.scratch = 2 * vector_bytes_});
    product.prepare(Scale::one, Scale::zero, stream);
}

}  // namespace

std::unique_ptr<Permuter> make_gpu_permuter(const PermutedVectors& vectors,
                                            const std::string& epilogue, KernelProvider& provider,
                                            const KernelPolicy& policy,
                                            std::shared_ptr<Device> device) {
    return std::make_unique<GpuPermuter>(vectors, epilogue, provider, policy, std::move(device));
}

}  // namespace spmvgen
