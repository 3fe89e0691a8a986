#include "tuner/chooser/order_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "matrix/chunks.hpp"
#include "matrix/features/features_parts.hpp"
#include "matrix/reorder/sampled_clusters.hpp"
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
constexpr int clusters_of_place = 2;  ///< that follow one another: they share columns, too
constexpr int first_share = 2;        ///< of the places: one of so many tells whether they may pay
constexpr int least_places = 4, most_places = 32;
/// Of the L2: what x and y may take, for y is stored where its rows are.
constexpr double most_of_l2 = 0.7;
constexpr double unknown_l2 = 25e6;  ///< bytes, where the profile tells none
/// Entries from which on some columns are fetched in place of all, and the mean row, for with
/// shorter ones a cluster has many steps, each of which waits for the device.
constexpr std::int64_t least_fetched_entries = 4'000'000;
constexpr double least_fetched_mean = 12;
/// Bytes of CSR a second and thread that are put into clusters, and copied in their order.
constexpr double ordered_bytes_per_s = 4e8;

constexpr std::int64_t rows_of_place = std::int64_t{clusters_of_place} * cluster_rows;

/// Of x an entry, what blocks of about 512 rows ask for.
double sectors_of_blocks(const CsrView& rows, int threads) {
    return sectors_of_window(rows, 1, threads);
}

int sampled_places(const RowFeatures& features) {
    const double entries = static_cast<double>(rows_of_place) * std::max(features.mean_row, 1.0);
    return static_cast<int>(
        std::clamp<double>(clustered_entries / entries, least_places, most_places));
}

/// Parameters of strips with the rows in an order, and the time that is predicted.
struct Strips {
    Params params;
    Prediction time;
};

