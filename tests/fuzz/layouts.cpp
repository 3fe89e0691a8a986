// Matrices as callers give them: CSR, CSC, blocks and lists, counted from 0 or 1. An input is a
// byte of flags (1 = counted from 1; 2 = 64-bit indices; 4 = 64-bit offsets; 8 = blocks column by
// column; 16 = one size is negative; 32 = of CSR, it is CSC; from 64 on: 0 = CSR, 1 = BSR, 2 = COO,
// 3 = a list of rows), the sizes in a byte each (rows, columns, entries or blocks, height and width
// of a block; of a list the rows that are listed, and all), and the arrays, a byte for a number.
// The arrays are as long as the sizes say, and the values 1, 2, ….
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "matrix/coo_matrix.hpp"
#include "matrix/layouts/block_matrix.hpp"
#include "matrix/layouts/index_base.hpp"
#include "matrix/layouts/row_list.hpp"
#include "matrix/transpose.hpp"
#include "numbers.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::fuzz {
namespace {

std::vector<double> ascending(std::int64_t count) {
    std::vector<double> values;
    for (std::int64_t k = 0; k < count; ++k) values.push_back(static_cast<double>(k + 1));
    return values;
}

/// Whether begin ≤ number < begin + size.
template <typename Number>
bool is_within(Number number, std::int64_t begin, std::int64_t size) {
    return static_cast<std::int64_t>(number) >= begin &&
           static_cast<std::int64_t>(number) < begin + size;
}

struct Sizes {
    unsigned flags = 0;
    std::int64_t rows = 0, cols = 0, count = 0, height = 1, width = 1;
    std::int64_t base() const { return flags & 1; }

    explicit Sizes(Input& input) : flags(input.byte()) {
        rows = input.byte() % 24;
        cols = input.byte() % 24;
        count = input.byte() % 40;
        height = input.byte() % 5;
        width = input.byte() % 5;
        if ((flags & 16) != 0) (height % 2 == 0 ? rows : count) = -1;
    }
};

/// Whether offsets and columns are those of so many lines and places, as docs and headers say.
template <typename Index, typename Offset>
bool is_compressed(const std::vector<Offset>& ptr, const std::vector<Index>& cols,
                   std::int64_t lines, std::int64_t places, std::int64_t base) {
    if (lines == 0) return cols.empty();
    return static_cast<std::int64_t>(ptr.front()) == base && std::ranges::is_sorted(ptr) &&
           static_cast<std::int64_t>(ptr.back()) == base + std::ssize(cols) &&
           std::ranges::all_of(cols, [&](Index j) { return is_within(j, base, places); });
}

/// What is in the arrays, where they are right: blocks of one number are the entries of CSR.
template <typename Index, typename Offset>
Places places_of(const BsrView& a, const std::vector<Offset>& ptr, const std::vector<Index>& cols,
                 const std::vector<double>& values, std::int64_t base) {
    Places places;
    for (std::size_t line = 0; line + 1 < ptr.size(); ++line)
        for (std::int64_t b = ptr[line] - base; b < ptr[line + 1] - base; ++b)
            for (std::int64_t i = 0; i < a.height; ++i)
                for (std::int64_t j = 0; j < a.width; ++j) {
                    const std::int64_t at = a.by_columns ? j * a.height + i : i * a.width + j;
                    const std::int64_t column = cols.at(static_cast<std::size_t>(b)) - base;
                    places[{static_cast<std::int64_t>(line) * a.height + i,
                            column * a.width + j}] +=
                        values.at(static_cast<std::size_t>(b * a.height * a.width + at));
                }
    return places;
}

Places places_of(const CsrView& a) {
    Places places;
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t k = a.row_begin(i); k < a.row_begin(i + 1); ++k)
            places[{i, a.col(k)}] += a.values_as<double>()[k];
    return places;
}

Places transposed(const Places& places) {
    Places result;
    for (auto& [place, value] : places) result[{place.second, place.first}] = value;
    return result;
}

/// Calls `take`, and compares what becomes of the matrix with what has to.
template <typename Take>
void check_taken(bool right, const Places& expected, const Take& take) {
    try {
        const Places places = take();
        check(right, "what is wrong is refused");
        check(places == expected, "every entry keeps its place and value");
    } catch (const Error& error) {
        const std::string text = error.what();
        check(!right, "what is right is taken: " + text);
        check(error.code() == ErrorCode::invalid_argument, "it is the caller's fault: " + text);
        check(text.starts_with("broken "), "it says what is broken: " + text);
    }
}

/// The arrays of columns are those of CSR of the transpose.
template <typename Index, typename Offset>
void columns(const CsrView& transpose_given, bool right, const Places& expected,
             std::int64_t base) {
    const CsrView& t = transpose_given;
    const CscView csc = csc_view(t.cols, t.rows, t.nnz, t.row_ptr_as<Offset>(),
                                 t.col_idx_as<Index>(), t.values_as<double>());
    check_taken(right, transposed(expected), [&] {
        const CsrView given = transpose_of(csc);
        validate_shape(given);
        const FromZero<CsrView> own =
            base == 1 ? from_zero(given, 2) : FromZero<CsrView>{given, {}, {}};
        validate(own.view, 2);
        const CsrMatrix rows = transpose(own.view, false, 2);
        validate(rows.view());
        return places_of(rows.view());
    });
}

