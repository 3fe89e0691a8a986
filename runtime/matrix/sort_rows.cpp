#include "matrix/sort_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>
#include <vector>

namespace spmvgen {
namespace {

// A total order of values, NaN included: by magnitude, then sign.
bool value_less(double a, double b) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    const auto x = std::bit_cast<std::uint64_t>(a), y = std::bit_cast<std::uint64_t>(b);
    return (x & ~sign) != (y & ~sign) ? (x & ~sign) < (y & ~sign) : x < y;
}
template <typename T>
bool value_less(std::complex<T> a, std::complex<T> b) {
    if (value_less(double(a.real()), double(b.real()))) return true;
    if (value_less(double(b.real()), double(a.real()))) return false;
    return value_less(double(a.imag()), double(b.imag()));
}

bool same_value(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}
template <typename T>
bool same_value(std::complex<T> a, std::complex<T> b) {
    return same_value(a.real(), b.real()) && same_value(a.imag(), b.imag());
}

/// One row as two parallel arrays.
template <typename Key, typename Value>
struct Row {
    Key* keys;
    Value* values;
    std::int64_t length;
};

template <typename Key, typename Value>
bool less(Key a, Value x, Key b, Value y) {
    return a != b ? a < b : value_less(x, y);
}

template <typename Key, typename Value>
void insertion_sort(Row<Key, Value> row) {
    for (std::int64_t i = 1; i < row.length; ++i) {
        const Key key = row.keys[i];
        const Value value = row.values[i];
        std::int64_t k = i;
        for (; k > 0 && less(key, value, row.keys[k - 1], row.values[k - 1]); --k) {
            row.keys[k] = row.keys[k - 1];
            row.values[k] = row.values[k - 1];
        }
        row.keys[k] = key;
        row.values[k] = value;
    }
}

template <typename Key, typename Value>
void sort_row(Row<Key, Value> row, std::vector<std::pair<Key, Value>>& scratch) {
    constexpr std::int64_t short_row = 32;
    if (row.length <= short_row) return insertion_sort(row);
    scratch.resize(static_cast<std::size_t>(row.length));
    for (std::int64_t i = 0; i < row.length; ++i)
        scratch[static_cast<std::size_t>(i)] = {row.keys[i], row.values[i]};
    std::sort(scratch.begin(), scratch.end(), [](const auto& a, const auto& b) {
        return less(a.first, a.second, b.first, b.second);
    });
    for (std::int64_t i = 0; i < row.length; ++i) {
        row.keys[i] = scratch[static_cast<std::size_t>(i)].first;
        row.values[i] = scratch[static_cast<std::size_t>(i)].second;
    }
}

/// Whether columns ascend strictly; tagged columns must be untagged in any case.
template <typename Key, typename Value>
bool ascends(Row<Key, Value> row) {
    for (std::int64_t i = 1; i < row.length; ++i)
        if (row.keys[i] <= row.keys[i - 1]) return false;
    return true;
}

/// Adds up the entries that have the key at `i`; moves `i` past them.
template <typename Key, typename Value>
Value sum_of_key(Row<Key, Value> row, std::int64_t& i) {
    const Key key = row.keys[i];
    Value sum = row.values[i];
    for (++i; i < row.length && row.keys[i] == key; ++i) sum += row.values[i];
    return sum;
}

/// Leaves one entry for each column at the front of a sorted row and returns how many, or -1 - col
/// where mirrored entries differ.
template <typename Key, typename Value>
std::int64_t merge_row(Row<Key, Value> row, int tag_bits) {
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < row.length;) {
        const Key key = row.keys[i];
        const Key column = key >> tag_bits;
        const Value sum = sum_of_key(row, i);
        if (i < row.length && row.keys[i] >> tag_bits == column &&
            !same_value(sum, sum_of_key(row, i)))
            return -1 - static_cast<std::int64_t>(column);
        row.keys[kept] = column;
        row.values[kept++] = sum;
    }
    return kept;
}

template <typename Offset, typename Index, typename Value>
class RowSorter {
    using Key = std::make_unsigned_t<Index>;

