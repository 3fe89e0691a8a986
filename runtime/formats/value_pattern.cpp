#include "formats/value_pattern.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/format_storage.hpp"
#include "formats/narrow.hpp"
#include "formats/value_encoding.hpp"
#include "matrix/chunks.hpp"
#include "matrix/overflow.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t bytes_a_part = 1 << 20;  ///< that a thread copies at a time

ValuePlaces places_of(const Signature& signature) {
    return storage_of(signature).places(signature);
}

/// The buffer of `stored` that is this array; null when it is not its own.
const Buffer* buffer_of(const StoredMatrix& stored, const void* array) {
    const auto own = std::ranges::find_if(
        stored.owned, [&](const Buffer& buffer) { return buffer.data() == array; });
    return own != stored.owned.end() ? &*own : nullptr;
}

/// How many values each array has; nothing where one is not the matrix's own.
std::map<std::string, std::int64_t> places_in(const StoredMatrix& stored,
                                              const Signature& signature) {
    std::map<std::string, std::int64_t> places;
    const auto [names, bytes] = places_of_values(stored, signature);
    for (auto& name : names) {
        const Buffer* const own = buffer_of(stored, stored.arrays.at(name));
        if (own == nullptr) return {};
        places[name] = static_cast<std::int64_t>(own->bytes() / bytes);
    }
    return places;
}

}  // namespace

ValuePattern::ValuePattern(const CsrView& matrix, const Signature& signature, bool keep,
                           std::shared_ptr<const Buffer> row_ptr)
    : view_(matrix),
      signature_(signature),
      in_order_(places_of(signature) == ValuePlaces::in_order) {
    view_.row_ptr = view_.col_idx = view_.values = nullptr;
    if (in_order_ || !keep || matrix.nnz == 0) return;
    row_ptr_ = row_ptr != nullptr
                   ? std::move(row_ptr)
                   : std::make_shared<const Buffer>(
                         copy_bytes(matrix.row_ptr, matrix.rows + 1, size_of(matrix.offset_type)));
    if (places_of(signature) != ValuePlaces::by_column) return;
    lacks_columns_ = matrix.col_idx == nullptr;
    if (!lacks_columns_)
        col_idx_ = copy_bytes(matrix.col_idx, matrix.nnz, size_of(matrix.index_type));
}

std::int64_t ValuePattern::bytes() const {
    const std::size_t of_rows = row_ptr_ != nullptr ? row_ptr_->bytes() : 0;
    return static_cast<std::int64_t>(of_rows + col_idx_.bytes()) + (places_ ? places_->bytes() : 0);
}

CsrView ValuePattern::with_values(const void* values) const {
    CsrView view = view_;
    view.values = values;
    return view;
}

CsrView ValuePattern::matrix_with(const void* values) const {
    if (row_ptr_ == nullptr && view_.nnz > 0)
        throw Error(ErrorCode::internal, "no pattern was kept to convert new values by");
    CsrView matrix = view_;
    matrix.row_ptr = row_ptr_ != nullptr ? row_ptr_->data() : nullptr;
    matrix.col_idx = col_idx_.data();
    matrix.values = values;
    return matrix;
}

std::optional<ValueSources> ValuePattern::find_sources(
    const std::map<std::string, std::int64_t>& places) const {
    if (in_order_ || view_.nnz == 0) return {};
    return ValueSources::of(matrix_with(nullptr), signature_, places);
}

void ValuePattern::find_places(const StoredMatrix& stored) {
    const bool may = !sought_ && stored.memory_limit == 0 && !in_order_;
    sought_ = true;
    if (!may) return;
    if (value_code_of(signature_) == ValueCode::one_value)
        places_.emplace();
    else if (const auto sources = find_sources(places_in(stored, signature_)))
        places_ = EntryPlaces::of(*sources, view_.nnz);
}

bool ValuePattern::put_values(const void* values, const StoredMatrix& stored) {
    find_places(stored);
    if (!places_) return false;
    places_->put(view_.value_type, values, signature_, stored);
    return true;
}

