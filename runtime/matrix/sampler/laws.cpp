#include "matrix/sampler/laws.hpp"

#include <algorithm>

namespace spmvgen::sampler {
namespace {

using generators::Purpose;
using generators::Random;

/// From here on the columns of a row are one out of each of equally wide strips: as irregular for a
/// processor, and sorted as they come.
constexpr std::int64_t spread_from = 24;

}  // namespace

Lengths::Lengths(const LengthLaw& law, std::int64_t rows, std::int64_t cols, std::uint64_t seed)
    : law_(law),
      longest_(std::min(law.longest, cols)),
      every_(std::max<std::int64_t>(rows / std::max<std::int64_t>(law.share, 1), 1)),
      random_(seed, Purpose::length) {}

std::int64_t Lengths::of(std::int64_t row, std::uint64_t chance) const {
    const Fixed median = log2_of(static_cast<std::uint64_t>(law_.typical));
    switch (law_.kind) {
        case RowLengths::normal: {
            const Fixed bell = bell_of(chance, random_.bits(row, 1));
            return law_.typical + ((law_.typical * law_.spread * bell / 100 + one / 2) >> 16);
        }
        case RowLengths::log_normal:
            return exp2_of(median + law_.spread * bell_of(chance, random_.bits(row, 1)) / 100);
        case RowLengths::zipf:
            return exp2_of(median + (64 * one - log2_of(chance | 1)) * 100 / law_.spread);
        case RowLengths::two_kinds:
            return is_long(row) ? law_.longest : law_.typical;
        case RowLengths::few_dense:
            return row % every_ == every_ / 2 ? law_.longest
                                              : 1 + random_.below(2 * law_.typical - 1, row, 2);
        default:
            return law_.typical;
    }
}

/// One out of each 1000000 / share rows, so that small matrices have their part, too.
bool Lengths::is_long(std::int64_t row) const {
    const auto first = [&](std::int64_t part) {
        return (part * 1000000 + law_.share - 1) / law_.share;
    };
    const std::int64_t part = row * law_.share / 1000000, begin = first(part);
    return row == begin + random_.below(first(part + 1) - begin, part, 2);
}

std::int64_t Lengths::operator()(std::int64_t row) const {
    return std::clamp<std::int64_t>(of(row, random_.bits(row)), 0, longest_);
}

std::int64_t Lengths::mean() const {
    constexpr std::int64_t samples = 65536;
    std::int64_t sum = 0;
    for (std::int64_t k = 0; k < samples; ++k) {
        const std::uint64_t chance = static_cast<std::uint64_t>(2 * k + 1) << 47;  // of each strip
        const bool by_chance = law_.kind == RowLengths::zipf;
        sum += std::clamp<std::int64_t>(of(k, by_chance ? chance : random_.bits(k)), 0, longest_);
    }
    return std::max<std::int64_t>(sum / (samples / 1024), 1);
}

std::int64_t ColumnDraw::one_column(std::int64_t i, std::int64_t draw, std::int64_t length) const {
    switch (law_.kind) {
        case ColumnPlaces::near: {
            const std::int64_t width = std::min(2 * std::max(law_.width, length) + 1, cols_);
            const std::int64_t begin =
                std::clamp<std::int64_t>(i * cols_ / rows_ - width / 2, 0, cols_ - width);
            return begin + random_.below(width, i, draw);
        }
        case ColumnPlaces::popular: {
            const auto octaves =
                static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(cols_)));
            const std::int64_t first = std::int64_t{1} << random_.below(octaves, i, 2 * draw);
            const std::int64_t width = std::min(first, cols_ - first + 1);
            return first - 1 + random_.below(width, i, 2 * draw + 1);
        }
        case ColumnPlaces::communities: {
            const std::int64_t width = std::min(std::max(law_.width, 2 * length), cols_);
            const std::int64_t begin = std::min(i * cols_ / rows_ / width * width, cols_ - width);
            const bool own = random_.below(1000, i, 2 * draw) < law_.share;
            return own ? begin + random_.below(width, i, 2 * draw + 1)
                       : random_.below(cols_, i, 2 * draw + 1);
        }
        case ColumnPlaces::runs: {
            const std::int64_t start = random_.below(cols_, i, draw / law_.width);
            return (start + draw % law_.width) % cols_;
        }
        default:
            return random_.below(cols_, i, draw);
    }
}

