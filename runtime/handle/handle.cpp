#include <algorithm>

#include "handle/base/handle_impl.hpp"
#include "handle/capture_handle.hpp"
#include "handle/kernels/cache_mode.hpp"
#include "handle/kernels/stopwatch.hpp"
#include "handle/plan/input.hpp"
#include "handle/plan/order.hpp"
#include "handle/plan/team_size.hpp"
#include "kernel/refuse.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/transpose.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

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
    if (!o.rule.empty())
        refuse("options.transpose_by_atomics runs kernel " + std::string(atomic_kernel(o)) +
               ", of which rule " + o.rule + " knows nothing: leave one of them out");
    if (o.kernel != "auto" && !names_transposing_kernel(o))
        refuse("options.transpose_by_atomics runs kernel " + std::string(atomic_kernel(o)) +
               ", not " + o.kernel + ": leave options.kernel auto");
    if (o.kernel == "auto") o.kernel = atomic_kernel(o);
    o.transpose_by_atomics = true;
    return o;
}

/// `device` is null for the host.
std::unique_ptr<HandleImpl> make_plain(const CsrView& matrix, const Options& options,
                                       KernelProvider& provider,
                                       const std::shared_ptr<Device>& device, Arrays arrays,
                                       DeviceCsr* on_device = nullptr,
                                       PlannedMatrix* planned = nullptr) {
    const auto make = [&](const Options& o) {
        if (device == nullptr) return make_host_handle(matrix, o, provider, arrays);
        // What was planned is for these options alone.
        return make_gpu_handle(matrix, o, provider, device,
                               {on_device, &o == &options ? planned : nullptr});
    };
    return make_within_limit(options, make);
}

/// With the rows in that order; null where its arrays would be too large.
std::unique_ptr<HandleImpl> make_in_order(const CsrView& matrix, Options options,
                                          KernelProvider& provider, std::shared_ptr<Device> device,
                                          OrderChoice order, const PlannedMatrix& planned) {
    options.reorder = to_string(order.order.method);
    try {
        auto impl = make_reordered_handle(matrix, options, provider, std::move(device),
                                          std::move(order.order), &planned);
        impl->tell_reason_before(order.reason);
        return impl;
    } catch (const TooLarge&) {
        return nullptr;
    }
}

/// The same for any op.
std::unique_ptr<HandleImpl> make_of_op(const CsrView& matrix, const Options& options,
                                       KernelProvider& provider,
                                       const std::shared_ptr<Device>& device, Arrays arrays,
                                       DeviceCsr* on_device, PlannedMatrix* planned) {
    const Op op = checked_op(options);
    if (!is_transposed(op) && (op == Op::none || !is_complex(matrix.value_type))) {
        if (options.transpose_by_atomics)
            refuse(
                "options.transpose_by_atomics is for options.op T and H: leave it out, or use "
                "one of them");
        return make_plain(matrix, options, provider, device, arrays, on_device, planned);
    }
    if (is_transposed(op) && (options.transpose_by_atomics || names_transposing_kernel(options)))
        return make_plain(matrix, with_atomics(options), provider, device, arrays, on_device);
    const Stopwatch watch;
    validate(matrix);
    ValueOrder order;
    ValueOrder* const kept_order = options.updatable ? &order : nullptr;
    const auto own = std::make_shared<const CsrMatrix>(
        op == Op::conjugate
            ? conjugate(matrix, options.threads, kept_order)
            : transpose(matrix, op == Op::conj_transpose, options.threads, kept_order));
    const double ms = watch.ms();
    Options of_copy = options;
    of_copy.copy = false;  // the handle's own
    auto impl = make_plain(own->view(), of_copy, provider, device, Arrays::own);
    impl->keep(own, own->view(), true);
    if (options.updatable) impl->tell_order(std::move(order));
    impl->tell_more_time(ms, &Info::convert_ms);
    return impl;
}

}  // namespace

std::unique_ptr<HandleImpl> make_within_limit(
    const Options& options,
    const std::function<std::unique_ptr<HandleImpl>(const Options&)>& make) {
    const Stopwatch watch;
    try {
        return make(options);
    } catch (const TooLarge& error) {
        const bool asked_for = options.format != "auto" || options.kernel != "auto" ||
                               !options.rule.empty() || !options.params.empty();
        if (asked_for) throw;
        const double ms = watch.ms();
        Options csr = options;
        csr.format = "csr";
        auto impl = make(csr);
        impl->tell_reason_before(error.why());
        impl->tell_more_time(ms, &Info::choice_ms);
        return impl;
    }
}

void check_array_options(const Options& o) {
    if (o.owner != nullptr && o.copy)
        refuse(
            "options.owner is for borrowed arrays, but options.copy is true: make that false, or "
            "leave owner out");
    if (o.device_arrays && o.device == "host")
        refuse(
            "options.device_arrays is for GPUs, but options.device is host: leave it false, or "
            "name "
            "the device that has the arrays");
    if (o.device_arrays && o.compile == "behind")
        refuse(
            "options.compile is behind, which is for arrays in host memory: leave it now, or leave "
            "device_arrays false");
    if (o.index_base != 0 && o.index_base != 1)
        refuse("options.index_base is " + std::to_string(o.index_base) + ": use 0 or 1");
    if (o.index_base == 1 && o.device_arrays)
        refuse(
            "options.index_base is 1, but options.device_arrays: give device arrays that count "
            "from 0");
    if (o.memory_limit < 0)
        refuse("options.memory_limit is " + std::to_string(o.memory_limit) +
               ": use 0 (padded formats at most half of the free memory) or a number of bytes");
}

