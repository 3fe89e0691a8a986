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
    /// Of what is kept: 4 for each place.
    std::int64_t bytes() const;

    /// Puts the values, one for each entry, in the place of those of `stored`; they become the
    /// signature's storage type. Places without an entry keep what they hold. Parallel.
    void put(ValueType type, const void* values, const Signature& signature,
             const StoredMatrix& stored) const;

  private:
    std::vector<Array> arrays_;
};

/// The arrays of values of a matrix that is stored for the signature, by their names.
std::vector<std::string> names_of_values(const StoredMatrix& stored, const Signature& signature);

}  // namespace spmvgen