void ColumnDraw::append_spread(std::int64_t i, std::int64_t length, std::int64_t begin,
                               std::int64_t width, Places& columns) const {
    for (std::int64_t k = 0; k < length; ++k) {
        const std::int64_t first = k * width / length;
        const std::int64_t strip = (k + 1) * width / length - first;
        columns.push_back(static_cast<std::int32_t>(begin + first + random_.below(strip, i, k)));
    }
}

void ColumnDraw::append(std::int64_t i, std::int64_t length, Places& columns) const {
    length = std::min(length, cols_);
    if (length >= cols_ / 2 || (law_.kind == ColumnPlaces::anywhere && length >= spread_from))
        return append_spread(i, length, 0, cols_, columns);
    if (law_.kind == ColumnPlaces::near && length >= spread_from) {
        const std::int64_t width = std::min(2 * std::max(law_.width, length) + 1, cols_);
        const std::int64_t begin =
            std::clamp<std::int64_t>(i * cols_ / rows_ - width / 2, 0, cols_ - width);
        return append_spread(i, length, begin, width, columns);
    }
    const auto before = static_cast<std::int64_t>(columns.size());
    std::int64_t draw = 0;
    for (int round = 0; round < 3; ++round) {
        const std::int64_t missing = before + length - static_cast<std::int64_t>(columns.size());
        if (missing <= 0) return;
        for (std::int64_t k = 0; k < missing; ++k)
            columns.push_back(static_cast<std::int32_t>(one_column(i, draw++, length)));
        std::sort(columns.begin() + before, columns.end());
        columns.erase(std::unique(columns.begin() + before, columns.end()), columns.end());
    }
}

LengthLaw draw_lengths(Draw& draw, RowLengths kind, std::int64_t mean) {
    LengthLaw law{kind, mean, 0, most_lines, 0};
    switch (kind) {
        case RowLengths::normal:
            law.spread = draw.between(5, 50);
            break;
        case RowLengths::log_normal:
            law.spread = draw.between(40, 220);
            // The mean lies above the median: by half the variance, in natural logarithms.
            law.typical = exp2_of(log2_of(static_cast<std::uint64_t>(mean)) -
                                  law.spread * law.spread * one / 10000 * 1000 / 2885);
            law.longest = std::max<std::int64_t>(64 * mean, 1000);
            break;
        case RowLengths::zipf:
            law.spread = draw.between(130, 300);
            law.typical = std::max<std::int64_t>(mean * (law.spread - 100) / law.spread, 1);
            law.longest = draw.octaves(30 * mean, 100000 * mean);
            break;
        case RowLengths::two_kinds:
            law.share = draw.octaves(3000, 300000);
            law.longest = mean * draw.octaves(4, 100);
            law.typical = std::max<std::int64_t>(mean - law.share * law.longest / 1000000,
                                                 std::min<std::int64_t>(mean, 2));
            break;
        default:
            break;
    }
    return law;
}

ColumnLaw draw_columns(Draw& draw, ColumnPlaces kind, std::int64_t cols) {
    const auto bounded = [&](std::int64_t least, std::int64_t most) {
        return draw.octaves(least, std::max(least, std::min(most, cols / 4)));
    };
    switch (kind) {
        case ColumnPlaces::near:
            return {kind, bounded(16, 100000), 0};
        case ColumnPlaces::communities:
            return {kind, bounded(32, 20000), draw.between(600, 990)};
        case ColumnPlaces::runs:
            return {kind, draw.octaves(2, 32), 0};
        default:
            return {kind, 1, 0};
    }
}

ColumnLaw draw_columns(Draw& draw, std::int64_t cols) {
    return draw_columns(
        draw,
        draw.pick({ColumnPlaces::anywhere, ColumnPlaces::near, ColumnPlaces::near,
                   ColumnPlaces::popular, ColumnPlaces::communities, ColumnPlaces::runs}),
        cols);
}

Pattern rows_by_laws(const RandomSpec& spec) {
    const Lengths lengths(spec.lengths, spec.rows, spec.cols, spec.seed);
    const ColumnDraw columns(spec.columns, spec.rows, spec.cols, spec.seed);
    return {.rows = spec.rows, .cols = spec.cols, .row = [=](std::int64_t i, Places& places) {
                columns.append(i, lengths(i), places);
            }};
}

}  // namespace spmvgen::sampler
