#include <fmt/format.h>

#include <optional>

#include "handle/base/batch_impl.hpp"
#include "handle/plan/request_of_options.hpp"

namespace spmvgen {
namespace {

/// One matrix with many vectors: plain handles with many right-hand sides, one for each size of
/// group.
class InterleavedBatch : public HandleImpl {
  public:
    InterleavedBatch(const BatchSystems& systems, const BatchShape& shape, const Options& options,
                     KernelProvider& provider, const std::shared_ptr<Device>& device);
    void apply(ValueType type, const Operands& operands, Stream stream) override;
    void prepare(Scale alpha, Scale beta, Stream stream) override;
    std::string source() const override { return larger_ ? larger_->source() : ""; }

  private:
    void describe_groups(const BatchShape& shape);

    std::int64_t rows_ = 0, cols_ = 0, systems_ = 0, group_ = 1, in_larger_ = 0;
    std::optional<Handle> larger_, smaller_;
};

InterleavedBatch::InterleavedBatch(const BatchSystems& systems, const BatchShape& shape,
                                   const Options& options, KernelProvider& provider,
                                   const std::shared_ptr<Device>& device)
    : HandleImpl(options, provider),
      rows_(shape.rows),
      cols_(shape.cols),
      systems_(shape.systems),
      group_(shape.group),
      in_larger_(shape.larger * shape.group) {
    if (systems_ == 0) {
        info_.reason = "the batch has no systems";
        return;
    }
    set_number_types(signature_, options, systems[0].value_type);
    const auto handle_for = [&](std::int64_t k) {
        Options own = options;
        own.num_rhs = static_cast<int>(k);
        own.updatable = false;  // batches take no new values
        return make_handle(systems[0], own, provider, device);
    };
    larger_ = handle_for(group_);
    if (in_larger_ < systems_) smaller_ = handle_for(group_ - 1);
    describe_groups(shape);
}

void InterleavedBatch::describe_groups(const BatchShape& shape) {
    info_ = larger_->info();
    const std::int64_t groups =
        shape.larger + (systems_ - in_larger_) / std::max<std::int64_t>(1, group_ - 1);
    info_.reason = fmt::format("one matrix, {} vectors in {} of up to {}: {}", systems_,
                               groups == 1 ? "1 group" : fmt::format("{} groups", groups), group_,
                               info_.reason);
    info_.rows *= systems_;
    info_.cols *= systems_;
    info_.nnz *= systems_;
    info_.launches *= static_cast<int>(groups);
    info_.matrix_bytes *= groups;
    info_.bytes = info_.matrix_bytes +
                  (info_.rows + info_.cols) * static_cast<std::int64_t>(size_of(signature_.value));
    if (!smaller_) return;
    for (auto ms : {&Info::prepare_ms, &Info::kernel_ms, &Info::analysis_ms, &Info::choice_ms,
                    &Info::convert_ms, &Info::measure_ms})
        info_.*ms += smaller_->info().*ms;
    info_.deterministic = info_.deterministic && smaller_->info().deterministic;
    if (info_.warning.empty()) info_.warning = smaller_->info().warning;
}

void InterleavedBatch::apply(ValueType type, const Operands& o, Stream stream) {
    checked_modes(type, o);
    const std::size_t element = size_of(type);
    for (std::int64_t first = 0; first < systems_;) {
        const bool in_larger = first < in_larger_;
        const auto at = static_cast<std::size_t>(first) * element;
        const std::byte* x = static_cast<const std::byte*>(o.x);
        std::byte* y = static_cast<std::byte*>(o.y);
        const Handle& handle = in_larger ? *larger_ : *smaller_;
        handle.apply(type, o.alpha,
                     x != nullptr ? x + at * static_cast<std::size_t>(cols_) : nullptr, o.beta,
                     y != nullptr ? y + at * static_cast<std::size_t>(rows_) : nullptr, stream);
        first += in_larger ? group_ : group_ - 1;
    }
}

void InterleavedBatch::prepare(Scale alpha, Scale beta, Stream stream) {
    if (larger_) larger_->prepare(alpha, beta, stream);
    if (smaller_) smaller_->prepare(alpha, beta, stream);
}

}  // namespace

std::unique_ptr<HandleImpl> make_interleaved_batch(const BatchSystems& systems,
                                                   const BatchShape& shape, const Options& options,
                                                   KernelProvider& provider,
                                                   const std::shared_ptr<Device>& device) {
    return std::make_unique<InterleavedBatch>(systems, shape, options, provider, device);
}

}  // namespace spmvgen
