#include "handle/base/batch_impl.hpp"
#include "handle/base/variant_table.hpp"
#include "handle/conversion/gpu_matrix.hpp"
#include "handle/gpu/gpu_bound_kernel.hpp"
#include "handle/kernels/stopwatch.hpp"
#include "handle/plan/device_options.hpp"
#include "handle/plan/request_of_options.hpp"
#include "tuner/rules/batch_rules.hpp"

namespace spmvgen {
namespace {

/// A batch on a GPU. All but the table of variants stays as the constructor left it.
class GpuBatch : public HandleImpl {
  public:
    GpuBatch(const BatchSystems& systems, const BatchFeatures& features, const Options& options,
             KernelProvider& provider, std::shared_ptr<Device> device);
    void apply(ValueType type, const Operands& operands, Stream stream) override;
    void prepare(Scale alpha, Scale beta, Stream stream) override;
    std::string source() const override { return source_; }

  private:
    using Variant = std::unique_ptr<const GpuBoundKernel>;

    void make_base(const BatchSystems& systems, const BatchFeatures& features,
                   std::int64_t memory_limit);
    const GpuBoundKernel& variant(Scale alpha, Scale beta);
    /// Whether y = αAx + βy leaves y as it is.
    bool is_nothing(Scale alpha, Scale beta) const;

    std::shared_ptr<Device> device_;  ///< outlives what is on it
    GpuMatrix batch_;
    VariantTable<Variant> variants_;
    std::string source_;
};

GpuBatch::GpuBatch(const BatchSystems& systems, const BatchFeatures& features,
                   const Options& options, KernelProvider& provider, std::shared_ptr<Device> device)
    : HandleImpl(options, provider), device_(std::move(device)) {
    const Stopwatch watch;
    const DeviceFacts& facts = device_->facts();
    check_gpu_options(options, facts);
    info_.device = facts.text + ", " + facts.name;
    signature_.target = facts.target;
    set_number_types(signature_, options, features.value_type);
    Request request = request_for(options);
    request.units = facts.units;
    take(choose_batch(features, request));
    if (features.nnz == 0) {
        signature_.alpha = Scale::zero;
        info_.reason = "the systems have no entries: y = βy";
    }
    info_.kernel = kernel_name(signature_);
    make_base(systems, features, options.memory_limit);
    tell_choice_ms(watch);
    info_.prepare_ms = watch.ms();
}

void GpuBatch::make_base(const BatchSystems& systems, const BatchFeatures& features,
                         std::int64_t memory_limit) {
    const Stopwatch watch;
    ProvidedGpuKernel provided;  // before the conversion, which a missing kernel makes useless
    if (features.rows > 0) provided = provider_.get(signature_, policy_, device_);
    info_.kernel_ms = watch.ms();
    tell_origin(provided);
    const Stopwatch conversion;
    const CsrView totals = batch_totals(features);
    const StoredMatrix stored = store_batch(systems, features, signature_, memory_limit);
    describe(totals, stored);
    batch_ = upload(*device_, stored, totals);
    info_.convert_ms = conversion.ms();
    if (provided.kernel == nullptr) return;
    source_ = provided.kernel->source;
    info_.facts = provided.kernel->facts;
    info_.launches = static_cast<int>(provided.kernel->loaded->launch().steps.size());
    variants_.get(signature_.alpha, signature_.beta, [&](Scale, Scale) {
        return std::make_unique<const GpuBoundKernel>(provided.kernel, batch_.stored);
    });
}

bool GpuBatch::is_nothing(Scale alpha, Scale beta) const {
    return info_.rows == 0 ||
           (alpha == Scale::zero && beta == Scale::one && signature_.epilogue.empty());
}

void GpuBatch::apply(ValueType type, const Operands& o, Stream stream) {
    const auto [alpha, beta] = checked_modes(type, o);
    if (!is_nothing(alpha, beta)) variant(alpha, beta).enqueue(o, StreamRef{stream.native});
}

void GpuBatch::prepare(Scale alpha, Scale beta, Stream) {
    if (info_.nnz == 0) alpha = Scale::zero;
    if (!is_nothing(alpha, beta)) variant(alpha, beta);
}

const GpuBoundKernel& GpuBatch::variant(Scale alpha, Scale beta) {
    return *variants_.get(alpha, beta, [&](Scale a, Scale b) {
        Signature wanted = signature_;
        wanted.alpha = a;
        wanted.beta = b;
        return std::make_unique<const GpuBoundKernel>(
            provider_.get(wanted, policy_, device_).kernel, batch_.stored);
    });
}

}  // namespace

std::unique_ptr<HandleImpl> make_gpu_batch(const BatchSystems& systems,
                                           const BatchFeatures& features, const Options& options,
                                           KernelProvider& provider,
                                           std::shared_ptr<Device> device) {
    return std::make_unique<GpuBatch>(systems, features, options, provider, std::move(device));
}

}  // namespace spmvgen
