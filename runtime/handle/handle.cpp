#include <algorithm>

#include "handle/cache_mode.hpp"
#include "handle/handle_impl.hpp"
#include "handle/stopwatch.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/transpose.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

[[noreturn]] void refuse(const std::string& message) {
    throw Error(ErrorCode::invalid_argument, message);
}

Op checked_op(const Options& o) {
    try {
        return parse_op(o.op);
    } catch (const Error& error) {
        throw Error(error.code(), std::string("options.op: ") + error.what());
    }
}

/// The transposing kernel of the device's kind.
const char* atomic_kernel(const Options& o) {
    return o.device == "host" ? "csr_transposed_cpu" : "csr_transposed_gpu";
}

bool names_transposing_kernel(const Options& o) {
    return std::ranges::any_of(kernel_registry(), [&](const KernelEntry& entry) {
        return entry.id == o.kernel && entry.transposes;
    });
}

/// The options of a handle that reads the caller's matrix as it is: for op T and H with the kernel
/// that transposes.
Options with_atomics(Options o) {
    if (o.deterministic)
        refuse(
            "options.transpose_by_atomics adds in any order, which contradicts "
            "options.deterministic: leave one of them out");
    if (o.cache == CacheMode::off)
        refuse(
            "options.transpose_by_atomics cannot be had with cache mode off (options.cache, "
            "SPMVGEN_CACHE), which always runs the generic CSR kernel: use another mode");
    if (o.kernel != "auto" && !names_transposing_kernel(o))
        refuse("options.transpose_by_atomics runs kernel " + std::string(atomic_kernel(o)) +
               ", not " + o.kernel + ": leave options.kernel auto");
    if (o.kernel == "auto") o.kernel = atomic_kernel(o);
    o.transpose_by_atomics = true;
    return o;
}

/// `device` is null for the host.
std::unique_ptr<HandleImpl> make_plain(const CsrView& matrix, const Options& options,
                                       KernelProvider& provider, std::shared_ptr<Device> device) {
    if (device == nullptr) return make_host_handle(matrix, options, provider);
    return make_gpu_handle(matrix, options, provider, std::move(device));
}

/// The same for any op.
std::unique_ptr<HandleImpl> make_of_op(const CsrView& matrix, const Options& options,
                                       KernelProvider& provider, std::shared_ptr<Device> device) {
    const Op op = checked_op(options);
    if (op == Op::none) {
        if (options.transpose_by_atomics)
            refuse(
                "options.transpose_by_atomics is for options.op T and H: leave it out, or ask "
                "for one of them");
        return make_plain(matrix, options, provider, std::move(device));
    }
    if (options.transpose_by_atomics || names_transposing_kernel(options))
        return make_plain(matrix, with_atomics(options), provider, std::move(device));
    const Stopwatch watch;
    validate(matrix);
    auto transposed = std::make_shared<const CsrMatrix>(
        transpose(matrix, op == Op::conj_transpose, options.threads));
    const double ms = watch.ms();
    Options of_copy = options;
    of_copy.copy = false;  // the handle's own
    auto impl = make_plain(transposed->view(), of_copy, provider, std::move(device));
    impl->keep(std::move(transposed), ms);
    return impl;
}

}  // namespace

std::unique_ptr<HandleImpl> make_handle_impl(const CsrView& matrix, const Options& asked,
                                             KernelProvider& provider,
                                             std::shared_ptr<Device> device) {
    const Options options = with_effective_mode(asked);
    if (options.device == "host")
        device = nullptr;
    else if (device == nullptr)
        device = open_device(options.device);
    if (options.reorder != "none")
        return make_reordered_handle(matrix, options, provider, std::move(device));
    return make_of_op(matrix, options, provider, std::move(device));
}

Handle::Handle(const CsrView& matrix, const Options& options)
    : impl_(make_handle_impl(matrix, options, KernelProvider::process(), nullptr)) {}

Handle::Handle(std::unique_ptr<HandleImpl> impl) : impl_(std::move(impl)) {}
Handle::Handle(Handle&&) noexcept = default;
Handle& Handle::operator=(Handle&&) noexcept = default;
Handle::~Handle() = default;

Handle make_handle(const CsrView& matrix, const Options& options, KernelProvider& provider,
                   std::shared_ptr<Device> device) {
    return HandleImpl::wrap(make_handle_impl(matrix, options, provider, std::move(device)));
}

HandleImpl& Handle::impl() const {
    if (impl_ == nullptr)
        throw Error(ErrorCode::invalid_argument,
                    "this handle was moved from: use the one that it was moved to");
    return *impl_;
}

void Handle::apply(ValueType type, const void* alpha, const void* x, const void* beta, void* y,
                   Stream stream) const {
    impl().apply(type, {alpha, x, beta, y}, stream);
}

void Handle::prepare(Scale alpha, Scale beta, Stream stream) const {
    impl().prepare(alpha, beta, stream);
}

const Info& Handle::info() const {
    return impl().info();
}

std::span<const std::int32_t> Handle::row_order() const {
    return impl().row_order();
}

std::string Handle::source() const {
    return impl().source();
}

}  // namespace spmvgen
