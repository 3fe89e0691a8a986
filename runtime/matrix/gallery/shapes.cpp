// Matrices of one plain shape: rows of random columns, bands, arrows, diagonals.
#include <fmt/format.h>

#include <algorithm>

#include "matrix/gallery/builder.hpp"
#include "matrix/gallery/families.hpp"
#include "matrix/gallery/lengths.hpp"

namespace spmvgen::generators {

CsrMatrix random_rows(const Arguments& a) {
    const std::int64_t rows = a.whole("rows"), cols = a.whole("cols"), count = a.whole("per_row");
    if (count > cols) a.fail(fmt::format("per_row={} is more than cols={}", count, cols));
    const Shape shape = checked(a, {rows, cols, product({rows, count})});
    const Random random(a.seed(), Purpose::column);
    const auto row = [=](std::int64_t i, Columns& columns) {
        append_distinct(random, i, count, cols, columns);
    };
    return from_rows(shape, row, {a, 1, 1});
}

// Row lengths by a power law, columns anywhere.
CsrMatrix powerlaw(const Arguments& a) {
    const std::int64_t n = a.whole("n"), shortest = a.whole("min_row");
    if (shortest > a.whole("max_row"))
        a.fail(fmt::format("min_row={} is more than max_row={}", shortest, a.whole("max_row")));
    const std::int64_t longest = std::min(a.whole("max_row"), n);
    const Random lengths(a.seed(), Purpose::length), random(a.seed(), Purpose::column);
    const PowerLaw law{shortest, longest, a.real("tail")};
    const auto length = [=](std::int64_t i) { return power_law(lengths, i, law); };
    checked(a, {n, n, 0});
    const Shape shape = checked(a, {n, n, sum_of(n, length)});
    const auto row = [&](std::int64_t i, Columns& columns) {
        append_distinct(random, i, length(i), n, columns);
    };
    return from_rows(shape, row, {a, 1, 1});
}

CsrMatrix banded(const Arguments& a) {
    const std::int64_t n = a.whole("n"), lower = a.whole("lower"), upper = a.whole("upper");
    const double fill = a.real("fill");
    const Shape shape = checked(a, {n, n, product({n, std::min(n, lower + upper + 1)})});
    const Random random(a.seed(), Purpose::edge);
    const auto row = [=](std::int64_t i, Columns& columns) {
        const std::int64_t last = std::min(n - 1, i + upper);
        for (std::int64_t j = std::max<std::int64_t>(i - lower, 0); j <= last; ++j)
            if (i == j || random.unit(i, j) < fill) columns.push_back(j);
    };
    return from_rows(shape, row, {a, 1, 1});
}

CsrMatrix arrow(const Arguments& a) {
    const std::int64_t n = a.whole("n"), width = std::min(a.whole("width"), n);
    const Shape shape = checked(a, {n, n, product({n, 2 * width + 1})});
    const auto row = [=](std::int64_t i, Columns& columns) {
        for (std::int64_t j = 0; j < (i < width ? n : width); ++j) columns.push_back(j);
        if (i >= width) columns.push_back(i);
    };
    return from_rows(shape, row, {a, 1, 1});
}

CsrMatrix diagonal(const Arguments& a) {
    const std::int64_t n = a.whole("n");
    const auto row = [](std::int64_t i, Columns& columns) { columns.push_back(i); };
    return from_rows(checked(a, {n, n, n}), row, {a, 1, 1});
}

}  // namespace spmvgen::generators
