#pragma once
#include <string>
#include <vector>

#include "formats/stored_matrix.hpp"

namespace spmvgen {

/// The values of a stored matrix, one array for each that its format has.
struct StoredValues {
    struct Array {
        std::string name;  ///< "values", "coo_values"
        const void* data = nullptr;
        std::size_t bytes = 0;
    };
    std::vector<Array> arrays;
    StoredMatrix converted;  ///< owns the arrays that are not the given ones

    /// Makes `arrays` those of `converted`.
    void list_converted();
};

/// As much of a matrix's pattern as it takes to convert new values for it.
class ValuePattern {
  public:
    /// Of a matrix without entries.
    ValuePattern() = default;
    /// For a matrix that was stored for `signature`. Copies what the format puts values by, and
    /// only when `keep`: without that, and for formats that store values in the order of the
    /// entries, nothing.
    ValuePattern(const CsrView& matrix, const Signature& signature, bool keep);

    /// Of what was copied.
    std::int64_t bytes() const;

    /// Whether the stored values are the given ones, one after another.
    bool as_given() const { return in_order_ && storage_type(signature_) == view_.value_type; }

    /// The arrays of values that convert() would make of a matrix with these values, one for each
    /// entry; `values` itself where as_given(). Throws as convert(), and Error(internal) when
    /// nothing was kept.
    StoredValues convert_values(const void* values) const;

  private:
    CsrView view_;
    Signature signature_;
    bool in_order_ = true;
    Buffer row_ptr_, col_idx_;
};

/// Whether `stored` owns the array of that name.
bool owns(const StoredMatrix& stored, const std::string& name);

/// Puts new values in the place of those of a matrix on this host that was stored for the same
/// signature and pattern; the arrays stay where they are, and are written to even when `stored`
/// does not own them. Parallel. Throws Error(internal), before anything is written, for an array of
/// another size.
void overwrite(const StoredMatrix& stored, const StoredValues& fresh);

/// The first of `count` values of `type` that has a finite part which would be stored as infinite
/// in type `storage`; `count` when there is none.
std::int64_t first_too_large(ValueType type, const void* values, std::int64_t count,
                             ValueType storage);

}  // namespace spmvgen
