#pragma once
#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <vector>

#include "formats/layout.hpp"
#include "formats/narrow.hpp"
#include "formats/stored_matrix.hpp"
#include "matrix/entry_source.hpp"
#include "matrix/value_classes.hpp"
#include "spmvgen/matrix.hpp"

/// Exact narrow values: what the values of a matrix can be stored as so that every bit can be had
/// back. docs/explanation/encodings.md.
namespace spmvgen {

/// Legal values of the parameter value_code, as templates/dialect/coded_values.hpp has them.
enum class ValueCode : int {
    plain = 0,           ///< "values" holds each entry in the storage type
    small_integers = 1,  ///< "coded_values" holds int8
    one_value = 2,       ///< "values" holds the one value of all entries
    dictionary = 3,      ///< "coded_values" holds numbers of elements of "values", which has 256
};

/// The signature's parameter value_code: plain where it has none.
ValueCode value_code_of(const Signature& signature);

/// How values are stored without loss. Nothing of it depends on the number of threads.
struct ValueEncoding {
    /// The narrowest type that every value is one of: what plain values are stored in. With another
    /// code "values" has the type of the matrix.
    ValueType storage = ValueType::f64;
    ValueCode code = ValueCode::plain;
    /// The different values, of the matrix's type, sorted by their bits: for code `dictionary`.
    std::vector<ValueBits> dictionary{};
    bool operator==(const ValueEncoding&) const = default;
};

/// What a kernel can read.
struct EncodingChoice {
    bool narrow_storage = true;   ///< storage types narrower than the matrix's
    bool half = true;             ///< of these f16, too
    bool small_integers = false;  ///< the codes but `plain`
    bool one_value = false;
    bool dictionary = false;
    bool operator==(const EncodingChoice&) const = default;
};

/// Bytes of an entry's value. The dictionary and the one value count nothing.
std::int64_t value_bytes(const ValueEncoding& encoding);

/// The code of fewest bytes that is allowed, and the narrowest storage type, that give each value
/// back bit for bit: -0 and infinities are kept, NaNs by codes one_value and dictionary only, for a
/// conversion may change their payload. Of equal size, integers come before a dictionary and bf16
/// before f16. Looks at a few values of a large matrix first, then at every value, each at most
/// twice, and stops as soon as nothing narrower is left. Parallel on `threads` threads (0 = what
/// OpenMP would use).
ValueEncoding encode_values(const CsrView& matrix, const EncodingChoice& allowed, int threads = 0);

/// The same, but where the few values have no more different ones than a dictionary holds, that is
/// believed of all: the dictionary is then empty. Looks at every value once at most.
ValueEncoding likely_encoding(const CsrView& matrix, const EncodingChoice& allowed,
                              int threads = 0);

/// The same for values of `type` of which that is known.
ValueEncoding encoding_of(ValueTraits traits, ValueType type, const EncodingChoice& allowed);

/// The encoding that the signature's parameter value_code (plain where it has none) and storage
/// type ask for; a storage type that rounds is as good as any other. Throws Error(invalid_argument)
/// that names the first value which the code does not have.
ValueEncoding required_encoding(const CsrView& matrix, const Signature& signature);

/// The values that encode_values() looks at before all others of a matrix with so many: what is not
/// possible for these alone, it does not give. Nothing = it looks at all of them at once.
std::vector<EntryRange> values_looked_at_first(std::int64_t entries);

/// Whether a matrix with these values can be stored for the signature without loss.
bool holds_exactly(const CsrView& matrix, const Signature& signature);
/// The same of values of `type` of which that is known.
bool holds_exactly(const ValueTraits& traits, ValueType type, const Signature& signature);

/// Whether the signature stores values in fewer bytes than type `given`, which the matrix's have.
bool is_encoded(const Signature& signature, ValueType given);

/// What else the signature's kernel could store values as when new ones do not fit: with more bytes
/// at each step, the last as type `given`. So numbers that come and go widen a matrix a few times
/// at most. A CPU's kernels get no f16.
std::vector<Signature> wider_signatures(const Signature& signature, ValueType given);

/// Bytes of the arrays of values of a matrix that is stored so, with `entries` places.
std::int64_t value_array_bytes(const Signature& signature, std::int64_t entries);

/// The way of a value to its place in the arrays "values" and "coded_values" of a stored matrix.
/// From is the type of the matrix's values, To the storage type (dispatch_values).
template <typename From, typename To>
class ValueWriter {
  public:
    /// Writes what codes stand for. The arrays must outlive it; `first` is the matrix's first
    /// value, of the encoding that required_encoding() gives for it.
    ValueWriter(const ValueEncoding& encoding, const From& first, To* values, unsigned char* coded)
        : code_(encoding.code), values_(values), coded_(coded) {
        if (code_ == ValueCode::one_value) values_[0] = stored_value<To>(first);
        if (code_ == ValueCode::dictionary) list(encoding.dictionary);
    }

