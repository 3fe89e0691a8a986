#include <fmt/format.h>

#include <algorithm>

#include "formats/value_encoding.hpp"
#include "formats/value_pattern.hpp"
#include "handle/base/handle_impl.hpp"
#include "handle/plan/team_size.hpp"
#include "matrix/overflow.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

[[noreturn]] void refuse_update(const std::string& message) {
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

void HandleImpl::tell_order(ValueOrder order) {
    tell([bytes = order.bytes()](Info& info) { info.update_bytes += bytes; });
    orders_.insert(orders_.begin(), std::move(order));
}

void HandleImpl::update_values(ValueType type, const void* values, Stream stream) {
    update_values(type, NewValues{values, given_on_ != nullptr}, stream);
}

void HandleImpl::update_values(ValueType type, NewValues given, Stream stream) {
    if (!updatable_)
        refuse_update(
            "the handle was made with options.updatable = false and has kept nothing for this: "
            "leave it true, or make another handle");
    if (type != given_type_)
        refuse_update(fmt::format("the matrix is {}, but the new values are {}; use {}",
                                  to_string(given_type_), to_string(type), to_string(given_type_)));
    if (given_entries_ == 0) return;
    const TeamSize team(threads_);
    if (given.data == nullptr)
        refuse_update(fmt::format("values is null, but the matrix has {} entries", given_entries_));
    std::unique_ptr<DeviceMemory> there;
    if (given.on_device && orders_.size() == 1 && plain_storage_ == type)
        there = ordered_there(orders_.front(), given.data, stream);
    Buffer here;
    if (there != nullptr)
        given.data = there->data();
    else
        here = ordered_here(given, stream);
    is_encoded(signature_, plain_storage_) ? set_encoded(given, stream) : set_values(given, stream);
}

Buffer HandleImpl::ordered_here(NewValues& given, Stream stream) const {
    Buffer here;
    if (given.on_device && (!orders_.empty() || plain_storage_ != given_type_)) {
        here = numbers_on_host(given, stream);
        given = {here.data(), false};
    }
    if (!given.on_device) check_storable(given.data);
    for (const ValueOrder& order : orders_) {
        Buffer next = ordered_values(order, given_type_, given.data, threads_);
        if (order.begins.bytes() > 0) check_sums(order, next.data());
        here = std::move(next);
        given.data = here.data();
    }
    return here;
}

Buffer HandleImpl::numbers_on_host(const NewValues& given, Stream stream) const {
    Buffer here(static_cast<std::size_t>(given_entries_) * size_of(given_type_));
    given_on_->synchronize({stream.native});
    given_on_->copy_to_host(here.data(), given.data, here.bytes());
    return here;
}

void HandleImpl::set_encoded(NewValues given, Stream stream) {
    if (put_encoded(given, stream)) return;
    Buffer here;
    if (given.on_device) {
        here = numbers_on_host(given, stream);
        given = {here.data(), false};
    }
    CsrView numbers;
    numbers.nnz = info_.nnz;
    numbers.value_type = given_type_;
    numbers.values = given.data;
    if (holds_exactly(numbers, signature_)) return set_values(given, stream);
    const std::vector<Signature> wider = wider_signatures(signature_, plain_storage_);
    const auto fits =
        std::ranges::find_if(wider, [&](const Signature& s) { return holds_exactly(numbers, s); });
    // What the caller's own storage type cannot hold, it rounds.
    store_wider_values(fits != wider.end() ? *fits : wider.back(), given.data, stream);
}

void HandleImpl::tell_wider_values(const Signature& wider) {
    const auto change =
        value_array_bytes(wider, info_.stored) - value_array_bytes(signature_, info_.stored);
    info_.reason +=
        fmt::format("; update_values brought numbers that {} does not hold", info_.kernel);
    ++info_.widened;
    signature_ = wider;
    info_.kernel = kernel_name(signature_);
    info_.storage = to_string(storage_type(signature_));
    info_.matrix_bytes += change;
    info_.bytes += change;
    info_.predicted_us = info_.measured_us = 0;
}

void HandleImpl::check_storable(const void* values) const {
    const ValueType storage = plain_storage_;
    if (storage == given_type_) return;
    const std::int64_t k = first_too_large(given_type_, values, given_entries_, storage);
    if (k < given_entries_)
        refuse_update(
            fmt::format("entry {} is {}, too large for storage type {}: use a wider one; the old "
                        "numbers stay",
                        k, number_text(given_type_, values, k), to_string(storage)));
}

void HandleImpl::check_sums(const ValueOrder& order, const void* sums) const {
    const ValueType storage = plain_storage_;
    if (storage == given_type_) return;
    const std::int64_t k = first_too_large(given_type_, sums, order.count, storage);
    if (k < order.count)
        refuse_update(fmt::format(
            "the entries at the place of entry {} add up to {}, too large for "
            "storage type {}: use a wider one; the old numbers stay",
            first_entry(order, k), number_text(given_type_, sums, k), to_string(storage)));
}

void HandleImpl::refuse_wider_values(const Signature& wider, const std::string& why) const {
    throw Error(ErrorCode::compile,
                fmt::format("update_values: the new numbers need kernel {} in the place of {}, "
                            "which cannot be had ({}): the old numbers stay; with "
                            "options.encodings = none any numbers fit",
                            kernel_name(wider), info_.kernel, why));
}

void HandleImpl::store_wider_values(const Signature&, const void*, Stream) {
    throw Error(ErrorCode::internal, "values of this kind of handle are not encoded");
}

void HandleImpl::set_values(const NewValues&, Stream) {
    throw Error(ErrorCode::unsupported, "update_values is not there for this kind of handle");
}

void Handle::update_values(ValueType type, const void* values, Stream stream) {
    impl().update_values(type, values, stream);
}

}  // namespace spmvgen
