#pragma once
#include <complex>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "spmvgen/matrix.hpp"

/// Small matrices, each with something that breaks careless kernels; for tests of every kernel.
namespace spmvgen::fixtures {

/// What x holds besides numbers.
enum class Special { none, infinite, nan };

struct Fixture {
    std::string name;
    std::string oddity;  ///< what is special about it
    std::int64_t rows = 0, cols = 0;
    std::vector<std::int64_t> row_ptr{0};
    std::vector<std::int64_t> col_idx;
    /// x[0] of the first right-hand side.
    Special first_x = Special::none;

    std::int64_t nnz() const { return static_cast<std::int64_t>(col_idx.size()); }
    /// Appends a row.
    void row(const std::vector<std::int64_t>& columns) {
        col_idx.insert(col_idx.end(), columns.begin(), columns.end());
        row_ptr.push_back(nnz());
        rows = static_cast<std::int64_t>(row_ptr.size()) - 1;
    }
};
inline std::ostream& operator<<(std::ostream& out, const Fixture& f) {
    return out << f.name;
}

/// All fixtures.
const std::vector<Fixture>& all();
/// The fixture with that name.
const Fixture& find(const std::string& name);

/// The same with empty rows or unused columns added until it is square.
Fixture squared(Fixture fixture);

/// A number that differs from position to position, is not exact in binary, and has both signs.
template <typename Value>
Value number(std::int64_t position, int salt) {
    const auto spread = [&](std::int64_t p) {
        return static_cast<double>((p * 7919 + salt * 104729) % 2003) / 1000.0 - 0.95;
    };
    if constexpr (requires { typename Value::value_type; }) {
        using Real = typename Value::value_type;
        return Value(static_cast<Real>(spread(position)), static_cast<Real>(spread(position + 31)));
    } else {
        return static_cast<Value>(spread(position));
    }
}

/// An array that begins one element into its memory and ends with it: for AddressSanitizer to see
/// every overrun, and so that no kernel counts on alignment.
template <typename T>
class OffsetArray {
  public:
    explicit OffsetArray(std::size_t count = 0, T fill = {}) : memory_(count + 1, fill) {
        memory_.shrink_to_fit();
    }
    T* data() { return memory_.data() + 1; }
    const T* data() const { return memory_.data() + 1; }
    std::size_t size() const { return memory_.size() - 1; }
    T& operator[](std::size_t i) { return memory_[i + 1]; }
    const T& operator[](std::size_t i) const { return memory_[i + 1]; }

  private:
    std::vector<T> memory_;
};

/// A fixture with numbers of one type, in arrays that are offset by one element.
template <typename Value, typename Index, typename Offset>
struct TypedMatrix {
    explicit TypedMatrix(const Fixture& f)
        : rows(f.rows),
          cols(f.cols),
          row_ptr(f.row_ptr.size()),
          col_idx(f.col_idx.size()),
          values(f.col_idx.size()) {
        for (std::size_t i = 0; i < row_ptr.size(); ++i)
            row_ptr[i] = static_cast<Offset>(f.row_ptr[i]);
        for (std::size_t k = 0; k < values.size(); ++k) {
            col_idx[k] = static_cast<Index>(f.col_idx[k]);
            values[k] = number<Value>(static_cast<std::int64_t>(k), 1);
        }
    }
    CsrView view() const {
        return csr_view(rows, cols, row_ptr.data(), col_idx.data(), values.data());
    }

    std::int64_t rows, cols;
    OffsetArray<Offset> row_ptr;
    OffsetArray<Index> col_idx;
    OffsetArray<Value> values;
};

/// x of n×k, with what the fixture asks for at x[0].
template <typename Value>
OffsetArray<Value> make_x(const Fixture& f, int num_rhs) {
    OffsetArray<Value> x(static_cast<std::size_t>(f.cols * num_rhs));
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = number<Value>(static_cast<std::int64_t>(i), 2);
    using Limits = std::numeric_limits<decltype(std::abs(Value{}))>;
    if (x.size() > 0 && f.first_x == Special::infinite) x[0] = Limits::infinity();
    if (x.size() > 0 && f.first_x == Special::nan) x[0] = Limits::quiet_NaN();
    return x;
}

/// y of m×k: NaN throughout when β = 0, for it must not be read then.
template <typename Value>
OffsetArray<Value> make_y(const Fixture& f, int num_rhs, bool beta_is_zero) {
    OffsetArray<Value> y(static_cast<std::size_t>(f.rows * num_rhs));
    using Limits = std::numeric_limits<decltype(std::abs(Value{}))>;
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = beta_is_zero ? Value(Limits::quiet_NaN())
                            : number<Value>(static_cast<std::int64_t>(i), 3);
    return y;
}

/// A cache directory for this run of the test program, removed at its end: what is compiled for one
/// order of device threads serves the other.
const std::string& cache_of_this_run();

}  // namespace spmvgen::fixtures
