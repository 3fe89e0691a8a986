#include "matrix/gallery/builder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>

#include "matrix/chunks.hpp"
#include "matrix/gallery/long_rows.hpp"

namespace spmvgen::generators {
namespace {

constexpr std::int64_t rows_a_chunk = 1024;
constexpr std::int64_t edges_a_chunk = 16384;
constexpr std::int64_t int32_limit = std::int64_t{1} << 31;

IndexType narrowest(std::int64_t below) {
    return below < int32_limit ? IndexType::i32 : IndexType::i64;
}

void sort_unique(Columns& columns) {
    if (!std::is_sorted(columns.begin(), columns.end())) std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
}

/// offsets[i+1] = number of entries of row i, summed up.
std::vector<std::int64_t> row_offsets(std::int64_t rows, const RowColumns& row) {
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(rows) + 1);
    for_parts(rows, rows_a_chunk, 0, [&](std::int64_t begin, std::int64_t end, int) {
        Columns columns;
        for (std::int64_t i = begin; i < end; ++i) {
            columns.clear();
            row(i, columns);
            sort_unique(columns);
            offsets[static_cast<std::size_t>(i) + 1] = static_cast<std::int64_t>(columns.size());
        }
    });
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    return offsets;
}

}  // namespace

std::int64_t product(std::initializer_list<std::int64_t> factors) {
    std::int64_t result = 1;
    for (const std::int64_t f : factors)
        if (__builtin_mul_overflow(result, f, &result))
            return std::numeric_limits<std::int64_t>::max();
    return result;
}

Shape checked(const Arguments& arguments, const Shape& plain) {
    const std::int64_t longest = std::min(arguments.whole("longest"), plain.cols);
    const std::int64_t added = product({arguments.whole("long_rows"), longest, 2});
    Shape shape = plain;
    if (__builtin_add_overflow(plain.entries, added, &shape.entries))
        shape.entries = std::numeric_limits<std::int64_t>::max();
    const std::int64_t most = std::int64_t{1} << 36;
    if (shape.rows > most || shape.cols > most || shape.entries > most)
        arguments.fail(
            fmt::format("{} rows, {} columns and up to {} entries are too large; at most {} each",
                        shape.rows, shape.cols, shape.entries, most));
    const double bytes = 24.0 * static_cast<double>(shape.rows) +
                         4.0 * static_cast<double>(shape.cols) +
                         20.0 * static_cast<double>(shape.entries);
    const double memory =
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    if (bytes > memory)
        arguments.fail(
            fmt::format("{} rows and up to {} entries need about {:.0f} GB; this "
                        "machine has {:.0f} GB",
                        shape.rows, shape.entries, bytes / 1e9, memory / 1e9));
    return shape;
}

CsrMatrix from_rows(const Shape& shape, const RowColumns& plain, const Values& values) {
    const AddedEntries added(shape, plain, values.long_rows);
    const auto row = [&](std::int64_t i, Columns& columns) {
        plain(i, columns);
        added.append(i, columns);
    };
    const std::vector<std::int64_t> offsets = row_offsets(shape.rows, row);
    CsrMatrix a;
    a.rows = shape.rows;
    a.cols = shape.cols;
    a.nnz = offsets.back();
    a.offset_type = narrowest(a.nnz);
    a.index_type = narrowest(a.cols);
    a.values = make_buffer<double>(a.nnz);
    dispatch(a.offset_type, [&]<typename Offset>(Offset) {
        a.row_ptr = make_buffer<Offset>(a.rows + 1);
        std::transform(offsets.begin(), offsets.end(), a.row_ptr.as<Offset>().begin(),
                       [](std::int64_t k) { return static_cast<Offset>(k); });
    });
    dispatch(a.index_type, [&]<typename Index>(Index) {
        a.col_idx = make_buffer<Index>(a.nnz);
        Index* const col_idx = a.col_idx.as<Index>().data();
        double* const value = a.values.as<double>().data();
        for_parts(a.rows, rows_a_chunk, 0, [&](std::int64_t begin, std::int64_t end, int) {
            Columns columns;
            for (std::int64_t i = begin; i < end; ++i) {
                columns.clear();
                row(i, columns);
                sort_unique(columns);
                std::int64_t k = offsets[static_cast<std::size_t>(i)];
                for (const std::int64_t j : columns) {
                    col_idx[k] = static_cast<Index>(j);
                    value[k++] = values.at(i, j);
                }
            }
        });
    });
    return a;
}