std::shared_ptr<Device> device_for(const Options& options, std::shared_ptr<Device> device) {
    if (options.device == "host") return nullptr;
    return device != nullptr ? device : open_device(options.device);
}

std::unique_ptr<HandleImpl> make_of_host_matrix(const CsrView& matrix, const Options& options,
                                                KernelProvider& provider,
                                                std::shared_ptr<Device> device,
                                                DeviceCsr* on_device, Arrays arrays) {
    const TeamSize team(options.threads);
    if (is_deferred(options))
        return make_deferred_handle(matrix, options, provider, std::move(device), arrays);
    if (names_order(options.reorder))
        return make_reordered_handle(matrix, options, provider, std::move(device));
    const Stopwatch watch;
    std::optional<PlannedMatrix> planned;
    std::optional<OrderChoice> order;
    if (may_get_order(matrix, options, provider, device.get())) {
        planned.emplace(matrix, options, provider, *device, on_device);
        order = order_that_pays(on_device != nullptr ? on_device->on_host() : matrix, options,
                                *planned);
    }
    double ms = watch.ms();
    std::unique_ptr<HandleImpl> impl;
    if (order) impl = make_in_order(matrix, options, provider, device, std::move(*order), *planned);
    if (impl == nullptr) {
        ms = watch.ms();
        impl = make_of_op(matrix, options, provider, device, arrays, on_device,
                          planned ? &*planned : nullptr);
        if (order) impl->tell_reason_before("rows in clusters would take too much memory");
    }
    const double analysis = planned ? planned->analysis_ms() : 0;
    impl->tell_more_time(analysis, &Info::analysis_ms);
    impl->tell_more_time(ms - analysis, &Info::choice_ms);
    return impl;
}

std::unique_ptr<HandleImpl> make_handle_impl(const CsrView& matrix, const Options& asked,
                                             KernelProvider& provider,
                                             std::shared_ptr<Device> device) {
    const Options options = with_effective_mode(asked);
    check_array_options(options);
    device = device_for(options, std::move(device));
    if (options.index_base == 1) return make_of_base_one(matrix, options, provider, device);
    if (options.device_arrays) return make_from_device(matrix, options, provider, device);
    auto impl = make_of_host_matrix(matrix, options, provider, device);
    impl->keep(options.owner, matrix, false);
    impl->tell_given(matrix.value_type, matrix.nnz);
    return impl;
}

Handle::Handle(const CsrView& matrix, const Options& options)
    : impl_(make_handle_impl(matrix, options, KernelProvider::process(), nullptr)) {
    capture_handle(matrix, options, info());
}

Handle::Handle(std::shared_ptr<void> arrays, const CsrView& matrix, const Options& options) {
    if (options.owner != nullptr)
        refuse(
            "options.owner is for borrowed arrays, but this handle takes the vectors over: leave "
            "it "
            "out");
    if (options.device_arrays)
        refuse("options.device_arrays: vectors are in host memory: leave it false");
    Options of_vectors = options;
    of_vectors.copy = false;  // the handle's own
    impl_ = make_handle_impl(matrix, of_vectors, KernelProvider::process(), nullptr);
    capture_handle(matrix, of_vectors, info());
    impl_->keep(std::move(arrays), matrix, true);
}

void Handle::check_sizes(std::int64_t rows, std::size_t row_ptr, std::size_t col_idx,
                         std::size_t values) {
    const auto offsets = rows >= 0 ? static_cast<std::size_t>(rows) + 1 : row_ptr;
    if (row_ptr != offsets && (rows != 0 || row_ptr != 0))
        refuse("broken CSR matrix: row_ptr has " + std::to_string(row_ptr) + " elements, but " +
               std::to_string(rows) + " rows need " + std::to_string(offsets));
    if (col_idx != values)
        refuse("broken CSR matrix: col_idx has " + std::to_string(col_idx) +
               " elements, but values has " + std::to_string(values));
}

void Handle::refuse_device_pointer() {
    refuse(
        "options.device_arrays: the number of entries cannot be read from a device's row_ptr: give "
        "it, behind the columns");
}

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

void Handle::apply(ValueType type, const void* alpha, const void* x, const void* beta, void* y,
                   Stream stream, WorkspaceMemory workspace) const {
    impl().apply(type, {alpha, x, beta, y, &workspace}, stream);
}

void Handle::apply_device_scalars(ValueType type, const void* alpha, const void* x,
                                  const void* beta, void* y, Stream stream) const {
    Operands operands{alpha, x, beta, y};
    operands.device_scalars = impl().info().device != "host";
    impl().apply(type, operands, stream);
}

void Handle::apply_with(ValueType type, const void* alpha, const void* x, const void* beta, void* y,
                        std::span<const EpilogueOperand> operands, Stream stream) const {
    impl().apply_with(type, {alpha, x, beta, y}, operands, stream);
}

std::size_t Handle::workspace_bytes(Scale alpha, Scale beta) const {
    return impl().workspace_bytes(alpha, beta);
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
