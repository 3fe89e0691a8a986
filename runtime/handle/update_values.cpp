#include <fmt/format.h>

#include "formats/narrow.hpp"
#include "formats/value_pattern.hpp"
#include "handle/handle_impl.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

[[noreturn]] void refuse(const std::string& message) {
    throw Error(ErrorCode::invalid_argument, "update_values: " + message);
}

/// The number of the first entry whose values are added up to value k.
std::int64_t first_entry(const ValueOrder& order, std::int64_t k) {
    return dispatch(order.type, [&]<typename Number>(Number) -> std::int64_t {
        return order.from.as<Number>()[static_cast<std::size_t>(
            order.begins.as<Number>()[static_cast<std::size_t>(k)])];
    });
}

}  // namespace

void HandleImpl::tell_given(ValueType type, std::int64_t entries, std::shared_ptr<Device> device) {
    given_type_ = type;
    given_entries_ = entries;
    given_on_ = std::move(device);
}

void HandleImpl::tell_order(ValueOrder order) {
    info_.update_bytes += order.bytes();
    orders_.insert(orders_.begin(), std::move(order));
}

void HandleImpl::update_values(ValueType type, const void* values, Stream stream) {
    if (!updatable_)
        refuse(
            "the handle was made with options.updatable = false and has kept nothing for this: "
            "leave it true, or make another handle");
    if (type != given_type_)
        refuse(fmt::format("the matrix is {}, but the new values are {}; use {}",
                           to_string(given_type_), to_string(type), to_string(given_type_)));
    if (given_entries_ == 0) return;
    if (values == nullptr)
        refuse(fmt::format("values is null, but the matrix has {} entries", given_entries_));
    NewValues given{values, given_on_ != nullptr};
    Buffer here, ordered;
    if (given.on_device && (!orders_.empty() || info_.storage != to_string(type))) {
        here = Buffer(static_cast<std::size_t>(given_entries_) * size_of(type));
        given_on_->synchronize({stream.native});
        given_on_->copy_to_host(here.data(), values, here.bytes());
        given = {here.data(), false};
    }
    if (!given.on_device) check_storable(given.data);
    for (const ValueOrder& order : orders_) {
        Buffer next = ordered_values(order, type, given.data, threads_);
        if (order.begins.bytes() > 0) check_sums(order, next.data());
        ordered = std::move(next);
        given.data = ordered.data();
    }
    set_values(given, stream);
}

void HandleImpl::check_storable(const void* values) const {
    const ValueType storage = parse_value_type(info_.storage);
    if (storage == given_type_) return;
    const std::int64_t k = first_too_large(given_type_, values, given_entries_, storage);
    if (k < given_entries_)
        refuse(
            fmt::format("entry {} is {}, too large for storage type {}: use a wider one; the old "
                        "numbers stay",
                        k, number_text(given_type_, values, k), to_string(storage)));
}

void HandleImpl::check_sums(const ValueOrder& order, const void* sums) const {
    const ValueType storage = parse_value_type(info_.storage);
    if (storage == given_type_) return;
    const std::int64_t k = first_too_large(given_type_, sums, order.count, storage);
    if (k < order.count)
        refuse(fmt::format(
            "the entries at the place of entry {} add up to {}, too large for "
            "storage type {}: use a wider one; the old numbers stay",
            first_entry(order, k), number_text(given_type_, sums, k), to_string(storage)));
}

void HandleImpl::set_values(const NewValues&, Stream) {
    throw Error(ErrorCode::unsupported, "update_values is not there for this kind of handle");
}

void Handle::update_values(ValueType type, const void* values, Stream stream) {
    impl().update_values(type, values, stream);
}

}  // namespace spmvgen