CsrMatrix from_edges(const Shape& shape, std::int64_t edges, bool mirrored, const EdgeAt& edge,
                     const Values& values) {
    // Slots of a row are taken in any order; from_rows sorts them.
    std::vector<std::int64_t> next(static_cast<std::size_t>(shape.rows) + 1);
    const auto each = [&](auto&& take) {
        for_parts(edges, edges_a_chunk, 0, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t k = begin; k < end; ++k) {
                const auto [i, j] = edge(k);
                take(i, j);
                if (mirrored && i != j) take(j, i);
            }
        });
    };
    const auto slot = [&](std::int64_t i) {
        return std::atomic_ref(next[static_cast<std::size_t>(i)])
            .fetch_add(1, std::memory_order_relaxed);
    };
    each([&](std::int64_t i, std::int64_t) { slot(i); });
    std::exclusive_scan(next.begin(), next.end(), next.begin(), std::int64_t{0});
    const std::vector<std::int64_t> begins = next;
    Columns all(static_cast<std::size_t>(begins.back()));
    each([&](std::int64_t i, std::int64_t j) { all[static_cast<std::size_t>(slot(i))] = j; });
    const auto row = [&](std::int64_t i, Columns& columns) {
        const auto first = all.begin() + begins[static_cast<std::size_t>(i)];
        const auto last = all.begin() + begins[static_cast<std::size_t>(i) + 1];
        std::sort(first, last);  // the second call finds them sorted
        columns.insert(columns.end(), first, last);
    };
    return from_rows(shape, row, values);
}

void append_distinct(const Random& random, std::int64_t key, std::int64_t count, std::int64_t n,
                     Columns& columns) {
    // More than half: draw those to leave out, so that few draws meet numbers already taken.
    const bool invert = count > n / 2;
    const std::int64_t wanted = invert ? n - count : count;
    Columns taken;
    for (std::int64_t draw = 0; static_cast<std::int64_t>(taken.size()) < wanted;) {
        while (static_cast<std::int64_t>(taken.size()) < wanted)
            taken.push_back(random.below(n, key, draw++));
        sort_unique(taken);
    }
    if (!invert) {
        columns.insert(columns.end(), taken.begin(), taken.end());
        return;
    }
    auto skip = taken.begin();
    for (std::int64_t j = 0; j < n; ++j)
        if (skip != taken.end() && *skip == j)
            ++skip;
        else
            columns.push_back(j);
}

Numbering shuffled(std::int64_t n, std::int64_t window, std::uint64_t seed) {
    const Random random(seed, Purpose::order);
    Numbering numbering;
    numbering.row_of.resize(static_cast<std::size_t>(n));
    numbering.node_of.resize(static_cast<std::size_t>(n));
    for_parts(n, window, 0, [&](std::int64_t begin, std::int64_t end, int) {
        std::int64_t* const node_of = numbering.node_of.data();
        std::iota(node_of + begin, node_of + end, begin);
        for (std::int64_t k = end - 1; k > begin; --k)  // Fisher-Yates
            std::swap(node_of[k], node_of[begin + random.below(k - begin + 1, k)]);
        for (std::int64_t k = begin; k < end; ++k)
            numbering.row_of[static_cast<std::size_t>(node_of[k])] = k;
    });
    return numbering;
}

}  // namespace spmvgen::generators
