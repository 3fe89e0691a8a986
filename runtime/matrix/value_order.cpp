#include "matrix/value_order.hpp"

#include <complex>
#include <iterator>
#include <type_traits>

#include "matrix/chunks.hpp"

namespace spmvgen {
namespace {

template <typename Value>
Value taken(Value value, bool conjugate) {
    if constexpr (std::is_floating_point_v<Value>)
        return value;
    else
        return conjugate ? std::conj(value) : value;
}

template <typename Value, typename Number>
void fill_pieces(const ValueOrder& order, const Value* given, const Number* from, Value* to,
                 int threads) {
    const Number* const before = order.pieces.as<Number>().data();
    const std::int64_t pieces = std::ssize(order.pieces.as<Number>()) - 1;
#pragma omp parallel for schedule(static) num_threads(thread_count(threads))
    for (std::int64_t p = 0; p < pieces; ++p) {
        const Value* const piece = given + from[p];
        for (Number k = before[p]; k < before[p + 1]; ++k)
            to[k] = taken(piece[k - before[p]], order.conjugate);
    }
}

template <typename Value, typename Number>
void fill(const ValueOrder& order, const Value* given, Value* to, int threads) {
    if (order.from.bytes() == 0) {
#pragma omp parallel for schedule(static) num_threads(thread_count(threads))
        for (std::int64_t k = 0; k < order.count; ++k) to[k] = taken(given[k], order.conjugate);
        return;
    }
    const Number* from = order.from.as<Number>().data();
    if (order.pieces.bytes() > 0) return fill_pieces(order, given, from, to, threads);
    const Number* begins = order.begins.bytes() > 0 ? order.begins.as<Number>().data() : nullptr;
#pragma omp parallel for schedule(static) num_threads(thread_count(threads))
    for (std::int64_t k = 0; k < order.count; ++k) {
        const Number first = begins != nullptr ? begins[k] : static_cast<Number>(k);
        Value sum = given[from[first]];
        if (begins != nullptr)
            for (Number i = first + 1; i < begins[k + 1]; ++i) sum += given[from[i]];
        to[k] = taken(sum, order.conjugate);
    }
}

}  // namespace

Buffer ordered_values(const ValueOrder& order, ValueType type, const void* given, int threads) {
    return dispatch(type, [&]<typename Value>(Value) {
        Buffer to = make_buffer<Value>(order.count);
        dispatch(order.type, [&]<typename Number>(Number) {
            fill<Value, Number>(order, static_cast<const Value*>(given), to.as<Value>().data(),
                                threads);
        });
        return to;
    });
}

ValueOrder copy_of(const ValueOrder& order) {
    const auto copy = [](const Buffer& buffer) {
        return copy_bytes(buffer.data(), static_cast<std::int64_t>(buffer.bytes()), 1);
    };
    return {order.type,  copy(order.from), copy(order.begins),
            order.count, order.conjugate,  copy(order.pieces)};
}

}  // namespace spmvgen
