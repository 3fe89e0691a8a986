// Rows that are listed, with their entries, as callers give them. Inputs: layouts.hpp; after the
// sizes comes the number of all rows, and the list before the other arrays.
#include <set>
#include <vector>

#include "layouts.hpp"
#include "matrix/layouts/index_base.hpp"
#include "matrix/layouts/row_list.hpp"

namespace spmvgen::fuzz {
namespace {

/// Another row for each that is there already, where there are enough.
template <typename Index>
void make_different(std::vector<Index>& listed, std::int64_t base, std::int64_t num_rows) {
    put_within(listed, base, num_rows);
    std::set<Index> seen;
    for (Index& row : listed) {
        if (std::ssize(seen) >= num_rows) return;
        while (seen.contains(row))
            row = static_cast<Index>(base + (static_cast<std::int64_t>(row) - base + 1) % num_rows);
        seen.insert(row);
    }
}

template <typename Index, typename Offset>
void row_list(Input& input, const Sizes& sizes) {
    const std::int64_t base = sizes.base();
    const auto num_rows = static_cast<std::int64_t>(static_cast<signed char>(input.byte()));
    auto listed = numbers<Index>(input, sizes.rows);
    if (sizes.made_right()) make_different(listed, base, num_rows);
    const Compressed<Index, Offset> given(input, sizes, sizes.rows, sizes.cols);
    const auto values = ascending(sizes.count);
    const RowListView a =
        row_list_view(num_rows, sizes.cols, sizes.count, sizes.rows, listed.data(),
                      given.ptr.data(), given.places.data(), values.data());
    const bool right =
        sizes.rows >= 0 && sizes.count >= 0 && num_rows >= 0 &&
        given.is_right(sizes.rows, sizes.cols, base) &&
        std::ranges::all_of(listed, [&](Index i) { return is_within(i, base, num_rows); }) &&
        std::set<Index>(listed.begin(), listed.end()).size() == listed.size();
    Places expected;
    if (right)
        given.each(base, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
            expected[{listed.at(static_cast<std::size_t>(i)) - base, j}] +=
                values.at(static_cast<std::size_t>(k));
        });
    check_taken(right, expected, [&] {
        const std::vector<std::int32_t> rows = checked_rows(a, static_cast<int>(base));
        const FromZero<CsrView> own =
            base == 1 ? from_zero(a.matrix, 2) : FromZero<CsrView>{a.matrix, {}, {}};
        validate(own.view, 2);
        Places places;
        for (const auto& [place, value] : places_of(own.view))
            places[{rows.at(static_cast<std::size_t>(place.first)), place.second}] = value;
        return places;
    });
}

}  // namespace
}  // namespace spmvgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace spmvgen::fuzz;
    return run_with_types(
        data, size,
        []<typename Index, typename Offset>(Input& input, const Sizes& sizes, Index, Offset) {
            row_list<Index, Offset>(input, sizes);
        });
}
