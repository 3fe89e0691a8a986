#include <fmt/format.h>
#include <omp.h>

#include <vector>

#include "devices/host/generic_csr.hpp"
#include "devices/host/host_kernel.hpp"
#include "formats/narrow.hpp"
#include "handle/base/batch_impl.hpp"
#include "handle/base/variant_table.hpp"
#include "handle/kernels/stopwatch.hpp"
#include "handle/plan/device_options.hpp"
#include "handle/plan/request_of_options.hpp"
#include "tuner/rules/batch_rules.hpp"

namespace spmvgen {
namespace {

constexpr const char* generic_kernel = "batch_csr_rows";  ///< whose arrays the generic loop reads

/// A batch on a CPU. All but the table of variants and the scratch pool stays as the constructor
/// left it.
class HostBatch : public HandleImpl {
  public:
    HostBatch(const BatchSystems& systems, const BatchFeatures& features, const Options& options,
              KernelProvider& provider);
    void apply(ValueType type, const Operands& operands, Stream stream) override;
    void prepare(Scale alpha, Scale beta, Stream stream) override;
    std::string source() const override { return base_ != nullptr ? base_->kernel().source() : ""; }

  private:
    /// The kernel for one mode of α and β; without a kernel, the base kernel and an update of y
    /// serve.
    using Variant = std::unique_ptr<BoundKernel>;

    bool has_epilogue() const { return !signature_.epilogue.empty(); }
    void make_base(const BatchSystems& systems, const BatchFeatures& features,
                   const Options& options);
    void keep_csr(const BatchSystems& systems, const BatchFeatures& features,
                  const Options& options);
    void store(const BatchSystems& systems, const BatchFeatures& features,
               const Signature& signature, const Options& options);
    const Variant& variant(Scale alpha, Scale beta);
    void run_generic(const Operands& operands) const;
    void run_base_and_update(const Operands& operands);

