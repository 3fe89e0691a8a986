#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "formats/stored_matrix.hpp"

/// What the storage formats share, and how each names its arrays.
namespace spmvgen {

/// How a matrix is stored, beside what the signature says; as convert() takes it.
struct Storing {
    bool borrow = false;
    std::int64_t memory_limit = 0;
    std::span<const std::int32_t> row_order = {};
    const StripsLayout* strips = nullptr;
};

/// Format csr: what others store beside arrays of their own.
StoredMatrix store_csr(const CsrView& matrix, const Signature& signature, const Storing& how);

/// The counts of tiles that a matrix with so many entries has in the signature's layout.
struct TilesShape {
    std::int64_t lanes, items;  ///< lanes of a tile, and the entries of each
    std::int64_t tile;          ///< entries of a tile
    std::int64_t run;           ///< tiles of a run
    std::int64_t tiles, runs;
};
TilesShape tiles_shape(std::int64_t nnz, const Signature& signature);

/// Adds what kernel csr_by_length reads beside CSR: its middle rows, the parts of its long ones,
/// and the blocks of its grid. Reads row_ptr.
void add_length_classes(const CsrView& matrix, const Signature& signature, StoredMatrix& stored);

/// A matrix of which nothing is stored yet but its sizes: num_rows, num_cols, nnz.
StoredMatrix new_stored(Format format, const CsrView& matrix, std::int64_t memory_limit);

/// Whether the signature's kernel is a GPU's.
bool is_gpu(const Signature& signature);

/// The signature's parameter of that name; null = its kernel has none.
inline const std::int64_t* find_param(const Signature& signature, const ParamName& name) {
    const auto found = signature.params.find(name);
    return found != signature.params.end() ? &found->second : nullptr;
}

/// The signature's parameter, or `absent` when its kernel has none of that name.
std::int64_t param(const Signature& signature, const ParamName& name,
                   std::optional<std::int64_t> absent = {});

/// Bytes of a stored value and its column.
std::int64_t entry_bytes(const Signature& signature);

/// What convert() tells of a matrix beside its arrays: scalars, entries and bytes, for what makes
/// the arrays elsewhere. `stored` comes from new_stored(); `matrix` is read as far as rows go.
///
/// The slices of SELL have so many columns together.
void describe_sell(const CsrView& matrix, const Signature& signature, std::int64_t columns,
                   StoredMatrix& stored);
void describe_bcsr(const CsrView& matrix, const Signature& signature, std::int64_t blocks,
                   StoredMatrix& stored);
void describe_coo(const CsrView& matrix, const Signature& signature, StoredMatrix& stored);
/// So many rows have entries. Throws Error(invalid_argument) when not all do but the signature says
/// so.
void describe_tiles(const CsrView& matrix, const Signature& signature, std::int64_t filled,
                    StoredMatrix& stored);

/// Columns of padded arrays begin at multiples of so many elements: of a full memory transaction,
/// whatever the type.
inline constexpr std::int64_t gpu_alignment = 32;

/// Rows are padded to a multiple of `height`; of each row the first `width` entries are stored,
/// `chunk` of them together (see Strip).
struct EllShape {
    std::int64_t height = 1;
    std::int64_t width = 0;
    std::int64_t chunk = 1;
};

/// How a GPU's kernel of format ell wants rows of which the longest has so many entries.
EllShape gpu_ell_shape(const Signature& signature, std::int64_t longest);
/// The scalar num_parts of these.
std::int64_t ell_parts(const CsrView& matrix, const Signature& signature);

/// The scalars width and stride of ELL; adds its entries and bytes.
void describe_ell(const CsrView& matrix, const Signature& signature, const EllShape& shape,
                  StoredMatrix& stored);

/// Adds col_idx and values of ELL, and the scalars width and stride.
void add_ell(const CsrView& matrix, const Signature& signature, const EllShape& shape,
             StoredMatrix& stored);

/// Entries of the longest row.
std::int64_t longest_row(const CsrView& matrix);

/// How messages end that a memory limit causes.
inline constexpr const char* memory_advice = ": use a format that takes less, or raise the limit";

/// Throws TooLarge when `bytes` more of `stored` are beyond its memory limit.
void check_memory(const StoredMatrix& stored, double bytes);

/// Makes an uninitialised array of `count` elements of T, owned by `stored` and named `name`. One
/// without elements holds a zero, so that its address is never null. Throws TooLarge when it would
/// be beyond the matrix's memory limit.
template <typename T>
T* add_array(StoredMatrix& stored, std::string_view name, std::int64_t count) {
    check_memory(stored, static_cast<double>(count) * sizeof(T));
    Buffer& buffer = stored.owned.emplace_back(make_buffer<T>(count > 0 ? count : 1));
    stored.arrays.emplace(name, buffer.data());
    T* const array = static_cast<T*>(buffer.data());
    if (count == 0) *array = T{};
    return array;
}

/// Largest number that an index or offset of this type holds.
std::int64_t limit_of(IndexType type);

/// Throws TooLarge when `entries` of `stored` would take more than half of the free memory, and
/// more than 16 MB, with the ratio to the nonzeros. With a memory limit, that counts instead.
void check_padding(const CsrView& matrix, const StoredMatrix& stored, double entries);

/// Throws Error(invalid_argument) when `count` of `what` does not fit `type`, which the signature
/// calls `field`.
void check_fits(std::int64_t count, IndexType type, std::string_view what, std::string_view field);

/// Throws Error(invalid_argument) that names the first finite value of the matrix that would be
/// stored as infinite in the signature's storage type, with its row and column.
void check_storable(const CsrView& matrix, const Signature& signature);

/// Whether values of type `matrix` may be stored for the signature: as they are, or narrower.
bool takes_values(const Signature& signature, ValueType matrix);

}  // namespace spmvgen
