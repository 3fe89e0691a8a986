#include "handle/conversion/gpu_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "formats/layout.hpp"
#include "matrix/memory_limit.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// Bytes of arrays that are sooner copied once more on the host than sent one by one.
constexpr std::size_t most_packed = 1 << 15;

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

/// An array that a stored matrix gets a copy of.
struct Copied {
    std::string name;
    const void *on_host, *on_device;  ///< where it is; on the device or null
    std::size_t bytes;
    bool is_sent_alone() const { return on_device == nullptr && bytes > most_packed; }
};

/// One allocation for all of them, and one copy for those that are small.
void put(Device& device, std::vector<Copied>& arrays, GpuMatrix& made) {
    if (arrays.empty()) return;
    // What is packed comes first.
    std::ranges::stable_partition(arrays, [](const Copied& array) {
        return array.on_device == nullptr && !array.is_sent_alone();
    });
    std::size_t bytes = 0;
    for (auto& array : arrays) bytes += aligned(array.bytes);
    const std::shared_ptr<DeviceMemory> all = device.allocate_kept(bytes);
    std::vector<std::byte> packed;
    std::size_t begin = 0;
    for (auto& array : arrays) {
        auto& part =
            made.memory.emplace_back(std::make_unique<PartOfMemory>(all, begin, array.bytes));
        begin += aligned(array.bytes);
        made.stored.arrays[array.name] = part->data();
        if (array.on_device != nullptr) {
            device.enqueue_on_device(part->data(), array.on_device, array.bytes);
        } else if (array.is_sent_alone()) {
            device.enqueue_to_device(part->data(), array.on_host, array.bytes);
        } else if (array.bytes > 0) {
            packed.resize(begin);
            std::memcpy(packed.data() + begin - aligned(array.bytes), array.on_host, array.bytes);
        }
    }
    if (!packed.empty()) device.enqueue_to_device(all->data(), packed.data(), packed.size());
}

}  // namespace

std::size_t aligned(std::size_t bytes) {
    constexpr std::size_t alignment = 256;
    return (bytes + alignment - 1) / alignment * alignment;
}

void check_device_limit(Format format, std::size_t bytes, std::int64_t limit) {
    if (limit == 0 || bytes <= static_cast<std::size_t>(limit)) return;
    throw TooLarge(fmt::format("format {} would take {} on the device, more than "
                               "options.memory_limit, {}",
                               to_string(format), format_bytes(static_cast<double>(bytes)),
                               format_bytes(static_cast<double>(limit))),
                   memory_advice);
}

GpuMatrix upload(Device& device, const StoredMatrix& stored, const CsrView& matrix,
                 const UploadFrom& from) {
    GpuMatrix on_device;
    on_device.stored.format = stored.format;
    on_device.stored.scalars = stored.scalars;
    on_device.stored.stored = stored.stored;
    on_device.stored.bytes = stored.bytes;
    std::vector<Copied> copied;
    std::size_t total = 0;
    for (auto& [name, data] : stored.arrays) {
        const void* const found = array_on_device(data, matrix, from.on_device);
        if (from.borrow && found != nullptr) {
            on_device.stored.arrays.emplace(name, found);
            continue;
        }
        copied.push_back({name, data, found, bytes_of_array(stored, matrix, name)});
        total += copied.back().bytes;
    }
    check_device_limit(stored.format, total, from.memory_limit);
    put(device, copied, on_device);
    if (from.waits && !copied.empty()) device.synchronize({});
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