    StoredMatrix stored_;
    std::vector<StoredSystem> generic_;  ///< what the generic loop runs over
    int threads_ = 1;
    Variant base_;  ///< for α = 1, β = 0; null when precompiled code serves
    VariantTable<Variant> variants_;
    ScratchPool products_;
};

HostBatch::HostBatch(const BatchSystems& systems, const BatchFeatures& features,
                     const Options& options, KernelProvider& provider)
    : HandleImpl(options, provider) {
    const Stopwatch watch;
    check_host_options(options);
    signature_.target = checked_target(options.target);
    set_number_types(signature_, options, features.value_type);
    threads_ = info_.threads = host_threads(features.rows, features.nnz, options);
    if (policy_.mode == CacheMode::off) {
        info_.reason = "cache mode off: no kernel is made";
        keep_csr(systems, features, options);
    } else {
        make_base(systems, features, options);
    }
    info_.kernel = base_ != nullptr ? kernel_name(signature_) : "generic_csr";
    if (info_.origin.empty()) info_.origin = "generic";
    describe(batch_totals(features), stored_);
    tell_choice_ms(watch);
    info_.prepare_ms = watch.ms();
}

void HostBatch::make_base(const BatchSystems& systems, const BatchFeatures& features,
                          const Options& options) {
    Request request = request_for(options);
    request.threads = threads_;
    take(choose_batch(features, request));
    if (features.nnz == 0 && !has_epilogue()) {
        info_.reason = "the systems have no entries: y = βy needs no kernel";
        return;
    }
    if (features.nnz == 0) {
        signature_.alpha = Scale::zero;
        info_.reason = "the systems have no entries: y = βy and its epilogue";
    }
    const Stopwatch watch;
    const ProvidedKernel provided = provider_.get(signature_, policy_);
    info_.kernel_ms = watch.ms();
    tell_origin(provided);
    if (provided.kernel == nullptr) {
        info_.reason = fmt::format("serves for {}: {}", kernel_name(signature_), info_.reason);
        return keep_csr(systems, features, options);
    }
    store(systems, features, signature_, options);
    base_ = std::make_unique<BoundKernel>(provided.kernel, stored_);
}

void HostBatch::store(const BatchSystems& systems, const BatchFeatures& features,
                      const Signature& signature, const Options& options) {
    const Stopwatch conversion;
    stored_ = store_batch(systems, features, signature, options.memory_limit);
    info_.convert_ms = conversion.ms();
}

void HostBatch::keep_csr(const BatchSystems& systems, const BatchFeatures& features,
                         const Options& options) {
    const Signature plain = choose_batch(features, {.kernel = generic_kernel,
                                                    .target = signature_.target,
                                                    .vectors = signature_.value,
                                                    .storage = storage_type(signature_)})
                                .signature;
    store(systems, features, plain, options);
    widen_values(stored_, storage_type(plain));
    for (std::int64_t i = 0; i < features.systems; ++i)
        generic_.push_back(stored_system(stored_, plain, i));
}

void HostBatch::apply(ValueType type, const Operands& o, Stream stream) {
    check_stream(stream);
    const auto [alpha, beta] = checked_modes(type, o);
    if (alpha == Scale::zero && !has_epilogue())
        return scale_vector(type, info_.rows, o.beta, o.y, threads_);
    if (base_ == nullptr) return run_generic(o);
    if (alpha == signature_.alpha && beta == Scale::zero) return base_->run(o, threads_, nullptr);
    const Variant& kernel = variant(alpha, beta);
    kernel != nullptr ? kernel->run(o, threads_, nullptr) : run_base_and_update(o);
}

void HostBatch::prepare(Scale alpha, Scale beta, Stream stream) {
    check_stream(stream);
    if (info_.nnz == 0) alpha = Scale::zero;
    const bool is_base = alpha == signature_.alpha && beta == Scale::zero;
    const bool needs_kernel = alpha != Scale::zero || has_epilogue();
    if (base_ != nullptr && needs_kernel && !is_base) variant(alpha, beta);
}

const HostBatch::Variant& HostBatch::variant(Scale alpha, Scale beta) {
    return variants_.get(alpha, beta, [&](Scale a, Scale b) -> Variant {
        Signature wanted = signature_;
        wanted.alpha = a;
        wanted.beta = b;
        const ProvidedKernel provided = provider_.get(wanted, policy_);
        if (provided.kernel == nullptr) return nullptr;
        return std::make_unique<BoundKernel>(provided.kernel, stored_);
    });
}

void HostBatch::run_generic(const Operands& o) const {
    const std::size_t element = size_of(signature_.value);
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads_)
    for (const StoredSystem& system : generic_) {
        const auto at = [&](auto* vector, std::int64_t first) {
            return vector + static_cast<std::size_t>(first) * element;
        };
        generic_csr(system.matrix, {signature_.value, accumulator_type(signature_)}, 1,
                    {o.alpha, at(static_cast<const std::byte*>(o.x), system.first_col), o.beta,
                     at(static_cast<std::byte*>(o.y), system.first_row)},
                    1);
    }
}

void HostBatch::run_base_and_update(const Operands& o) {
    const ValueType type = signature_.value;
    ScratchPool::Loan product(products_, static_cast<std::size_t>(info_.rows) * size_of(type));
    dispatch(type, [&](auto tag) {
        const decltype(tag) one(1), zero(0);
        base_->run({&one, o.x, &zero, product.data()}, threads_, nullptr);
    });
    scale_add(type, info_.rows, o.alpha, product.data(), o.beta, o.y, threads_);
}

}  // namespace

std::unique_ptr<HandleImpl> make_host_batch(const BatchSystems& systems,
                                            const BatchFeatures& features, const Options& options,
                                            KernelProvider& provider) {
    return std::make_unique<HostBatch>(systems, features, options, provider);
}

}  // namespace spmvgen
