#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

#include "devices/host/bound_kernel.hpp"
#include "devices/host/generic_csr.hpp"
#include "devices/host/scratch_pool.hpp"
#include "handle/device_options.hpp"
#include "handle/handle_impl.hpp"
#include "handle/stopwatch.hpp"
#include "handle/variant_table.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/features.hpp"
#include "spmvgen/error.hpp"
#include "tuner/block_choice.hpp"

namespace spmvgen {
namespace {

[[noreturn]] void refuse(const std::string& message) {
    throw Error(ErrorCode::invalid_argument, message);
}

}  // namespace

void check_host_options(const Options& o) {
    const char* fixed = o.kernel != "auto"                        ? "options.kernel"
                        : !o.params.empty()                       ? "options.params"
                        : o.format != "auto" && o.format != "csr" ? "options.format"
                                                                  : nullptr;
    if (o.cache == CacheMode::off && fixed != nullptr)
        refuse(fmt::format(
            "{} cannot be had with cache mode off (options.cache, SPMVGEN_CACHE), which "
            "always runs the generic CSR kernel: use another mode",
            fixed));
    const char* of_gpus = !o.storage.empty()    ? "options.storage"
                          : !o.epilogue.empty() ? "options.epilogue"
                                                : nullptr;
    if (of_gpus != nullptr)
        refuse(fmt::format("{} is for GPUs only: leave it empty, or name one in options.device",
                           of_gpus));
}

Target checked_target(const std::string& text) {
    const Target target = parse_target(text);
    if (const std::string why = why_not_runnable(target); !why.empty())
        throw Error(ErrorCode::unsupported,
                    fmt::format("options.target {} cannot run here: {}; use native", text, why));
    return target;
}

void check_stream(Stream stream) {
    if (stream.native != nullptr)
        refuse("apply: a stream is for GPUs only, but the handle's device is host");
}

namespace {

/// All but the table of variants and the scratch pools stays as the constructor left it.
class HostHandle : public HandleImpl {
  public:
    HostHandle(const CsrView& matrix, const Options& options, KernelProvider& provider);
    void apply(ValueType type, const Operands& operands, Stream stream) override;
    void prepare(Scale alpha, Scale beta, Stream stream) override;
    std::string source() const override { return base_ != nullptr ? base_->kernel().source() : ""; }
    bool borrows(const CsrView& matrix) const override;

  private:
    /// The kernel for one mode of α and β; without a kernel, the base kernel and an update of y
    /// serve.
    using Variant = std::unique_ptr<BoundKernel>;

    void make_base(const CsrView& matrix, const Options& options);
    void run_generic(const Operands& operands);
    void keep_csr(const CsrView& matrix, bool copy);
    const Variant& variant(Scale alpha, Scale beta);
    void run(const BoundKernel& kernel, const Operands& operands);
    void run_base_and_update(const Operands& operands);

