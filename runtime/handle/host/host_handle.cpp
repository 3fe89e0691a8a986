#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "devices/host/generic_csr.hpp"
#include "devices/host/host_kernel.hpp"
#include "formats/layout.hpp"
#include "formats/narrow.hpp"
#include "formats/value_pattern.hpp"
#include "handle/base/apply_memory.hpp"
#include "handle/base/handle_impl.hpp"
#include "handle/base/variant_table.hpp"
#include "handle/base/vector_packer.hpp"
#include "handle/kernels/stopwatch.hpp"
#include "handle/making/handle_makers.hpp"
#include "handle/plan/device_options.hpp"
#include "handle/plan/planning.hpp"
#include "handle/plan/team_size.hpp"
#include "handle/plan/trials.hpp"
#include "kernel/refuse.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/features/features.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "tuner/chooser/chooser.hpp"

namespace spmvgen {

void check_host_options(const Options& o) {
    const char* fixed = o.kernel != "auto"                        ? "options.kernel"
                        : !o.rule.empty()                         ? "options.rule"
                        : !o.params.empty()                       ? "options.params"
                        : o.format != "auto" && o.format != "csr" ? "options.format"
                        : !o.epilogue.empty()                     ? "options.epilogue"
                                                                  : nullptr;
    if (o.cache == CacheMode::off && fixed != nullptr)
        refuse(fmt::format(
            "{} cannot be had with cache mode off (options.cache, SPMVGEN_CACHE), which "
            "always runs the generic CSR kernel: use another mode",
            fixed));
}

Target checked_target(const std::string& text) {
    const Target target = parse_target(text);
    if (const std::string why = why_not_runnable(target); !why.empty())
        throw Error(ErrorCode::unsupported,
                    fmt::format("options.target {} cannot run here: {}; use native", text, why));
    return target;
}

/// A host's α and β are where it reads them anyway.
constexpr Scale on_host(Scale scale) {
    return scale == Scale::device ? Scale::general : scale;
}

void check_stream(Stream stream, const char* call) {
    if (stream.native != nullptr)
        refuse(fmt::format("{}: a stream is for GPUs only, but the handle's device is host", call));
}

namespace {

/// All but the table of variants and the scratch pools stays as the constructor left it, until new
/// values come.
class HostHandle : public HandleImpl {
  public:
    HostHandle(const CsrView& matrix, const Options& options, KernelProvider& provider,
               Arrays arrays, bool at_hand);
    void apply(ValueType type, const Operands& operands, Stream stream) override;
    void prepare(Scale alpha, Scale beta, Stream stream) override;
    std::string source() const override { return base_ != nullptr ? base_->kernel().source() : ""; }
    bool borrows(const CsrView& matrix) const override { return reads_arrays(stored_, matrix); }
    std::size_t workspace_bytes(Scale alpha, Scale beta) override;
    void set_values(const NewValues& values, Stream stream) override;
    void store_wider_values(const Signature& wider, const void* values, Stream stream) override;
    bool has_kernel(ValueType type, const Operands& operands) override;
    VectorPacker& packer() override {
        std::call_once(packer_made_, [this] { packer_ = make_host_packer(threads_); });
        return *packer_;
    }
    bool takes_forms() const override;
    XGathers count_gathers(ValueType type) override;

  private:
    /// The kernel for one mode of α and β; without a kernel, the base kernel and an update of y
    /// serve.
    using Variant = std::unique_ptr<BoundKernel>;

    bool has_epilogue() const { return !signature_.epilogue.empty(); }
    /// Whether an apply of that mode runs a kernel, rather than y = βy.
    bool needs_kernel(Scale alpha) const { return alpha != Scale::zero || has_epilogue(); }
    bool is_base(const ProductVectors& v, Scale alpha, Scale beta) const {
        return v.num_rhs == num_rhs_ && is_dense(v) && alpha == signature_.alpha &&
               beta == Scale::zero;
    }
    void make_generic(const CsrView& matrix, const Options& options, const std::string& why);
    void make_base(const CsrView& matrix, const Options& options);
    void run_generic(const Operands& operands);
    void keep_csr(const CsrView& matrix, const Options& options);
    Variant make_variant(const ProductVectors& vectors, Scale alpha, Scale beta);
    /// `strips` as convert() takes it.
    void store(const CsrView& matrix, const Signature& signature, const Options& options,
               const StripsLayout* strips = nullptr);
    void borrow_values(const void* values);
    const Variant& variant(const ProductVectors& vectors, Scale alpha, Scale beta);
    void run(const BoundKernel& kernel, const Operands& operands);
    void run_base_and_update(const Operands& operands);
    std::size_t product_bytes() const {
        return static_cast<std::size_t>(info_.rows * num_rhs_) * size_of(signature_.value);
    }

