#include "handle/base/handle_impl.hpp"
#include "handle/capture_handle.hpp"
#include "handle/making/handle_makers.hpp"
#include "kernel/refuse.hpp"
#include "matrix/transpose.hpp"
#include "spmvgen/error.hpp"
#include "spmvgen/handle_pair.hpp"

namespace spmvgen {
namespace {

/// With what $SPMVGEN_CAPTURE asks for.
template <typename View>
HandlePair captured_pair(const View& matrix, const Options& options, const std::string& transpose) {
    HandlePair pair = make_pair_of(matrix, options, transpose, KernelProvider::process());
    Options of_each = options;
    of_each.transpose_by_atomics = false;
    for (const Handle* handle : {&pair.product, &pair.transposed}) {
        of_each.op = handle->info().op;
        if constexpr (std::is_same_v<View, CscView>)
            capture_handle(transpose_of(matrix), options_of_transpose(of_each), handle->info());
        else
            capture_handle(matrix, of_each, handle->info());
    }
    return pair;
}

}  // namespace

const char* version() {
    return SPMVGEN_VERSION;
}

Handle::Handle(const CsrView& matrix, const Options& options)
    : impl_(make_handle_impl(matrix, options, KernelProvider::process(), nullptr)) {
    capture_handle(matrix, options, info());
}

Handle::Handle(const CooView& matrix, const Options& options)
    : impl_(make_handle_impl(matrix, options, KernelProvider::process(), nullptr)) {
    capture_handle(matrix, options, info());
}

Handle::Handle(const CscView& matrix, const Options& options)
    : impl_(make_handle_impl(matrix, options, KernelProvider::process(), nullptr)) {
    capture_handle(transpose_of(matrix), options_of_transpose(options), info());
}

Handle::Handle(const BsrView& matrix, const Options& options)
    : impl_(make_handle_impl(matrix, options, KernelProvider::process(), nullptr)) {
    capture_handle(matrix, options, info());
}

Handle::Handle(std::shared_ptr<void> arrays, const CsrView& matrix, const Options& options) {
    if (options.owner != nullptr)
        refuse(
            "options.owner is for borrowed arrays, but this handle takes the vectors over: leave "
            "it out");
    if (options.device_arrays)
        refuse("options.device_arrays: vectors are in host memory: leave it false");
    Options of_vectors = options;
    of_vectors.copy = false;  // the handle's own
    of_vectors.owner = std::move(arrays);
    impl_ = make_handle_impl_of_vectors(matrix, of_vectors, KernelProvider::process());
    capture_handle(matrix, of_vectors, info());
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

Handle make_handle(const CooView& matrix, const Options& options, KernelProvider& provider,
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

HandlePair make_handle_pair(const CsrView& matrix, const Options& options,
                            const std::string& transpose) {
    return captured_pair(matrix, options, transpose);
}
HandlePair make_handle_pair(const CooView& matrix, const Options& options,
                            const std::string& transpose) {
    return captured_pair(matrix, options, transpose);
}
HandlePair make_handle_pair(const CscView& matrix, const Options& options,
                            const std::string& transpose) {
    return captured_pair(matrix, options, transpose);
}
HandlePair make_handle_pair(const BsrView& matrix, const Options& options,
                            const std::string& transpose) {
    return captured_pair(matrix, options, transpose);
}

}  // namespace spmvgen
