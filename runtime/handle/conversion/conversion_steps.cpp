#include "handle/conversion/conversion_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "formats/layout.hpp"
#include "formats/value_encoding.hpp"
#include "matrix/memory_limit.hpp"

namespace spmvgen {
namespace {

constexpr double memory_share = 0.5;
/// Bytes that are too few for the device to be asked what it has free, which takes as long as some
/// steps of a conversion: should they be too many, allocating them says so.
constexpr std::int64_t never_refused = 1 << 26;
/// Sizes of a thread in a scan (templates/dialect/convert/gpu_convert.hpp).
constexpr std::int64_t scan_items = 4;

/// Lets `values` name arrays that lie one behind another from `begin` on.
void name_arrays(const std::vector<ArraySize>& arrays, void* begin, StepValues& values) {
    auto* at = static_cast<std::byte*>(begin);
    for (auto& [name, bytes] : arrays) {
        values.arrays[name] = at;
        at += aligned(bytes);
    }
}

std::size_t bytes_of(const std::vector<ArraySize>& arrays) {
    std::size_t bytes = 0;
    for (auto& array : arrays) bytes += aligned(array.second);
    return bytes;
}

}  // namespace

std::size_t array_bytes(std::int64_t count, std::size_t element) {
    return static_cast<std::size_t>(std::max<std::int64_t>(count, 1)) * element;
}

std::string fault_of(const ConversionCounts& counts, const Signature& converter) {
    if (counts[count_outside] > 0) return "columns that the matrix has not";
    if (counts[count_falling] > 0) return "rows whose columns do not rise, for blocks";
    if (counts[count_inexact] > 0)
        return param(converter, "value_code", 0) > 0 ? "values that the value code has not"
                                                     : "values too large for their type";
    return "";
}

ValueElements value_elements(const Signature& signature, std::int64_t places) {
    const std::int64_t some = std::max<std::int64_t>(places, 1);
    switch (value_code_of(signature)) {
        case ValueCode::plain:
            return {some, 1};
        case ValueCode::small_integers:
            return {1, some};
        case ValueCode::one_value:
            return {1, 1};
        case ValueCode::dictionary:
            return {static_cast<std::int64_t>(dictionary_elements), some};
    }
    return {some, some};
}

std::vector<std::byte> dictionary_bytes(const std::vector<ValueBits>& dictionary, ValueType type) {
    const std::size_t element = size_of(type);
    std::vector<std::byte> bytes(std::max<std::size_t>(dictionary.size(), 1) * element);
    for (std::size_t i = 0; i < dictionary.size(); ++i)
        std::memcpy(bytes.data() + i * element, dictionary[i].data(), element);
    return bytes;
}

void check_padding(Device& device, const CsrView& matrix, const StoredMatrix& stored,
                   std::int64_t entries, std::int64_t bytes) {
    if (bytes <= never_refused) return;
    const auto free = static_cast<double>(device.free_bytes());
    if (static_cast<double>(bytes) <= memory_share * free) return;
    throw TooLarge(
        fmt::format("format {} would store {} entries for {} nonzeros ({:.1f} times as many): {}, "
                    "more than half of the {} that the device has free",
                    to_string(stored.format), entries, matrix.nnz,
                    static_cast<double>(entries) / static_cast<double>(matrix.nnz),
                    format_bytes(static_cast<double>(bytes)), format_bytes(free)),
        "; use csr or coo");
}

void add_arrays(Device& device, const std::vector<ArraySize>& arrays, StepValues& values,
                GpuMatrix& made) {
    const std::shared_ptr<DeviceMemory> all = device.allocate_kept(bytes_of(arrays));
    name_arrays(arrays, all->data(), values);
    std::size_t begin = 0;
    for (auto& array : arrays) {
        made.memory.push_back(std::make_unique<PartOfMemory>(all, begin, array.second));
        begin += aligned(array.second);
    }
}

ConversionSteps::ConversionSteps(Device& device, const DeviceKernel& converter,
                                 const MatrixOnDevice& matrix)
    : device_(device), converter_(converter), matrix_(matrix) {
    values_.arrays["row_ptr"] = matrix.on_device.row_ptr;
    values_.arrays["csr_col_idx"] = matrix.on_device.col_idx;
    values_.arrays["csr_values"] = matrix.on_device.values;
    values_.scalars = {{"num_rows", matrix.on_host.rows},
                       {"num_cols", matrix.on_host.cols},
                       {"nnz", matrix.on_host.nnz},
                       {"num_distinct", std::ssize(matrix.dictionary)},
                       {"one", 1}};
    // Both in one copy, which is sooner done than zero(), for that makes a stream of its own.
    constexpr std::size_t counts = sizeof(ConversionCounts);
    const auto dictionary = dictionary_bytes(matrix.dictionary, matrix.on_host.value_type);
    add_scratch({{"counts", counts}, {"dictionary", dictionary.size()}});
    std::vector<std::byte> made(aligned(counts));
    made.insert(made.end(), dictionary.begin(), dictionary.end());
    device_.enqueue_to_device(const_cast<void*>(values_.arrays.at("counts")), made.data(),
                              made.size());
}

void ConversionSteps::check_entries() {
    launch("convert_check_columns");
    check_values();
}

void ConversionSteps::check_values() {
    const Signature& s = converter();
    const bool rounds = storage_type(s) != s.value;
    if (!s.params.contains("value_code")) {
        if (rounds) launch("convert_check_range");
    } else if (const auto code = param(s, "value_code"); rounds || code == 1 || code == 2) {
        launch("convert_check_values");
    }
}

void ConversionSteps::add_scratch(const std::vector<ArraySize>& arrays) {
    auto& memory = scratch_.emplace_back(device_.allocate_scratch(bytes_of(arrays)));
    name_arrays(arrays, memory->data(), values_);
}

void ConversionSteps::add_arrays(const std::vector<ArraySize>& arrays, GpuMatrix& made) {
    spmvgen::add_arrays(device_, arrays, values_, made);
}

void ConversionSteps::scan(const char* sizes, std::int64_t count, const char* ptr) {
    values_.arrays["sizes"] = values_.arrays.at(sizes);
    values_.arrays["ptr"] = values_.arrays.at(ptr);
    values_.scalars["num_sizes"] = count;
    launch("convert_scan");
}

void ConversionSteps::scan_many(const char* sizes, std::int64_t count, const char* ptr) {
    const Signature& s = converter();
    const std::int64_t part = param(s, "block") * scan_items;
    const std::int64_t parts = (count + part - 1) / part;
    add_scratch({{"part_sums", array_bytes(parts, size_of(s.offset))},
                 {"part_ptr", array_bytes(parts + 1, size_of(s.offset))}});
    values_.arrays["item_sizes"] = values_.arrays.at(sizes);
    values_.arrays["item_ptr"] = values_.arrays.at(ptr);
    values_.scalars["num_items"] = count;
    launch("convert_sum_parts");
    scan("part_sums", parts, "part_ptr");
    launch("convert_scan_parts");
}

ConversionCounts ConversionSteps::read_counts() {
    ConversionCounts counts{};
    device_.copy_to_host(counts.data(), values_.arrays.at("counts"), sizeof counts);
    return counts;
}

}  // namespace spmvgen
