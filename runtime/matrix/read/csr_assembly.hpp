#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <complex>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "matrix/csr_matrix.hpp"
#include "matrix/read/entry_list.hpp"
#include "matrix/read/market_header.hpp"

namespace spmvgen {

/// Running sums in place: a[i] += a[i - 1] from the front, in parallel.
template <typename T>
void prefix_sum(T* a, std::int64_t count, int threads);

/// Makes CSR of entry lists: rows are counted while the text is read, then each segment is
/// scattered into its rows and freed at once. Symmetric entries are mirrored on the way, so that
/// the mirrored ones never exist as a list.
///
/// One array serves as counts, as write positions and as row_ptr: counts of row i are kept at i +
/// 2, their running sum makes i + 1 the position of row i, and once all entries are written that is
/// where row i ends.
template <typename Row, typename Col, typename Value>
class CsrAssembly {
    static constexpr bool pattern = std::is_same_v<Value, NoValue>;
    using Stored = std::conditional_t<pattern, double, Value>;

  public:
    using Entries = Segment<Row, Col, Value>;

    CsrAssembly(const MarketHeader& header, int threads) : h_(header), threads_(threads) {
        const bool wide = h_.stored > INT32_MAX / (h_.is_symmetric() ? 2 : 1);
        offset_type_ = wide ? IndexType::i64 : IndexType::i32;
        dispatch(offset_type_, [&](auto offset) {
            using Offset = decltype(offset);
            ptr_ = make_buffer<Offset>(h_.rows + 2);
            Offset* ptr = ptr_.as<Offset>().data();
#pragma omp parallel for num_threads(threads_) schedule(static)
            for (std::int64_t i = 0; i < h_.rows + 2; ++i) ptr[i] = 0;
        });
    }

    /// Counts entries [begin, end) of a segment. Thread safe.
    void count(const Entries& entries, std::size_t begin, std::size_t end) {
        dispatch(offset_type_, [&](auto offset) { count<decltype(offset)>(entries, begin, end); });
    }

    /// Takes all counted segments and makes the matrix, rows unsorted, columns tagged when
    /// `tagged`.
    CsrMatrix assemble(std::vector<std::unique_ptr<Entries>> segments, bool tagged) {
        return dispatch(offset_type_, [&](auto offset) {
            return assemble<decltype(offset)>(std::move(segments), tagged);
        });
    }

  private:
    template <typename Offset>
    static Offset add(Offset& place, Offset amount) {
        return std::atomic_ref(place).fetch_add(amount, std::memory_order_relaxed);
    }

    template <typename Offset>
    void count(const Entries& e, std::size_t begin, std::size_t end) {
        Offset* counts = ptr_.as<Offset>().data() + 2;
        count_runs(counts, e.rows, begin, end, [](std::size_t) { return false; });
        if (h_.is_symmetric())
            count_runs(counts, e.cols, begin, end,
                       [&](std::size_t k) { return is_diagonal(e, k); });
    }

    /// Counts entries by rows[k], one atomic for a run in the same row; leaves out those that
    /// `skip` tells.
    template <typename Offset, typename Index, typename Skip>
    static void count_runs(Offset* counts, const Index* rows, std::size_t begin, std::size_t end,
                           Skip&& skip) {
        for (std::size_t k = begin; k < end;) {
            prefetch(counts + rows[std::min(k + ahead, end - 1)]);
            const Index row = rows[k];
            Offset run = 0;
            for (; k < end && rows[k] == row; ++k) run += skip(k) ? 0 : 1;
            if (run > 0) add(counts[row], run);
        }
    }

    static constexpr std::size_t ahead = 16;
    static void prefetch(const void* p) { __builtin_prefetch(p, 1); }
    static bool is_diagonal(const Entries& e, std::size_t k) {
        return static_cast<std::int64_t>(e.rows[k]) == static_cast<std::int64_t>(e.cols[k]);
    }

    template <typename Offset>
    CsrMatrix assemble(std::vector<std::unique_ptr<Entries>> segments, bool tagged) {
        Offset* ptr = ptr_.as<Offset>().data();
        prefix_sum(ptr, h_.rows + 2, threads_);
        const std::int64_t nnz = ptr[h_.rows + 1];
        CsrMatrix a{h_.rows,
                    h_.cols,
                    nnz,
                    offset_type_,
                    type_tag<Col>::value,
                    type_tag<Stored>::value,
                    {},
                    make_buffer<Col>(nnz),
                    make_buffer<Stored>(nnz)};
        Target<Offset> target{ptr + 1, reinterpret_cast<Key*>(a.col_idx.data()),
                              a.values.template as<Stored>().data(), tagged ? 1 : 0};
        const auto count = static_cast<std::int64_t>(segments.size());
#pragma omp parallel for num_threads(threads_) schedule(dynamic, 1)
        for (std::int64_t s = 0; s < count; ++s) {
            auto& segment = segments[static_cast<std::size_t>(s)];
            scatter(*segment, target);
            segment.reset();
        }
        ptr_.shrink(static_cast<std::size_t>(h_.rows + 1) * sizeof(Offset));
        a.row_ptr = std::move(ptr_);
        return a;
    }

