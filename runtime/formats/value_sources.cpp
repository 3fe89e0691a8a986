#include "formats/value_sources.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "formats/layout.hpp"
#include "formats/narrow.hpp"
#include "formats/value_encoding.hpp"
#include "matrix/chunks.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t entries_a_turn = 1 << 14;  ///< that a thread walks at a time
constexpr const char* coded = "coded_values";

/// The array that `stored` owns under that name; null when it is not its own.
const Buffer* own_array(const StoredMatrix& stored, const std::string& name) {
    const auto array = stored.arrays.find(name);
    if (array == stored.arrays.end()) return nullptr;
    const auto own = std::ranges::find_if(
        stored.owned, [&](const Buffer& buffer) { return buffer.data() == array->second; });
    return own != stored.owned.end() ? &*own : nullptr;
}

/// Bytes an entry, which arrays of numbers may take for a while where values are codes, whose
/// padding takes little: then there may be more places than a format allows for values.
constexpr std::int64_t most_bytes_an_entry = 128;

/// The matrix stored with numbers of entries, from 1 on, in the place of values; f64 has all that
/// int32 has. Throws TooLarge.
StoredMatrix with_entry_numbers(CsrView pattern, Signature signature) {
    Buffer numbers = make_buffer<double>(pattern.nnz);
    double* const number = numbers.as<double>().data();
    for_parts(pattern.nnz, entries_a_turn, 0, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t k = begin; k < end; ++k) number[k] = static_cast<double>(k + 1);
    });
    pattern.value_type = ValueType::f64;
    pattern.values = number;
    signature.value = ValueType::f64;
    signature.storage.reset();
    if (signature.params.contains("value_code"))
        signature.params["value_code"] = static_cast<int>(ValueCode::plain);
    try {
        return convert(pattern, signature, false);
    } catch (const TooLarge&) {
        return convert(pattern, signature, false, most_bytes_an_entry * pattern.nnz);
    }
}

/// From such numbers; adds how many are not padding to `found`.
Buffer entries_of(const Buffer& numbers, std::atomic<std::int64_t>& found) {
    const auto places = static_cast<std::int64_t>(numbers.bytes() / sizeof(double));
    const double* const number = numbers.as<double>().data();
    Buffer entries = make_buffer<std::int32_t>(places);
    std::int32_t* const entry = entries.as<std::int32_t>().data();
    for_parts(places, entries_a_turn, 0, [&](std::int64_t begin, std::int64_t end, int) {
        std::int64_t filled = 0;
        for (std::int64_t i = begin; i < end; ++i) {
            entry[i] = static_cast<std::int32_t>(number[i]) - 1;
            filled += entry[i] >= 0;
        }
        found += filled;
    });
    return entries;
}

template <typename From, typename To>
void put_in_one(const From* from, const std::uint32_t* place, std::int64_t begin, std::int64_t end,
                To* to) {
    for (std::int64_t k = begin; k < end; ++k) to[place[k]] = stored_value<To>(from[k]);
}

}  // namespace

std::optional<ValueSources> ValueSources::of(const CsrView& pattern, const Signature& signature,
                                             const std::map<std::string, std::int64_t>& places) {
    if (places.empty() || pattern.nnz >= INT32_MAX) return {};
    StoredMatrix numbered;
    try {
        numbered = with_entry_numbers(pattern, signature);
    } catch (const TooLarge&) {
        return {};
    }
    ValueSources sources;
    std::atomic<std::int64_t> found = 0;
    for (auto& [name, count] : places) {
        const Buffer* const numbers = own_array(numbered, name == coded ? "values" : name);
        if (numbers == nullptr || numbers->as<double>().size() != static_cast<std::size_t>(count))
            return {};
        sources.arrays_.push_back({name, entries_of(*numbers, found)});
    }
    if (found != pattern.nnz) return {};
    return sources;
}

