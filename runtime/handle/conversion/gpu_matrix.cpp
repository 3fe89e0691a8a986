#include "handle/conversion/gpu_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "matrix/memory_limit.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

std::size_t elements_bytes(std::int64_t count, std::size_t element) {
    return static_cast<std::size_t>(count) * element;
}

/// How large the array at `data` is: one of its own, or one of the caller's.
std::size_t bytes_of_array(const StoredMatrix& stored, const CsrView& matrix,
                           const std::string& name) {
    const void* data = stored.arrays.at(name);
    const auto own = std::ranges::find_if(
        stored.owned, [&](const Buffer& buffer) { return buffer.data() == data; });
    if (own != stored.owned.end()) return own->bytes();
    if (data == matrix.row_ptr) return elements_bytes(matrix.rows + 1, size_of(matrix.offset_type));
    if (data == matrix.col_idx) return elements_bytes(matrix.nnz, size_of(matrix.index_type));
    if (data == matrix.values) return elements_bytes(matrix.nnz, size_of(matrix.value_type));
    throw Error(ErrorCode::internal, fmt::format("array '{}' of a matrix in format {} has no size",
                                                 name, to_string(stored.format)));
}

/// The caller's array on the device that `data`, of the matrix on this host, is a copy of; null
/// when there is none.
const void* array_on_device(const void* data, const CsrView& matrix, const CsrView* on_device) {
    if (on_device == nullptr || data == nullptr) return nullptr;
    return data == matrix.row_ptr   ? on_device->row_ptr
           : data == matrix.col_idx ? on_device->col_idx
           : data == matrix.values  ? on_device->values
                                    : nullptr;
}

}  // namespace

void check_device_limit(Format format, std::size_t bytes, std::int64_t limit) {
    if (limit == 0 || bytes <= static_cast<std::size_t>(limit)) return;
    throw TooLarge(fmt::format("format {} would take {} on the device, more than "
                               "options.memory_limit, {}",
                               to_string(format), format_bytes(static_cast<double>(bytes)),
                               format_bytes(static_cast<double>(limit))),
                   ": use a format that takes less, or raise the limit");
}

GpuMatrix upload(Device& device, const StoredMatrix& stored, const CsrView& matrix,
                 const UploadFrom& from) {
    const auto is_borrowed = [&](const void* data) {
        return from.borrow && array_on_device(data, matrix, from.on_device) != nullptr;
    };
    std::size_t total = 0;
    for (auto& [name, data] : stored.arrays)
        if (!is_borrowed(data)) total += bytes_of_array(stored, matrix, name);
    check_device_limit(stored.format, total, from.memory_limit);
    GpuMatrix on_device;
    on_device.stored.format = stored.format;
    on_device.stored.scalars = stored.scalars;
    on_device.stored.stored = stored.stored;
    on_device.stored.bytes = stored.bytes;
    for (auto& [name, data] : stored.arrays) {
        const void* const found = array_on_device(data, matrix, from.on_device);
        if (is_borrowed(data)) {
            on_device.stored.arrays.emplace(name, found);
            continue;
        }
        const std::size_t bytes = bytes_of_array(stored, matrix, name);
        const auto& memory = on_device.memory.emplace_back(device.allocate(bytes));
        if (found != nullptr)
            device.copy_on_device(memory->data(), found, bytes);
        else
            device.copy_to_device(memory->data(), data, bytes);
        on_device.stored.arrays.emplace(name, memory->data());
    }
    return on_device;
}

GpuMatrix with_new_values(Device& device, const GpuMatrix& matrix, const StoredValues& fresh,
                          std::int64_t memory_limit) {
    std::size_t total = 0;
    for (auto& memory : matrix.memory) total += memory->bytes();
    for (auto& array : fresh.arrays) total += array.bytes;
    check_device_limit(matrix.stored.format, total, memory_limit);
    GpuMatrix next;
    next.stored.format = matrix.stored.format;
    next.stored.arrays = matrix.stored.arrays;
    next.stored.scalars = matrix.stored.scalars;
    next.stored.stored = matrix.stored.stored;
    next.stored.bytes = matrix.stored.bytes;
    for (auto& array : fresh.arrays) {
        const auto& memory = next.memory.emplace_back(device.allocate(array.bytes));
        device.copy_to_device(memory->data(), array.data, array.bytes);
        next.stored.arrays[array.name] = memory->data();
    }
    return next;
}

}  // namespace spmvgen