    using Key = std::make_unsigned_t<Col>;
    template <typename Offset>
    struct Target {
        Offset* next;  ///< where the next entry of each row goes
        Key* keys;
        Stored* values;
        int tag_bits;
    };

    template <typename Offset>
    void scatter(const Entries& e, const Target<Offset>& to) const {
        const int bits = to.tag_bits;
        scatter_by(
            e.rows, e.size, to, [](std::size_t) { return false; },
            [&](std::size_t k) { return static_cast<Key>(static_cast<Key>(e.cols[k]) << bits); },
            [&](std::size_t k) { return stored(e, k); });
        if (!h_.is_symmetric()) return;
        const Key tag = static_cast<Key>(bits);
        scatter_by(
            e.cols, e.size, to, [&](std::size_t k) { return is_diagonal(e, k); },
            [&](std::size_t k) {
                return static_cast<Key>(static_cast<Key>(e.rows[k]) << bits) | tag;
            },
            [&](std::size_t k) { return mirrored(stored(e, k)); });
    }

    /// Writes key(k) and value(k) to row rows[k]. An atomic waits for the writes before it, which
    /// mostly miss the cache; so a batch first takes its places and asks for their lines.
    template <typename Offset, typename Index, typename Skip, typename KeyOf, typename ValueOf>
    static void scatter_by(const Index* rows, std::size_t size, const Target<Offset>& to,
                           Skip&& skip, KeyOf&& key, ValueOf&& value) {
        constexpr std::size_t batch = 64;
        std::array<Offset, batch> places;
        for (std::size_t begin = 0; begin < size; begin += batch) {
            const std::size_t end = std::min(size, begin + batch);
            for (std::size_t k = begin; k < end;) {
                prefetch(to.next + rows[std::min(k + ahead, size - 1)]);
                const std::size_t first = k;
                Offset run = 0;
                for (; k < end && rows[k] == rows[first]; ++k)
                    places[k - begin] = skip(k) ? Offset{-1} : run++;
                const Offset place = run > 0 ? add(to.next[rows[first]], run) : 0;
                for (std::size_t i = first; i < k; ++i) {
                    if (places[i - begin] < 0) continue;
                    places[i - begin] += place;
                    prefetch(to.keys + places[i - begin]);
                    prefetch(to.values + places[i - begin]);
                }
            }
            for (std::size_t k = begin; k < end; ++k) {
                const Offset place = places[k - begin];
                if (place < 0) continue;
                to.keys[place] = key(k);
                to.values[place] = value(k);
            }
        }
    }

    static Stored stored(const Entries& e, std::size_t k) {
        if constexpr (pattern)
            return 1.0;
        else
            return e.values[k];
    }

    Stored mirrored(Stored value) const {
        if (h_.symmetry == MarketSymmetry::skew_symmetric) return -value;
        if constexpr (std::is_same_v<Stored, std::complex<double>>)
            if (h_.symmetry == MarketSymmetry::hermitian) return std::conj(value);
        return value;
    }

    const MarketHeader& h_;
    const int threads_;
    IndexType offset_type_ = IndexType::i32;
    Buffer ptr_;
};

template <typename T>
void prefix_sum(T* a, std::int64_t count, int threads) {
    const std::int64_t parts = threads;
    std::vector<T> sums(static_cast<std::size_t>(parts) + 1, 0);
    const auto begin = [&](std::int64_t part) {
        return count / parts * part + std::min(part, count % parts);
    };
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (std::int64_t part = 0; part < parts; ++part) {
        T sum = 0;
        for (std::int64_t i = begin(part); i < begin(part + 1); ++i) sum += a[i];
        sums[static_cast<std::size_t>(part) + 1] = sum;
    }
    for (std::size_t part = 1; part < sums.size(); ++part) sums[part] += sums[part - 1];
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (std::int64_t part = 0; part < parts; ++part) {
        T sum = sums[static_cast<std::size_t>(part)];
        for (std::int64_t i = begin(part); i < begin(part + 1); ++i) a[i] = sum += a[i];
    }
}

}  // namespace spmvgen
