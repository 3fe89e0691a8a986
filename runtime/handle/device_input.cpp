// Matrices whose arrays are in a device's memory.
#include <fmt/format.h>

#include <vector>

#include "handle/handle_impl.hpp"
#include "handle/input.hpp"
#include "handle/order.hpp"
#include "handle/stopwatch.hpp"
#include "matrix/coo_matrix.hpp"
#include "matrix/csr_matrix.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

Buffer to_host(Device& device, const void* array, std::int64_t count, std::size_t element) {
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
        row_ptr_ = to_host(device, a.row_ptr, a.rows + 1, size_of(a.offset_type));
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
    col_idx_ = to_host(device_, on_device_.col_idx, on_device_.nnz, size_of(on_device_.index_type));
    values_ = to_host(device_, on_device_.values, on_device_.nnz, size_of(on_device_.value_type));
    on_host_.col_idx = col_idx_.data();
    on_host_.values = values_.data();
    complete_ = true;
}

EntriesOfRanges DeviceCsr::fetch(std::span<const EntryRange> ranges, bool with_values) const {
    const std::size_t index = size_of(on_device_.index_type);
    const std::size_t value = size_of(on_device_.value_type);
    std::vector<DevicePiece> pieces;
    std::size_t entries = 0;
    const auto add = [&](const void* array, std::size_t element) {
        for (const auto [begin, end] : ranges)
            pieces.push_back(
                {static_cast<const std::byte*>(array) + static_cast<std::size_t>(begin) * element,
                 static_cast<std::size_t>(end - begin) * element});
    };
    for (const auto [begin, end] : ranges) entries += static_cast<std::size_t>(end - begin);
    // The wider elements first: so both arrays begin where such elements may.
    const bool values_first = with_values && value > index;
    if (values_first) add(on_device_.values, value);
    add(on_device_.col_idx, index);
    if (with_values && !values_first) add(on_device_.values, value);
    EntriesOfRanges fetched;
    fetched.memory = Buffer(entries * (index + (with_values ? value : 0)));
    auto* const begin = static_cast<std::byte*>(fetched.memory.data());
    device_.gather_to_host(begin, pieces);
    fetched.col_idx = begin + (values_first ? entries * value : 0);
    if (with_values) fetched.values = begin + (values_first ? 0 : entries * index);
    return fetched;
}

DownloadedEntries download(Device& device, const CooView& a) {
    validate_shape(a);
    DownloadedEntries here;
    here.row_idx = to_host(device, a.row_idx, a.nnz, size_of(a.index_type));
    here.col_idx = to_host(device, a.col_idx, a.nnz, size_of(a.index_type));
    here.values = to_host(device, a.values, a.nnz, size_of(a.value_type));
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
    if (names_order(options.reorder) || options.op != "N" ||
        may_get_order(matrix, options, provider, device.get()))
        input.complete();
    const double ms = watch.ms();
    auto impl = make_of_host_matrix(input.on_host(), options, provider, device, &input);
    impl->keep(options.owner, matrix, false);
    impl->tell_given(matrix.value_type, matrix.nnz, std::move(device));
    impl->tell_more_time(ms, &Info::convert_ms);
    return impl;
}

}  // namespace spmvgen
