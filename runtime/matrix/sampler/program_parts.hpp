#pragma once
// What constraints of programs are put together from: slacks, laws of short rows, parts.
#include <algorithm>

#include "matrix/random.hpp"
#include "matrix/sampler/families.hpp"
#include "matrix/sampler/laws.hpp"

namespace spmvgen::sampler {

using generators::Purpose;
using generators::Random;

/// Gives each row of a drawn specification a slack, if so.
inline void set_slacks(RandomSpec& spec, bool slacks) {
    set(spec, "slacks", slacks);
    if (slacks) spec.cols += spec.rows;
}

/// Columns without those of slacks.
inline std::int64_t variables(const RandomSpec& spec) {
    return spec.parameter("slacks") != 0 ? spec.cols - spec.rows : spec.cols;
}

/// `row` as a pattern, with the slacks that the specification has.
inline Pattern with_slacks(const RandomSpec& spec, std::function<void(std::int64_t, Places&)> row) {
    Pattern pattern{.rows = spec.rows, .cols = spec.cols, .row = row};
    if (spec.parameter("slacks") != 0)
        pattern.row = [row = std::move(row), first = variables(spec)](std::int64_t i,
                                                                      Places& columns) {
            row(i, columns);
            columns.push_back(static_cast<std::int32_t>(first + i));
        };
    return pattern;
}

/// A short row's length and how it varies.
inline LengthLaw short_rows(Draw& draw, std::int64_t most) {
    const RowLengths kind =
        draw.pick({RowLengths::normal, RowLengths::log_normal, RowLengths::zipf});
    LengthLaw law = draw_lengths(draw, kind, draw.octaves(2, most));
    law.longest = std::min<std::int64_t>(law.longest, 40 * law.typical);
    return law;
}

/// Columns for so many rows: 1 to 4 times as many.
inline std::int64_t more_columns(Draw& draw, std::int64_t rows) {
    return std::clamp<std::int64_t>(rows * draw.between(4, 16) / 4, 64, most_lines);
}

/// Rows with that law for so many entries, which have a slack each if so.
inline std::int64_t rows_for(std::int64_t entries, const LengthLaw& law, bool slacks) {
    const std::int64_t mean = Lengths(law, 1, most_lines, 1).mean() + (slacks ? 1024 : 0);
    return std::clamp<std::int64_t>(entries * 1024 / mean, 8, most_lines);
}

/// Parts, `most` at most, whose rows find enough columns in their own.
inline std::int64_t most_parts(std::int64_t rows, const LengthLaw& law, std::int64_t most) {
    return std::clamp<std::int64_t>(rows / std::max<std::int64_t>(8, 4 * law.typical), 2, most);
}

/// The index-th of `count` about equal parts of 0 … n-1.
struct Part {
    std::int64_t begin, size;
    Part(std::int64_t index, std::int64_t count, std::int64_t n)
        : begin(index * n / count), size((index + 1) * n / count - begin) {}
};

/// `count` numbers of the part, fewer where some are the same.
inline void append_of(const Part& part, const Random& random, std::int64_t row,
                      std::int64_t first_draw, std::int64_t count, Places& columns) {
    if (part.size <= 0) return;
    for (std::int64_t k = 0; k < count; ++k)
        columns.push_back(
            static_cast<std::int32_t>(part.begin + random.below(part.size, row, first_draw + k)));
}

}  // namespace spmvgen::sampler
