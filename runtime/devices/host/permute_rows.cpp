#include "devices/host/permute_rows.hpp"

#include <type_traits>

#include "devices/host/update.hpp"

namespace spmvgen {
namespace {

/// f(k) with a constant for the one right-hand side that there is most often: no loop then.
template <typename F>
void with_width(int num_rhs, F f) {
    if (num_rhs == 1)
        f(std::integral_constant<int, 1>{});
    else
        f(num_rhs);
}

}  // namespace

void gather_rows(ValueType type, std::span<const std::int32_t> order, int num_rhs, const void* from,
                 void* to, int threads) {
    const auto rows = static_cast<std::int64_t>(order.size());
    dispatch(type, [&]<typename Value>(Value) {
        with_width(num_rhs, [&](auto k) {
            const auto* in = static_cast<const Value*>(from);
            auto* out = static_cast<Value*>(to);
            const std::int32_t* old = order.data();
#pragma omp parallel for num_threads(threads) schedule(static)
            for (std::int64_t i = 0; i < rows; ++i)
                for (int rhs = 0; rhs < k; ++rhs)
                    out[i * k + rhs] = in[std::int64_t{old[i]} * k + rhs];
        });
    });
}

void scatter_rows(ValueType type, std::span<const std::int32_t> order, int num_rhs,
                  const void* alpha, const void* from, const void* beta, void* y, int threads) {
    const auto rows = static_cast<std::int64_t>(order.size());
    dispatch(type, [&]<typename Value>(Value) {
        const Value a = *static_cast<const Value*>(alpha), b = *static_cast<const Value*>(beta);
        with_width(num_rhs, [&](auto k) {
            const auto* in = static_cast<const Value*>(from);
            auto* out = static_cast<Value*>(y);
            const std::int32_t* old = order.data();
#pragma omp parallel for num_threads(threads) schedule(static)
            for (std::int64_t i = 0; i < rows; ++i)
                for (int rhs = 0; rhs < k; ++rhs) {
                    Value& element = out[std::int64_t{old[i]} * k + rhs];
                    element = update(in[i * k + rhs], a, b, element);
                }
        });
    });
}

void scale_rows(ValueType type, std::span<const std::int32_t> order, int num_rhs, const void* beta,
                void* y, int threads) {
    const auto rows = static_cast<std::int64_t>(order.size());
    dispatch(type, [&]<typename Value>(Value) {
        const Value b = *static_cast<const Value*>(beta);
        if (b == Value(1)) return;
        auto* out = static_cast<Value*>(y);
        const std::int32_t* old = order.data();
#pragma omp parallel for num_threads(threads) schedule(static)
        for (std::int64_t i = 0; i < rows; ++i)
            for (int rhs = 0; rhs < num_rhs; ++rhs) {
                Value& element = out[std::int64_t{old[i]} * num_rhs + rhs];
                element = b == Value(0) ? Value(0) : multiply(b, element);
            }
    });
}

}  // namespace spmvgen