StoredValues ValuePattern::convert_values(const void* values, const Signature& signature) const {
    StoredValues result;
    if (is_as_given(signature)) {
        const auto bytes = static_cast<std::size_t>(view_.nnz) * size_of(view_.value_type);
        result.arrays.push_back({"values", values, bytes});
        return result;
    }
    if (in_order_) {
        StoredMatrix& made = result.converted;
        made.stored = view_.nnz;
        dispatch_values(view_.value_type, signature, [&]<typename From, typename To>(From, To) {
            const auto* from = static_cast<const From*>(values);
            To* to = add_array<To>(made, "values", view_.nnz);
#pragma omp parallel for schedule(static)
            for (std::int64_t k = 0; k < view_.nnz; ++k) to[k] = stored_value<To>(from[k]);
        });
    } else {
        result.converted = convert(matrix_with(values), signature, true);
    }
    result.list_converted();
    return result;
}

// Encodings of values belong here as well, under names that end alike: whatever convert() makes of
// the new ones takes the place of the old arrays, if it has their sizes.
void StoredValues::list_converted() {
    arrays.clear();
    for (auto& [name, data] : converted.arrays)
        if (name.ends_with("values"))
            arrays.push_back({name, data, buffer_of(converted, data)->bytes()});
}

bool owns(const StoredMatrix& stored, const std::string& name) {
    return buffer_of(stored, stored.arrays.at(name)) != nullptr;
}

void overwrite(const StoredMatrix& stored, const StoredValues& fresh) {
    for (auto& array : fresh.arrays) {
        const Buffer* own = buffer_of(stored, stored.arrays.at(array.name));
        if (own != nullptr && own->bytes() != array.bytes)
            throw Error(ErrorCode::internal,
                        "new values do not fit the array '" + array.name + "'");
    }
    for (auto& array : fresh.arrays) {
        auto* to = static_cast<char*>(const_cast<void*>(stored.arrays.at(array.name)));
        const auto* from = static_cast<const char*>(array.data);
        for_parts(static_cast<std::int64_t>(array.bytes), bytes_a_part, 0,
                  [&](std::int64_t begin, std::int64_t end, int) {
                      std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
                  });
    }
}

StoredMatrix with_new_values(const StoredMatrix& stored, StoredValues fresh) {
    StoredMatrix next;
    next.format = stored.format;
    next.arrays = stored.arrays;
    next.scalars = stored.scalars;
    next.stored = stored.stored;
    next.bytes = stored.bytes;
    next.memory_limit = stored.memory_limit;
    next.owned.reserve(stored.owned.size() + fresh.arrays.size());
    double bytes = 0;
    for (auto& array : fresh.arrays) bytes += static_cast<double>(array.bytes);
    check_memory(stored, bytes);
    for (auto& array : fresh.arrays) {
        std::vector<Buffer>& made = fresh.converted.owned;
        const auto own = std::ranges::find_if(
            made, [&](const Buffer& buffer) { return buffer.data() == array.data; });
        next.owned.push_back(own != made.end() ? std::move(*own)
                                               : copy_bytes(array.data, 1, array.bytes));
        next.arrays[array.name] = std::as_const(next.owned.back()).data();
        next.bytes += static_cast<std::int64_t>(array.bytes);
        if (const Buffer* old = buffer_of(stored, stored.arrays.at(array.name)))
            next.bytes -= static_cast<std::int64_t>(old->bytes());
    }
    return next;
}

void replace_values(StoredMatrix& stored, StoredMatrix next) noexcept {
    const auto is_kept = [&](const Buffer& buffer) {
        return std::ranges::any_of(next.arrays,
                                   [&](auto& array) { return array.second == buffer.data(); });
    };
    for (Buffer& buffer : stored.owned)
        if (is_kept(buffer)) next.owned.push_back(std::move(buffer));
    stored = std::move(next);
}

std::int64_t first_too_large(ValueType type, const void* values, std::int64_t count,
                             ValueType storage) {
    CsrView row;
    row.nnz = count;
    row.value_type = type;
    row.values = values;
    return first_overflow(row, storage);
}

}  // namespace spmvgen
