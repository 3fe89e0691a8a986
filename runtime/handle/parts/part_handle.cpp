// A part of a matrix on its device.
#include <fmt/format.h>

#include "handle/base/handle_impl.hpp"
#include "handle/making/handle_makers.hpp"
#include "handle/parts/part_handle.hpp"
#include "handle/plan/device_csr.hpp"
#include "handle/plan/request_of_options.hpp"
#include "kernel/refuse.hpp"
#include "matrix/reorder/reordering.hpp"
#include "registry.hpp"
#include "tuner/records/signature_name.hpp"

namespace spmvgen {
namespace {

void check_part_options(const Options& o) {
    if (o.op != "N" && o.op != "C")
        refuse("options.op is " + o.op +
               ", but parts are multiplied as they are: use N or C, or two handles and "
               "ListedElements::add");
    if (o.device_arrays) refuse("options.device_arrays: a part is in host memory: leave it false");
    if (o.index_base != 0) refuse("options.index_base: parts count from 0: leave it 0");
    if (o.owner != nullptr)
        refuse("options.owner: the handles of a part have copies: leave it out");
    if (o.permuted_vectors)
        refuse(
            "options.permuted_vectors: elements of a part are exchanged in its own order: leave it "
            "false");
    if (!o.epilogue.empty())
        refuse(
            "options.epilogue: y of a part is complete after both products only: leave it empty");
}

/// What is in the arrays is looked at by the handle.
void check_sizes(const Part& part, const char* name, const CsrArrays& a) {
    const std::size_t offsets = a.row_ptr.size() / size_of(a.offset_type),
                      values = a.values.size() / size_of(a.value_type);
    if (static_cast<std::int64_t>(offsets) - 1 != a.rows || values != a.col_idx.size())
        refuse(fmt::format("{} of part {} has {} rows, {} row offsets, {} columns and {} values",
                           name, part.number, a.rows, offsets, a.col_idx.size(), values));
}

/// A part may have come from another process.
void check_arrays(const Part& part) {
    check_sizes(part, "local", part.local);
    if (!part.halo.col_idx.empty()) check_sizes(part, "halo", part.halo);
    if (std::ssize(part.halo_rows) != part.halo.rows)
        refuse(fmt::format("halo_rows of part {} has {} rows, but the halo has {}", part.number,
                           part.halo_rows.size(), part.halo.rows));
    for (const std::int32_t element : part.send_elements)
        if (element < 0 || element >= part.cols())
            refuse(fmt::format("part {} sends element {} of its x, which has {}", part.number,
                               element, part.cols()));
}

/// Before anything reads them.
const Part& checked(const Part& part) {
    check_arrays(part);
    return part;
}

Options checked(Options o) {
    check_part_options(o);
    o.copy = true;
    return o;
}

/// What brings the halo begins beside the local product, as soon as that may begin.
Options checked_local(Options o) {
    o.overlap_launches = false;
    return checked(std::move(o));
}

Options checked_halo(const Options& local, const Options& halo) {
    if (local.device != halo.device || local.num_rhs != halo.num_rhs ||
        local.vectors != halo.vectors || local.op != halo.op)
        refuse(
            "options of a part's halo: device, num_rhs, vectors and op are those of the local "
            "product");
    return checked(halo);
}

/// What is asked of the local product's choice is not meant for the halo's.
Options halo_options(Options o) {
    o.format = o.kernel = "auto";
    o.params.clear();
    o.rule.clear();
    if (names_order(o.reorder)) o.reorder = "auto";
    return o;
}

/// The halo's elements that receive `i` brings.
std::span<const std::int32_t> elements_of(const Part& part, std::size_t i) {
    const auto [other, first, count] = part.receives[i];
    const auto all = static_cast<std::int64_t>(part.halo_elements.size());
    if (first < 0 || count < 0 || first > all || count > all - first)
        refuse(
            fmt::format("receives[{}] of part {} has {} elements from {} on, but the halo has {}",
                        i, part.number, count, first, all));
    return std::span(part.halo_elements)
        .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

/// The devices of tests come as objects.
Handle handle_of(const CsrView& matrix, const Options& options,
                 const std::shared_ptr<Device>& device) {
    if (device == nullptr) return Handle(matrix, options);
    return make_handle(matrix, options, KernelProvider::process(), device);
}
std::unique_ptr<const Handle> handle_of_halo(const Part& part, const Options& options,
                                             const std::shared_ptr<Device>& device) {
    if (part.halo.col_idx.empty()) return nullptr;
    if (device == nullptr) return std::make_unique<const Handle>(part.halo_view(), options);
    return std::make_unique<const Handle>(HandleImpl::wrap(
        make_handle_impl(part.halo_view(), options, KernelProvider::process(), device)));
}

}  // namespace

ValueType vectors_of(const Part& part, const Options& options) {
    return options.vectors.empty() ? part.local.value_type : parse_value_type(options.vectors);
}

PartHandle::PartHandle(const Part& part, const Options& local, const Options& halo,
                       const std::shared_ptr<Device>& device)
    : local_(handle_of(checked(part).local.view(), checked_local(local), device)),
      halo_(handle_of_halo(part, checked_halo(local, halo), device)),
      sent_(vectors_of(part, local), part.send_elements, local, device),
      receives_(part.receives),
      sends_(part.sends),
      row_bytes_(static_cast<std::int64_t>(size_of(vectors_of(part, local))) * local.num_rhs) {
    for (std::size_t i = 0; i < receives_.size(); ++i)
        fetched_.push_back(
            ListedElements(vectors_of(part, local), elements_of(part, i), local, device));
}

PartHandle::PartHandle(const Part& part, const Options& local, const Options& halo)
    : PartHandle(part, local, halo, nullptr) {}
PartHandle::PartHandle(const Part& part, const Options& options)
    : PartHandle(part, options, halo_options(options)) {}

PartHandle make_part_handle(const Part& part, const Options& local, const Options& halo,
                            std::shared_ptr<Device> device) {
    return PartHandle(part, local, halo, device);
}

void PartHandle::fetch(ValueType type, std::size_t i, const void* x_of_other, void* halo,
                       Stream stream) const {
    if (i >= receives_.size())
        refuse(fmt::format("receive {} is outside the part's {}", i, receives_.size()));
    if (halo == nullptr) refuse("a vector is null");
    fetched_[i].gather(type, x_of_other,
                       static_cast<std::byte*>(halo) + receives_[i].first * row_bytes_, stream);
}

void PartHandle::prepare(Scale alpha, Scale beta, Stream stream) const {
    local_.prepare(alpha, beta, stream);
    if (halo_ != nullptr) halo_->prepare(alpha, Scale::one, stream);
}

bool enable_peer_access(const std::string& device, const std::string& other) {
    const auto own = open_device(device), reached = open_device(other);
    return own == reached || own->reach(*reached);
}

Options with_plan_of(const Info& info, Options options) {
    if (info.kernel.empty() || info.target.empty())
        refuse("the info is of no handle: give what info() of one returns");
    const auto plan = parse_kernel_name(info.kernel, parse_target(info.target));
    if (!plan) return options;
    options.format = info.format;
    options.kernel = plan->kernel;
    options.params = plan->params;
    return options;
}

}  // namespace spmvgen
