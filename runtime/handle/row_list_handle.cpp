// Handles of rows that are listed: y[rows[i]] = α(Ax)[i] + βy[rows[i]].
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "handle/base/handle_impl.hpp"
#include "handle/base/permuter.hpp"
#include "handle/base/vector_packer.hpp"
#include "handle/capture_handle.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "handle/kernels/stopwatch.hpp"
#include "handle/making/handle_makers.hpp"
#include "handle/plan/device_csr.hpp"
#include "handle/plan/planning.hpp"
#include "kernel/refuse.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/layouts/row_list.hpp"
#include "tuner/records/signature_name.hpp"

namespace spmvgen {
namespace {

/// A handle of the listed rows alone, and what is around it.
class RowListHandle : public HandleImpl {
  public:
    /// `rows` is the list, which has been checked; `options` are those of the listed rows.
    RowListHandle(const RowListView& matrix, std::vector<std::int32_t> rows, const Options& options,
                  KernelProvider& provider, std::shared_ptr<Device> device);
    void apply(ValueType type, const Operands& operands, Stream stream) override;
    void apply_many(ValueType type, const ManyOperands& operands, Stream stream) override;
    void prepare(Scale alpha, Scale beta, Stream stream) override;
    std::string source() const override { return product_->source(); }
    std::size_t workspace_bytes(Scale alpha, Scale beta) override;
    void set_values(const NewValues& values, Stream stream) override;
    const Info& info() const override;
    bool has_kernel(ValueType type, const Operands& operands) override;
    bool leaves_some_of_y() const override { return scatters_; }
    VectorPacker& packer() override { return product_->packer(); }

  private:
    void take_plain_csr(const CsrView& matrix, Options options);
    std::unique_ptr<Permuter> make_permuter(int num_rhs) const;
    Permuter& permuter(int num_rhs);
    Info info_around(const Info& product) const;
    Scale checked(Scale alpha) const { return info_.nnz == 0 ? Scale::zero : alpha; }

