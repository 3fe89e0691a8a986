// Matrices whose arrays are in a device's memory.
#include <fmt/format.h>

#include "handle/handle_impl.hpp"
#include "handle/input.hpp"
#include "handle/stopwatch.hpp"
#include "matrix/coo_matrix.hpp"
#include "matrix/csr_matrix.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

Buffer fetch(Device& device, const void* array, std::int64_t count, std::size_t element) {
    Buffer here(static_cast<std::size_t>(count) * element);
    if (here.bytes() > 0) device.copy_to_host(here.data(), array, here.bytes());
    return here;
}

}  // namespace

DeviceCsr::DeviceCsr(Device& device, const CsrView& a)
    : device_(device), on_device_(a), on_host_(a) {
    validate_shape(a);
    on_host_.row_ptr = on_host_.col_idx = on_host_.values = nullptr;
    if (a.rows > 0) {
        row_ptr_ = fetch(device, a.row_ptr, a.rows + 1, size_of(a.offset_type));
        on_host_.row_ptr = row_ptr_.data();
        // A wrong number of entries is found out before the arrays are read by it.
        const std::int64_t end = on_host_.row_begin(a.rows);
        if (end != a.nnz)
            throw Error(
                ErrorCode::invalid_argument,
                fmt::format("broken CSR matrix: row_ptr ends at {}, but there are {} entries", end,
                            a.nnz));
    }
}

void DeviceCsr::complete() {
    if (complete_) return;
    col_idx_ = fetch(device_, on_device_.col_idx, on_device_.nnz, size_of(on_device_.index_type));
    values_ = fetch(device_, on_device_.values, on_device_.nnz, size_of(on_device_.value_type));
    on_host_.col_idx = col_idx_.data();
    on_host_.values = values_.data();
    complete_ = true;
}

DownloadedEntries download(Device& device, const CooView& a) {
    validate_shape(a);
    DownloadedEntries here;
    here.row_idx = fetch(device, a.row_idx, a.nnz, size_of(a.index_type));
    here.col_idx = fetch(device, a.col_idx, a.nnz, size_of(a.index_type));
    here.values = fetch(device, a.values, a.nnz, size_of(a.value_type));
    here.view = a;
    here.view.row_idx = here.row_idx.data();
    here.view.col_idx = here.col_idx.data();
    here.view.values = here.values.data();
    return here;
}

std::unique_ptr<HandleImpl> make_from_device(const CsrView& matrix, const Options& options,
                                             KernelProvider& provider,
                                             std::shared_ptr<Device> device) {
    const Stopwatch watch;
    DeviceCsr input(*device, matrix);
    if (options.reorder != "none" || options.op != "N") input.complete();
    const double ms = watch.ms();
    auto impl = make_of_host_matrix(input.on_host(), options, provider, device, &input);
    impl->keep(options.owner, matrix, false);
    impl->tell_given(matrix.value_type, matrix.nnz, std::move(device));
    impl->tell_more_time(ms, &Info::convert_ms);
    return impl;
}

}  // namespace spmvgen
