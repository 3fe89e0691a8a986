#pragma once
#include <type_traits>
#include <utility>

#include "dialect/cpu.hpp"
#include "direct.hpp"

#ifndef __clang__
/// What emitted texts bring along for compilers other than Clang.
template <typename Line>
void __builtin_nontemporal_store(const Line& line, Line* to) {
    *to = line;
}
#endif

/// How a kernel template is called on a StoredMatrix; the table's rows are made from this.
namespace spmvgen::direct {

/// The template parameters that every kernel has.
template <typename V, typename I, typename O, scale alpha, scale beta, int rhs>
struct Bound {
    using Value = V;
    using Index = I;
    using Offset = O;
    static constexpr scale alpha_mode = alpha, beta_mode = beta;
    static constexpr int num_rhs = rhs;
};

/// The arguments of one product; arrays and scalars are found by name.
template <typename B>
struct Arguments {
    using Value = typename B::Value;
    const StoredMatrix& stored;
    const Value* x;
    Value* y;
    Value alpha, beta;
    int threads;
    std::vector<long> carry_row;
    std::vector<Value> carry_sum;
    std::vector<long> head_row;
    std::vector<Value> head_sum;

    template <typename T>
    const T* array(const char* array_name) const {
        // α = 0 must not touch A: whoever does, falls over a null pointer
        if (B::alpha_mode == scale::zero) return nullptr;
        return static_cast<const T*>(stored.arrays.at(array_name));
    }
    const typename B::Offset* offsets(const char* array_name) const {
        return array<typename B::Offset>(array_name);
    }
    const typename B::Index* indices(const char* array_name) const {
        return array<typename B::Index>(array_name);
    }
    const Value* values() const { return array<Value>("values"); }
    long scalar(const char* scalar_name) const { return stored.scalars.at(scalar_name); }
};

template <typename Value>
struct InDialect {
    using type = Value;
};
template <>
struct InDialect<std::complex<float>> {
    using type = complex_f32;
};
template <>
struct InDialect<std::complex<double>> {
    using type = complex_f64;
};

constexpr scale in_dialect(Scale mode) {
    if (mode == Scale::zero) return scale::zero;
    return mode == Scale::one ? scale::one : scale::general;
}

template <typename F>
void with_scale(Scale mode, F&& f) {
    switch (mode) {
        case Scale::zero:
            return f(std::integral_constant<Scale, Scale::zero>{});
        case Scale::one:
            return f(std::integral_constant<Scale, Scale::one>{});
        default:
            return f(std::integral_constant<Scale, Scale::general>{});
    }
}

template <typename Kernel, typename B>
void run_bound(const StoredMatrix& stored, int threads, const void* alpha, const void* x,
               const void* beta, void* y) {
    using Value = typename B::Value;
    const auto count = static_cast<std::size_t>(threads);
    Arguments<B> arguments{
        stored,
        static_cast<const Value*>(x),
        static_cast<Value*>(y),
        *static_cast<const Value*>(alpha),
        *static_cast<const Value*>(beta),
        threads,
        std::vector<long>(count, 1L << 40),  // workspace comes with anything in it
        std::vector<Value>(count * B::num_rhs),
        std::vector<long>(count, 1L << 40),
        std::vector<Value>(count * B::num_rhs)};
    for (int thread = threads; thread-- > 0;) Kernel::share(arguments, thread);
    if constexpr (requires { Kernel::once(arguments); }) Kernel::once(arguments);
}

/// Finds the instantiation for what is known at run time only; the problem is one that
/// is_instantiated.
template <typename Kernel>
void run_case(const StoredMatrix& stored, ValueType value, IndexType integers, const Problem& p,
              const void* alpha, const void* x, const void* beta, void* y) {
    dispatch(value, [&]<typename T>(T) {
        with_scale(p.alpha, [&]<Scale a>(std::integral_constant<Scale, a>) {
            with_scale(p.beta, [&]<Scale b>(std::integral_constant<Scale, b>) {
                const auto run = [&]<typename Integer, int num_rhs>() {
                    constexpr IndexType index = type_tag<Integer>::value;
                    if constexpr (is_instantiated(type_tag<T>::value, index, a, b, num_rhs))
                        if (integers == index && p.num_rhs == num_rhs)
                            run_bound<Kernel, Bound<typename InDialect<T>::type, Integer, Integer,
                                                    in_dialect(a), in_dialect(b), num_rhs>>(
                                stored, p.threads, alpha, x, beta, y);
                };
                run.template operator()<std::int32_t, 1>();
                run.template operator()<std::int32_t, 3>();
                run.template operator()<std::int64_t, 1>();
            });
        });
    });
}

}  // namespace spmvgen::direct
