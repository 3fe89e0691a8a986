#include "handle/conversion/rows_on_device.hpp"

#include <algorithm>

#include "devices/gpu/kernel_steps.hpp"
#include "matrix/buffer.hpp"
#include "matrix/reorder/reordering.hpp"

namespace spmvgen {

PiecesOnDevice::PiecesOnDevice(Device& device, const ValueOrder& order)
    : device_(device), count_(order.count) {
    const Buffer table = dispatch(order.type, [&]<typename Number>(Number) {
        const auto from = order.from.as<Number>(), before = order.pieces.as<Number>();
        pieces_ = std::ssize(from);
        Buffer made = make_buffer<std::int64_t>(2 * pieces_ + 1);
        std::ranges::copy(before, std::ranges::copy(from, made.as<std::int64_t>().begin()).out);
        return made;
    });
    table_ = device.allocate(table.bytes());
    device.copy_to_device(table_->data(), table.data(), table.bytes());
}

std::unique_ptr<DeviceMemory> PiecesOnDevice::copied(const DeviceKernel& kernel, const void* array,
                                                     std::size_t element) const {
    auto memory = device_.allocate_scratch(static_cast<std::size_t>(count_) * element);
    const auto* const begins = static_cast<const std::int64_t*>(table_->data());
    launch_step(device_, kernel, "gathered_pieces",
                {.arrays = {{"csr_col_idx", array},
                            {"piece_begin", begins},
                            {"piece_ptr", begins + pieces_},
                            {"gathered", memory->data()}},
                 .scalars = {{"num_pieces", pieces_}, {"num_gathered", count_}}});
    return memory;
}

RowsOnDevice::RowsOnDevice(Device& device, const Kernels& kernels, const CsrView& on_device,
                           const CsrView& on_host, std::span<const std::int32_t> order, int threads)
    : view_(on_device) {
    const Buffer row_ptr = row_ptr_in_order(on_host, order, threads);
    row_ptr_ = device.allocate_scratch(row_ptr.bytes());
    device.enqueue_to_device(row_ptr_->data(), row_ptr.data(), row_ptr.bytes());
    CsrView in_order = on_host;
    in_order.row_ptr = row_ptr.data();
    order_ = values_in_order(on_host, in_order, order, threads);
    const PiecesOnDevice pieces(device, order_);
    columns_ = pieces.copied(kernels.columns, on_device.col_idx, size_of(on_device.index_type));
    values_ = pieces.copied(kernels.values, on_device.values, size_of(on_device.value_type));
    view_.row_ptr = row_ptr_->data();
    view_.col_idx = columns_->data();
    view_.values = values_->data();
    device.synchronize({});
}

}  // namespace spmvgen