/// Those with the least time, where some rows of the order are in `sample`; of the set `only`,
/// where it is not null.
std::optional<Strips> strips_in_order(const CsrView& matrix, const RowFeatures& features,
                                      const SampledRows& sample, Request request,
                                      const Params* only = nullptr) {
    MatrixFigures figures(matrix, features, sample, 1, CountedFor::gpu);
    Chooser chooser(sample.view(), figures.features(), 1);
    const DeviceProfile& profile = *std::exchange(request.profile, nullptr);
    request.encode = request.exact.has_value();  // the sample has no values
    request.params["any_order"] = 1;
    request.params["block"] = cluster_rows;
    const CostCorrection* const learned = gpu_correction(request.target);
    const KernelEntry& strips = kernel_entry("strips");
    std::optional<Strips> least;
    for (auto& params :
         only != nullptr ? std::vector{*only} : chooser.grid_params(strips, request)) {
        const auto choice = chooser.sampled_of_grid(strips, params, request);
        if (!choice) continue;
        const auto predict = [&](bool optimistic) {
            figures.be_optimistic(optimistic);
            return predict_gpu(figures, choice->signature, profile, *gpu_constants(),
                               optimistic ? nullptr : learned);
        };
        // What it takes at least is worked out sooner.
        if (least && predict(true).value_or(least->time).us > least->time.us) continue;
        const auto time = predict(false);
        if (time && (!least || time->us < least->time.us)) least = {params, *time};
    }
    return least;
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

/// With its columns on this host.
const CsrView& on_host(const OrderProblem& p) {
    return p.source != nullptr ? p.source->pattern() : p.matrix;
}

/// Whether columns of some rows are fetched, neighbours after neighbours, for all take longer.
bool are_columns_fetched(const OrderProblem& p) {
    return p.source != nullptr && p.matrix.nnz >= least_fetched_entries &&
           p.features.mean_row >= least_fetched_mean;
}

/// Clusters from places all over the matrix.
SampledRows some_clusters(const OrderProblem& p, int places) {
    EntrySource* const source = are_columns_fetched(p) ? p.source : nullptr;
    const CsrView& a = source != nullptr ? p.matrix : on_host(p);
    return {a, reordering::sampled_row_clusters(a, cluster_rows, clusters_of_place, places, source),
            source};
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

/// What an order is held against.
struct AsTheyCome {
    double sectors;   ///< of x an entry, that blocks ask for
    Prediction time;  ///< of the kernel that is chosen
    Request request;  ///< for kernels that are compared with it
};

/// The same where another order may save something.
std::optional<AsTheyCome> rows_as_they_come(const OrderProblem& p) {
    if (is_complex(p.request.vectors.value_or(p.matrix.value_type)) ||
        p.features.max_row > most_row)
        return std::nullopt;
    const Choice& plain = p.rule();
    const auto most = p.chooser.most_sectors_of_blocks(p.request);
    if (!most || *most < least_sectors) return std::nullopt;
    const SampledRows first(p.matrix, looked_at_entries, 16, 1, p.source);
    const double sectors = sectors_of_blocks(first.view(), p.threads);
    if (sectors < least_sectors) return std::nullopt;
    const auto time = p.chooser.predict(plain.signature, p.request);
    if (!time) return std::nullopt;
    return AsTheyCome{sectors, *time, with_values_of(p.request, plain.signature)};
}

/// An order of all rows, made elsewhere as far as that can be.
std::optional<RowOrder> make_order(const OrderProblem& p, bool are_columns_left) {
    auto elsewhere = p.elsewhere;
    elsewhere.here = [&] { return &on_host(p); };
    return order_of_rows(are_columns_left ? p.matrix : on_host(p), p.threads, elsewhere);
}

/// choose_order() for a product with one vector.
std::optional<OrderChoice> order_for_one(const OrderProblem& p) {
    const auto plain = rows_as_they_come(p);
    if (!plain) return std::nullopt;
    const auto saves_sectors = [&](const SampledRows& rows) {
        return sectors_of_blocks(rows.view(), p.threads) <= most_of_sectors * plain->sectors;
    };
    const auto pays = [&](const std::optional<Strips>& strips) {
        return strips && strips->time.us <= (1 - order_margin) * plain->time.us &&
               repays(p.matrix, plain->time.us - strips->time.us, p.expected_applies, p.threads);
    };
    const int places = sampled_places(p.features);
    // Most that get here keep their order, which some clusters tell sooner than an order.
    const SampledRows clusters = some_clusters(p, places / first_share);
    if (!saves_sectors(clusters)) return std::nullopt;
    const auto promised = strips_in_order(p.matrix, p.features, clusters, plain->request);
    if (!pays(promised)) return std::nullopt;
    auto made = make_order(p, are_columns_fetched(p));
    if (!made) return std::nullopt;
    auto& [order, bandwidth] = *made;
    const SampledRows some(p.matrix, rows_of_places(order.order, rows_of_place, places), p.source);
    if (!saves_sectors(some)) return std::nullopt;
    const auto strips =
        strips_in_order(p.matrix, p.features, some, plain->request, &promised->params);
    if (!pays(strips)) return std::nullopt;
    const Prediction& time = strips->time;
    return OrderChoice{
        std::move(order), time.us, plain->time.us,
        fmt::format("rows in clusters: predicted {:.1f} µs ± {:.0f} %, as they come {} {:.1f} µs",
                    time.us, 100 * time.error, p.rule().signature.kernel, plain->time.us),
        bandwidth};
}

/// The order of a matrix of which it is known that it pays.
std::optional<OrderChoice> order_as_known(const OrderProblem& p, const KnownOrder& known) {
    auto order = make_order(p, p.source != nullptr && p.elsewhere.cluster);
    if (!order) return std::nullopt;
    return OrderChoice{std::move(order->order), known.us, known.plain_us,
                       known.reason + "; recalled", order->bandwidth};
}

}  // namespace

std::optional<OrderChoice> choose_order(const OrderProblem& p) {
    if (!may_choose_order(p.matrix.rows, p.matrix.cols, p.matrix.nnz, p.request))
        return std::nullopt;
    const bool is_many = p.expected_applies == 0;  // which does not depend on the threads
    (void)p.rule();
    if (const KnownOrder* const known = is_many ? p.chooser.known_order() : nullptr) {
        if (!known->in_clusters) return std::nullopt;
        return order_as_known(p, *known);
    }
    auto found = p.request.num_rhs > 1 ? choose_order_of_many(p) : order_for_one(p);
    if (is_many)
        p.chooser.note_order(found ? KnownOrder{true, found->us, found->plain_us, found->reason}
                                   : KnownOrder{});
    return found;
}

}  // namespace spmvgen
