#pragma once
#include <algorithm>
#include <complex>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "errors.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {

/// A small square matrix with what is easily got wrong: empty rows, a long row, columns in no
/// order, entries at the same place. Numbers are small integers, so that sums are exact in every
/// type and every order.
template <typename Value>
struct AnyMatrix {
    std::int64_t n = 0;
    std::vector<std::int32_t> row_ptr{0}, row_idx, col_idx;
    std::vector<Value> values;

    explicit AnyMatrix(std::int64_t size = 60, unsigned seed = 1) : n(size) {
        std::mt19937 random(seed);
        for (std::int64_t row = 0; row < n; ++row) {
            const unsigned length = row % 7 == 3 ? 0 : row == 20 ? 45 : 1 + random() % 6;
            for (unsigned k = 0; k < length; ++k) {
                row_idx.push_back(static_cast<std::int32_t>(row));
                col_idx.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(n)));
            }
            row_ptr.push_back(static_cast<std::int32_t>(col_idx.size()));
        }
        values = numbers(0);
    }

    /// Other values for the same entries.
    std::vector<Value> numbers(int salt) const {
        std::vector<Value> v;
        for (std::size_t k = 0; k < col_idx.size(); ++k) {
            const auto a = static_cast<float>((static_cast<int>(k) * 5 + salt * 3) % 11 - 5);
            if constexpr (std::is_floating_point_v<Value>)
                v.push_back(static_cast<Value>(a));
            else
                v.push_back(Value(static_cast<typename Value::value_type>(a), 1));
        }
        return v;
    }

    CsrView view() const { return csr_view(n, n, row_ptr.data(), col_idx.data(), values.data()); }
    CooView entries() const {
        return coo_view(n, n, static_cast<std::int64_t>(values.size()), row_idx.data(),
                        col_idx.data(), values.data());
    }
    /// The entries in no order: as a list, the k-th of which is number order[k] of before.
    std::vector<std::size_t> shuffle(unsigned seed) {
        std::vector<std::size_t> order(values.size());
        for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
        std::ranges::shuffle(order, std::mt19937(seed));
        const auto in_order = [&](auto& array) {
            auto before = array;
            for (std::size_t k = 0; k < order.size(); ++k) array[k] = before[order[k]];
        };
        in_order(row_idx);
        in_order(col_idx);
        in_order(values);
        return order;
    }

    std::vector<Value> x() const {
        std::vector<Value> v;
        for (std::int64_t j = 0; j < n; ++j) v.push_back(Value(static_cast<float>(j % 9 - 4)));
        return v;
    }

    /// αBx with B = A, Aᵀ or Aᴴ, for the entries with these values.
    std::vector<Value> product(const std::vector<Value>& with, const std::string& op = "N",
                               Value alpha = Value(1)) const {
        std::vector<Value> y(static_cast<std::size_t>(n));
        const auto in = x();
        for (std::size_t k = 0; k < with.size(); ++k) {
            const auto row = static_cast<std::size_t>(row_idx[k]);
            const auto col = static_cast<std::size_t>(col_idx[k]);
            Value value = with[k];
            if constexpr (!std::is_floating_point_v<Value>)
                if (op == "H") value = std::conj(value);
            y[op == "N" ? row : col] += alpha * value * in[op == "N" ? col : row];
        }
        return y;
    }
};

/// αBx by a handle; x and y are in this machine's memory.
template <typename Value>
std::vector<Value> product_of(const Handle& handle, const AnyMatrix<Value>& a,
                              Value alpha = Value(1)) {
    const auto x = a.x();
    std::vector<Value> y(static_cast<std::size_t>(a.n), Value(77));
    handle.apply(alpha, x.data(), Value(0), y.data());
    return y;
}

/// Options of a handle that must have the generator's kernel.
inline Options options_for(const std::string& device) {
    Options o;
    o.device = device;
    o.cache = CacheMode::memory;
    o.strict = true;
    o.threads = device == "host" ? 2 : 0;
    return o;
}
/// Options of a handle that runs the generic kernel.
inline Options off_options() {
    Options o;
    o.cache = CacheMode::off;
    return o;
}

/// The numbers as arrays have them that begin at 1.
template <typename Number>
std::vector<Number> from_one(const std::vector<std::int32_t>& numbers) {
    std::vector<Number> result(numbers.begin(), numbers.end());
    for (Number& number : result) ++number;
    return result;
}

/// The arrays of its CSR as columns: those of the transpose.
template <typename Value>
CscView columns_of(const AnyMatrix<Value>& a) {
    return csc_view(a.n, a.n, static_cast<std::int64_t>(a.values.size()), a.row_ptr.data(),
                    a.col_idx.data(), a.values.data());
}

}  // namespace spmvgen