    const std::vector<std::int32_t> rows_;
    const std::int64_t num_rows_;
    const bool scatters_;  ///< into y, else rows of x are gathered
    const std::string epilogue_;
    const int threads_;
    std::shared_ptr<Device> device_;  ///< null = this host
    std::unique_ptr<HandleImpl> product_;
    bool direct_ = false;  ///< the product stores in the listed rows itself; there is no permuter
    std::string instead_of_;  ///< kernel that was chosen, but would take another launch
    std::unique_ptr<Permuter> permuter_;
    double making_ms_ = 0;                                ///< of what is around the product
    std::mutex making_;                                   ///< guards permuters_
    std::map<int, std::unique_ptr<Permuter>> permuters_;  ///< for other right-hand sides
    mutable std::mutex telling_;                          ///< guards told_
    mutable std::map<const Info*, Info> told_;  ///< by what the product tells, which may become
                                                ///< another when it is planned later
};

bool scatters(const Options& options) {
    return options.op != "T" && options.op != "H";
}

void check_row_list_options(const Options& o) {
    if (o.permuted_vectors)
        refuse(
            "options.permuted_vectors is not for lists of rows, whose x and y have no order in "
            "common: leave it false");
    if (has_operands(o.epilogue))
        refuse(
            "options.epilogue has operands, but lists of rows take none: write one of value and "
            "row");
    if (o.device == "host" && !o.epilogue.empty() && scatters(o))
        refuse("options.epilogue is not for lists of rows on the host: leave it empty");
}

/// What the handle of the listed rows is asked for. An epilogue is told the rows of y.
Options options_of_listed(Options o) {
    if (scatters(o)) o.epilogue.clear();
    return o;
}

constexpr double short_us = 20;     ///< of longer products another launch is a small part
constexpr double scatter_us = 2.2;  ///< of a short one: a launch, and the loads that wait in it

bool is_free(const Options& o) {
    return o.format == "auto" && o.kernel == "auto" && o.params.empty() && o.rule.empty();
}

RowListHandle::RowListHandle(const RowListView& matrix, std::vector<std::int32_t> rows,
                             const Options& options, KernelProvider& provider,
                             std::shared_ptr<Device> device)
    : HandleImpl(options, provider),
      rows_(std::move(rows)),
      num_rows_(matrix.num_rows),
      scatters_(scatters(options)),
      epilogue_(scatters_ ? options.epilogue : ""),
      threads_(device == nullptr ? host_threads(matrix.matrix, options) : 0),
      device_(std::move(device)) {
    const Stopwatch watch;
    set_types_around(options, matrix.matrix.value_type);
    product_ = make_handle_impl(matrix.matrix, options_of_listed(options), provider, device_);
    info_.nnz = matrix.matrix.nnz;
    direct_ =
        device_ != nullptr && scatters_ && epilogue_.empty() && product_->store_in_rows(rows_);
    if (device_ != nullptr && scatters_ && epilogue_.empty() && !direct_ && is_free(options))
        take_plain_csr(matrix.matrix, options);
    if (!direct_) permuter_ = make_permuter(num_rhs_);
    making_ms_ = std::max(0.0, watch.ms() - product_->info().prepare_ms);
    info_ = info_around(product_->info());
}

/// Of a short product a launch less is worth more than the best kernel: plain CSR can look up where
/// its rows are in y.
void RowListHandle::take_plain_csr(const CsrView& matrix, Options options) {
    const double chosen_us = product_->info().predicted_us;
    if (chosen_us <= 0 || chosen_us > short_us) return;
    options.kernel = plain_kernel(true).id;
    options.level = "rule";
    try {
        auto plain = make_handle_impl(matrix, options, provider_, device_);
        const double plain_us = plain->info().predicted_us;
        if (plain_us <= 0 || plain_us > chosen_us + scatter_us || !plain->store_in_rows(rows_))
            return;
        const Info& chosen = product_->info();
        instead_of_ = parse_kernel_name(chosen.kernel, parse_target(chosen.target))->kernel;
        product_ = std::move(plain);
        direct_ = true;
    } catch (const Error&) {  // what the options fix does not go with it
    }
}

std::unique_ptr<Permuter> RowListHandle::make_permuter(int num_rhs) const {
    const PermutedVectors vectors{signature_.value, num_rhs, rows_, !scatters_, scatters_};
    return device_ == nullptr ? make_host_permuter(vectors, threads_)
                              : make_gpu_permuter(vectors, epilogue_, provider_, policy_, device_);
}

Permuter& RowListHandle::permuter(int num_rhs) {
    if (num_rhs == num_rhs_) return *permuter_;
    const std::lock_guard lock(making_);
    auto& made = permuters_[num_rhs];
    if (made == nullptr) made = make_permuter(num_rhs);
    return *made;
}

/// What the product tells, with what is around it.
Info RowListHandle::info_around(const Info& product) const {
    Info info = product;
    (scatters_ ? info.rows : info.cols) = num_rows_;
    info.reason = fmt::format("{} of {} rows are listed; {}", rows_.size(), num_rows_, info.reason);
    if (!instead_of_.empty())
        info.reason += fmt::format("; {} would take a launch more", instead_of_);
    info.prepare_ms += making_ms_;
    info.kernel_ms += making_ms_;
    if (direct_) {
        info.measured_us = 0;  // of another kernel, or into y without gaps
        return info;
    }
    if (info_.nnz > 0)
        info.launches += permuter_->launches();
    else if (scatters_)
        info.launches = permuter_->launches();
    info.facts.merge(permuter_->facts());
    const auto listed = static_cast<std::int64_t>(rows_.size());
    const auto row = static_cast<std::int64_t>(size_of(signature_.value)) * num_rhs_;
    info.permute_bytes += listed * (2 * row + static_cast<std::int64_t>(sizeof(std::int32_t)));
    info.bytes += info.permute_bytes - product.permute_bytes;
    info.measured_us = 0;  // without the way into y
    if (info.predicted_us > 0)
        info.predicted_us +=
            DeviceSpeed(parse_target(info.target), device_.get(), threads_)
                .stream_us(static_cast<double>(info.permute_bytes - product.permute_bytes))
                .value_or(0);
    return info;
}

const Info& RowListHandle::info() const {
    const Info& product = product_->info();
    const std::lock_guard lock(telling_);
    const auto found = told_.find(&product);
    return found != told_.end() ? found->second
                                : told_.emplace(&product, info_around(product)).first->second;
}

void RowListHandle::set_values(const NewValues& values, Stream stream) {
    product_->update_values(given_type(), values.data, stream);
    const std::lock_guard lock(telling_);
    for (auto& [product, told] : told_) told = info_around(*product);
}

void RowListHandle::apply(ValueType type, const Operands& o, Stream stream) {
    const auto [alpha, beta] = checked_modes(type, o);
    if (direct_) return product_->apply(type, o, stream);
    permuter(width_of(o)).apply(*product_, o, alpha, beta, stream);
}

/// Columns one after another: packed, they would be moved as a whole.
void RowListHandle::apply_many(ValueType type, const ManyOperands& m, Stream stream) {
    const bool columns =
        m.x.layout == VectorLayout::column && m.y.layout == VectorLayout::column && m.k > 0;
    check_many(type, m);
    Operands one{m.alpha, m.x.data, m.beta, m.y.data, nullptr, 1};
    if (!columns || !offers(type, one)) return HandleImpl::apply_many(type, m, stream);
    const auto element = static_cast<std::int64_t>(size_of(type));
    for (std::int64_t r = 0; r < m.k; ++r) {
        if (m.x.data != nullptr)
            one.x = static_cast<const std::byte*>(m.x.data) + r * m.x.ld * element;
        one.y = static_cast<std::byte*>(m.y.data) + r * m.y.ld * element;
        apply(type, one, stream);
    }
}

bool RowListHandle::has_kernel(ValueType type, const Operands& o) {
    Operands inner = o;
    return dispatch(type, [&](auto tag) {
        const decltype(tag) one(1), zero(0);
        if (scatters_ && !direct_) {
            inner.alpha = &one;
            inner.beta = &zero;
        }
        return product_->offers(type, inner);
    });
}

std::size_t RowListHandle::workspace_bytes(Scale alpha, Scale beta) {
    return direct_ ? product_->workspace_bytes(alpha, beta)
                   : permuter_->workspace_bytes(*product_, checked(alpha), beta);
}

void RowListHandle::prepare(Scale alpha, Scale beta, Stream stream) {
    if (direct_) return product_->prepare(alpha, beta, stream);
    permuter_->prepare(*product_, checked(alpha), beta, stream);
}

/// The list on this host.
std::vector<std::int32_t> host_rows(const RowListView& matrix, const Options& options,
                                    Device* device) {
    if (!options.device_arrays || matrix.rows == nullptr)
        return checked_rows(matrix, options.index_base);
    validate_shape(matrix.matrix);
    Buffer rows(static_cast<std::size_t>(matrix.matrix.rows) * size_of(matrix.matrix.index_type));
    if (rows.bytes() > 0) device->copy_to_host(rows.data(), matrix.rows, rows.bytes());
    RowListView host = matrix;
    host.rows = rows.data();
    return checked_rows(host, 0);
}

}  // namespace

std::unique_ptr<HandleImpl> make_handle_impl(const RowListView& matrix, const Options& asked,
                                             KernelProvider& provider,
                                             std::shared_ptr<Device> device) {
    const Options options = with_effective_mode(asked);
    check_array_options(options);
    check_row_list_options(options);
    device = device_for(options, std::move(device));
    auto rows = host_rows(matrix, options, device.get());
    auto impl = std::make_unique<RowListHandle>(matrix, std::move(rows), options, provider, device);
    impl->tell_given(matrix.matrix.value_type, matrix.matrix.nnz,
                     options.device_arrays ? device : nullptr);
    return impl;
}

Handle::Handle(const RowListView& matrix, const Options& options)
    : impl_(make_handle_impl(matrix, options, KernelProvider::process(), nullptr)) {
    capture_handle(matrix.matrix, options, info());
}

}  // namespace spmvgen
