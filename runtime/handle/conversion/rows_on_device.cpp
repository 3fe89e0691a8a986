#include "handle/conversion/rows_on_device.hpp"

#include "devices/gpu/kernel_steps.hpp"
#include "matrix/buffer.hpp"
#include "matrix/chunks.hpp"
#include "matrix/reorder/reordering.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t rows_of_table = 4096;  ///< rows that a thread takes at a time

/// Where each row begins in A, then where it begins in B, and where the last one ends there.
Buffer table_of(const CsrView& a, const Buffer& row_ptr, std::span<const std::int32_t> order,
                int threads) {
    const auto rows = static_cast<std::size_t>(a.rows);
    Buffer made = make_buffer<std::int64_t>(2 * a.rows + 1);
    const auto table = made.as<std::int64_t>();
    dispatch(a.offset_type, [&]<typename Offset>(Offset) {
        const auto* const begins = a.row_ptr_as<Offset>();
        const auto in_order = row_ptr.as<Offset>();
        for_parts(a.rows, rows_of_table, threads, [&](std::int64_t begin, std::int64_t end, int) {
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
                table[i] = begins[order[i]];
                table[rows + i] = in_order[i];
            }
        });
    });
    table.back() = a.nnz;
    return made;
}

}  // namespace

RowsOnDevice::RowsOnDevice(Device& device, const Kernels& kernels, const CsrView& on_device,
                           const CsrView& on_host, std::span<const std::int32_t> order, int threads)
    : view_(on_device) {
    const Buffer row_ptr = row_ptr_in_order(on_host, order, threads);
    const Buffer table = table_of(on_host, row_ptr, order, threads);
    const auto sent = [&](const Buffer& array) {
        auto memory = device.allocate_scratch(array.bytes());
        device.enqueue_to_device(memory->data(), array.data(), array.bytes());
        return memory;
    };
    row_ptr_ = sent(row_ptr);
    const auto places = sent(table);
    const auto copied = [&](const DeviceKernel& kernel, const void* array, std::size_t element) {
        auto memory = device.allocate_scratch(static_cast<std::size_t>(view_.nnz) * element);
        const auto* const begins = static_cast<const std::int64_t*>(places->data());
        launch_step(device, kernel, "gathered_pieces",
                    {.arrays = {{"csr_col_idx", array},
                                {"piece_begin", begins},
                                {"piece_ptr", begins + view_.rows},
                                {"gathered", memory->data()}},
                     .scalars = {{"num_pieces", view_.rows}, {"num_gathered", view_.nnz}}});
        return memory;
    };
    columns_ = copied(kernels.columns, on_device.col_idx, size_of(on_device.index_type));
    values_ = copied(kernels.values, on_device.values, size_of(on_device.value_type));
    view_.row_ptr = row_ptr_->data();
    view_.col_idx = columns_->data();
    view_.values = values_->data();
    device.synchronize({});
}

}  // namespace spmvgen
