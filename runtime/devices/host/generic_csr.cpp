#include "devices/host/generic_csr.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

#include "devices/host/update.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// First row of a thread's share: every thread gets about the same number of rows plus nonzeros.
template <typename Offset>
std::int64_t first_row(std::int64_t rows, const Offset* row_ptr, int thread, int threads) {
    if (thread == threads) return rows;
    const std::int64_t work = (rows + row_ptr[rows]) / threads * thread;
    std::int64_t low = 0, high = rows;
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (middle + row_ptr[middle] < work)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/// Types of the values of A, of the vectors, and of the sums.
template <typename A, typename X, typename S>
struct Numbers {
    using Stored = A;
    using Vector = X;
    using Sum = S;
};

/// Calls f(Numbers{}) for the types of A's values, vectors and sums.
template <typename F>
void dispatch_numbers(ValueType stored, const NumberTypes& types, F&& f) {
    dispatch(stored, [&]<typename A>(A) {
        if (types.sums == stored) return f(Numbers<A, A, A>{});
        if constexpr (std::is_same_v<A, float>)
            return types.vectors == stored ? f(Numbers<A, A, double>{})
                                           : f(Numbers<A, double, double>{});
        if constexpr (std::is_same_v<A, std::complex<float>>) {
            using Wide = std::complex<double>;
            return types.vectors == stored ? f(Numbers<A, A, Wide>{}) : f(Numbers<A, Wide, Wide>{});
        }
        throw Error(
            ErrorCode::internal,
            fmt::format("no generic product of {} values and {} vectors with {} sums",
                        to_string(stored), to_string(types.vectors), to_string(types.sums)));
    });
}

/// `width` right-hand sides from `first` on of one row.
template <int width, typename Types, typename Index>
void add_row(const Index* col_idx, const typename Types::Stored* values, std::int64_t begin,
             std::int64_t end, const typename Types::Vector* x, std::int64_t num_rhs,
             typename Types::Sum* sums) {
    using Sum = typename Types::Sum;
    std::fill_n(sums, width, Sum(0));
    for (std::int64_t k = begin; k < end; ++k) {
        const auto* xk = x + static_cast<std::int64_t>(col_idx[k]) * num_rhs;
        for (int rhs = 0; rhs < width; ++rhs)
            sums[rhs] += multiply(static_cast<Sum>(values[k]), static_cast<Sum>(xk[rhs]));
    }
}

/// α and β, and what of y they need.
template <typename Types>
struct Update {
    using Sum = typename Types::Sum;
    using Vector = typename Types::Vector;
    Sum alpha, beta;

    void store(Sum sum, Vector& y) const {
        y = static_cast<Vector>(
            update(sum, alpha, beta, beta == Sum(0) ? Sum(0) : static_cast<Sum>(y)));
    }
};

/// Entries of a row from which on it has two sums.
constexpr std::int64_t least_of_two_sums = 16;

/// One right-hand side, rows first … last-1. A long row has two sums, for an addition waits for the
/// one before it; of short ones the next row is begun meanwhile, and whether one has an even number
/// of entries would be hard to foresee.
template <typename Types, typename Index, typename Offset>
void add_rows(const CsrView& a, std::int64_t first, std::int64_t last,
              const typename Types::Vector* x, const Update<Types>& new_y,
              typename Types::Vector* y) {
    using Sum = typename Types::Sum;
    const auto* const row_ptr = a.row_ptr_as<Offset>();
    const auto* const col_idx = a.col_idx_as<Index>();
    const auto* const values = a.values_as<typename Types::Stored>();
    const auto term = [=](std::int64_t k) {
        return multiply(static_cast<Sum>(values[k]), static_cast<Sum>(x[col_idx[k]]));
    };
    const bool stores_sums = new_y.alpha == Sum(1) && new_y.beta == Sum(0);
    for (std::int64_t row = first, k = row_ptr[first]; row < last; ++row) {
        const std::int64_t end = row_ptr[row + 1];
        Sum even(0), odd(0);
        if (end - k < least_of_two_sums)
            while (k < end) even += term(k++);
        else if ((end - k) % 2 != 0)
            even = term(k++);
        for (; k < end; k += 2) {
            even += term(k);
            odd += term(k + 1);
        }
        if (stores_sums)
            y[row] = static_cast<typename Types::Vector>(even + odd);
        else
            new_y.store(even + odd, y[row]);
    }
}

template <typename Types, typename Index, typename Offset>
void product(const CsrView& a, int num_rhs, const Operands& o, int threads) {
    using Vector = typename Types::Vector;
    using Sum = typename Types::Sum;
    const auto* row_ptr = a.row_ptr_as<Offset>();
    const auto* col_idx = a.col_idx_as<Index>();
    const auto* values = a.values_as<typename Types::Stored>();
    const auto* x = static_cast<const Vector*>(o.x);
    auto* y = static_cast<Vector*>(o.y);
    const Update<Types> new_y{static_cast<Sum>(*static_cast<const Vector*>(o.alpha)),
                              static_cast<Sum>(*static_cast<const Vector*>(o.beta))};
    const auto rows_of_many = [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t row = first; row < last; ++row)
            for (int rhs = 0; rhs < num_rhs;) {
                constexpr int most = 8;
                Sum sums[most];
                const int width = num_rhs - rhs >= most ? most : 1;
                (width == 1 ? add_row<1, Types, Index>
                            : add_row<most, Types, Index>)(col_idx, values, row_ptr[row],
                                                           row_ptr[row + 1], x + rhs, num_rhs,
                                                           sums);
                for (int i = 0; i < width; ++i, ++rhs) new_y.store(sums[i], y[row * num_rhs + rhs]);
            }
    };
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        const int thread = omp_get_thread_num(), team = omp_get_num_threads();
        const std::int64_t first = first_row(a.rows, row_ptr, thread, team);
        const std::int64_t last = first_row(a.rows, row_ptr, thread + 1, team);
        if (num_rhs == 1)
            add_rows<Types, Index, Offset>(a, first, last, x, new_y, y);
        else
            rows_of_many(first, last);
    }
}

