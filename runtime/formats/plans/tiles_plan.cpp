#include "formats/plans/tiles_plan.hpp"

#include <algorithm>
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

/// The share of the entries that are in so many of the most used groups of 2^bits neighbouring
/// columns. Of two samples with `runs` runs each; begin(run) = where in col_idx a run of both,
/// which take turns, begins.
template <typename Begin>
double share_of_runs(const CsrView& matrix, std::int64_t groups, int bits, std::int64_t runs,
                     const Begin& begin) {
    std::vector<UsesAndHits> used;  // in the order in which they come
    dispatch(matrix.index_type, [&]<typename Index>(Index) {
        Renumbered number(static_cast<std::size_t>(2 * runs * sampled_run));
        const auto visit = [&](std::int64_t which, const auto& to) {
            for (std::int64_t run = which; run < 2 * runs; run += 2) {
                const Index* const columns = matrix.col_idx_as<Index>() + begin(run);
                for (std::int64_t k = 0; k < sampled_run; ++k) to(number(columns[k] >> bits));
            }
        };
        visit(0, [&](std::size_t i) {
            if (i == used.size()) used.push_back({});
            ++used[i].uses;
        });
        visit(1, [&](std::size_t i) {
            if (i < used.size()) ++used[i].hits;
        });
    });
    const std::vector<std::int64_t> hits = hits_of_most_used(used);
    return static_cast<double>(hits[static_cast<std::size_t>(std::min(groups, std::ssize(used)))]) /
           static_cast<double>(runs * sampled_run);
}

/// Columns of the runs of two samples, which take turns: where the matrix has them, or here, from
/// the source.
class RunsOfSamples {
  public:
    RunsOfSamples(const CsrView& matrix, std::int64_t runs, EntrySource* source)
        : matrix_(matrix), is_here_(source != nullptr) {
        std::vector<EntryRange> ranges;
        for (std::int64_t run = 0; run < 2 * runs; ++run) {
            begins_.push_back(begin_of_run(matrix.nnz, run, 2 * runs));
            ranges.push_back({begins_.back(), begins_.back() + sampled_run});
        }
        if (!is_here_) return;
        here_ = source->columns(ranges);
        matrix_.col_idx = here_.data();
    }
    const CsrView& matrix() const { return matrix_; }
    std::int64_t begin(std::int64_t run) const {
        return is_here_ ? run * sampled_run : begins_[static_cast<std::size_t>(run)];
    }

  private:
    CsrView matrix_;
    Buffer here_;
    bool is_here_;
    std::vector<std::int64_t> begins_;
};

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

std::vector<std::int64_t> hits_of_most_used(std::span<const UsesAndHits> columns) {
    std::int64_t most = 0;
    for (auto& column : columns) most = std::max(most, column.uses);
    std::vector<std::size_t> first(static_cast<std::size_t>(most) + 2);
    const auto bin = [&](const UsesAndHits& c) { return static_cast<std::size_t>(most - c.uses); };
    for (auto& column : columns) ++first[bin(column) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::int64_t> hits(columns.size() + 1);
    for (std::size_t k = columns.size(); k-- > 0;) hits[++first[bin(columns[k])]] = columns[k].hits;
    std::partial_sum(hits.begin(), hits.end(), hits.begin());
    return hits;
}

Concentration concentration(const CsrView& matrix, std::int64_t columns, int bits,
                            std::int64_t sampled, EntrySource* source) {
    const std::int64_t runs = std::min(sampled, matrix.nnz / 2) / sampled_run;
    if (runs < 2) return {};
    const RunsOfSamples sample(matrix, runs, source);
    // Of `step` runs one.
    const auto share = [&](std::int64_t groups, int of_bits, std::int64_t step) {
        return share_of_runs(sample.matrix(), groups, of_bits, runs / step,
                             [&](std::int64_t run) { return sample.begin(step * run); });
    };
    return {share(columns, 0, 1), share(columns >> bits, bits, 2)};
}

template <typename Index>
std::array<std::vector<Index>, 2> sampled_columns(const CsrView& matrix, std::int64_t sampled,
                                                  EntrySource* source) {
    const std::int64_t runs = std::min(sampled, matrix.nnz / 2) / sampled_run;
    const RunsOfSamples sample(matrix, runs, source);
    const Index* const columns = sample.matrix().col_idx_as<Index>();
    std::array<std::vector<Index>, 2> both;
    for (auto& of_sample : both) of_sample.reserve(static_cast<std::size_t>(runs * sampled_run));
    for (std::int64_t run = 0; run < 2 * runs; ++run) {
        auto& of_sample = both[static_cast<std::size_t>(run % 2)];
        const Index* const begin = columns + sample.begin(run);
        of_sample.insert(of_sample.end(), begin, begin + sampled_run);
    }
    return both;
}

template std::array<std::vector<std::int32_t>, 2> sampled_columns(const CsrView&, std::int64_t,
                                                                  EntrySource*);
template std::array<std::vector<std::int64_t>, 2> sampled_columns(const CsrView&, std::int64_t,
                                                                  EntrySource*);

}  // namespace spmvgen
