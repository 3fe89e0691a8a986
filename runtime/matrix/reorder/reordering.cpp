#include "matrix/reorder/reordering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>

#include "matrix/chunks.hpp"
#include "matrix/reorder/band_k.hpp"
#include "matrix/reorder/graph.hpp"
#include "matrix/reorder/row_clusters.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using reordering::at;

constexpr int largest_group = 4096;

[[noreturn]] void refuse(ErrorCode code, const std::string& message) {
    throw Error(code, message);
}

void check(const CsrView& a, ReorderMethod method, const BandK& band, int threads) {
    validate(a, threads);
    const bool rows_only = method == ReorderMethod::rows;
    if (a.rows != a.cols && !rows_only)
        refuse(ErrorCode::invalid_argument,
               fmt::format("reordering {} gives rows and columns one order, but the matrix is "
                           "{} x {}: use it for square matrices, and none for this one",
                           to_string(method), a.rows, a.cols));
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (a.rows != a.cols && a.rows + std::min(a.cols, most) > most)
        refuse(ErrorCode::unsupported,
               fmt::format("reordering rows takes up to {} rows and columns together, but the "
                           "matrix is {} x {}: use none",
                           most, a.rows, a.cols));
    if (a.rows > most)
        refuse(ErrorCode::unsupported,
               fmt::format("reordering {} takes up to {} rows, but the matrix has {}: use none",
                           to_string(method), most, a.rows));
    if (method != ReorderMethod::band_k) return;
    if (band.k != 2 && band.k != 3)
        refuse(ErrorCode::invalid_argument, fmt::format("band-k: k is {}: use 2 or 3", band.k));
    for (const auto& [name, size] :
         {std::pair("rows of a super-row", band.super_row),
          std::pair("super-rows of a super-super-row", band.super_super_row)})
        if (size < 1 || size > largest_group)
            refuse(ErrorCode::invalid_argument,
                   fmt::format("band-k: {} {}: use 1…{}", size, name, largest_group));
}