    CsrView csr_;  ///< the arrays that the generic kernel reads
    StoredMatrix stored_;
    ValuePattern pattern_;
    Arrays arrays_;
    const bool at_hand_;
    int threads_ = 1;
    const bool conjugates_;  ///< where the kernel transposes
    Variant base_;  ///< for α = 1 (0 without entries), β = 0; null when precompiled code serves
    std::unique_ptr<VariantTables<Variant>> variants_ = std::make_unique<VariantTables<Variant>>();
    ScratchPool workspaces_;
    ScratchPool products_;
    std::once_flag packer_made_;  ///< by the first apply whose vectors are moved
    std::unique_ptr<VectorPacker> packer_;
};

HostHandle::HostHandle(const CsrView& matrix, const Options& options, KernelProvider& provider,
                       Arrays arrays, bool at_hand)
    : HandleImpl(options, provider),
      arrays_(arrays),
      at_hand_(at_hand),
      conjugates_(options.op == "H") {
    const Stopwatch watch;
    check_host_options(options);
    signature_.target = checked_target(options.target);
    set_types(options, matrix.value_type);
    threads_ = host_threads(matrix, options);
    if (policy_.mode == CacheMode::off)
        make_generic(matrix, options, "cache mode off: no kernel is made");
    else if (const auto why = why_plain_at_once(options))
        make_generic(matrix, options, *why);
    else
        make_base(matrix, options);
    info_.threads = threads_;
    info_.kernel = base_ != nullptr ? kernel_name(signature_) : "generic_csr";
    if (info_.origin.empty()) info_.origin = "generic";
    describe(matrix, stored_);
    info_.update_bytes = pattern_.bytes();
    predict(nullptr, threads_);
    tell_choice_ms(watch);
    info_.prepare_ms = watch.ms();
}

void HostHandle::make_generic(const CsrView& matrix, const Options& options,
                              const std::string& why) {
    const Stopwatch analysis;
    validate(matrix, options.threads);
    info_.analysis_ms = analysis.ms();
    signature_.kernel = plain_kernel(false).id;  // stands for the generic kernel
    info_.reason = why;
    if (matrix.nnz > 0) keep_csr(matrix, options);
}

void HostHandle::make_base(const CsrView& matrix, const Options& options) {
    Request request = request_for(options);
    request.threads = threads_;
    request.smaller_teams = smaller_teams(threads_, options);
    if (provider_.may_compile(policy_))
        request.profile = profile_of_this_cpu(signature_.target, options);
    if (!options.copy) {
        request.csr_index = matrix.index_type;
        request.csr_offset = matrix.offset_type;
    }
    const Stopwatch analysis;
    const RowFeatures features = analyse_row_lengths(matrix, options.threads);
    info_.analysis_ms = analysis.ms();
    Chooser chooser(matrix, features, options.threads, nullptr, memory_for(options, provider_));
    const Choice rule = chooser(request);
    if (rule.threads > 0) request.threads = threads_ = rule.threads;
    request.smaller_teams.clear();
    if (matrix.nnz == 0) {
        take(rule);
        info_.reason = "the matrix has no entries: y = βy needs no kernel";
        if (!has_epilogue()) return;
        signature_.alpha = Scale::zero;
        info_.reason = "the matrix has no entries: y = βy and its epilogue";
    } else {
        const auto make_trials = [&] {
            return host_trials(matrix, num_rhs_, threads_, !options.copy, trial_terms(options),
                               provider_, policy_);
        };
        LevelChoice level =
            apply_level({matrix, features, request, options, provider_, policy_, nullptr, chooser},
                        rule, make_trials);
        const bool generic =
            level.generic || (at_hand_ && !provider_.has_at_hand(level.choice.signature, policy_));
        take(std::move(level));
        info_.deterministic |= threads_ == 1;
        if (generic) return keep_csr(matrix, options);
    }
    const Stopwatch making;
    const ProvidedKernel provided =
        kernel_or_general(features, request, [&](const Signature& s, bool last_resort) {
            return last_resort ? provider_.get(s, policy_) : provider_.get_or_nothing(s, policy_);
        });
    info_.kernel_ms += making.ms();
    tell_origin(provided);
    if (provided.kernel == nullptr) {
        info_.reason = fmt::format("serves for {}: {}", kernel_name(signature_), info_.reason);
        return keep_csr(matrix, options);
    }
    const Stopwatch conversion;
    store(matrix, signature_, options, chooser.take_layout(signature_).get());
    pattern_ = ValuePattern(matrix, signature_, options.updatable);
    if (options.updates == "often") pattern_.find_places(stored_);
    info_.convert_ms = conversion.ms();
    base_ = std::make_unique<BoundKernel>(provided.kernel, stored_);
}

void HostHandle::store(const CsrView& matrix, const Signature& signature, const Options& options,
                       const StripsLayout* strips) {
    const TeamSize team(converting_threads(matrix.rows + matrix.nnz));
    stored_ = convert(matrix, signature, !options.copy, options.memory_limit, {}, strips);
    if (arrays_ == Arrays::own) check_memory(stored_, bytes_read_of(matrix, stored_));
}

void HostHandle::keep_csr(const CsrView& matrix, const Options& options) {
    const Stopwatch conversion;
    csr_ = matrix;
    signature_.storage = plain_storage_;
    if (plain_storage_ == signature_.value) signature_.storage.reset();
    Signature plain;
    plain.kernel = plain_kernel(false).id;
    plain.value = signature_.value;
    plain.storage = signature_.storage;
    // There may be more columns than the given type has numbers for.
    const bool narrow = matrix.index_type == IndexType::i32 && matrix.cols > INT32_MAX;
    plain.index = narrow ? IndexType::i64 : matrix.index_type;
    plain.offset = matrix.offset_type;
    plain.target = signature_.target;
    store(matrix, plain, options);
    widen_values(stored_, storage_type(plain));
    csr_.value_type = widened_type(storage_type(plain));
    csr_.index_type = plain.index;
    pattern_ = ValuePattern(matrix, plain, options.updatable);
    csr_.row_ptr = stored_.arrays.at("row_ptr");
    csr_.col_idx = stored_.arrays.at("col_idx");
    csr_.values = stored_.arrays.at("values");
    info_.convert_ms = conversion.ms();
}

void HostHandle::apply(ValueType type, const Operands& o, Stream stream) {
    check_stream(stream);
    const auto [alpha, beta] = checked_modes(type, o);
    const int k = width_of(o);
    if (!needs_kernel(alpha)) return scale_vector(type, info_.rows * k, o.beta, o.y, threads_);
    if (base_ == nullptr) return run_generic(o);
    if (info_.rows == 0) return;
    const ProductVectors vectors = vectors_of(o);
    if (is_base(vectors, alpha, beta)) return run(*base_, o);
    const Variant& kernel = variant(vectors, alpha, beta);
    if (kernel != nullptr) return run(*kernel, o);
    if (k != num_rhs_ || !is_dense(vectors))
        throw Error(ErrorCode::compile,
                    fmt::format("apply: no kernel for {} right-hand sides can be had", k));
    run_base_and_update(o);
}

bool HostHandle::has_kernel(ValueType type, const Operands& o) {
    const auto [alpha, beta] = modes_of(type, o);
    if (!is_dense(vectors_of(o)) && base_ == nullptr) return false;
    if (!needs_kernel(alpha) || base_ == nullptr || info_.rows == 0) return true;
    return variant(vectors_of(o), alpha, beta) != nullptr;
}

void HostHandle::set_values(const NewValues& values, Stream stream) {
    check_stream(stream, "update_values");
    const std::int64_t kept = pattern_.bytes();
    const bool put = pattern_.put_values(values.data, stored_);
    info_.update_bytes += pattern_.bytes() - kept;
    if (put) return;
    StoredValues fresh = pattern_.convert_values(values.data);
    if (base_ == nullptr && is_storage_only(storage_type(signature_))) {
        widen_values(fresh.converted, storage_type(signature_));
        fresh.list_converted();
    }
    if (pattern_.as_given() && !owns(stored_, "values") && !owns_arrays())
        borrow_values(values.data);
    else
        overwrite(stored_, fresh);
}

void HostHandle::borrow_values(const void* values) {
    stored_.arrays["values"] = values;
    csr_.values = values;
    if (base_ != nullptr) base_->replace_array("values", values);
    variants_->for_each([&](const Variant& kernel) {
        if (kernel != nullptr) kernel->replace_array("values", values);
    });
}

void HostHandle::run_generic(const Operands& o) {
    if (!transposes())
        return generic_csr(csr_, {signature_.value, accumulator_type(signature_)}, width_of(o), o,
                           threads_);
    scale_vector(signature_.value, info_.rows * width_of(o), o.beta, o.y, threads_);
    generic_csr_transposed(csr_, signature_.value, width_of(o), conjugates_, o);
}

void HostHandle::prepare(Scale alpha, Scale beta, Stream stream) {
    check_stream(stream);
    alpha = on_host(alpha);
    beta = on_host(beta);
    if (info_.nnz == 0) alpha = Scale::zero;
    if (base_ == nullptr || !needs_kernel(alpha)) return;
    const BoundKernel* kernel = base_.get();
    if (!is_base({num_rhs_}, alpha, beta)) kernel = variant({num_rhs_}, alpha, beta).get();
    if (kernel == nullptr) {
        products_.reserve(product_bytes(), 1);
        kernel = base_.get();
    }
    workspaces_.reserve(kernel->workspace_bytes(threads_), omp_get_max_threads());
}

std::size_t HostHandle::workspace_bytes(Scale alpha, Scale beta) {
    alpha = on_host(alpha);
    beta = on_host(beta);
    if (info_.nnz == 0) alpha = Scale::zero;
    if (base_ == nullptr || !needs_kernel(alpha)) return 0;
    const std::size_t of_base = workspace_with_slack(base_->workspace_bytes(threads_));
    if (is_base({num_rhs_}, alpha, beta)) return of_base;
    const Variant& kernel = variant({num_rhs_}, alpha, beta);
    return kernel != nullptr ? workspace_with_slack(kernel->workspace_bytes(threads_))
                             : workspace_with_slack(product_bytes()) + of_base;
}

const HostHandle::Variant& HostHandle::variant(const ProductVectors& vectors, Scale alpha,
                                               Scale beta) {
    return variants_->of(vectors).get(
        alpha, beta, [&](Scale a, Scale b) { return make_variant(vectors, a, b); });
}

HostHandle::Variant HostHandle::make_variant(const ProductVectors& vectors, Scale alpha,
                                             Scale beta) {
    const Signature wanted = signature_for(signature_, vectors, alpha, beta);
    const bool base_serves = vectors.num_rhs == num_rhs_ && is_dense(vectors);
    if (at_hand_ && base_serves && !provider_.has_at_hand(wanted, policy_)) return nullptr;
    const ProvidedKernel provided = provider_.get(wanted, policy_);
    if (provided.kernel == nullptr) return nullptr;
    return std::make_unique<BoundKernel>(provided.kernel, stored_);
}

bool HostHandle::takes_forms() const {
    return base_ != nullptr && kernel_entry(signature_.kernel).takes_forms;
}

XGathers HostHandle::count_gathers(ValueType type) {
    constexpr XWindow cache_lines{.rows = 512, .line_bytes = 64};
    return count_x_gathers(
        stored_, signature_, info_.rows, cache_lines.of(type),
        [](void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); });
}

void HostHandle::store_wider_values(const Signature& wider, const void* values, Stream stream) {
    check_stream(stream, "update_values");
    const ProvidedKernel provided = provider_.get_or_nothing(wider, policy_);
    if (provided.kernel == nullptr) refuse_wider_values(wider, provided.warning);
    StoredMatrix next = with_new_values(stored_, pattern_.convert_values(values, wider));
    auto base = std::make_unique<BoundKernel>(provided.kernel, next);
    // Kernels of other modes are made at their next use, as they were at their first.
    auto variants = std::make_unique<VariantTables<Variant>>();
    // Nothing throws from here on.
    replace_values(stored_, std::move(next));
    base_ = std::move(base);
    variants_ = std::move(variants);
    pattern_.change_signature(wider);
    tell_wider_values(wider);
    predict(nullptr, threads_);
}

void HostHandle::run(const BoundKernel& kernel, const Operands& o) {
    ApplyMemory workspace(workspaces_, o.workspace, kernel.workspace_bytes(threads_));
    kernel.run(o, threads_, workspace.data());
}

void HostHandle::run_base_and_update(const Operands& o) {
    const ValueType type = signature_.value;
    const std::int64_t count = info_.rows * num_rhs_;
    ApplyMemory product(products_, o.workspace, product_bytes());
    dispatch(type, [&](auto tag) {
        const decltype(tag) one(1), zero(0);
        run(*base_, {&one, o.x, &zero, product.data(), product.rest()});
    });
    scale_add(type, count, o.alpha, product.data(), o.beta, o.y, threads_);
}

}  // namespace

std::unique_ptr<HandleImpl> make_host_handle(const CsrView& matrix, const Options& options,
                                             KernelProvider& provider, Arrays arrays,
                                             bool at_hand) {
    return std::make_unique<HostHandle>(matrix, options, provider, arrays, at_hand);
}

}  // namespace spmvgen
