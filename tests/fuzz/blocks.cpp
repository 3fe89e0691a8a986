// Blocks (BSR) as callers give them, and as entries. Inputs: layouts.hpp, with the flag 64 = the
// numbers of a block come column by column.
#include <vector>

#include "layouts.hpp"
#include "matrix/layouts/block_matrix.hpp"
#include "matrix/layouts/index_base.hpp"

namespace spmvgen::fuzz {
namespace {

BsrView view_of(const Sizes& sizes) {
    return {.rows = sizes.rows,
            .cols = sizes.cols,
            .blocks = sizes.count,
            .height = sizes.height,
            .width = sizes.width,
            .by_columns = (sizes.flags & 64) != 0};
}

bool is_shaped(const BsrView& a) {
    return a.rows >= 0 && a.cols >= 0 && a.blocks >= 0 && a.height > 0 && a.width > 0 &&
           a.rows % a.height == 0 && a.cols % a.width == 0;
}

/// What right blocks have, which `each` visits.
template <typename Given>
Places places_of(const BsrView& a, const Given& given, std::int64_t base,
                 const std::vector<double>& values) {
    Places places;
    given.each(base, [&](std::int64_t line, std::int64_t column, std::int64_t block) {
        for (std::int64_t i = 0; i < a.height; ++i)
            for (std::int64_t j = 0; j < a.width; ++j) {
                const std::int64_t at = a.by_columns ? j * a.height + i : i * a.width + j;
                places[{line * a.height + i, column * a.width + j}] +=
                    values.at(static_cast<std::size_t>(block * a.height * a.width + at));
            }
    });
    return places;
}

template <typename Index, typename Offset>
void blocks(Input& input, const Sizes& sizes) {
    BsrView a = view_of(sizes);
    if (sizes.made_right() && a.height > 0) a.rows -= a.rows % a.height;
    if (sizes.made_right() && a.width > 0) a.cols -= a.cols % a.width;
    const std::int64_t lines = a.rows >= 0 && a.height > 0 ? a.rows / a.height : -1;
    const std::int64_t length = a.width > 0 ? a.cols / a.width : 0;
    const Compressed<Index, Offset> given(input, sizes, lines, length);
    const auto values = ascending(a.blocks * a.height * a.width);
    const auto others = new_values(std::ssize(values));
    a.offset_type = type_tag<Offset>::value;
    a.index_type = type_tag<Index>::value;
    a.row_ptr = given.ptr.data();
    a.col_idx = given.places.data();
    a.values = values.data();
    const std::int64_t base = sizes.base();
    const bool right = is_shaped(a) && given.is_right(lines, length, base);
    const Places expected = right ? places_of(a, given, base, values) : Places();
    check_taken(right, expected, [&] {
        validate_shape(a);
        const FromZero<BsrView> own = base == 1 ? from_zero(a, 2) : FromZero<BsrView>{a, {}, {}};
        validate(own.view, 2);
        const ExpandedBlocks entries = expand_blocks(own.view, 2);
        validate(entries.matrix.view());
        check_order(entries.matrix.view(), entries.order, others,
                    places_of(a, given, base, others));
        return spmvgen::fuzz::places_of(entries.matrix.view());
    });
}

}  // namespace
}  // namespace spmvgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace spmvgen::fuzz;
    return run_with_types(
        data, size,
        []<typename Index, typename Offset>(Input& input, const Sizes& sizes, Index, Offset) {
            blocks<Index, Offset>(input, sizes);
        });
}
