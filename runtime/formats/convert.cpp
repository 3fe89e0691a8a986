#include <fmt/format.h>

#include <limits>

#include "formats/format_storage.hpp"
#include "formats/layout.hpp"
#include "matrix/memory_limit.hpp"
#include "matrix/overflow.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// Share of the machine's free memory that a padded matrix may take.
constexpr double memory_share = 0.5;
/// Bytes that are free: to ask the system takes as long as some products of so small a matrix.
constexpr double always_free = 16e6;

}  // namespace

std::int64_t limit_of(IndexType type) {
    return type == IndexType::i32 ? std::numeric_limits<std::int32_t>::max()
                                  : std::numeric_limits<std::int64_t>::max();
}

void check_memory(const StoredMatrix& stored, double bytes) {
    if (stored.memory_limit == 0) return;
    for (auto& buffer : stored.owned) bytes += static_cast<double>(buffer.bytes());
    const auto limit = static_cast<double>(stored.memory_limit);
    if (bytes > limit)
        throw TooLarge(
            fmt::format("format {} would take at least {}, more than options.memory_limit, {}",
                        to_string(stored.format), format_bytes(bytes), format_bytes(limit)),
            memory_advice);
}

void check_padding(const CsrView& matrix, const StoredMatrix& stored, double entries) {
    if (stored.memory_limit > 0) return;
    const double bytes =
        entries * static_cast<double>(size_of(matrix.value_type) + size_of(matrix.index_type));
    if (bytes <= always_free) return;
    const auto available = static_cast<double>(available_memory());
    const auto nnz = static_cast<double>(matrix.nnz > 0 ? matrix.nnz : 1);
    if (bytes > memory_share * available)
        throw TooLarge(
            fmt::format("format {} would store {:.0f} entries for {} nonzeros ({:.1f} times as "
                        "many): {}, more than half of the {} that this machine has free",
                        to_string(stored.format), entries, matrix.nnz, entries / nnz,
                        format_bytes(bytes), format_bytes(available)),
            "; use csr or coo");
}

void check_fits(std::int64_t count, IndexType type, std::string_view what, std::string_view field) {
    if (count > limit_of(type))
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("{} {} do not fit the kernel's {} type, {}: give the matrix with "
                                "64-bit {}",
                                count, what, field, to_string(type),
                                field == "index" ? "columns" : "row offsets"));
}

void check_storable(const CsrView& matrix, const Signature& signature) {
    const ValueType storage = storage_type(signature);
    if (storage == matrix.value_type) return;
    const std::int64_t place = first_overflow(matrix, storage);
    if (place == matrix.nnz) return;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} is too large for storage type {}: use a wider one",
                            entry_text(matrix, place), to_string(storage)));
}

bool takes_values(const Signature& signature, ValueType matrix) {
    const ValueType storage = storage_type(signature);
    return storage == matrix || is_narrower(storage, matrix);
}

StoredMatrix new_stored(Format format, const CsrView& matrix, std::int64_t memory_limit) {
    StoredMatrix stored;
    stored.format = format;
    stored.memory_limit = memory_limit;
    stored.scalars = {{"num_rows", matrix.rows}, {"num_cols", matrix.cols}, {"nnz", matrix.nnz}};
    return stored;
}

bool is_gpu(const Signature& signature) {
    return kernel_entry(signature.kernel).gpu;
}

std::int64_t param(const Signature& signature, const ParamName& name,
                   std::optional<std::int64_t> absent) {
    if (const auto* const found = find_param(signature, name)) return *found;
    if (absent) return *absent;
    throw Error(ErrorCode::internal, fmt::format("kernel {} has no parameter {} that its storage "
                                                 "format needs",
                                                 signature.kernel, name.view()));
}

std::int64_t entry_bytes(const Signature& signature) {
    return static_cast<std::int64_t>(size_of(storage_type(signature)) + size_of(signature.index));
}

StoredMatrix convert(const CsrView& matrix, const Signature& signature, bool borrow,
                     std::int64_t memory_limit, std::span<const std::int32_t> row_order,
                     const StripsLayout* strips) {
    if (!takes_values(signature, matrix.value_type))
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("the matrix holds {} values but the kernel is for {}",
                                to_string(matrix.value_type), to_string(storage_type(signature))));
    check_fits(matrix.cols, signature.index, "columns", "index");
    check_fits(matrix.nnz, signature.offset, "nonzeros", "offset");
    check_storable(matrix, signature);
    return storage_of(signature).store(matrix, signature,
                                       {borrow, memory_limit, row_order, strips});
}

std::span<const FormatStorage> format_storages() {
    static const std::vector<FormatStorage> storages = collected_storages();
    return storages;
}

const FormatStorage& storage_of(Format format) {
    for (auto& storage : format_storages())
        if (storage.format == format) return storage;
    throw Error(
        ErrorCode::internal,
        fmt::format("no file of runtime/formats/kinds stores format {}", to_string(format)));
}

const FormatStorage& storage_of(const Signature& signature) {
    return storage_of(kernel_entry(signature.kernel).format);
}

double padding_of(const RowFeatures& f, const Signature& s) {
    const auto padding = storage_of(s).padding;
    return padding != nullptr ? padding(f, s) : 1;
}

}  // namespace spmvgen
