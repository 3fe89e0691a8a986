// Entries a column: exact, whatever the order of the entries.
#include <atomic>

#include "matrix/buffer.hpp"
#include "matrix/chunks.hpp"
#include "matrix/features/features_parts.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t columns_a_part = 65536;

/// Counts the entries of each column, then how many columns have each count.
template <typename Count, typename Index>
Tally count_columns(const CsrView& a, int threads) {
    const Index* const col = a.col_idx_as<Index>();
    // An array a thread where that is no more than the matrix itself; else one with atomics.
    const bool shared =
        thread_count(threads) > 1 && a.cols > (2 * a.nnz + 65536) / thread_count(threads);
    const int copies = shared ? 1 : thread_count(threads);
    Buffer buffer = make_buffer<Count>(copies * a.cols);
    Count* const counts = buffer.as<Count>().data();
    for_parts(copies * a.cols, columns_a_part, threads,
              [&](std::int64_t begin, std::int64_t end, int) {
                  std::fill(counts + begin, counts + end, Count{0});
              });
    for_parts(a.nnz, entries_a_part, threads,
              [&](std::int64_t begin, std::int64_t end, int thread) {
                  Count* const mine = counts + (shared ? 0 : thread * a.cols);
                  if (shared)
                      for (std::int64_t k = begin; k < end; ++k)
                          std::atomic_ref(mine[col[k]]).fetch_add(1, std::memory_order_relaxed);
                  else
                      for (std::int64_t k = begin; k < end; ++k) ++mine[col[k]];
              });
    std::vector<Tally> partial(static_cast<std::size_t>(thread_count(threads)));
    for_parts(a.cols, columns_a_part, threads,
              [&](std::int64_t begin, std::int64_t end, int thread) {
                  Tally& tally = partial[static_cast<std::size_t>(thread)];
                  for (std::int64_t j = begin; j < end; ++j) {
                      std::int64_t entries = 0;
                      for (int c = 0; c < copies; ++c) entries += counts[c * a.cols + j];
                      tally.add(entries);
                  }
              });
    for (std::size_t t = 1; t < partial.size(); ++t) partial[0].add(partial[t]);
    return std::move(partial[0]);
}

/// The same where there are so many more columns than entries that an array of them would be waste.
template <typename Index>
Tally count_few_entries(const CsrView& a) {
    std::vector<Index> sorted(a.col_idx_as<Index>(), a.col_idx_as<Index>() + a.nnz);
    std::sort(sorted.begin(), sorted.end());
    Tally tally;
    std::int64_t used = 0;
    for (auto run = sorted.begin(); run != sorted.end(); ++used) {
        const auto end = std::upper_bound(run, sorted.end(), *run);
        tally.add(end - run);
        run = end;
    }
    tally.add(0, a.cols - used);
    return tally;
}

template <typename Index>
Tally column_tally(const CsrView& a, int threads) {
    if (a.cols / 16 > a.nnz) return count_few_entries<Index>(a);
    return a.nnz < (std::int64_t{1} << 31) ? count_columns<std::uint32_t, Index>(a, threads)
                                           : count_columns<std::uint64_t, Index>(a, threads);
}

}  // namespace

void analyse_columns(const CsrView& a, int threads, Features& f) {
    f.empty_cols = a.cols;
    if (a.nnz == 0) return;
    Tally tally = dispatch(a.index_type,
                           [&]<typename Index>(Index) { return column_tally<Index>(a, threads); });
    std::int64_t left = (a.cols + 99) / 100, top_entries = 0;
    f.empty_cols = 0;
    tally.descend([&](std::int64_t entries, std::int64_t columns) {
        f.max_col = std::max(f.max_col, entries);
        if (entries == 0) f.empty_cols += columns;
        top_entries += entries * std::min(columns, left);
        left -= std::min(columns, left);
    });
    f.top_cols_share = static_cast<double>(top_entries) / static_cast<double>(a.nnz);
}

}  // namespace spmvgen
