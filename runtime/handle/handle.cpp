#include <fmt/format.h>

#include "handle/handle_impl.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {

Handle::Handle(const CsrView& matrix, const Options& options)
    : impl_(std::make_unique<Impl>(matrix, options, KernelProvider::process())) {}

Handle::Handle(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Handle::Handle(Handle&&) noexcept = default;
Handle& Handle::operator=(Handle&&) noexcept = default;
Handle::~Handle() = default;

Handle make_handle(const CsrView& matrix, const Options& options, KernelProvider& provider) {
    return Handle(std::make_unique<Handle::Impl>(matrix, options, provider));
}

const Handle::Impl& Handle::impl() const {
    if (impl_ == nullptr)
        throw Error(ErrorCode::invalid_argument,
                    "this handle was moved from: use the one that it was moved to");
    return *impl_;
}

void Handle::apply(ValueType type, const void* alpha, const void* x, const void* beta,
                   void* y) const {
    impl();
    impl_->apply(type, {alpha, x, beta, y});
}

const Info& Handle::info() const {
    return impl().info;
}

std::string Handle::source() const {
    return impl().base != nullptr ? impl().base->kernel().source() : "";
}

}  // namespace spmvgen
