#include "verify/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "matrix/chunks.hpp"

namespace spmvgen {
namespace {

template <typename T>
constexpr bool is_real = std::is_floating_point_v<T>;

template <typename Value>
double unit_roundoff() {
    if constexpr (is_real<Value>)
        return std::numeric_limits<Value>::epsilon() / 2.0;
    else
        return 4 * unit_roundoff<typename Value::value_type>();
}

bool finite(double v) {
    return std::isfinite(v);
}
template <typename T>
bool finite(std::complex<T> v) {
    return std::isfinite(v.real()) && std::isfinite(v.imag());
}

template <typename Value>
bool agree(Value expected, Value y, double allowed) {
    if (!finite(expected) || !finite(y) || !std::isfinite(allowed))
        return finite(expected) == finite(y) || !std::isfinite(allowed);
    return static_cast<double>(std::abs(expected - y)) <= allowed;
}

/// Σ|a||x| of element (row, rhs).
template <typename Value, typename Vector>
double magnitude(const CsrView& a, const Vector* x, std::int64_t row, int rhs, int num_rhs) {
    const Value* values = a.values_as<Value>();
    double sum = 0;
    for (std::int64_t k = a.row_begin(row); k < a.row_begin(row + 1); ++k)
        sum += static_cast<double>(std::abs(values[k])) *
               static_cast<double>(std::abs(x[a.col(k) * num_rhs + rhs]));
    return sum;
}

template <typename Value, typename Vector>
void fill_allowed(const CsrView& a, const Vector* x, int num_rhs, int threads,
                  std::vector<double>& allowed) {
    const double unit = unit_roundoff<Vector>();
    const auto of_row = [&](std::int64_t row, int rhs) {
        return 2 * static_cast<double>(a.row_length(row) + 4) *
               (unit * magnitude<Value>(a, x, row, rhs, num_rhs) +
                std::numeric_limits<float>::denorm_min());
    };
    // Few rows may have many entries.
    const std::int64_t part = std::clamp<std::int64_t>(a.rows / 256, 1, 1024);
    for_parts(a.rows, part, threads, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t row = begin; row < end; ++row)
            for (int rhs = 0; rhs < num_rhs; ++rhs)
                allowed[static_cast<std::size_t>(row * num_rhs + rhs)] = of_row(row, rhs);
    });
}

}  // namespace

Agreement::Agreement(const CsrView& a, const void* x, ValueType vectors, int num_rhs, int threads)
    : type_(vectors), threads_(threads), allowed_(static_cast<std::size_t>(a.rows * num_rhs)) {
    dispatch(a.value_type, [&]<typename Value>(Value) {
        dispatch(vectors, [&]<typename Vector>(Vector) {
            fill_allowed<Value>(a, static_cast<const Vector*>(x), num_rhs, threads, allowed_);
        });
    });
}

std::string Agreement::difference(const void* expected, const void* y) const {
    return dispatch(type_, [&]<typename Vector>(Vector) -> std::string {
        const auto* want = static_cast<const Vector*>(expected);
        const auto* have = static_cast<const Vector*>(y);
        std::int64_t wrong = 0, first = std::numeric_limits<std::int64_t>::max();
#pragma omp parallel for schedule(static) num_threads(thread_count(threads_)) reduction(+ : wrong) \
    reduction(min : first)
        for (std::size_t i = 0; i < allowed_.size(); ++i) {
            if (agree(want[i], have[i], allowed_[i])) continue;
            ++wrong;
            first = std::min(first, static_cast<std::int64_t>(i));
        }
        if (wrong == 0) return "";
        return fmt::format("{} of {} elements of its product differ, the first is {}", wrong,
                           allowed_.size(), first);
    });
}

}  // namespace spmvgen
