#include "formats/plans/tiles_plan.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <numeric>
#include <utility>

#include "matrix/chunks.hpp"
#include "matrix/features/distinct.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t entries_a_part = 1 << 16;
constexpr std::int64_t rows_a_part = 1 << 14;
constexpr std::int64_t sampled_run = 16;    ///< entries of a sample, one after another
constexpr std::int64_t sparse_columns = 4;  ///< columns an entry, from which on most are not used

/// Where a run of a sample begins, of `runs` in both samples together.
std::int64_t begin_of_run(std::int64_t nnz, std::int64_t run, std::int64_t runs) {
    return nnz / sampled_run * run / runs * sampled_run;
}

/// hub_shares() of two samples with `runs` runs each; begin(run) = where in col_idx a run of both,
/// which take turns, begins.
template <typename Begin>
std::vector<double> shares_of_runs(const CsrView& matrix, std::span<const std::int64_t> hubs,
                                   std::int64_t runs, const Begin& begin) {
    std::vector<double> shares;
    dispatch(matrix.index_type, [&]<typename Index>(Index) {
        const auto visit = [&](std::int64_t which, const auto& to) {
            for (std::int64_t run = which; run < 2 * runs; run += 2) {
                const Index* const columns = matrix.col_idx_as<Index>() + begin(run);
                for (std::int64_t k = 0; k < sampled_run; ++k) to(columns[k]);
            }
        };
        Renumbered number(static_cast<std::size_t>(2 * runs * sampled_run));
        std::vector<ColumnUses> used;  // in the order in which they come
        visit(0, [&](Index column) {
            const std::size_t i = number(column);
            if (i == used.size()) used.push_back({column, 0});
            ++used[i].uses;
        });
        std::vector<std::size_t> order(used.size()), place(used.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
            return used[a].uses != used[b].uses ? used[a].uses > used[b].uses
                                                : used[a].column > used[b].column;
        });
        for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i + 1;
        std::vector<std::int64_t> hits(used.size() + 1, 0);
        visit(1, [&](Index column) {
            if (const std::size_t i = number(column); i < used.size()) ++hits[place[i]];
        });
        std::inclusive_scan(hits.begin(), hits.end(), hits.begin());
        for (const std::int64_t count : hubs)
            shares.push_back(
                static_cast<double>(
                    hits[static_cast<std::size_t>(std::min(count, std::ssize(used)))]) /
                static_cast<double>(runs * sampled_run));
    });
    return shares;
}

}  // namespace

std::vector<std::int64_t> column_uses(const CsrView& matrix, int threads) {
    std::vector<std::int64_t> uses(static_cast<std::size_t>(matrix.cols));
    dispatch(matrix.index_type, [&]<typename Index>(Index) {
        const Index* const columns = matrix.col_idx_as<Index>();
        for_parts(matrix.nnz, entries_a_part, threads,
                  [&](std::int64_t begin, std::int64_t end, int) {
                      for (std::int64_t k = begin; k < end; ++k)
                          std::atomic_ref(uses[static_cast<std::size_t>(columns[k])])
                              .fetch_add(1, std::memory_order_relaxed);
                  });
    });
    return uses;
}

std::vector<std::int64_t> most_used_columns(std::span<const std::int64_t> uses,
                                            std::int64_t count) {
    std::vector<ColumnUses> columns;
    for (std::size_t j = 0; j < uses.size(); ++j)
        if (uses[j] > 0) columns.push_back({static_cast<std::int64_t>(j), uses[j]});
    return most_used_columns(std::move(columns), count);
}

std::vector<std::int64_t> most_used_columns(std::vector<ColumnUses> columns, std::int64_t count) {
    const auto before = [](const ColumnUses& a, const ColumnUses& b) {
        return a.uses != b.uses ? a.uses > b.uses : a.column < b.column;
    };
    const auto wanted = std::min<std::int64_t>(count, std::ssize(columns));
    std::ranges::nth_element(columns, columns.begin() + wanted, before);
    columns.resize(static_cast<std::size_t>(wanted));
    std::ranges::sort(columns, before);
    std::vector<std::int64_t> numbers;
    for (auto& column : columns) numbers.push_back(column.column);
    return numbers;
}

