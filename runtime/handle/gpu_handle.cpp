#include <fmt/format.h>

#include "formats/stored_matrix.hpp"
#include "handle/device_options.hpp"
#include "handle/gpu_bound_kernel.hpp"
#include "handle/gpu_matrix.hpp"
#include "handle/handle_impl.hpp"
#include "handle/stopwatch.hpp"
#include "handle/stream_workspaces.hpp"
#include "handle/variant_table.hpp"
#include "matrix/features.hpp"
#include "spmvgen/error.hpp"
#include "tuner/block_choice.hpp"

namespace spmvgen {
namespace {

[[noreturn]] void refuse(const std::string& message) {
    throw Error(ErrorCode::invalid_argument, message);
}

}  // namespace

void check_gpu_options(const Options& o, const DeviceFacts& facts) {
    if (o.cache == CacheMode::off)
        refuse(
            fmt::format("cache mode off (options.cache, SPMVGEN_CACHE) always runs the generic CSR "
                        "kernel, which device {} does not have: use another mode",
                        facts.text));
    if (o.target != "native" && parse_target(o.target) != facts.target)
        refuse(fmt::format("options.target {} is not what device {} runs, {}: leave it native",
                           o.target, facts.text, to_string(facts.target)));
}

namespace {

/// All but the table of variants and the workspaces stays as the constructor left it.
class GpuHandle : public HandleImpl {
  public:
    GpuHandle(const CsrView& matrix, const Options& options, KernelProvider& provider,
              std::shared_ptr<Device> device);
    void apply(ValueType type, const Operands& operands, Stream stream) override;
    void prepare(Scale alpha, Scale beta, Stream stream) override;
    std::string source() const override { return source_; }
    bool borrows(const CsrView&) const override { return false; }

  private:
    using Variant = std::unique_ptr<const GpuBoundKernel>;

    void make_base(const CsrView& matrix);
    const GpuBoundKernel& variant(Scale alpha, Scale beta);
    void tell_kernel(const GpuBoundKernel& kernel);
    /// Whether y = αAx + βy leaves y as it is.
    bool is_nothing(Scale alpha, Scale beta) const;

    std::shared_ptr<Device> device_;  ///< outlives what is on it
    GpuMatrix matrix_;
    VariantTable<Variant> variants_;
    StreamWorkspaces workspaces_;
    std::string source_;
};

GpuHandle::GpuHandle(const CsrView& matrix, const Options& options, KernelProvider& provider,
                     std::shared_ptr<Device> device)
    : HandleImpl(options, provider), device_(std::move(device)), workspaces_(*device_) {
    const Stopwatch watch;
    const DeviceFacts& facts = device_->facts();
    check_gpu_options(options, facts);
    info_.device = facts.text + ", " + facts.name;
    signature_.target = facts.target;
    Request request = request_for(options);
    request.units = facts.units;
    request.device = facts.name;
    take(choose_for(matrix, analyse(matrix, options.threads), request, options.threads));
    if (matrix.nnz == 0) {
        signature_.alpha = Scale::zero;
        info_.reason = "the matrix has no entries: y = βy";
    }
    info_.kernel = kernel_name(signature_);
    make_base(matrix);
    info_.prepare_ms = watch.ms();
}

void GpuHandle::make_base(const CsrView& matrix) {
    const Stopwatch watch;
    ProvidedGpuKernel provided;  // before the conversion, which a missing kernel makes useless
    if ((transposes() ? matrix.cols : matrix.rows) > 0)
        provided = provider_.get(signature_, policy_, device_);
    info_.kernel_ms = watch.ms();
    tell_origin(provided);
    {
        const StoredMatrix stored = convert(matrix, signature_, true);
        describe(matrix, stored);
        matrix_ = upload(*device_, stored, matrix);
    }
    if (provided.kernel == nullptr) return;
    tell_kernel(*variants_.get(signature_.alpha, signature_.beta, [&](Scale, Scale) {
        return std::make_unique<const GpuBoundKernel>(provided.kernel, matrix_.stored);
    }));
}

void GpuHandle::tell_kernel(const GpuBoundKernel& kernel) {
    source_ = kernel.kernel().source;
    info_.facts = kernel.kernel().facts;
    info_.launches = static_cast<int>(kernel.kernel().loaded->launch().steps.size());
}

bool GpuHandle::is_nothing(Scale alpha, Scale beta) const {
    return info_.rows == 0 ||
           (alpha == Scale::zero && beta == Scale::one && signature_.epilogue.empty());
}

void GpuHandle::apply(ValueType type, const Operands& o, Stream stream) {
    const auto [alpha, beta] = checked_modes(type, o);
    if (is_nothing(alpha, beta)) return;
    variant(alpha, beta).enqueue(o, workspaces_, {stream.native});
}

void GpuHandle::prepare(Scale alpha, Scale beta, Stream stream) {
    if (info_.nnz == 0) alpha = Scale::zero;
    if (is_nothing(alpha, beta)) return;
    variant(alpha, beta).prepare(workspaces_, {stream.native});
}

const GpuBoundKernel& GpuHandle::variant(Scale alpha, Scale beta) {
    return *variants_.get(alpha, beta, [&](Scale a, Scale b) {
        Signature wanted = signature_;
        wanted.alpha = a;
        wanted.beta = b;
        return std::make_unique<const GpuBoundKernel>(
            provider_.get(wanted, policy_, device_).kernel, matrix_.stored);
    });
}

}  // namespace

std::unique_ptr<HandleImpl> make_gpu_handle(const CsrView& matrix, const Options& options,
                                            KernelProvider& provider,
                                            std::shared_ptr<Device> device) {
    return std::make_unique<GpuHandle>(matrix, options, provider, std::move(device));
}

}  // namespace spmvgen
