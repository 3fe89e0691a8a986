#include "tuner/cost/figures/sampled_hubs.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "formats/plans/tiles_plan.hpp"

namespace spmvgen {
namespace {

/// Entries of each of two samples: one of so many.
constexpr std::int64_t sampled_share = 64, least_sampled = 1 << 13, most_sampled = 1 << 16;

/// Bits of a column that are sorted by at a time.
constexpr int digit_bits = 11;

/// By counting: there are far more columns than would be sorted well by comparing them.
template <typename Index>
void sort_columns(std::vector<Index>& columns, std::int64_t cols) {
    std::vector<Index> other(columns.size());
    for (int shift = 0; shift == 0 || (cols - 1) >> shift > 0; shift += digit_bits) {
        const auto digit = [&](Index column) {
            return static_cast<std::size_t>(column >> shift) & ((1U << digit_bits) - 1);
        };
        std::array<std::size_t, (1U << digit_bits) + 1> first{};
        for (const Index column : columns) ++first[digit(column) + 1];
        std::partial_sum(first.begin(), first.end(), first.begin());
        for (const Index column : columns) other[first[digit(column)]++] = column;
        columns.swap(other);
    }
}

/// Of the columns that occur in `judges`, in their order. Both are sorted.
template <typename Index>
std::vector<UsesAndHits> hits_of(const std::vector<Index>& judges,
                                 const std::vector<Index>& judged) {
    std::vector<UsesAndHits> columns;
    columns.reserve(judges.size());
    std::size_t at = 0;
    for (std::size_t k = 0; k < judges.size(); ++k) {
        if (k > 0 && judges[k] == judges[k - 1]) {
            ++columns.back().uses;
            continue;
        }
        columns.push_back({1, 0});
        for (; at < judged.size() && judged[at] <= judges[k]; ++at)
            columns.back().hits += judged[at] == judges[k];
    }
    return columns;
}

}  // namespace

SampledHubs::SampledHubs(const SampledRows& sample)
    : cols_(static_cast<double>(sample.view().cols)) {
    const CsrView a = sample.view();
    // Of the whole matrix both are known.
    const std::int64_t half = sample.is_whole() ? 0 : a.nnz / 2;
    entries_ = static_cast<double>(a.nnz - half);
    dispatch(a.index_type, [&]<typename Index>(Index) {
        const std::span<const Index> columns(a.col_idx_as<Index>(),
                                             static_cast<std::size_t>(a.nnz));
        const auto sorted = [&](std::int64_t begin, std::int64_t end) {
            std::vector<Index> some(columns.begin() + begin, columns.begin() + end);
            sort_columns(some, a.cols);
            return some;
        };
        const std::vector<Index> judges = sorted(0, half > 0 ? half : a.nnz);
        hits_ = hits_of_most_used(hits_of(judges, half > 0 ? sorted(half, a.nnz) : judges));
    });
}

SampledHubs::SampledHubs(const CsrView& matrix, EntrySource* source)
    : cols_(static_cast<double>(matrix.cols)) {
    const std::int64_t sampled =
        std::clamp(matrix.nnz / sampled_share, least_sampled, most_sampled);
    dispatch(matrix.index_type, [&]<typename Index>(Index) {
        auto [judges, judged] = sampled_columns<Index>(matrix, sampled, source);
        sort_columns(judges, matrix.cols);
        sort_columns(judged, matrix.cols);
        entries_ = static_cast<double>(judged.size());
        hits_ = hits_of_most_used(hits_of(judges, judged));
    });
}

double SampledHubs::share(std::int64_t count) const {
    if (count <= 0 || entries_ == 0) return 0;
    const std::int64_t known = std::ssize(hits_) - 1, used = std::min(count, known);
    const double share = static_cast<double>(hits_[static_cast<std::size_t>(used)]) / entries_;
    const double others = cols_ - static_cast<double>(known);
    if (count <= known || others <= 0) return share;
    // Columns that are in no entry of the first half are taken to be used alike.
    return share + (1 - share) * std::min(1.0, static_cast<double>(count - known) / others);
}

}  // namespace spmvgen
