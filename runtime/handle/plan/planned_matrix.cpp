#include "handle/plan/planned_matrix.hpp"

#include "handle/kernels/kernel_sources.hpp"
#include "handle/kernels/stopwatch.hpp"
#include "handle/plan/device_options.hpp"
#include "handle/plan/planning.hpp"
#include "handle/plan/request_of_options.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/features/features.hpp"

namespace spmvgen {
namespace {

/// Entries, from which on it takes longer to copy all of them here than what is looked at, piece by
/// piece.
constexpr std::int64_t least_fetched = 1 << 17;

}  // namespace

Request request_on(const Device& device, const CsrView& matrix, const Options& options,
                   KernelProvider& provider, const DeviceCsr* on_device) {
    Signature types;
    types.target = checked_target(options, device.facts());
    set_number_types(types, options, matrix.value_type);
    Request request = request_of(options, types);
    request.units = device.facts().units;
    request.device = device.facts().name;
    const KernelPolicy policy{effective_mode(options.cache), options.cache_dir, true,
                              options.kernel_sets};
    if (provider.may_compile(policy)) request.profile = profile_to_predict(types.target, &device);
    if (on_device != nullptr && !options.copy) {
        request.csr_index = matrix.index_type;
        request.csr_offset = matrix.offset_type;
    }
    return request;
}

PlannedMatrix::PlannedMatrix(const CsrView& matrix, const Options& options,
                             KernelProvider& provider, const Device& device, DeviceCsr* on_device)
    : request_(request_on(device, matrix, options, provider, on_device)),
      features_(analysed(matrix, options, on_device)),
      chooser_(matrix, features_, options.threads, source_, memory_for(options, provider)) {}

PlannedMatrix::PlannedMatrix(const CsrView& matrix, const Options& options,
                             KernelProvider& provider, const Device& device,
                             const PlannedMatrix& original, DeviceCsr* on_device)
    : request_([&] {
          Request request = request_on(device, matrix, options, provider, nullptr);
          request.exact = original.answered().exact;  // the values are the same
          return request;
      }()),
      source_(on_device),
      features_([&] {
          const Stopwatch watch;
          RowFeatures features = features_of_rows(matrix, options.threads);
          analysis_ms_ = watch.ms();
          return features;
      }()),
      chooser_(matrix, features_, options.threads, source_, memory_for(options, provider)) {}

RowFeatures PlannedMatrix::analysed(const CsrView& matrix, const Options& options,
                                    DeviceCsr* on_device) {
    const Stopwatch watch;
    if (on_device != nullptr && !on_device->is_complete()) {
        by_rows_ = needs_rows_only(options);
        const bool is_open = options.level == "rule" && options.expected_applies == 0;
        const bool is_on_device = by_rows_ || (is_open && matrix.nnz >= least_fetched);
        if (is_on_device && rows_are_right(matrix, options.threads)) {
            source_ = on_device;
        } else {
            by_rows_ = false;
            on_device->complete();
        }
    }
    RowFeatures features = source_ != nullptr ? features_of_rows(matrix, options.threads)
                                              : analyse_row_lengths(matrix, options.threads);
    analysis_ms_ = watch.ms();
    return features;
}

const Choice& PlannedMatrix::rule() {
    if (rule_) return *rule_;
    answered_ = request_;
    rule_ = by_rows_ ? choose(features_, request_) : chooser_.sampled(answered_);
    return *rule_;
}

bool may_get_order(const CsrView& matrix, const Options& options, KernelProvider& provider,
                   const Device& device) {
    if (options.reorder != "auto" || options.op != "N" || options.level == "exhaustive" ||
        options.updates == "often")
        return false;
    return may_choose_order(matrix.rows, matrix.cols, matrix.nnz,
                            request_on(device, matrix, options, provider, nullptr));
}

std::optional<OrderChoice> order_that_pays(const CsrView& matrix, const Options& options,
                                           PlannedMatrix& planned,
                                           reordering::ClusteringElsewhere elsewhere) {
    return choose_order({.matrix = matrix,
                         .features = planned.features(),
                         .request = planned.request(),
                         .expected_applies = options.expected_applies,
                         .threads = options.threads,
                         .chooser = planned.chooser(),
                         .rule = [&]() -> const Choice& { return planned.rule(); },
                         .source = planned.source(),
                         .elsewhere = std::move(elsewhere)});
}

}  // namespace spmvgen