template <typename Types, typename Index>
void scatter(const CsrView& a, int num_rhs, bool conjugate, const Operands& o) {
    using Value = typename Types::Vector;
    const auto* col_idx = a.col_idx_as<Index>();
    const auto* values = a.values_as<typename Types::Stored>();
    const auto* x = static_cast<const Value*>(o.x);
    auto* y = static_cast<Value*>(o.y);
    const Value alpha = *static_cast<const Value*>(o.alpha);
    for (std::int64_t row = 0; row < a.rows; ++row)
        for (std::int64_t k = a.row_begin(row); k < a.row_begin(row + 1); ++k) {
            auto value = static_cast<Value>(values[k]);
            if constexpr (!std::is_floating_point_v<Value>)
                if (conjugate) value = std::conj(value);
            Value* to = y + static_cast<std::int64_t>(col_idx[k]) * num_rhs;
            for (int rhs = 0; rhs < num_rhs; ++rhs)
                to[rhs] = update(multiply(value, x[row * num_rhs + rhs]), alpha, Value(1), to[rhs]);
        }
}

}  // namespace

void generic_csr_transposed(const CsrView& a, ValueType vectors, int num_rhs, bool conjugate,
                            const Operands& operands) {
    dispatch_numbers(a.value_type, {vectors, vectors}, [&](auto types) {
        dispatch(a.index_type, [&](auto index) {
            scatter<decltype(types), decltype(index)>(a, num_rhs, conjugate, operands);
        });
    });
}

void generic_csr(const CsrView& a, const NumberTypes& types, int num_rhs, const Operands& operands,
                 int threads) {
    dispatch_numbers(a.value_type, types, [&](auto numbers) {
        dispatch(a.index_type, [&](auto index) {
            dispatch(a.offset_type, [&](auto offset) {
                product<decltype(numbers), decltype(index), decltype(offset)>(a, num_rhs, operands,
                                                                              threads);
            });
        });
    });
}

void scale_vector(ValueType type, std::int64_t count, const void* beta, void* y, int threads) {
    dispatch(type, [&](auto tag) {
        using Value = decltype(tag);
        auto* out = static_cast<Value*>(y);
        const Value b = *static_cast<const Value*>(beta);
        if (b == Value(1)) return;
#pragma omp parallel for num_threads(threads) schedule(static)
        for (std::int64_t i = 0; i < count; ++i)
            out[i] = b == Value(0) ? Value(0) : multiply(b, out[i]);
    });
}

void scale_add(ValueType type, std::int64_t count, const void* alpha, const void* t,
               const void* beta, void* y, int threads) {
    dispatch(type, [&](auto tag) {
        using Value = decltype(tag);
        const auto* in = static_cast<const Value*>(t);
        auto* out = static_cast<Value*>(y);
        const Value a = *static_cast<const Value*>(alpha), b = *static_cast<const Value*>(beta);
#pragma omp parallel for num_threads(threads) schedule(static)
        for (std::int64_t i = 0; i < count; ++i) out[i] = update(in[i], a, b, out[i]);
    });
}

}  // namespace spmvgen
