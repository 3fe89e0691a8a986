// Rows whose lengths and columns follow laws.
#include <algorithm>

#include "matrix/sampler/families.hpp"
#include "matrix/sampler/laws.hpp"

namespace spmvgen::sampler {
namespace {

/// Columns for so many rows: often as many, else more or fewer by up to 2^6.
std::int64_t columns_beside(Draw& draw, std::int64_t rows) {
    if (draw.chance(60)) return rows;
    const std::int64_t shift = draw.between(-6, 6);
    return shift < 0 ? rows >> -shift : rows << shift;
}

/// A mean length of rows for so many entries.
std::int64_t mean_for(Draw& draw, const RandomSpec& spec, std::int64_t most) {
    return draw.octaves(2, std::clamp<std::int64_t>(root_of(spec.entries, 2) / 4, 2, most));
}

/// Sets the number of rows so that the wanted entries come out, columns that the rows fit into, and
/// the law of columns: `places`, or any where it is `structure`.
void set_rows(Draw& draw, RandomSpec& spec, ColumnPlaces places) {
    const auto rows_with = [&](std::int64_t cols) {
        const std::int64_t mean = Lengths(spec.lengths, 1, cols, spec.seed).mean();
        return std::clamp<std::int64_t>(spec.entries * 1024 / mean, 1, most_lines);
    };
    const std::int64_t least = std::min(4 * spec.lengths.typical, most_lines);
    spec.cols = std::clamp(columns_beside(draw, rows_with(most_lines)), least, most_lines);
    spec.lengths.longest = std::min(spec.lengths.longest, spec.cols);
    spec.rows = rows_with(spec.cols);
    // Those meant to be square stay so, though rows may have become shorter.
    if (spec.cols > spec.rows * 3 / 4 && spec.cols < spec.rows * 4 / 3) spec.cols = spec.rows;
    spec.lengths.longest = std::min(spec.lengths.longest, spec.cols);
    spec.columns = places == ColumnPlaces::structure ? draw_columns(draw, spec.cols)
                                                     : draw_columns(draw, places, spec.cols);
}

void draw_by(Draw& draw, RandomSpec& spec, RowLengths lengths,
             ColumnPlaces places = ColumnPlaces::structure) {
    spec.lengths = draw_lengths(draw, lengths, mean_for(draw, spec, 300));
    set_rows(draw, spec, places);
}

RowLengths uneven(Draw& draw) {
    return draw.pick({RowLengths::normal, RowLengths::log_normal, RowLengths::zipf});
}

}  // namespace

void draw_equal_rows(Draw& draw, RandomSpec& spec) {
    draw_by(draw, spec, RowLengths::equal);
}
void draw_normal_rows(Draw& draw, RandomSpec& spec) {
    draw_by(draw, spec, RowLengths::normal);
}
void draw_log_normal_rows(Draw& draw, RandomSpec& spec) {
    draw_by(draw, spec, RowLengths::log_normal);
}
void draw_zipf_rows(Draw& draw, RandomSpec& spec) {
    draw_by(draw, spec, RowLengths::zipf);
}
void draw_two_kinds(Draw& draw, RandomSpec& spec) {
    draw_by(draw, spec, RowLengths::two_kinds);
}
void draw_zipf_columns(Draw& draw, RandomSpec& spec) {
    draw_by(draw, spec, uneven(draw), ColumnPlaces::popular);
}
void draw_communities(Draw& draw, RandomSpec& spec) {
    draw_by(draw, spec, uneven(draw), ColumnPlaces::communities);
}

void draw_few_dense_rows(Draw& draw, RandomSpec& spec) {
    const std::int64_t mean = mean_for(draw, spec, 40), count = draw.octaves(1, 20);
    const std::int64_t in_long = spec.entries / 100 * draw.between(5, 60);
    spec.rows = std::clamp<std::int64_t>((spec.entries - in_long) / mean, 2 * count, most_lines);
    spec.cols = std::clamp(columns_beside(draw, spec.rows), 4 * mean, most_lines);
    // Rows can only be so long: the short ones make up for it.
    const std::int64_t longest = std::clamp<std::int64_t>(in_long / count, 1, spec.cols * 3 / 4);
    const bool square = spec.rows == spec.cols;
    spec.rows =
        std::clamp<std::int64_t>((spec.entries - longest * count) / mean, 2 * count, most_lines);
    if (square) spec.cols = std::max(spec.rows, 4 * mean);
    spec.lengths = {RowLengths::few_dense, mean, 0, longest, count};
    spec.columns = draw_columns(draw, spec.cols);
}

void draw_wide(Draw& draw, RandomSpec& spec) {
    constexpr std::int64_t most_columns = 3000000;
    const std::int64_t least = std::max<std::int64_t>(spec.entries / (most_columns / 2), 64);
    spec.rows = draw.octaves(least, std::clamp<std::int64_t>(spec.entries / 16, least, 2000));
    const std::int64_t mean = std::max<std::int64_t>(spec.entries / spec.rows, 1);
    spec.cols = draw.octaves(2 * mean, most_columns);
    spec.lengths = draw_lengths(
        draw, draw.pick({RowLengths::equal, RowLengths::normal, RowLengths::log_normal}), mean);
    spec.lengths.longest = std::min(spec.lengths.longest, spec.cols);
    const std::int64_t made = Lengths(spec.lengths, spec.rows, spec.cols, spec.seed).mean();
    spec.rows = std::max<std::int64_t>(spec.entries * 1024 / made, 2);
    spec.columns = draw_columns(draw, spec.cols);
}

void draw_tall(Draw& draw, RandomSpec& spec) {
    const std::int64_t mean = draw.octaves(1, std::clamp<std::int64_t>(spec.entries / 500, 1, 100));
    spec.cols = draw.octaves(std::max<std::int64_t>(4 * mean, 32), 2000);
    spec.lengths = draw_lengths(
        draw, draw.pick({RowLengths::equal, RowLengths::normal, RowLengths::zipf}), mean);
    spec.lengths.longest = std::min(spec.lengths.longest, spec.cols);
    const std::int64_t made = Lengths(spec.lengths, 1, spec.cols, spec.seed).mean();
    spec.rows = std::clamp<std::int64_t>(spec.entries * 1024 / made, 1, most_lines);
    spec.columns = draw_columns(draw, spec.cols);
}

void draw_hypersparse(Draw& draw, RandomSpec& spec) {
    const std::int64_t filled = draw.octaves(3, 150), mean = draw.between(1, 3);
    spec.rows = std::min(spec.entries / mean * 1000 / filled, most_lines);
    spec.entries = spec.rows * filled / 1000 * mean;
    spec.cols = std::clamp<std::int64_t>(columns_beside(draw, spec.rows), 64, most_lines);
    set(spec, "filled", filled);
    set(spec, "mean", mean);
    spec.columns = draw_columns(
        draw, draw.pick({ColumnPlaces::anywhere, ColumnPlaces::popular, ColumnPlaces::communities}),
        spec.cols);
}

Pattern hypersparse(const RandomSpec& spec) {
    const std::int64_t filled = spec.parameter("filled"), mean = spec.parameter("mean");
    const ColumnDraw draw(spec.columns, spec.rows, spec.cols, spec.seed);
    const generators::Random random(spec.seed, generators::Purpose::length);
    return {.rows = spec.rows, .cols = spec.cols, .row = [=](std::int64_t i, Places& columns) {
                if (random.below(1000, i) < filled)
                    draw.append(i, 1 + random.below(2 * mean - 1, i, 1), columns);
            }};
}

}  // namespace spmvgen::sampler
