#include "handle/conversion/rows_on_device.hpp"

#include "devices/gpu/kernel_steps.hpp"
#include "matrix/buffer.hpp"
#include "matrix/reorder/reordering.hpp"

namespace spmvgen {

PiecesOnDevice::PiecesOnDevice(Device& device, const ValueOrder& order, Memory memory)
    : device_(device),
      pieces_(static_cast<std::int64_t>(order.from.bytes() / size_of(order.type))),
      count_(order.count) {
    const auto sent = [&](const Buffer& array) {
        auto made = memory == Memory::own ? device.allocate(array.bytes())
                                          : device.allocate_scratch(array.bytes());
        if (array.bytes() > 0) device.enqueue_to_device(made->data(), array.data(), array.bytes());
        return made;
    };
    from_ = sent(order.from);
    before_ = sent(order.pieces);
}

std::unique_ptr<DeviceMemory> PiecesOnDevice::copied(const DeviceKernel& kernel, const void* array,
                                                     std::size_t element) const {
    auto memory = device_.allocate_scratch(static_cast<std::size_t>(count_) * element);
    launch_step(device_, kernel, "gathered_pieces",
                {.arrays = {{"csr_col_idx", array},
                            {"piece_begin", from_->data()},
                            {"piece_ptr", before_->data()},
                            {"gathered", memory->data()}},
                 .scalars = {{"num_pieces", pieces_}, {"num_gathered", count_}}});
    return memory;
}

RowsOnDevice::RowsOnDevice(Device& device, const Kernels& kernels, const CsrView& on_device,
                           const CsrView& on_host, std::span<const std::int32_t> order, int threads)
    : view_(on_device),
      order_(rows_in_order(on_host, order, threads)),
      pieces_(device, order_, PiecesOnDevice::Memory::scratch),
      columns_(pieces_.copied(kernels.columns, on_device.col_idx, size_of(on_device.index_type))),
      values_(pieces_.copied(kernels.values, on_device.values, size_of(on_device.value_type))) {
    view_.row_ptr = pieces_.before();
    view_.col_idx = columns_->data();
    view_.values = values_->data();
    device.synchronize({});
}

}  // namespace spmvgen