template <typename Index, typename Offset>
void compressed(Input& input, Sizes sizes, bool blocks) {
    const bool by_columns = !blocks && (sizes.flags & 32) != 0;
    if (by_columns) std::swap(sizes.rows, sizes.cols);
    BsrView a{.rows = sizes.rows,
              .cols = sizes.cols,
              .blocks = sizes.count,
              .height = blocks ? sizes.height : 1,
              .width = blocks ? sizes.width : 1,
              .by_columns = (sizes.flags & 8) != 0,
              .offset_type = type_tag<Offset>::value,
              .index_type = type_tag<Index>::value};
    const bool shaped = a.rows >= 0 && a.cols >= 0 && a.blocks >= 0 && a.height > 0 &&
                        a.width > 0 && a.rows % a.height == 0 && a.cols % a.width == 0;
    const auto ptr =
        numbers<Offset>(input, a.rows >= 0 && a.height > 0 ? a.rows / a.height + 1 : 0);
    const auto cols = numbers<Index>(input, a.blocks);
    const auto values = ascending(a.blocks * a.height * a.width);
    a.row_ptr = ptr.data();
    a.col_idx = cols.data();
    a.values = values.data();
    const std::int64_t base = sizes.base();
    const bool right =
        shaped && is_compressed(ptr, cols, a.rows / a.height, a.cols / a.width, base);
    const Places expected = right ? places_of(a, ptr, cols, values, base) : Places();
    if (blocks)
        return check_taken(right, expected, [&] {
            validate_shape(a);
            const FromZero<BsrView> own =
                base == 1 ? from_zero(a, 2) : FromZero<BsrView>{a, {}, {}};
            validate(own.view, 2);
            const ExpandedBlocks entries = expand_blocks(own.view, 2);
            validate(entries.matrix.view());
            return places_of(entries.matrix.view());
        });
    const CsrView csr = csr_view(a.rows, a.cols, a.blocks, ptr.data(), cols.data(), values.data());
    if (by_columns) return columns<Index, Offset>(csr, right, expected, base);
    check_taken(right, expected, [&] {
        validate_shape(csr);
        const FromZero<CsrView> own =
            base == 1 ? from_zero(csr, 2) : FromZero<CsrView>{csr, {}, {}};
        validate(own.view, 2);
        return places_of(own.view);
    });
}

template <typename Index>
void list(Input& input, const Sizes& sizes) {
    const auto rows = numbers<Index>(input, sizes.count), cols = numbers<Index>(input, sizes.count);
    const auto values = ascending(sizes.count);
    const CooView a =
        coo_view(sizes.rows, sizes.cols, sizes.count, rows.data(), cols.data(), values.data());
    const std::int64_t base = sizes.base();
    bool right = a.rows >= 0 && a.nnz >= 0;
    Places expected;
    for (std::size_t k = 0; right && k < rows.size(); ++k) {
        right = is_within(rows[k], base, a.rows) && is_within(cols[k], base, a.cols);
        if (right) expected[{rows[k] - base, cols[k] - base}] += values[k];
    }
    check_taken(right, expected, [&] {
        validate_shape(a);
        const FromZero<CooView> own = base == 1 ? from_zero(a, 2) : FromZero<CooView>{a, {}, {}};
        validate(own.view);
        const SortedCoo sorted = sort_entries(own.view, 2);
        validate(sorted.matrix.view());
        return places_of(sorted.matrix.view());
    });
}

/// Rows without entries, which the list gives places.
template <typename Index>
void row_list(Input& input, const Sizes& sizes) {
    const auto listed = numbers<Index>(input, sizes.rows);
    const std::vector<std::int32_t> ptr(listed.size() + 1);
    const std::int64_t base = sizes.base(), num_rows = sizes.cols;
    const std::vector<Index> columns{0};
    const std::vector<double> values{1};
    const RowListView a = row_list_view(num_rows, 1, sizes.count < 0 ? -1 : 0, sizes.rows,
                                        listed.data(), ptr.data(), columns.data(), values.data());
    const bool right =
        sizes.rows >= 0 && sizes.count >= 0 &&
        std::ranges::all_of(listed, [&](Index i) { return is_within(i, base, num_rows); }) &&
        std::set<Index>(listed.begin(), listed.end()).size() == listed.size();
    Places expected;
    for (std::size_t i = 0; right && i < listed.size(); ++i)
        expected[{static_cast<std::int64_t>(listed[i]) - base, 0}] = static_cast<double>(i);
    check_taken(right, expected, [&] {
        Places places;
        const auto rows = checked_rows(a, static_cast<int>(base));
        for (std::size_t i = 0; i < rows.size(); ++i) places[{rows[i], 0}] = static_cast<double>(i);
        return places;
    });
}

void run(Input input) {
    const Sizes sizes(input);
    const unsigned layout = sizes.flags / 64;
    dispatch((sizes.flags & 2) != 0 ? IndexType::i64 : IndexType::i32, [&]<typename Index>(Index) {
        if (layout == 3) return row_list<Index>(input, sizes);
        if (layout == 2) return list<Index>(input, sizes);
        dispatch(
            (sizes.flags & 4) != 0 ? IndexType::i64 : IndexType::i32,
            [&]<typename Offset>(Offset) { compressed<Index, Offset>(input, sizes, layout == 1); });
    });
}

}  // namespace
}  // namespace spmvgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    spmvgen::fuzz::run({data, size});
    return 0;
}
