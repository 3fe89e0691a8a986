#include "handle/gpu_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

std::size_t bytes_of(std::int64_t count, std::size_t element) {
    return static_cast<std::size_t>(count) * element;
}

/// How large the array at `data` is: one of its own, or one of the caller's.
std::size_t array_bytes(const StoredMatrix& stored, const CsrView& matrix,
                        const std::string& name) {
    const void* data = stored.arrays.at(name);
    const auto own = std::ranges::find_if(
        stored.owned, [&](const Buffer& buffer) { return buffer.data() == data; });
    if (own != stored.owned.end()) return own->bytes();
    if (data == matrix.row_ptr) return bytes_of(matrix.rows + 1, size_of(matrix.offset_type));
    if (data == matrix.col_idx) return bytes_of(matrix.nnz, size_of(matrix.index_type));
    if (data == matrix.values) return bytes_of(matrix.nnz, size_of(matrix.value_type));
    throw Error(ErrorCode::internal, fmt::format("array '{}' of a matrix in format {} has no size",
                                                 name, to_string(stored.format)));
}

}  // namespace

GpuMatrix upload(Device& device, const StoredMatrix& stored, const CsrView& matrix) {
    GpuMatrix on_device;
    on_device.stored.format = stored.format;
    on_device.stored.scalars = stored.scalars;
    on_device.stored.stored = stored.stored;
    on_device.stored.bytes = stored.bytes;
    for (auto& [name, data] : stored.arrays) {
        const std::size_t bytes = array_bytes(stored, matrix, name);
        const auto& memory = on_device.memory.emplace_back(device.allocate(bytes));
        device.copy_to_device(memory->data(), data, bytes);
        on_device.stored.arrays.emplace(name, memory->data());
    }
    return on_device;
}

}  // namespace spmvgen
