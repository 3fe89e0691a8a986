#include "handle/handle_impl.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <chrono>

#include "devices/host/generic_csr.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/features.hpp"
#include "spmvgen/error.hpp"
#include "tuner/choose.hpp"

namespace spmvgen {
namespace {

constexpr int most_threads = 4096;
constexpr int most_rhs = 64;
/// Below this many rows and entries a team costs more than it saves.
constexpr std::int64_t serial_work = 4096;

[[noreturn]] void refuse(const std::string& message) {
    throw Error(ErrorCode::invalid_argument, message);
}

void check_options(const Options& o) {
    if (o.num_rhs < 1 || o.num_rhs > most_rhs)
        refuse(fmt::format("options.num_rhs is {}: use 1…{}", o.num_rhs, most_rhs));
    if (o.threads < 0 || o.threads > most_threads)
        refuse(fmt::format("options.threads is {}: use 0 (what OpenMP would use) or 1…{}",
                           o.threads, most_threads));
    const char* fixed = o.kernel != "auto"                        ? "options.kernel"
                        : !o.params.empty()                       ? "options.params"
                        : o.format != "auto" && o.format != "csr" ? "options.format"
                                                                  : nullptr;
    if (o.cache == CacheMode::off && fixed != nullptr)
        refuse(
            fmt::format("{} cannot be had with options.cache off, which always runs the "
                        "generic CSR kernel: use another cache mode",
                        fixed));
}

Target checked_target(const std::string& text) {
    const Target target = parse_target(text);
    if (const std::string why = why_not_runnable(target); !why.empty())
        throw Error(ErrorCode::unsupported,
                    fmt::format("options.target {} cannot run here: {}; use native", text, why));
    return target;
}

class Stopwatch {
  public:
    double ms() const {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_)
            .count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Scale scale_of(ValueType type, const void* number) {
    return dispatch(type, [&](auto tag) {
        using Value = decltype(tag);
        const Value v = *static_cast<const Value*>(number);
        return v == Value(0) ? Scale::zero : v == Value(1) ? Scale::one : Scale::general;
    });
}

bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
    const auto p = reinterpret_cast<std::uintptr_t>(a), q = reinterpret_cast<std::uintptr_t>(b);
    return p < q + b_bytes && q < p + a_bytes;
}

}  // namespace

Handle::Impl::Impl(const CsrView& matrix, const Options& options, KernelProvider& provider)
    : provider_(provider), policy_{options.cache, options.cache_dir, options.strict} {
    const Stopwatch watch;
    check_options(options);
    signature_.target = checked_target(options.target);
    signature_.value = matrix.value_type;
    num_rhs_ = options.num_rhs;
    threads_ = options.threads != 0                     ? options.threads
               : matrix.rows + matrix.nnz < serial_work ? 1
                                                        : omp_get_max_threads();
    if (policy_.mode == CacheMode::off) {
        validate(matrix);
        info.reason = "cache mode off: no kernel is made";
        if (matrix.nnz > 0) keep_csr(matrix, options.copy);
    } else {
        prepare(matrix, options);
    }
    describe(matrix);
    info.prepare_ms = watch.ms();
}

void Handle::Impl::prepare(const CsrView& matrix, const Options& options) {
    Request request{.format = options.format,
                    .kernel = options.kernel,
                    .params = options.params,
                    .target = signature_.target,
                    .num_rhs = num_rhs_,
                    .threads = threads_};
    if (!options.copy) {
        request.csr_index = matrix.index_type;
        request.csr_offset = matrix.offset_type;
    }
    const Choice choice = choose(analyse(matrix, options.threads), request);
    signature_ = choice.signature;
    info.reason = choice.reason;
    if (matrix.nnz == 0) {
        info.reason = "the matrix has no entries: y = βy needs no kernel";
        return;
    }
    const Stopwatch watch;
    const ProvidedKernel provided = provider_.get(signature_, policy_);
    info.kernel_ms = watch.ms();
    info.origin = provided.origin;
    info.source_path = provided.source_path;
    info.warning = provided.warning;
    if (provided.kernel == nullptr) {
        info.reason = fmt::format("serves for {}: {}", kernel_name(signature_), choice.reason);
        return keep_csr(matrix, options.copy);
    }
    stored_ = convert(matrix, signature_, !options.copy);
    base = std::make_unique<BoundKernel>(provided.kernel, stored_);
}

void Handle::Impl::keep_csr(const CsrView& matrix, bool copy) {
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

void Handle::Impl::describe(const CsrView& matrix) {
    info.kernel = base != nullptr ? kernel_name(signature_) : "generic_csr";
    info.format = to_string(base != nullptr ? stored_.format : Format::csr);
    info.target = to_string(signature_.target);
    if (info.origin.empty()) info.origin = "generic";
    info.rows = matrix.rows;
    info.cols = matrix.cols;
    info.nnz = matrix.nnz;
    info.stored = stored_.stored;
    info.matrix_bytes = stored_.bytes;
    info.bytes = stored_.bytes + (matrix.rows + matrix.cols) * num_rhs_ *
                                     static_cast<std::int64_t>(size_of(matrix.value_type));
}

void Handle::Impl::check_operands(ValueType type, const Operands& o, bool needs_x) const {
    const auto element = size_of(type);
    const auto x_bytes = static_cast<std::size_t>(info.cols * num_rhs_) * element;
    const auto y_bytes = static_cast<std::size_t>(info.rows * num_rhs_) * element;
    if (y_bytes > 0 && o.y == nullptr)
        refuse(fmt::format("apply: y is null, but has {} elements", info.rows * num_rhs_));
    if (!needs_x) return;
    if (o.x == nullptr)
        refuse(fmt::format("apply: x is null, but has {} elements", info.cols * num_rhs_));
    if (overlap(o.x, x_bytes, o.y, y_bytes)) refuse("apply: x and y overlap; use different arrays");
}

void Handle::Impl::apply(ValueType type, const Operands& o) {
    if (type != signature_.value)
        refuse(fmt::format("apply: the matrix is {}, but α, x, β and y are {}; use {}",
                           to_string(signature_.value), to_string(type),
                           to_string(signature_.value)));
    if (o.alpha == nullptr || o.beta == nullptr) refuse("apply: α or β is null");
    const Scale alpha = scale_of(type, o.alpha), beta = scale_of(type, o.beta);
    const bool needs_product = alpha != Scale::zero && info.nnz > 0;
    check_operands(type, o, needs_product);
    if (!needs_product) return scale_vector(type, info.rows * num_rhs_, o.beta, o.y, threads_);
    if (base == nullptr) return generic_csr(csr_, num_rhs_, o, threads_);
    if (alpha == Scale::one && beta == Scale::zero) return run(*base, o);
    const Variant& kernel = variant(alpha, beta);
    kernel != nullptr ? run(*kernel, o) : run_base_and_update(o);
}

const Handle::Impl::Variant& Handle::Impl::variant(Scale alpha, Scale beta) {
    const std::size_t index =
        (alpha == Scale::general ? beta_modes : 0) + (beta == Scale::zero  ? 0U
                                                      : beta == Scale::one ? 1U
                                                                           : 2U);
    if (const Variant* known = variants_[index].load(std::memory_order_acquire)) return *known;
    const std::lock_guard lock(making_);
    if (made_[index] == nullptr) {
        Signature wanted = signature_;
        wanted.alpha = alpha;
        wanted.beta = beta;
        const ProvidedKernel provided = provider_.get(wanted, policy_);
        made_[index] = std::make_unique<const Variant>(
            provided.kernel != nullptr ? std::make_unique<BoundKernel>(provided.kernel, stored_)
                                       : nullptr);
        variants_[index].store(made_[index].get(), std::memory_order_release);
    }
    return *made_[index];
}

void Handle::Impl::run(const BoundKernel& kernel, const Operands& o) {
    ScratchPool::Loan workspace(workspaces_, kernel.workspace_bytes(threads_));
    kernel.run(o, threads_, workspace.data());
}

void Handle::Impl::run_base_and_update(const Operands& o) {
    const ValueType type = signature_.value;
    const std::int64_t count = info.rows * num_rhs_;
    ScratchPool::Loan product(products_, static_cast<std::size_t>(count) * size_of(type));
    dispatch(type, [&](auto tag) {
        const decltype(tag) one(1), zero(0);
        run(*base, {&one, o.x, &zero, product.data()});
    });
    scale_add(type, count, o.alpha, product.data(), o.beta, o.y, threads_);
}

}  // namespace spmvgen