  public:
    RowSorter(CsrMatrix& matrix, int threads)
        : a_(matrix),
          threads_(threads),
          ptr_(matrix.row_ptr.template as<Offset>().data()),
          keys_(reinterpret_cast<Key*>(matrix.col_idx.template as<Index>().data())),
          values_(matrix.values.template as<Value>().data()) {}

    std::optional<MirrorConflict> run(Columns columns) {
        const bool duplicates = sort_all();
        if (!duplicates && columns == Columns::plain) return std::nullopt;
        return merge_all(columns == Columns::tagged ? 1 : 0);
    }

  private:
    Row<Key, Value> row(std::int64_t i) const {
        return {keys_ + ptr_[i], values_ + ptr_[i],
                static_cast<std::int64_t>(ptr_[i + 1]) - ptr_[i]};
    }

    bool sort_all() {
        bool duplicates = false;
#pragma omp parallel num_threads(threads_) reduction(|| : duplicates)
        {
            std::vector<std::pair<Key, Value>> scratch;
#pragma omp for schedule(dynamic, 1024)
            for (std::int64_t i = 0; i < a_.rows; ++i) {
                if (ascends(row(i))) continue;
                sort_row(row(i), scratch);
                duplicates = duplicates || !ascends(row(i));
            }
        }
        return duplicates;
    }

    std::optional<MirrorConflict> merge_all(int tag_bits) {
        Buffer lengths = make_buffer<std::int64_t>(a_.rows);
        std::int64_t* length = lengths.as<std::int64_t>().data();
        std::int64_t conflict = a_.rows;
#pragma omp parallel for num_threads(threads_) schedule(dynamic, 1024) reduction(min : conflict)
        for (std::int64_t i = 0; i < a_.rows; ++i) {
            length[i] = merge_row(row(i), tag_bits);
            if (length[i] < 0) conflict = std::min(conflict, i);
        }
        if (conflict < a_.rows) return MirrorConflict{conflict, -1 - length[conflict]};
        compact(length);
        return std::nullopt;
    }

    /// Closes the gaps between rows. Each row moves towards the front only, so one after the other.
    void compact(const std::int64_t* length) {
        std::int64_t end = 0;
        for (std::int64_t i = 0; i < a_.rows; ++i) {
            const std::int64_t begin = ptr_[i];
            if (begin != end) {
                std::copy(keys_ + begin, keys_ + begin + length[i], keys_ + end);
                std::copy(values_ + begin, values_ + begin + length[i], values_ + end);
            }
            ptr_[i] = static_cast<Offset>(end);
            end += length[i];
        }
        ptr_[a_.rows] = static_cast<Offset>(end);
        a_.nnz = end;
        a_.col_idx.shrink(static_cast<std::size_t>(end) * sizeof(Index));
        a_.values.shrink(static_cast<std::size_t>(end) * sizeof(Value));
    }

    CsrMatrix& a_;
    const int threads_;
    Offset* ptr_;
    Key* keys_;
    Value* values_;
};

void narrow_offsets(CsrMatrix& a) {
    if (a.offset_type == IndexType::i32 || a.nnz > INT32_MAX) return;
    Buffer narrow = make_buffer<std::int32_t>(a.rows + 1);
    const auto wide = a.row_ptr.as<std::int64_t>();
    auto to = narrow.as<std::int32_t>();
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::int32_t>(wide[i]);
    a.row_ptr = std::move(narrow);
    a.offset_type = IndexType::i32;
}

}  // namespace

std::optional<MirrorConflict> sort_rows(CsrMatrix& a, Columns columns, int threads) {
    auto conflict = dispatch(a.offset_type, [&](auto offset) {
        return dispatch(a.index_type, [&](auto index) {
            return dispatch(a.value_type, [&](auto value) {
                return RowSorter<decltype(offset), decltype(index), decltype(value)>(a, threads)
                    .run(columns);
            });
        });
    });
    if (!conflict) narrow_offsets(a);
    return conflict;
}

}  // namespace spmvgen
