#pragma once
#include <atomic>
#include <complex>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "matrix/csr_matrix.hpp"
#include "matrix/entry_list.hpp"
#include "matrix/market_header.hpp"

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
        for_each_run(e, begin, end, [&](Row row, std::size_t from, std::size_t to) {
            add(counts[row], static_cast<Offset>(to - from));
        });
        if (!h_.is_symmetric()) return;
        for (std::size_t k = begin; k < end; ++k)
            if (e.cols[k] != e.rows[k]) add(counts[e.cols[k]], Offset{1});
    }

    /// Calls f(row, from, to) for each run of entries of one row: one atomic for the run.
    template <typename F>
    static void for_each_run(const Entries& e, std::size_t begin, std::size_t end, F&& f) {
        for (std::size_t from = begin; from < end;) {
            const Row row = e.rows[from];
            std::size_t to = from + 1;
            while (to < end && e.rows[to] == row) ++to;
            f(row, from, to);
            from = to;
        }
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
        for_each_run(e, 0, e.size, [&](Row row, std::size_t from, std::size_t end) {
            Offset at = add(to.next[row], static_cast<Offset>(end - from));
            for (std::size_t k = from; k < end; ++k, ++at) {
                to.keys[at] = static_cast<Key>(e.cols[k]) << to.tag_bits;
                to.values[at] = stored(e, k);
            }
        });
        if (h_.is_symmetric()) scatter_mirrored(e, to);
    }

    template <typename Offset>
    void scatter_mirrored(const Entries& e, const Target<Offset>& to) const {
        const Key tag = static_cast<Key>(to.tag_bits);
        for (std::size_t k = 0; k < e.size; ++k) {
            if (e.cols[k] == e.rows[k]) continue;
            const Offset at = add(to.next[e.cols[k]], Offset{1});
            to.keys[at] = static_cast<Key>(static_cast<Key>(e.rows[k]) << to.tag_bits) | tag;
            to.values[at] = mirrored(stored(e, k));
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
