#include "tuner/chooser/order_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "matrix/chunks.hpp"
#include "matrix/features/features_parts.hpp"
#include "matrix/reorder/row_clusters.hpp"
#include "registry.hpp"
#include "tuner/chooser/order_of_many.hpp"
#include "tuner/cost/predict.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t least_ordered_entries = 500'000;  ///< with fewer the L2 serves x well
constexpr std::int64_t least_rows = 8192;
constexpr double least_mean = 3;          ///< mean row: of shorter ones y's places cost more
constexpr std::int64_t most_row = 1024;   ///< of a hub everybody is a neighbour
constexpr double least_sectors = 0.3;     ///< of x an entry, that a block of threads asks for,
constexpr double most_of_sectors = 0.85;  ///< and of these those that clusters ask for
constexpr double order_margin = 0.12;
constexpr std::int64_t looked_at_entries = 60'000;  ///< of the rows as they come
constexpr double clustered_entries = 24'000;        ///< of those in clusters
constexpr int first_share = 2;        ///< of the places: one of so many tells whether they pay
constexpr int clusters_of_place = 2;  ///< that follow one another: they share columns, too
constexpr int least_places = 4, most_places = 32;
/// Of the L2: what x and y may take, for y is stored where its rows are.
constexpr double most_of_l2 = 0.7;
constexpr double unknown_l2 = 25e6;  ///< bytes, where the profile tells none
/// Bytes of CSR a second and thread that are put into clusters, and copied in their order.
constexpr double ordered_bytes_per_s = 4e8;

constexpr std::int64_t rows_of_place = std::int64_t{clusters_of_place} * cluster_rows;

/// Of x an entry, what blocks of about 512 rows ask for.
double sectors_of_blocks(const CsrView& rows) {
    return sectors_of_window(rows, 1, 1);
}

int sampled_places(const RowFeatures& features) {
    const double entries = static_cast<double>(rows_of_place) * std::max(features.mean_row, 1.0);
    return static_cast<int>(
        std::clamp<double>(clustered_entries / entries, least_places, most_places));
}

/// The least time with the rows in an order of which some are in `sample`.
std::optional<Prediction> predict_in_order(const CsrView& matrix, const RowFeatures& features,
                                           const SampledRows& sample, Request request) {
    MatrixFigures figures(matrix, features, sample, 1, CountedFor::gpu);
    Chooser chooser(sample.view(), figures.features(), 1);
    const DeviceProfile& profile = *std::exchange(request.profile, nullptr);
    request.encode = request.exact.has_value();  // the sample has no values
    request.params["any_order"] = 1;
    request.params["block"] = cluster_rows;
    const CostCorrection* const learned = gpu_correction(request.target);
    const KernelEntry& strips = kernel_entry("strips");
    std::optional<Prediction> least;
    for (auto& params : chooser.grid_params(strips, request)) {
        const auto choice = chooser.sampled_of_grid(strips, params, request);
        if (!choice) continue;
        const auto predict = [&](bool optimistic) {
            figures.be_optimistic(optimistic);
            return predict_gpu(figures, choice->signature, profile, *gpu_constants(),
                               optimistic ? nullptr : learned);
        };
        // What it takes at least is worked out sooner.
        if (least && predict(true).value_or(*least).us > least->us) continue;
        const auto time = predict(false);
        if (time && (!least || time->us < least->us)) least = time;
    }
    return least;
}

/// Clusters from places all over the matrix.
SampledRows some_clusters(const CsrView& a, int places) {
    return {a, reordering::sampled_row_clusters(a, cluster_rows, clusters_of_place, places)};
}

/// The values as the choice stores them, for kernels that are compared with it.
Request with_values_of(Request request, const Signature& chosen) {
    const auto code = chosen.params.find("value_code");
    request.exact =
        ExactValues{storage_type(chosen), code != chosen.params.end() ? code->second : 0};
    return request;
}

/// Some places of an order of all rows, evenly spread: `rows` rows that follow one another, each.
std::vector<std::int64_t> rows_of_places(std::span<const std::int32_t> order, std::int64_t rows,
                                         int places) {
    const std::int64_t groups = std::ssize(order) / rows;
    std::vector<std::int64_t> found;
    for (std::int64_t i = 0; i < places; ++i) {
        const std::int64_t group = (2 * i + 1) * groups / (std::int64_t{2} * places);
        const auto part =
            order.subspan(static_cast<std::size_t>(group * rows), static_cast<std::size_t>(rows));
        found.insert(found.end(), part.begin(), part.end());
    }
    return found;
}

