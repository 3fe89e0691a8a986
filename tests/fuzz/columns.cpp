// Columns (CSC) as callers give them: CSR of the transpose, and that transposed. Inputs:
// layouts.hpp.
#include <vector>

#include "layouts.hpp"
#include "matrix/layouts/index_base.hpp"
#include "matrix/transpose.hpp"

namespace spmvgen::fuzz {
namespace {

template <typename Index, typename Offset>
void columns(Input& input, const Sizes& sizes) {
    const Compressed<Index, Offset> given(input, sizes, sizes.cols, sizes.rows);
    const auto values = ascending(sizes.count), others = new_values(sizes.count);
    const CscView a = csc_view(sizes.rows, sizes.cols, sizes.count, given.ptr.data(),
                               given.places.data(), values.data());
    const std::int64_t base = sizes.base();
    const bool right =
        sizes.rows >= 0 && sizes.count >= 0 && given.is_right(sizes.cols, sizes.rows, base);
    Places expected, expected_of_new, transposed;
    if (right)
        given.each(base, [&](std::int64_t j, std::int64_t i, std::int64_t k) {
            expected[{i, j}] += values.at(static_cast<std::size_t>(k));
            transposed[{j, i}] += values.at(static_cast<std::size_t>(k));
            expected_of_new[{i, j}] += others.at(static_cast<std::size_t>(k));
        });
    check_taken(right, expected, [&] {
        const CsrView transpose_given = transpose_of(a);
        validate_shape(transpose_given);
        const FromZero<CsrView> own =
            base == 1 ? from_zero(transpose_given, 2) : FromZero<CsrView>{transpose_given, {}, {}};
        validate(own.view, 2);
        check(places_of(own.view) == transposed, "columns are rows of the transpose");
        ValueOrder order;
        const CsrMatrix rows = transpose(own.view, (sizes.flags & 64) != 0, 2, &order);
        validate(rows.view());
        check_order(rows.view(), order, others, expected_of_new);
        return places_of(rows.view());
    });
}

}  // namespace
}  // namespace spmvgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace spmvgen::fuzz;
    return run_with_types(
        data, size,
        []<typename Index, typename Offset>(Input& input, const Sizes& sizes, Index, Offset) {
            columns<Index, Offset>(input, sizes);
        });
}