std::vector<std::int32_t> inverse(const std::vector<std::int32_t>& order) {
    std::vector<std::int32_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        place[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    return place;
}

std::vector<std::int32_t> unchanged(std::int64_t rows) {
    std::vector<std::int32_t> order(static_cast<std::size_t>(rows));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

/// Rows in clusters of neighbours. Of a matrix that is not square those are neighbours that have a
/// column in common.
std::optional<reordering::RowClusters> clusters(const CsrView& a, int threads,
                                                const reordering::ClusteringElsewhere& elsewhere) {
    if (a.rows == 0) return reordering::RowClusters{};
    if (a.rows == a.cols) return reordering::row_clusters(a, cluster_rows, threads, elsewhere);
    const std::int64_t vertices_a_cluster = cluster_rows * (a.rows + a.cols) / a.rows;
    std::vector<std::int32_t> order = reordering::cluster_order(
        reordering::rows_and_columns(a, threads),
        static_cast<int>(std::min<std::int64_t>(vertices_a_cluster, INT32_MAX)));
    std::erase_if(order, [&](std::int32_t vertex) { return vertex >= a.rows; });
    return reordering::RowClusters{std::move(order), std::nullopt};
}

/// A cluster's rows by falling length, equal ones as they stood; `begins` is room of the caller's.
template <typename Offset>
void sort_cluster(const Offset* row_ptr, std::span<std::int32_t> rows,
                  std::vector<std::int32_t>& begins) {
    constexpr std::int64_t most_lengths = std::int64_t{4} * cluster_rows;
    const auto length = [&](std::int32_t row) {
        return static_cast<std::int64_t>(row_ptr[row + 1] - row_ptr[row]);
    };
    std::array<std::int64_t, cluster_rows> lengths;
    std::ranges::transform(rows, lengths.begin(), length);
    const auto end = lengths.begin() + std::ssize(rows);
    if (std::is_sorted(lengths.begin(), end, std::greater{})) return;
    const auto [least, most] = std::minmax_element(lengths.begin(), end);
    const std::int64_t longest = *most;
    if (longest - *least >= most_lengths) {
        std::ranges::stable_sort(rows, std::greater{}, length);
        return;
    }
    // A row's place is that of its length.
    begins.assign(static_cast<std::size_t>(longest - *least) + 2, 0);
    for (auto own = lengths.begin(); own != end; ++own) ++begins[at(longest - *own) + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::array<std::int32_t, cluster_rows> sorted;
    for (std::size_t i = 0; i < rows.size(); ++i)
        sorted[at(begins[at(longest - lengths[i])]++)] = rows[i];
    std::copy_n(sorted.begin(), rows.size(), rows.begin());
}

/// Rows of a cluster that are as long lie side by side: slices of them are hardly padded.
void sort_clusters(const CsrView& a, std::vector<std::int32_t>& order, int threads) {
    constexpr std::int64_t clusters_a_part = 8;
    const std::int64_t clusters = (std::ssize(order) + cluster_rows - 1) / cluster_rows;
    dispatch(a.offset_type, [&]<typename Offset>(Offset) {
        for_parts(
            clusters, clusters_a_part, threads, [&](std::int64_t begin, std::int64_t end, int) {
                std::vector<std::int32_t> room;
                for (std::int64_t i = begin * cluster_rows;
                     i < end * cluster_rows && i < std::ssize(order); i += cluster_rows) {
                    const auto left = std::min<std::int64_t>(cluster_rows, std::ssize(order) - i);
                    sort_cluster(a.row_ptr_as<Offset>(), std::span(order).subspan(at(i), at(left)),
                                 room);
                }
            });
    });
}

}  // namespace

const char* to_string(ReorderMethod method) {
    switch (method) {
        case ReorderMethod::none:
            return "none";
        case ReorderMethod::rcm:
            return "rcm";
        case ReorderMethod::band_k:
            return "band-k";
        case ReorderMethod::rows:
            return "rows";
    }
    return "?";
}

namespace {

std::optional<ReorderMethod> find_method(std::string_view text) {
    for (auto method :
         {ReorderMethod::none, ReorderMethod::rcm, ReorderMethod::band_k, ReorderMethod::rows})
        if (text == to_string(method)) return method;
    return std::nullopt;
}

[[noreturn]] void refuse_method(std::string_view text, const char* also) {
    refuse(
        ErrorCode::invalid_argument,
        fmt::format("unknown reordering '{}': use one of {}none, rcm, band-k, rows", text, also));
}

}  // namespace

ReorderMethod parse_reorder_method(std::string_view text) {
    const auto method = find_method(text);
    if (!method) refuse_method(text, "");
    return *method;
}

std::optional<ReorderMethod> parse_reorder_option(std::string_view text) {
    if (text == "auto") return std::nullopt;
    const auto method = find_method(text);
    if (!method) refuse_method(text, "auto, ");
    return method;
}

std::optional<RowOrder> order_of_rows(const CsrView& pattern, int threads,
                                      const reordering::ClusteringElsewhere& elsewhere) {
    auto found = clusters(pattern, threads, elsewhere);
    if (!found) return std::nullopt;
    RowOrder result;
    result.order.method = ReorderMethod::rows;
    result.order.order = std::move(found->order);
    sort_clusters(pattern, result.order.order, threads);
    result.order.place = unchanged(pattern.cols);
    const auto bandwidth = [&] {
        const bool is_elsewhere = pattern.col_idx == nullptr && elsewhere.here;
        return bandedness(is_elsewhere ? *elsewhere.here() : pattern, threads).bandwidth;
    };
    result.bandwidth = found->bandwidth ? *found->bandwidth : bandwidth();
    return result;
}

Reordering reorder(const CsrView& a, ReorderMethod method, const BandK& band, int threads) {
    check(a, method, band, threads);
    Reordering result;
    result.method = method;
    if (method == ReorderMethod::none) {
        result.place = result.order = unchanged(a.rows);
        return result;
    }
    if (method == ReorderMethod::rows) return order_of_rows(a, threads)->order;
    const reordering::Graph graph = reordering::symmetrised_pattern(a, threads);
    if (method == ReorderMethod::rcm) {
        result.order = reordering::cuthill_mckee(graph);
        std::ranges::reverse(result.order);
    } else {
        auto band_order = reordering::band_k(graph, band, threads);
        result.order = std::move(band_order.order);
        result.groups = std::move(band_order.groups);
    }
    result.place = inverse(result.order);
    return result;
}

}  // namespace spmvgen
