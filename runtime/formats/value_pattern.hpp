#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/stored_matrix.hpp"
#include "formats/value_sources.hpp"

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
    /// entries, nothing. Where the matrix has no columns, these may be given later. `row_ptr` is
    /// its array of offsets where that may be shared in place of being copied.
    ValuePattern(const CsrView& matrix, const Signature& signature, bool keep,
                 std::shared_ptr<const Buffer> row_ptr = nullptr);

    /// Of what was copied.
    std::int64_t bytes() const;

    /// Whether values have their places by columns, which are not there.
    bool lacks_columns() const { return lacks_columns_; }
    /// All columns of the matrix, of its index type.
    void give_columns(Buffer columns) {
        col_idx_ = std::move(columns);
        lacks_columns_ = false;
    }

    /// Whether the stored values are the given ones, one after another.
    bool as_given() const { return is_as_given(signature_); }

    /// The arrays of values that convert() would make of a matrix with these values, one for each
    /// entry; `values` itself where as_given(). Throws as convert(), and Error(internal) when
    /// nothing was kept.
    StoredValues convert_values(const void* values) const {
        return convert_values(values, signature_);
    }
    /// The same for a signature that differs in how values are stored.
    StoredValues convert_values(const void* values, const Signature& signature) const;

    /// Whether values are stored in the order of the entries, in whatever type.
    bool in_order() const { return in_order_; }

    /// Where new values go, of a matrix whose arrays of values have so many places; nothing where
    /// they are stored in order, and as ValueSources::of().
    std::optional<ValueSources> find_sources(
        const std::map<std::string, std::int64_t>& places) const;

    /// Puts these values in the place of those of `stored`, which the matrix is stored as. The
    /// first call finds out where each goes, and takes as long as convert_values(); later ones take
    /// one pass. False, and nothing done, where that is not possible or not needed: as_given(),
    /// a limit of memory. Codes are those that the signature has for all of them.
    bool put_values(const void* values, const StoredMatrix& stored);

    /// Finds out now what the first put_values() would, of a matrix that is stored so.
    void find_places(const StoredMatrix& stored);

    /// The pattern without columns and rows but these values: for what looks at values only.
    CsrView with_values(const void* values) const;

    /// From now on the matrix is stored for this signature, which differs in how values are stored.
    void change_signature(Signature signature) {
        signature_ = std::move(signature);
        places_.reset();
        sought_ = false;
    }

  private:
    bool is_as_given(const Signature& signature) const {
        return in_order_ && storage_type(signature) == view_.value_type;
    }

    /// The pattern with these values, for convert().
    CsrView matrix_with(const void* values) const;

    CsrView view_;
    Signature signature_;
    bool in_order_ = true, lacks_columns_ = false;
    std::shared_ptr<const Buffer> row_ptr_;
    Buffer col_idx_;
    bool sought_ = false;  ///< whether places_ was looked for
    std::optional<EntryPlaces> places_;
};

/// Whether `stored` owns the array of that name.
bool owns(const StoredMatrix& stored, const std::string& name);

/// Puts new values in the place of those of a matrix on this host that was stored for the same
/// signature and pattern; the arrays stay where they are, and are written to even when `stored`
/// does not own them. Parallel. Throws Error(internal), before anything is written, for an array of
/// another size.
void overwrite(const StoredMatrix& stored, const StoredValues& fresh);

/// `stored` with new arrays in the place of those of its values, whatever their sizes: it owns
/// these, and borrows the others from `stored`. Throws TooLarge when both together are beyond the
/// memory limit of `stored`.
StoredMatrix with_new_values(const StoredMatrix& stored, StoredValues fresh);

/// Puts what with_new_values() made of `stored` in its place; the arrays stay where they are, but
/// the old values' are freed.
void replace_values(StoredMatrix& stored, StoredMatrix with_new_values) noexcept;

/// The first of `count` values of `type` that has a finite part which would be stored as infinite
/// in type `storage`; `count` when there is none.
std::int64_t first_too_large(ValueType type, const void* values, std::int64_t count,
                             ValueType storage);

}  // namespace spmvgen
