#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/stored_matrix.hpp"

namespace spmvgen {

/// Which entry of the matrix each place of the stored arrays of values holds, so that new values
/// reach their places in one pass, whatever the format.
class ValueSources {
  public:
    struct Array {
        std::string name;  ///< "values", "coo_values"
        Buffer entry;      ///< int32 for each place: the entry's number, or -1
    };

    /// Of a matrix with this pattern, whose values do not matter, that is stored for the signature
    /// in arrays of values with so many places. Converts it once. Nothing where codes are stored
    /// instead of values, or more than int32 counts, or arrays of other sizes.
    static std::optional<ValueSources> of(const CsrView& pattern, const Signature& signature,
                                          const std::map<std::string, std::int64_t>& places);

    const std::vector<Array>& arrays() const { return arrays_; }

  private:
    std::vector<Array> arrays_;
};

/// The same the other way round: the place of each entry of the matrix. Entries are walked in
/// their order, so that reads stream and padding is never touched; the places of neighbours lie
/// close together or are streams of their own, whatever the format.
class EntryPlaces {
  public:
    /// Nothing where the arrays have more places than uint32 counts.
    static std::optional<EntryPlaces> of(const ValueSources& sources, std::int64_t entries);

    /// Of what is kept: 4 for each entry.
    std::int64_t bytes() const { return static_cast<std::int64_t>(place_.bytes()); }

    /// Puts the values, one for each entry, in the place of those of `stored`; they become the
    /// signature's storage type. Places without an entry keep what they hold. Parallel.
    void put(ValueType type, const void* values, const Signature& signature,
             const StoredMatrix& stored) const;

  private:
    struct Array {
        std::string name;
        std::uint32_t first;  ///< the number of its first place, the arrays laid end to end
    };
    std::vector<Array> arrays_;
    Buffer place_;  ///< uint32 for each entry
};

/// The arrays of values of a matrix that is stored for the signature, by their names.
std::vector<std::string> names_of_values(const StoredMatrix& stored, const Signature& signature);

}  // namespace spmvgen
