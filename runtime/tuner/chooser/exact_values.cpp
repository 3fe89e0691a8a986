#include "tuner/chooser/exact_values.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "formats/value_encoding.hpp"

namespace spmvgen {

namespace {

EncodingChoice any_encoding(bool half) {
    return {.half = half, .small_integers = true, .one_value = true, .dictionary = true};
}

ExactValues to_exact(const ValueEncoding& found) {
    return {found.storage, static_cast<std::int64_t>(found.code)};
}

}  // namespace

ExactValues likely_values(const CsrView& matrix, bool half, int threads) {
    return to_exact(likely_encoding(matrix, any_encoding(half), threads));
}

ExactValues exact_values(const CsrView& matrix, bool half, int threads, EntrySource* source) {
    const EncodingChoice anything = any_encoding(half);
    const auto encoded = [&](const std::vector<EntryRange>& ranges) {
        CsrView some = matrix;
        const Buffer values = source->values(ranges);
        some.values = values.data();
        some.nnz = static_cast<std::int64_t>(values.bytes() / size_of(matrix.value_type));
        return encode_values(some, anything, threads);
    };
    const ValueEncoding plain{matrix.value_type};
    const auto is_plain = [&](const ValueEncoding& found) {
        return found.code == plain.code && found.storage == plain.storage;
    };
    ValueEncoding found = plain;
    if (source == nullptr)
        found = encode_values(matrix, anything, threads);
    else if (const auto first = values_looked_at_first(matrix.nnz);
             first.empty() || !is_plain(encoded(first))) {
        auto traits = source->value_traits();
        found = traits ? encoding_of(std::move(*traits), matrix.value_type, anything)
                       : encoded({{0, matrix.nnz}});
    }
    return to_exact(found);
}

}  // namespace spmvgen