    /// Stores the value of an entry of the matrix.
    void put(std::int64_t place, const From& value) const {
        with_writer([&](const auto writer) { writer.put(place, value); });
    }
    /// Stores what stands where no entry is; it is never multiplied by x.
    void pad(std::int64_t place) const {
        with_writer([&](const auto writer) { writer.pad(place); });
    }
    /// Calls f(writer) with what has put() and pad() for this code alone, for loops over entries.
    template <typename F>
    void with_writer(F&& f) const {
        switch (code_) {
            case ValueCode::plain:
                return f(Plain{values_});
            case ValueCode::small_integers:
                return f(Integers{coded_});
            case ValueCode::one_value:
                return f(Nothing{});
            case ValueCode::dictionary:
                return f(Listed{coded_, codes_.data(), &set_});
        }
    }

  private:
    struct Plain {
        To* to;
        void put(std::int64_t place, const From& value) const {
            to[place] = stored_value<To>(value);
        }
        void pad(std::int64_t place) const { to[place] = To{}; }
    };
    struct Integers {
        unsigned char* to;
        void put(std::int64_t place, const From& value) const {
            to[place] = static_cast<unsigned char>(static_cast<std::int8_t>(std::real(value)));
        }
        void pad(std::int64_t place) const { to[place] = 0; }
    };
    struct Nothing {
        void put(std::int64_t, const From&) const {}
        void pad(std::int64_t) const {}
    };
    struct Listed {
        unsigned char* to;
        const unsigned char* codes;
        const ValueSet* set;
        void put(std::int64_t place, const From& value) const {
            to[place] = codes[set->slot_of(bits_of(value))];
        }
        void pad(std::int64_t place) const { to[place] = dictionary_elements - 1; }
    };

    void list(const std::vector<ValueBits>& dictionary) {
        std::fill_n(values_, dictionary_elements, To{});
        for (auto& bits : dictionary) set_.insert(bits);
        for (std::size_t i = 0; i < dictionary.size(); ++i) {
            values_[i] = stored_value<To>(value_of<From>(dictionary[i]));
            codes_[set_.slot_of(dictionary[i])] = static_cast<unsigned char>(i);
        }
    }

    ValueCode code_;
    To* values_;
    unsigned char* coded_;
    ValueSet set_;
    std::array<unsigned char, ValueSet::slots> codes_{};
};

/// These arrays of a stored matrix, made.
///
///     ValueArrays<From, To> values(matrix, signature, stored, entries);
///     values.put(place, matrix.values_as<From>()[k]);   // from any thread, each place once
///     values.pad(other_place);
///     stored.bytes += values.bytes();
template <typename From, typename To>
class ValueArrays {
  public:
    /// Makes both arrays, for `entries` places with padding; the one that the code does not need
    /// has one element. Throws as required_encoding() and add_array().
    ValueArrays(const CsrView& matrix, const Signature& signature, StoredMatrix& stored,
                std::int64_t entries)
        : code_(value_code_of(signature)),
          bytes_(value_array_bytes(signature, entries)),
          writer_(made(matrix, signature, stored, entries)) {}

    ValueCode code() const { return code_; }

    /// As those of ValueWriter.
    void put(std::int64_t place, const From& value) const { writer_.put(place, value); }
    void pad(std::int64_t place) const { writer_.pad(place); }
    template <typename F>
    void with_writer(F&& f) const {
        writer_.with_writer(std::forward<F>(f));
    }
    /// Bytes of the arrays that one apply reads.
    std::int64_t bytes() const { return bytes_; }

  private:
    static ValueWriter<From, To> made(const CsrView& matrix, const Signature& signature,
                                      StoredMatrix& stored, std::int64_t entries) {
        const ValueEncoding encoding = required_encoding(matrix, signature);
        const ValueCode code = encoding.code;
        const bool bytes = code == ValueCode::small_integers || code == ValueCode::dictionary;
        const std::int64_t elements = code == ValueCode::plain ? entries
                                      : code == ValueCode::dictionary
                                          ? static_cast<std::int64_t>(dictionary_elements)
                                          : 1;
        To* const values = add_array<To>(stored, "values", elements);
        auto* const coded = add_array<unsigned char>(stored, "coded_values", bytes ? entries : 1);
        if (code != ValueCode::plain) values[0] = To{};
        if (!bytes) coded[0] = 0;
        return {encoding, matrix.nnz > 0 ? matrix.values_as<From>()[0] : From{}, values, coded};
    }

    ValueCode code_;
    std::int64_t bytes_;
    ValueWriter<From, To> writer_;
};

}  // namespace spmvgen