bool repays(const CsrView& a, double saved_us, std::int64_t applies, int threads) {
    return applies == 0 || static_cast<double>(applies) * saved_us > ordering_us(a, threads);
}

bool vectors_fit(std::int64_t rows, const Request& request) {
    const double l2 = request.profile->rated.l2_bytes;
    const auto element = static_cast<double>(size_of(request.vectors.value_or(ValueType::f64)));
    return 2 * element * static_cast<double>(rows) <= most_of_l2 * (l2 > 0 ? l2 : unknown_l2);
}

}  // namespace

double ordering_us(const CsrView& a, int threads) {
    const auto bytes = static_cast<double>(a.nnz) *
                       static_cast<double>(size_of(a.value_type) + size_of(a.index_type));
    return 1e6 * bytes / (ordered_bytes_per_s * thread_count(threads));
}

bool may_choose_order(std::int64_t rows, std::int64_t cols, std::int64_t nnz, const Request& r) {
    if (r.num_rhs > 1) return may_choose_order_of_many(rows, cols, nnz, r);
    return r.profile != nullptr && vectors_fit(rows, r) && gpu_constants() != nullptr &&
           r.kernel == "auto" && (r.format == "auto" || r.format == "strips") && r.params.empty() &&
           r.rule.empty() && r.op == Op::none && !r.batch && r.look && rows == cols &&
           rows >= least_rows && rows < std::numeric_limits<std::int32_t>::max() &&
           nnz >= least_ordered_entries &&
           static_cast<double>(nnz) >= least_mean * static_cast<double>(rows);
}

namespace {

/// choose_order() for a product with one vector.
std::optional<OrderChoice> order_for_one(const OrderProblem& p) {
    const RowFeatures& features = p.features;
    if (is_complex(p.request.vectors.value_or(p.matrix.value_type)) || features.max_row > most_row)
        return std::nullopt;
    const Choice& plain = p.rule();
    const auto most = p.chooser.most_sectors_of_blocks(p.request);
    if (!most || *most < least_sectors) return std::nullopt;
    const SampledRows first(p.matrix, looked_at_entries, 16, 1, p.source);
    const double sectors = sectors_of_blocks(first.view());
    if (sectors < least_sectors) return std::nullopt;
    const auto plain_time = p.chooser.predict(plain.signature, p.request);
    if (!plain_time) return std::nullopt;
    const Request same = with_values_of(p.request, plain.signature);
    const auto pays = [&](const std::optional<Prediction>& time) {
        return time && time->us <= (1 - order_margin) * plain_time->us &&
               repays(p.matrix, plain_time->us - time->us, p.expected_applies, p.threads);
    };
    const int places = sampled_places(features);
    const auto saves_sectors = [&](const SampledRows& in_order) {
        return sectors_of_blocks(in_order.view()) <= most_of_sectors * sectors;
    };
    // Most that get here keep their order, which some clusters tell sooner than an order elsewhere.
    const CsrView& a = p.source != nullptr ? p.source->pattern() : p.matrix;
    if (!saves_sectors(some_clusters(a, places / first_share))) return std::nullopt;
    // What is made elsewhere takes no longer than the prediction.
    if (!p.elsewhere.cluster &&
        !pays(predict_in_order(a, features, some_clusters(a, places), same)))
        return std::nullopt;
    std::optional<RowOrder> order = order_of_rows(a, p.threads, p.elsewhere);
    if (!order) return std::nullopt;
    const SampledRows some(a, rows_of_places(order->order.order, rows_of_place, places));
    if (!saves_sectors(some)) return std::nullopt;
    const auto time = predict_in_order(a, features, some, same);
    if (!pays(time)) return std::nullopt;
    OrderChoice found;
    found.order = std::move(order->order);
    found.bandwidth = order->bandwidth;
    found.us = time->us;
    found.plain_us = plain_time->us;
    found.reason = fmt::format(
        "rows in clusters: predicted {:.1f} µs ± {:.0f} %, as they come {} "
        "{:.1f} µs",
        time->us, 100 * time->error, plain.signature.kernel, plain_time->us);
    return found;
}

}  // namespace

std::optional<OrderChoice> choose_order(const OrderProblem& p) {
    if (!may_choose_order(p.matrix.rows, p.matrix.cols, p.matrix.nnz, p.request))
        return std::nullopt;
    const bool is_many = p.expected_applies == 0;  // which does not depend on the threads
    (void)p.rule();
    if (is_many && p.chooser.rows_stay()) return std::nullopt;
    auto found = p.request.num_rhs > 1 ? choose_order_of_many(p) : order_for_one(p);
    if (is_many && !found) p.chooser.let_rows_stay();
    return found;
}

}  // namespace spmvgen