std::vector<std::int64_t> uses_of_columns(const CsrView& matrix, int threads) {
    if (matrix.cols < sparse_columns * matrix.nnz) return column_uses(matrix, threads);
    return dispatch(matrix.index_type, [&]<typename Index>(Index) {
        const Index* const begin = matrix.col_idx_as<Index>();
        std::vector<Index> columns(begin, begin + matrix.nnz);
        std::ranges::sort(columns);
        std::vector<std::int64_t> uses;
        for (std::size_t k = 0; k < columns.size(); ++k) {
            if (k == 0 || columns[k] != columns[k - 1]) uses.push_back(0);
            ++uses.back();
        }
        return uses;
    });
}

TilesPlan plan_tiles(const CsrView& matrix, std::span<const std::int64_t> hubs, int threads) {
    std::atomic<std::int64_t> filled{0};
    for_parts(matrix.rows, rows_a_part, threads, [&](std::int64_t begin, std::int64_t end, int) {
        std::int64_t count = 0;
        for (std::int64_t row = begin; row < end; ++row) count += matrix.row_length(row) > 0;
        filled.fetch_add(count, std::memory_order_relaxed);
    });
    TilesPlan plan;
    plan.filled_rows = filled;
    if (filled > 0)
        plan.entries_a_row = static_cast<double>(matrix.nnz) / static_cast<double>(filled);
    if (hubs.empty()) return plan;
    std::vector<std::int64_t> uses = uses_of_columns(matrix, threads);
    const std::int64_t most = std::min(std::ranges::max(hubs), std::ssize(uses));
    std::ranges::nth_element(uses, uses.begin() + most, std::greater());
    std::ranges::sort(uses.begin(), uses.begin() + most, std::greater());
    for (std::int64_t k = 1; k < most; ++k)
        uses[static_cast<std::size_t>(k)] += uses[static_cast<std::size_t>(k - 1)];
    for (const std::int64_t count : hubs) {
        const std::int64_t last = std::min(count, most) - 1;
        plan.hub_share.push_back(last < 0 || matrix.nnz == 0
                                     ? 0
                                     : static_cast<double>(uses[static_cast<std::size_t>(last)]) /
                                           static_cast<double>(matrix.nnz));
    }
    return plan;
}

std::vector<double> hub_shares(const CsrView& matrix, std::span<const std::int64_t> hubs,
                               std::int64_t sampled, int threads) {
    if (matrix.nnz <= 4 * sampled) return plan_tiles(matrix, hubs, threads).hub_share;
    const std::int64_t runs = sampled / sampled_run;
    return shares_of_runs(matrix, hubs, runs, [&](std::int64_t run) {
        return begin_of_run(matrix.nnz, run, 2 * runs);
    });
}

std::vector<double> hub_shares(const CsrView& matrix, std::span<const std::int64_t> hubs,
                               std::int64_t sampled, EntrySource& source) {
    CsrView some = matrix;
    if (matrix.nnz <= 4 * sampled) {
        const Buffer all = source.columns(std::array{EntryRange{0, matrix.nnz}});
        some.col_idx = all.data();
        return plan_tiles(some, hubs).hub_share;
    }
    const std::int64_t runs = sampled / sampled_run;
    std::vector<EntryRange> ranges;
    for (std::int64_t run = 0; run < 2 * runs; ++run) {
        const std::int64_t begin = begin_of_run(matrix.nnz, run, 2 * runs);
        ranges.push_back({begin, begin + sampled_run});
    }
    const Buffer columns = source.columns(ranges);
    some.col_idx = columns.data();
    return shares_of_runs(some, hubs, runs, [](std::int64_t run) { return run * sampled_run; });
}

}  // namespace spmvgen
