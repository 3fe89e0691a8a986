#include "tuner/chooser/order_of_many.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "matrix/reorder/sampled_clusters.hpp"
#include "tuner/cost/figures/sampled_rows.hpp"

namespace spmvgen {
namespace of_many {
namespace {

// An H100, seeds below 1000 (docs/explanation/reordering.md).
constexpr std::int64_t least_entries = 200'000, least_rows = 8192;
constexpr double least_mean = 3;         ///< mean row: of shorter ones y is most of the bytes,
constexpr double least_narrow_mean = 8;  ///< as it is of these, if a row of x is a single sector
constexpr std::int64_t most_row = 1024;  ///< of a hub everybody is a neighbour
constexpr double sector_bytes = 32;
constexpr double most_of_bytes = 0.84;   ///< from the L2 cache, over those of the rows as they come
constexpr double least_shared = 0.5;     ///< of the rows of x that entries name, which blocks load:
                                         ///< with fewer, little is to be had
constexpr std::int64_t block_rows = 16;  ///< that a block of threads has
constexpr double sampled_entries = 60'000;
constexpr int clusters_of_place = 2, least_places = 4, most_places = 32;
/// Bytes a second that the L2 cache of an H100 or H200 gives.
constexpr double l2_bytes_per_s = 5.5e12;

double row_bytes(const Request& r, ValueType matrix) {
    return static_cast<double>(r.num_rhs) * static_cast<double>(size_of(vectors_type(r, matrix)));
}

/// Rows of x that blocks of threads load, over the entries of their rows.
double loaded_by_blocks(const CsrView& a) {
    if (a.nnz == 0) return 1;
    std::int64_t loaded = 0;
    dispatch(a.index_type, [&]<typename Index>(Index) {
        const Index* const col = a.col_idx_as<Index>();
        std::vector<Index> columns;
        for (std::int64_t row = 0; row < a.rows; row += block_rows) {
            columns.assign(col + a.row_begin(row),
                           col + a.row_begin(std::min(row + block_rows, a.rows)));
            std::ranges::sort(columns);
            loaded += std::ranges::distance(columns.begin(), std::ranges::unique(columns).begin());
        }
    });
    return static_cast<double>(loaded) / static_cast<double>(a.nnz);
}

/// Bytes from the L2 cache where blocks load `loaded` rows of x an entry.
double l2_bytes(const OrderProblem& p, double loaded) {
    const auto nnz = static_cast<double>(p.matrix.nnz), rows = static_cast<double>(p.matrix.rows);
    const double row = row_bytes(p.request, p.matrix.value_type);
    const auto entry = static_cast<double>(size_of(p.matrix.value_type) + sizeof(std::int32_t));
    return nnz * (entry + loaded * row) + rows * (2 * row + sizeof(std::int32_t));
}

bool repays(const OrderProblem& p, double saved_bytes) {
    if (p.expected_applies == 0) return true;
    const double saved_us = 1e6 * saved_bytes / l2_bytes_per_s;
    return static_cast<double>(p.expected_applies) * saved_us > ordering_us(p.matrix, p.threads);
}

constexpr std::int64_t rows_of_place = std::int64_t{clusters_of_place} * cluster_rows;

int sampled_places(double mean_row) {
    return static_cast<int>(
        std::clamp<double>(sampled_entries / (static_cast<double>(rows_of_place) * mean_row),
                           least_places, most_places));
}

bool may_choose(std::int64_t rows, std::int64_t cols, std::int64_t nnz, const Request& r,
                ValueType value) {
    const double row = row_bytes(r, value);
    const double mean = row > sector_bytes ? least_mean : least_narrow_mean;
    return r.num_rhs > 1 && row >= sector_bytes && r.kernel == "auto" && r.format == "auto" &&
           r.params.empty() && r.rule.empty() && r.epilogue.empty() && r.op == Op::none &&
           !r.batch && r.look && rows == cols && rows >= least_rows &&
           rows < std::numeric_limits<std::int32_t>::max() && nnz >= least_entries &&
           static_cast<double>(nnz) >= mean * static_cast<double>(rows);
}

std::optional<OrderChoice> choose(const OrderProblem& p) {
    const CsrView& m = p.matrix;
    if (!may_choose(m.rows, m.cols, m.nnz, p.request, m.value_type)) return std::nullopt;
    if (p.features.max_row > most_row) return std::nullopt;
    const SampledRows first(p.matrix, static_cast<std::int64_t>(sampled_entries), 16, 1, p.source);
    const double before = loaded_by_blocks(first.view());
    if (before < least_shared) return std::nullopt;
    const int places = sampled_places(p.features.mean_row);
    const CsrView& a = p.source != nullptr ? p.source->pattern() : p.matrix;
    const SampledRows some(
        a, reordering::sampled_row_clusters(a, cluster_rows, clusters_of_place, places));
    const double after = loaded_by_blocks(some.view());
    const double bytes = l2_bytes(p, before), fewer = l2_bytes(p, after);
    if (fewer > most_of_bytes * bytes || !repays(p, bytes - fewer)) return std::nullopt;
    std::optional<RowOrder> order = order_of_rows(a, p.threads, p.elsewhere);
    if (!order) return std::nullopt;
    OrderChoice found;
    found.order = std::move(order->order);
    found.bandwidth = order->bandwidth;
    found.us = 1e6 * fewer / l2_bytes_per_s;
    found.plain_us = 1e6 * bytes / l2_bytes_per_s;
    found.reason =
        fmt::format("rows in clusters: {} rows load {:.2f} rows of x an entry, as they come {:.2f}",
                    block_rows, after, before);
    return found;
}

}  // namespace
}  // namespace of_many

bool may_choose_order_of_many(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                              const Request& request) {
    return of_many::may_choose(rows, cols, nnz, request, ValueType::f64);
}

std::optional<OrderChoice> choose_order_of_many(const OrderProblem& problem) {
    return of_many::choose(problem);
}

}  // namespace spmvgen