std::optional<EntryPlaces> EntryPlaces::of(const ValueSources& sources, std::int64_t entries) {
    EntryPlaces places;
    std::int64_t count = 0;
    places.place_ = make_buffer<std::uint32_t>(entries);
    std::uint32_t* const place = places.place_.as<std::uint32_t>().data();
    for (auto& [name, entry] : sources.arrays()) {
        const std::span<const std::int32_t> numbers = entry.as<std::int32_t>();
        if (count + std::ssize(numbers) > UINT32_MAX) return {};
        const auto first = static_cast<std::uint32_t>(count);
        places.arrays_.push_back({name, first});
        for_parts(std::ssize(numbers), entries_a_turn, 0,
                  [&](std::int64_t begin, std::int64_t end, int) {
                      for (std::int64_t i = begin; i < end; ++i) {
                          const std::int32_t k = numbers[static_cast<std::size_t>(i)];
                          if (k >= 0) place[k] = first + static_cast<std::uint32_t>(i);
                      }
                  });
        count += std::ssize(numbers);
    }
    return places;
}

void EntryPlaces::put_coded(ValueType type, const void* values, const Signature& signature,
                            const StoredMatrix& stored) const {
    const std::span<const std::uint32_t> place = place_.as<std::uint32_t>();
    CsrView numbers;
    numbers.nnz = std::ssize(place);
    numbers.value_type = type;
    numbers.values = values;
    const bool is_listed = value_code_of(signature) == ValueCode::dictionary;
    const ValueEncoding encoding =
        is_listed ? required_encoding(numbers, signature)
                  : ValueEncoding{storage_type(signature), value_code_of(signature)};
    dispatch_values(type, signature, [&]<typename From, typename To>(From, To) {
        const auto* const from = static_cast<const From*>(values);
        const auto array = [&](const char* name) {
            return const_cast<void*>(stored.arrays.at(name));
        };
        const ValueWriter<From, To> writer(encoding, from[0], static_cast<To*>(array("values")),
                                           static_cast<unsigned char*>(array(coded)));
        writer.with_writer([&](const auto of_code) {
            for_parts(std::ssize(place), entries_a_turn, 0,
                      [&](std::int64_t begin, std::int64_t end, int) {
                          for (std::int64_t k = begin; k < end; ++k)
                              of_code.put(place[static_cast<std::size_t>(k)], from[k]);
                      });
        });
    });
}

void EntryPlaces::put(ValueType type, const void* values, const Signature& signature,
                      const StoredMatrix& stored) const {
    if (value_code_of(signature) != ValueCode::plain)
        return put_coded(type, values, signature, stored);
    const std::span<const std::uint32_t> place = place_.as<std::uint32_t>();
    dispatch_values(type, signature, [&]<typename From, typename To>(From, To) {
        const auto* const from = static_cast<const From*>(values);
        std::vector<To*> to;
        to.reserve(arrays_.size());
        for (auto& array : arrays_)
            to.push_back(static_cast<To*>(const_cast<void*>(stored.arrays.at(array.name))));
        const auto put_part = [&](std::int64_t begin, std::int64_t end, int) {
            if (arrays_.size() == 1) return put_in_one(from, place.data(), begin, end, to[0]);
            for (std::int64_t k = begin; k < end; ++k) {
                const std::uint32_t p = place[static_cast<std::size_t>(k)];
                std::size_t a = arrays_.size() - 1;
                while (p < arrays_[a].first) --a;
                to[a][p - arrays_[a].first] = stored_value<To>(from[k]);
            }
        };
        for_parts(std::ssize(place), entries_a_turn, 0, put_part);
    });
}

PlacesOfValues places_of_values(const StoredMatrix& stored, const Signature& signature) {
    switch (value_code_of(signature)) {
        case ValueCode::plain:
            break;
        case ValueCode::one_value:
            return {{}, 1};
        case ValueCode::small_integers:
        case ValueCode::dictionary:
            return {{coded}, 1};
    }
    PlacesOfValues places{{}, size_of(storage_type(signature))};
    for (auto& [name, data] : stored.arrays)
        if (name.ends_with("values") && name != coded) places.names.push_back(name);
    return places;
}

}  // namespace spmvgen
