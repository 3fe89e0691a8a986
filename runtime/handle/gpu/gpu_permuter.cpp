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
    int launches() const override {
        return vectors_.order.empty() ? 0 : vectors_.gathers + vectors_.scatters;
    }
    std::map<std::string, KernelFacts> facts() const override { return facts_; }

  private:
    using Kernel = std::unique_ptr<const GpuBoundKernel>;

    Kernel make(const char* id, Scale alpha, Scale beta);
    const GpuBoundKernel& scatter(Scale alpha, Scale beta);
    void gather_multiply_scatter(HandleImpl& product, const Operands& o, const GpuBoundKernel* back,
                                 Stream stream, std::byte* vectors, const WorkspaceMemory* rest);
    bool is_nothing(Scale alpha, Scale beta) const {
        return vectors_.order.empty() ||
               (alpha == Scale::zero && beta == Scale::one && epilogue_.empty());
    }
    /// Whether y = βy is left to the product, whose y is the caller's.
    bool only_scales_in_order(Scale alpha) const {
        return alpha == Scale::zero && !vectors_.scatters;
    }
    /// Of the modes of α and β those that the product gets.
    std::size_t workspace_of(HandleImpl& product, Scale alpha, Scale beta) const {
        return vectors_.scatters ? product.workspace_bytes(Scale::one, Scale::zero)
                                 : product.workspace_bytes(alpha, beta);
    }
    std::size_t vectors_bytes() const {
        return static_cast<std::size_t>(vectors_.gathers + vectors_.scatters) * vector_bytes_;
    }

    const PermutedVectors vectors_;
    const std::string epilogue_;
    KernelProvider& provider_;
    const KernelPolicy policy_;
    std::shared_ptr<Device> device_;  ///< outlives what is on it
    std::unique_ptr<DeviceMemory> order_;
    StoredMatrix stored_;  ///< the order, as kernels name it; owns nothing
    std::size_t vector_bytes_ = 0;
    Kernel gather_;  ///< null where nothing is gathered
    VariantTable<Kernel> scatters_;
    StreamWorkspaces workspaces_;  ///< x and the product in the matrix's order, one after the other
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
    const auto order = vectors_.order;
    if (order.empty()) return;
    vector_bytes_ = workspace_padded(vectors_.bytes());
    order_ = device_->allocate(order.size_bytes());
    device_->copy_to_device(order_->data(), order.data(), order.size_bytes());
    stored_.arrays["row_order"] = order_->data();
    stored_.scalars["num_rows"] = static_cast<std::int64_t>(order.size());
    if (vectors_.gathers) {
        gather_ = make("gather_rows", Scale::one, Scale::zero);
        facts_ = gather_->kernel().facts;
    }
    if (vectors_.scatters) facts_.merge(std::map(scatter(Scale::one, Scale::zero).kernel().facts));
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
    if (only_scales_in_order(alpha)) return product.apply(vectors_.type, o, stream);
    if (is_nothing(alpha, beta)) return;
    const GpuBoundKernel* const back = vectors_.scatters ? &scatter(alpha, beta) : nullptr;
    const StreamRef on{stream.native};
    if (alpha == Scale::zero) return back->enqueue(o, on);
    if (o.workspace != nullptr) {
        const WorkspaceCut own(*o.workspace, vectors_bytes());
        return gather_multiply_scatter(product, o, back, stream, own.data(), &own.rest());
    }
    const StreamWorkspaces::Lease workspace = workspaces_.lease(on, {.scratch = vectors_bytes()});
    gather_multiply_scatter(product, o, back, stream, workspace.scratch(), nullptr);
}

/// `back` is null where the product writes the caller's y.
void GpuPermuter::gather_multiply_scatter(HandleImpl& product, const Operands& o,
                                          const GpuBoundKernel* back, Stream stream,
                                          std::byte* vectors, const WorkspaceMemory* rest) {
    const StreamRef on{stream.native};
    Operands inner = o;
    inner.workspace = rest;
    inner.num_rhs = vectors_.num_rhs;
    if (gather_ != nullptr) {
        gather_->enqueue({o.alpha, o.x, o.beta, vectors}, on);
        inner.x = vectors;
        vectors += vector_bytes_;
    }
    if (back == nullptr) return product.apply(vectors_.type, inner, stream);
    dispatch(vectors_.type, [&](auto tag) {
        const decltype(tag) one(1), zero(0);
        inner.alpha = &one;
        inner.beta = &zero;
        inner.y = vectors;
        inner.device_scalars = false;
        product.apply(vectors_.type, inner, stream);
    });
    back->enqueue({o.alpha, vectors, o.beta, o.y}, on);
}

std::size_t GpuPermuter::workspace_bytes(HandleImpl& product, Scale alpha, Scale beta) {
    if (only_scales_in_order(alpha)) return product.workspace_bytes(alpha, beta);
    if (is_nothing(alpha, beta)) return 0;
    if (vectors_.scatters) scatter(alpha, beta);
    if (alpha == Scale::zero) return 0;
    return workspace_with_slack(vectors_bytes()) + workspace_of(product, alpha, beta);
}

void GpuPermuter::prepare(HandleImpl& product, Scale alpha, Scale beta, Stream stream) {
    if (only_scales_in_order(alpha)) return product.prepare(alpha, beta, stream);
    if (is_nothing(alpha, beta)) return;
    if (vectors_.scatters) scatter(alpha, beta);
    if (alpha == Scale::zero) return;
    workspaces_.lease({stream.native}, {.scratch = vectors_bytes()});
    if (vectors_.scatters) return product.prepare(Scale::one, Scale::zero, stream);
    product.prepare(alpha, beta, stream);
}

}  // namespace

std::unique_ptr<Permuter> make_gpu_permuter(const PermutedVectors& vectors,
                                            const std::string& epilogue, KernelProvider& provider,
                                            const KernelPolicy& policy,
                                            std::shared_ptr<Device> device) {
    return std::make_unique<GpuPermuter>(vectors, epilogue, provider, policy, std::move(device));
}

}  // namespace spmvgen
