#include <fmt/format.h>

#include "handle/base/batch_impl.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "handle/making/handle_makers.hpp"
#include "kernel/refuse.hpp"
#include "matrix/reorder/reordering.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

void check_batch_options(const Options& o) {
    if (o.num_rhs != 1)
        refuse(
            fmt::format("options.num_rhs is {}, but a batch has one right-hand side for each "
                        "system: give the system several times",
                        o.num_rhs));
    if (!o.copy)
        refuse("options.copy is false, but a batch is stored in arrays of its own: leave it true");
    if (o.op != "N" || o.transpose_by_atomics)
        refuse("options.op is " + o.op + ", but batches are not transposed: transpose the systems");
    if (o.device_arrays)
        refuse("options.device_arrays: the systems of a batch are given in host memory");
    if (o.index_base == 1)
        refuse("options.index_base is 1, but the systems of a batch count from 0: leave it 0");
    check_array_options(o);
    if (o.updates == "often")
        refuse("options.updates is often, but batches take no new values: leave it seldom");
    if (names_order(o.reorder) || o.permuted_vectors)
        refuse("options.reorder is " + o.reorder +
               ", but batches are not reordered: leave it \"auto\"");
    if (has_operands(o.epilogue))
        refuse("options.epilogue has operands, but batches take none: write one of value and row");
    if (o.compile != "now")
        refuse("options.compile is " + o.compile +
               ", but batches are planned at once: leave it \"now\"");
    if (o.level != "rule")
        refuse("options.level is " + o.level +
               ", but batches are chosen by rules: leave it \"rule\"");
    if (!o.rule.empty())
        refuse("options.rule is " + o.rule +
               ", but batches are chosen by rules of their own: leave it empty");
    if (o.expected_applies != 0)
        refuse("options.expected_applies is for single matrices: leave it 0");
}

void check_layout(const BatchFeatures& f, BatchLayout layout) {
    if (layout == BatchLayout::interleaved && f.kind != BatchKind::one_matrix && f.systems > 0)
        refuse(
            fmt::format("the interleaved layout is for batches of one matrix, but this one is "
                        "{}: use the concatenated layout",
                        to_string(f.kind)));
}

std::unique_ptr<BatchImpl> make_impl(const BatchSystems& systems, const BatchFeatures& features,
                                     const Options& asked, BatchLayout layout,
                                     KernelProvider& provider, std::shared_ptr<Device> device) {
    const Options options = with_effective_mode(asked);
    check_layout(features, layout);
    BatchShape shape = shape_of(systems, features, layout);
    const bool host = options.device == "host";
    if (!host && device == nullptr) device = open_device(options.device);
    auto product = make_within_limit(options, [&](const Options& o) {
        return layout == BatchLayout::interleaved
                   ? make_interleaved_batch(systems, shape, o, provider, device)
               : host ? make_host_batch(systems, features, o, provider)
                      : make_gpu_batch(systems, features, o, provider, device);
    });
    return std::make_unique<BatchImpl>(std::move(shape), std::move(product));
}

std::unique_ptr<BatchImpl> make_impl(std::span<const CsrView> systems, const Options& options,
                                     BatchLayout layout, KernelProvider& provider,
                                     std::shared_ptr<Device> device) {
    check_batch_options(options);
    return make_impl(BatchSystems(systems), analyse_batch(systems), options, layout, provider,
                     std::move(device));
}

std::unique_ptr<BatchImpl> make_impl(const CsrView& matrix, std::int64_t count,
                                     const Options& options, BatchLayout layout) {
    check_batch_options(options);
    return make_impl(BatchSystems(matrix, count), analyse_repeated(matrix, count), options, layout,
                     KernelProvider::process(), nullptr);
}

/// Group of an interleaved system, and its number in that.
struct InGroup {
    std::int64_t first;  ///< systems before the group
    std::int64_t size;
    std::int64_t number;
};
InGroup group_of(const BatchShape& s, std::int64_t system) {
    const std::int64_t in_larger = s.larger * s.group;
    if (system < in_larger) return {system / s.group * s.group, s.group, system % s.group};
    const std::int64_t size = s.group - 1, beyond = system - in_larger;
    return {in_larger + beyond / size * size, size, beyond % size};
}

void check_system(const BatchShape& s, std::int64_t system) {
    if (system < 0 || system >= s.systems)
        refuse(fmt::format("system {} is outside the batch of {}", system, s.systems));
}

