#include "handle/handle_impl.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
std::unique_ptr<HandleImpl> make_handle_impl(const CsrView& matrix, const Options& options,
                                             KernelProvider& provider,
                                             std::shared_ptr<Device> device) {
    if (options.device == "host")
        device = nullptr;
    else if (device == nullptr)
        device = open_device(options.device);
    if (options.reorder != "none")
        return make_reordered_handle(matrix, options, provider, std::move(device));
    if (device == nullptr) return make_host_handle(matrix, options, provider);
    return make_gpu_handle(matrix, options, provider, std::move(device));
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
