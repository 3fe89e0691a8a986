#include <algorithm>

#include "formats/format_storage.hpp"
#include "formats/layout.hpp"

namespace spmvgen {
namespace {

/// Groups of `size` neighbours each, the last one with what is left: where each begins, and behind
/// them `count`. Nothing makes one empty group. Returns the number of groups.
std::int64_t add_groups(StoredMatrix& stored, const Signature& signature, std::string_view name,
                        std::int64_t count, std::int64_t size) {
    const std::int64_t groups = std::max<std::int64_t>(1, (count + size - 1) / size);
    dispatch(signature.index, [&]<typename Index>(Index) {
        Index* begins = add_array<Index>(stored, name, groups + 1);
        for (std::int64_t i = 0; i < groups; ++i) begins[i] = static_cast<Index>(i * size);
        begins[groups] = static_cast<Index>(count);
    });
    stored.bytes += (groups + 1) * static_cast<std::int64_t>(size_of(signature.index));
    return groups;
}

StoredMatrix store_csr_k(const CsrView& matrix, const Signature& signature, const Storing& how) {
    check_fits(matrix.rows, signature.index, "rows", "index");
    StoredMatrix stored = store_csr(matrix, signature, how);
    stored.format = Format::csr_k;
    const std::int64_t super_rows =
        add_groups(stored, signature, "sr_ptr", matrix.rows, param(signature, "srs"));
    stored.scalars["num_sr"] = super_rows;
    if (param(signature, "k", 3) == 3)
        stored.scalars["num_ssr"] =
            add_groups(stored, signature, "ssr_ptr", super_rows, param(signature, "ssrs"));
    return stored;
}

}  // namespace

extern constexpr FormatStorage csr_k_storage{
    .format = Format::csr_k,
    .store = store_csr_k,
    .places = [](const Signature&) { return ValuePlaces::in_order; },
    .values_in_order = true,
    .update_products = {.cpu = 1.3, .gpu = 2},
    .rows_suffice = rows_suffice_to_kernels,
    .has_csr_arrays = true};

}  // namespace spmvgen