std::int64_t offset_of(const BatchShape& s, const std::vector<std::int64_t>& offsets,
                       std::int64_t each, std::int64_t system) {
    check_system(s, system);
    if (s.layout == BatchLayout::interleaved) {
        const InGroup g = group_of(s, system);
        return g.first * each + g.number;
    }
    return offsets.empty() ? system * each : offsets[static_cast<std::size_t>(system)];
}

std::int64_t stride_of(const BatchShape& s, std::int64_t system) {
    check_system(s, system);
    return s.layout == BatchLayout::interleaved ? group_of(s, system).size : 1;
}

}  // namespace

const char* to_string(BatchKind kind) {
    return kind == BatchKind::flexible         ? "flexible"
           : kind == BatchKind::shared_pattern ? "shared_pattern"
                                               : "one_matrix";
}

BatchShape shape_of(const BatchSystems& systems, const BatchFeatures& f, BatchLayout layout) {
    BatchShape s;
    s.kind = f.kind;
    s.layout = layout;
    s.systems = f.systems;
    s.x_size = f.cols;
    s.y_size = f.rows;
    if (f.systems == 0) return s;
    if (f.kind != BatchKind::flexible) {
        s.rows = systems[0].rows;
        s.cols = systems[0].cols;
        // As few groups as there can be, and no two of them further apart than by one.
        const std::int64_t groups = (f.systems + most_interleaved - 1) / most_interleaved;
        s.group = (f.systems + groups - 1) / groups;
        s.larger = f.systems - groups * (s.group - 1);
        return s;
    }
    std::int64_t x = 0, y = 0;
    for (std::int64_t i = 0; i < f.systems; ++i) {
        s.x_offset.push_back(x);
        s.y_offset.push_back(y);
        x += systems[i].cols;
        y += systems[i].rows;
    }
    return s;
}

BatchHandle::BatchHandle(std::span<const CsrView> systems, const Options& options,
                         BatchLayout layout)
    : impl_(make_impl(systems, options, layout, KernelProvider::process(), nullptr)) {}
BatchHandle::BatchHandle(const CsrView& matrix, std::int64_t count, const Options& options,
                         BatchLayout layout)
    : impl_(make_impl(matrix, count, options, layout)) {}
BatchHandle::BatchHandle(std::unique_ptr<BatchImpl> impl) : impl_(std::move(impl)) {}
BatchHandle::BatchHandle(BatchHandle&&) noexcept = default;
BatchHandle& BatchHandle::operator=(BatchHandle&&) noexcept = default;
BatchHandle::~BatchHandle() = default;

BatchHandle make_batch_handle(std::span<const CsrView> systems, const Options& options,
                              BatchLayout layout, KernelProvider& provider,
                              std::shared_ptr<Device> device) {
    return BatchImpl::wrap(make_impl(systems, options, layout, provider, std::move(device)));
}

BatchImpl& BatchHandle::impl() const {
    if (impl_ == nullptr)
        refuse("this batch handle was moved from: use the one that it was moved to");
    return *impl_;
}

void BatchHandle::apply(ValueType type, const void* alpha, const void* x, const void* beta, void* y,
                        Stream stream) const {
    if (impl().shape().systems == 0) return;  // a batch of nothing has no type either
    impl().product().apply(type, {alpha, x, beta, y}, stream);
}

void BatchHandle::prepare(Scale alpha, Scale beta, Stream stream) const {
    impl().product().prepare(alpha, beta, stream);
}

std::int64_t BatchHandle::size() const {
    return impl().shape().systems;
}
BatchKind BatchHandle::kind() const {
    return impl().shape().kind;
}
std::int64_t BatchHandle::x_size() const {
    return impl().shape().x_size;
}
std::int64_t BatchHandle::y_size() const {
    return impl().shape().y_size;
}
std::int64_t BatchHandle::x_offset(std::int64_t system) const {
    const BatchShape& s = impl().shape();
    return offset_of(s, s.x_offset, s.cols, system);
}
std::int64_t BatchHandle::y_offset(std::int64_t system) const {
    const BatchShape& s = impl().shape();
    return offset_of(s, s.y_offset, s.rows, system);
}
std::int64_t BatchHandle::x_stride(std::int64_t system) const {
    return stride_of(impl().shape(), system);
}
std::int64_t BatchHandle::y_stride(std::int64_t system) const {
    return stride_of(impl().shape(), system);
}
const Info& BatchHandle::info() const {
    return impl().product().info();
}
std::string BatchHandle::source() const {
    return impl().product().source();
}

}  // namespace spmvgen