    CsrView csr_;  ///< the arrays that the generic kernel reads
    StoredMatrix stored_;
    int threads_ = 1;
    Variant base_;  ///< for α = 1, β = 0; null when precompiled code serves
    VariantTable<Variant> variants_;
    ScratchPool workspaces_;
    ScratchPool products_;
};

HostHandle::HostHandle(const CsrView& matrix, const Options& options, KernelProvider& provider)
    : HandleImpl(options, provider) {
    const Stopwatch watch;
    check_host_options(options);
    signature_.target = checked_target(options.target);
    signature_.value = matrix.value_type;
    threads_ = host_threads(matrix, options);
    if (policy_.mode == CacheMode::off) {
        validate(matrix);
        signature_.kernel = "csr_rows";  // stands for the generic kernel
        info_.reason = "cache mode off: no kernel is made";
        if (matrix.nnz > 0) keep_csr(matrix, options.copy);
    } else {
        make_base(matrix, options);
    }
    info_.kernel = base_ != nullptr ? kernel_name(signature_) : "generic_csr";
    if (info_.origin.empty()) info_.origin = "generic";
    describe(matrix, stored_);
    info_.prepare_ms = watch.ms();
}

void HostHandle::make_base(const CsrView& matrix, const Options& options) {
    Request request = request_for(options);
    request.threads = threads_;
    if (!options.copy) {
        request.csr_index = matrix.index_type;
        request.csr_offset = matrix.offset_type;
    }
    take(choose_for(matrix, analyse(matrix, options.threads), request, options.threads));
    info_.deterministic |= threads_ == 1;
    if (matrix.nnz == 0) {
        info_.reason = "the matrix has no entries: y = βy needs no kernel";
        return;
    }
    const Stopwatch watch;
    const ProvidedKernel provided = provider_.get(signature_, policy_);
    info_.kernel_ms = watch.ms();
    tell_origin(provided);
    if (provided.kernel == nullptr) {
        info_.reason = fmt::format("serves for {}: {}", kernel_name(signature_), info_.reason);
        return keep_csr(matrix, options.copy);
    }
    stored_ = convert(matrix, signature_, !options.copy);
    base_ = std::make_unique<BoundKernel>(provided.kernel, stored_);
}

void HostHandle::keep_csr(const CsrView& matrix, bool copy) {
    csr_ = matrix;
    Signature plain;
    plain.kernel = "csr_rows";
    plain.value = matrix.value_type;
    plain.index = matrix.index_type;
    plain.offset = matrix.offset_type;
    plain.target = signature_.target;
    stored_ = convert(matrix, plain, !copy);
    csr_.row_ptr = stored_.arrays.at("row_ptr");
    csr_.col_idx = stored_.arrays.at("col_idx");
    csr_.values = stored_.arrays.at("values");
}

void HostHandle::apply(ValueType type, const Operands& o, Stream stream) {
    check_stream(stream);
    const auto [alpha, beta] = checked_modes(type, o);
    if (alpha == Scale::zero)
        return scale_vector(type, info_.rows * num_rhs_, o.beta, o.y, threads_);
    if (base_ == nullptr) return run_generic(o);
    if (alpha == Scale::one && beta == Scale::zero) return run(*base_, o);
    const Variant& kernel = variant(alpha, beta);
    kernel != nullptr ? run(*kernel, o) : run_base_and_update(o);
}

bool HostHandle::borrows(const CsrView& matrix) const {
    return std::ranges::any_of(stored_.arrays, [&](auto& array) {
        return array.second != nullptr &&
               (array.second == matrix.row_ptr || array.second == matrix.col_idx ||
                array.second == matrix.values);
    });
}

void HostHandle::run_generic(const Operands& o) {
    if (!transposes()) return generic_csr(csr_, num_rhs_, o, threads_);
    scale_vector(signature_.value, info_.rows * num_rhs_, o.beta, o.y, threads_);
    generic_csr_transposed(csr_, num_rhs_, info_.op == "H", o);
}

void HostHandle::prepare(Scale alpha, Scale beta, Stream stream) {
    check_stream(stream);
    const bool is_base = alpha == Scale::one && beta == Scale::zero;
    if (base_ != nullptr && alpha != Scale::zero && !is_base) variant(alpha, beta);
}

const HostHandle::Variant& HostHandle::variant(Scale alpha, Scale beta) {
    return variants_.get(alpha, beta, [&](Scale a, Scale b) -> Variant {
        Signature wanted = signature_;
        wanted.alpha = a;
        wanted.beta = b;
        const ProvidedKernel provided = provider_.get(wanted, policy_);
        if (provided.kernel == nullptr) return nullptr;
        return std::make_unique<BoundKernel>(provided.kernel, stored_);
    });
}

void HostHandle::run(const BoundKernel& kernel, const Operands& o) {
    ScratchPool::Loan workspace(workspaces_, kernel.workspace_bytes(threads_));
    kernel.run(o, threads_, workspace.data());
}

void HostHandle::run_base_and_update(const Operands& o) {
    const ValueType type = signature_.value;
    const std::int64_t count = info_.rows * num_rhs_;
    ScratchPool::Loan product(products_, static_cast<std::size_t>(count) * size_of(type));
    dispatch(type, [&](auto tag) {
        const decltype(tag) one(1), zero(0);
        run(*base_, {&one, o.x, &zero, product.data()});
    });
    scale_add(type, count, o.alpha, product.data(), o.beta, o.y, threads_);
}

}  // namespace

int host_threads(const CsrView& matrix, const Options& options) {
    if (options.threads != 0) return options.threads;
    return matrix.rows + matrix.nnz < serial_work ? 1 : omp_get_max_threads();
}

std::unique_ptr<HandleImpl> make_host_handle(const CsrView& matrix, const Options& options,
                                             KernelProvider& provider) {
    return std::make_unique<HostHandle>(matrix, options, provider);
}

}  // namespace spmvgen
