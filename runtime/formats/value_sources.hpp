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
        std::string name;  ///< "values", "coo_values", "coded_values"
        Buffer entry;      ///< int32 for each place: the entry's number, or -1
    };

    /// Of a matrix with this pattern, whose values do not matter, that is stored for the signature
    /// in arrays of values or of their codes with so many places. Converts it once. Nothing where
    /// that would take very much memory, where there is more than int32 counts, or for arrays of
    /// other sizes.
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
    /// Of a matrix that is stored as one value.
    EntryPlaces() = default;
    /// Nothing where the arrays have more places than uint32 counts.
    static std::optional<EntryPlaces> of(const ValueSources& sources, std::int64_t entries);

    /// Of what is kept: 4 for each entry.
    std::int64_t bytes() const { return static_cast<std::int64_t>(place_.bytes()); }

    /// Puts the values, one for each entry, in the place of those of `stored`; they become the
    /// signature's storage type, or the codes that it has for all of them. Places without an entry
    /// keep what they hold. Parallel.
    void put(ValueType type, const void* values, const Signature& signature,
             const StoredMatrix& stored) const;

  private:
    struct Array {
        std::string name;
        std::uint32_t first;  ///< the number of its first place, the arrays laid end to end
    };
    /// The same of values that have codes, which the signature has for all of them.
    void put_coded(ValueType type, const void* values, const Signature& signature,
                   const StoredMatrix& stored) const;

    std::vector<Array> arrays_;
    Buffer place_;  ///< uint32 for each entry; nothing where all have one value
};

/// Arrays of a stored matrix that have a place for each entry, and perhaps others.
struct PlacesOfValues {
    std::vector<std::string> names;  ///< of values, or of their codes; none for one value
    std::size_t bytes;               ///< of a place
};
PlacesOfValues places_of_values(const StoredMatrix& stored, const Signature& signature);

}  // namespace spmvgen
