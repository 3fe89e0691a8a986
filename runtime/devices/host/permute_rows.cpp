#include "devices/host/permute_rows.hpp"

#include "devices/host/update.hpp"

namespace spmvgen {

void gather_rows(ValueType type, std::span<const std::int32_t> order, int num_rhs, const void* from,
                 void* to, int threads) {
    dispatch(type, [&](auto tag) {
        using Value = decltype(tag);
        const auto* in = static_cast<const Value*>(from);
        auto* out = static_cast<Value*>(to);
        const auto rows = static_cast<std::int64_t>(order.size());
#pragma omp parallel for num_threads(threads) schedule(static)
        for (std::int64_t i = 0; i < rows; ++i) {
            const Value* row = in + std::int64_t{order[static_cast<std::size_t>(i)]} * num_rhs;
            for (int rhs = 0; rhs < num_rhs; ++rhs) out[i * num_rhs + rhs] = row[rhs];
        }
    });
}

void scatter_rows(ValueType type, std::span<const std::int32_t> order, int num_rhs,
                  const void* alpha, const void* from, const void* beta, void* y, int threads) {
    dispatch(type, [&](auto tag) {
        using Value = decltype(tag);
        const auto* in = static_cast<const Value*>(from);
        auto* out = static_cast<Value*>(y);
        const Value a = *static_cast<const Value*>(alpha), b = *static_cast<const Value*>(beta);
        const auto rows = static_cast<std::int64_t>(order.size());
#pragma omp parallel for num_threads(threads) schedule(static)
        for (std::int64_t i = 0; i < rows; ++i) {
            Value* row = out + std::int64_t{order[static_cast<std::size_t>(i)]} * num_rhs;
            for (int rhs = 0; rhs < num_rhs; ++rhs)
                row[rhs] = update(in[i * num_rhs + rhs], a, b, row[rhs]);
        }
    });
}

}  // namespace spmvgen
