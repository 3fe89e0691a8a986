#include "formats/value_sources.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "formats/layout.hpp"
#include "formats/narrow.hpp"
#include "matrix/chunks.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t places_a_part = 1 << 14;  ///< that a thread fills at a time

/// The array that `stored` owns under that name; null when it is not its own.
const Buffer* own_array(const StoredMatrix& stored, const std::string& name) {
    const auto array = stored.arrays.find(name);
    if (array == stored.arrays.end()) return nullptr;
    const auto own = std::ranges::find_if(
        stored.owned, [&](const Buffer& buffer) { return buffer.data() == array->second; });
    return own != stored.owned.end() ? &*own : nullptr;
}

/// The matrix stored with numbers of entries, from 1 on, in the place of values; f64 has all that
/// int32 has.
StoredMatrix with_entry_numbers(CsrView pattern, Signature signature) {
    Buffer numbers = make_buffer<double>(pattern.nnz);
    double* const number = numbers.as<double>().data();
    for_parts(pattern.nnz, places_a_part, 0, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t k = begin; k < end; ++k) number[k] = static_cast<double>(k + 1);
    });
    pattern.value_type = ValueType::f64;
    pattern.values = number;
    signature.value = ValueType::f64;
    signature.storage.reset();
    return convert(pattern, signature, false);
}

/// From such numbers; adds how many are not padding to `found`.
Buffer entries_of(const Buffer& numbers, std::atomic<std::int64_t>& found) {
    const auto places = static_cast<std::int64_t>(numbers.bytes() / sizeof(double));
    const double* const number = numbers.as<double>().data();
    Buffer entries = make_buffer<std::int32_t>(places);
    std::int32_t* const entry = entries.as<std::int32_t>().data();
    for_parts(places, places_a_part, 0, [&](std::int64_t begin, std::int64_t end, int) {
        std::int64_t filled = 0;
        for (std::int64_t i = begin; i < end; ++i) {
            entry[i] = static_cast<std::int32_t>(number[i]) - 1;
            filled += entry[i] >= 0;
        }
        found += filled;
    });
    return entries;
}

}  // namespace

std::optional<ValueSources> ValueSources::of(const CsrView& pattern, const Signature& signature,
                                             const std::map<std::string, std::int64_t>& places) {
    if (places.empty() || pattern.nnz >= INT32_MAX) return {};
    const StoredMatrix numbered = with_entry_numbers(pattern, signature);
    ValueSources sources;
    std::atomic<std::int64_t> found = 0;
    for (auto& [name, count] : places) {
        const Buffer* const numbers = own_array(numbered, name);
        if (numbers == nullptr || numbers->as<double>().size() != static_cast<std::size_t>(count))
            return {};
        sources.arrays_.push_back({name, entries_of(*numbers, found)});
    }
    // An array without a place has an element all the same, of which nothing is known.
    if (found != pattern.nnz) return {};
    return sources;
}

std::int64_t ValueSources::bytes() const {
    std::size_t bytes = 0;
    for (auto& array : arrays_) bytes += array.entry.bytes();
    return static_cast<std::int64_t>(bytes);
}

void ValueSources::put(ValueType type, const void* values, const Signature& signature,
                       const StoredMatrix& stored) const {
    dispatch_values(type, signature, [&]<typename From, typename To>(From, To) {
        const auto* const from = static_cast<const From*>(values);
        for (auto& array : arrays_) {
            auto* const to = static_cast<To*>(const_cast<void*>(stored.arrays.at(array.name)));
            const std::span<const std::int32_t> entry = array.entry.as<std::int32_t>();
            for_parts(std::ssize(entry), places_a_part, 0,
                      [&](std::int64_t begin, std::int64_t end, int) {
                          for (std::int64_t i = begin; i < end; ++i) {
                              const std::int32_t k = entry[static_cast<std::size_t>(i)];
                              if (k >= 0) to[i] = stored_value<To>(from[k]);
                          }
                      });
        }
    });
}

std::vector<std::string> names_of_values(const StoredMatrix& stored, const Signature& signature) {
    std::vector<std::string> names;
    if (param(signature, "value_code", 0) != 0) return names;
    for (auto& [name, data] : stored.arrays)
        if (name.ends_with("values") && name != "coded_values") names.push_back(name);
    return names;
}

}  // namespace spmvgen
