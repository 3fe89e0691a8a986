// CSR and lists of entries (COO) as callers give them. Inputs: layouts.hpp, with the flag 64 = a
// list of entries.
#include <vector>

#include "layouts.hpp"
#include "matrix/coo_matrix.hpp"
#include "matrix/layouts/index_base.hpp"

namespace spmvgen::fuzz {
namespace {

template <typename Index, typename Offset>
void rows(Input& input, const Sizes& sizes) {
    const Compressed<Index, Offset> given(input, sizes, sizes.rows, sizes.cols);
    const auto values = ascending(sizes.count);
    const CsrView a = csr_view(sizes.rows, sizes.cols, sizes.count, given.ptr.data(),
                               given.places.data(), values.data());
    const std::int64_t base = sizes.base();
    const bool right =
        sizes.rows >= 0 && sizes.count >= 0 && given.is_right(sizes.rows, sizes.cols, base);
    Places expected;
    if (right)
        given.each(base, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
            expected[{i, j}] += values.at(static_cast<std::size_t>(k));
        });
    check_taken(right, expected, [&] {
        validate_shape(a);
        const FromZero<CsrView> own = base == 1 ? from_zero(a, 2) : FromZero<CsrView>{a, {}, {}};
        validate(own.view, 2);
        return places_of(own.view);
    });
}

template <typename Index>
void entries(Input& input, const Sizes& sizes) {
    const std::int64_t base = sizes.base();
    auto rows = numbers<Index>(input, sizes.count), cols = numbers<Index>(input, sizes.count);
    if (sizes.made_right()) {
        put_within(rows, base, sizes.rows);
        put_within(cols, base, sizes.cols);
    }
    const auto values = ascending(sizes.count), others = new_values(sizes.count);
    const CooView a =
        coo_view(sizes.rows, sizes.cols, sizes.count, rows.data(), cols.data(), values.data());
    bool right = a.rows >= 0 && a.nnz >= 0;
    Places expected, expected_of_new;
    for (std::size_t k = 0; right && k < rows.size(); ++k) {
        right = is_within(rows[k], base, a.rows) && is_within(cols[k], base, a.cols);
        if (!right) break;
        expected[{rows[k] - base, cols[k] - base}] += values[k];
        expected_of_new[{rows[k] - base, cols[k] - base}] += others[k];
    }
    check_taken(right, expected, [&] {
        validate_shape(a);
        const FromZero<CooView> own = base == 1 ? from_zero(a, 2) : FromZero<CooView>{a, {}, {}};
        validate(own.view);
        const SortedCoo sorted = sort_entries(own.view, 2);
        validate(sorted.matrix.view());
        if (!sorted.in_order)
            check_order(sorted.matrix.view(), sorted.order, others, expected_of_new);
        return places_of(sorted.matrix.view());
    });
}

}  // namespace
}  // namespace spmvgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace spmvgen::fuzz;
    return run_with_types(
        data, size,
        []<typename Index, typename Offset>(Input& input, const Sizes& sizes, Index, Offset) {
            if ((sizes.flags & 64) != 0) return entries<Index>(input, sizes);
            rows<Index, Offset>(input, sizes);
        });
}
