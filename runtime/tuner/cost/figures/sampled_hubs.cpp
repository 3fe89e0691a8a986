#include "tuner/cost/figures/sampled_hubs.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

namespace spmvgen {
namespace {

/// How often each of the columns occurs that are in `judges`, and which it is, most used first.
template <typename Index>
std::vector<std::pair<std::int64_t, Index>> most_used(std::vector<Index> judges) {
    std::ranges::sort(judges);
    std::vector<std::pair<std::int64_t, Index>> uses;
    for (const Index column : judges) {
        if (uses.empty() || uses.back().second != column) uses.push_back({0, column});
        ++uses.back().first;
    }
    std::ranges::sort(uses, std::greater());
    return uses;
}

/// So many entries of `judged` are in the first columns of `uses`: for each number of them.
template <typename Index>
std::vector<std::int64_t> hits_of(const std::vector<std::pair<std::int64_t, Index>>& uses,
                                  std::vector<Index> judged) {
    std::ranges::sort(judged);
    std::vector<std::int64_t> hits{0};
    for (auto& [times, column] : uses)
        hits.push_back(hits.back() + std::ranges::ssize(std::ranges::equal_range(judged, column)));
    return hits;
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
        const auto of = [&](std::int64_t begin, std::int64_t end) {
            return std::vector<Index>(columns.begin() + begin, columns.begin() + end);
        };
        hits_ = hits_of(most_used(of(0, half > 0 ? half : a.nnz)), of(half, a.nnz));
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
