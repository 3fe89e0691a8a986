#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/layout.hpp"
#include "matrix/features/features.hpp"

namespace spmvgen {

/// Where a format puts the values of a matrix.
enum class ValuePlaces {
    in_order,   ///< one after another, as they come
    by_row,     ///< where row lengths say
    by_column,  ///< where columns say, too
};

/// What new values take, in products of the same matrix: the most that was seen on matrices of many
/// kinds (`bench_updates`), of values as they are whose places are known already.
struct UpdateProducts {
    double cpu = 0, gpu = 0;
};

/// What the runtime knows of a storage format, beside what the registry says of its arrays
/// (FormatEntry). Each file NAME.cpp of runtime/formats/kinds describes one in a constant
/// `FormatStorage NAME_storage`; the build finds them by their names.
struct FormatStorage {
    Format format;
    /// Converts with the types fixed: the caller has checked that rows, columns and nonzeros fit
    /// the signature's index and offset, and that the values fit its storage type. Throws as
    /// convert().
    StoredMatrix (*store)(const CsrView& matrix, const Signature& signature, const Storing& how);
    /// Where new values go that come for the same pattern.
    ValuePlaces (*places)(const Signature& signature);
    /// Whether places() says in_order of every signature.
    bool values_in_order = false;
    /// What it takes to put them there; for options.updates.
    UpdateProducts update_products;
    /// An upper bound of the entries that are stored, padding included; null = the nonzeros.
    double (*most_stored)(const RowFeatures& features) = nullptr;
    /// Stored entries over nonzeros, as row lengths tell; null = 1, or not known.
    double (*padding)(const RowFeatures& features, const Signature& signature) = nullptr;
    /// Whether a kernel of the format, "" = whichever is chosen, can be laid out by row lengths
    /// alone, with these parameters given; null = never.
    bool (*rows_suffice)(std::string_view kernel, const Params& params) = nullptr;
    /// Whether CSR's arrays are stored as they are, so that a caller's can be borrowed.
    bool has_csr_arrays = false;
};

/// FormatStorage::rows_suffice of formats whose kernels all do with row lengths.
inline bool rows_suffice_to_kernels(std::string_view kernel, const Params&) {
    return !kernel.empty();
}

/// All formats of the registry.
std::span<const FormatStorage> format_storages();

/// That of the format, of the kernel's format; throws Error(internal) for one that has no file.
const FormatStorage& storage_of(Format format);
const FormatStorage& storage_of(const Signature& signature);

/// Stored entries over nonzeros, as far as row lengths tell.
double padding_of(const RowFeatures& features, const Signature& signature);

/// The list that the build makes of the files; for format_storages().
std::vector<FormatStorage> collected_storages();

}  // namespace spmvgen
