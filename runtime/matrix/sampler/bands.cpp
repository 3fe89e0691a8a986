// Bands, diagonals, dense blocks, and the factor of Cholesky.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "matrix/random.hpp"
#include "matrix/sampler/families.hpp"
#include "matrix/sampler/laws.hpp"

namespace spmvgen::sampler {
namespace {

using generators::Purpose;
using generators::Random;

/// Distances from the diagonal, some of each octave up to `reach`, and mirrored if so.
std::vector<std::int64_t> offsets_in(const RandomSpec& spec) {
    const std::int64_t count = spec.parameter("count"), reach = spec.parameter("reach");
    const bool mirrored = spec.parameter("mirrored") != 0;
    const Random random(spec.seed, Purpose::place);
    const Fixed octaves = log2_of(static_cast<std::uint64_t>(reach)) + 1;
    std::vector<std::int64_t> offsets{0};
    for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t far = std::min(exp2_of(random.below(octaves, k, 0)), reach);
        const bool below = random.below(2, k, 1) == 0;
        offsets.push_back(below ? -far : far);
        if (mirrored) offsets.push_back(below ? far : -far);
    }
    std::ranges::sort(offsets);
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
    return offsets;
}

/// The tree of separators of nested dissection. A node's columns, a supernode, come after those of
/// its two children's trees; sizes halve each other, by 2^(-1/2) a level in the plane and by
/// 2^(-2/3) in space.
class Dissection {
  public:
    /// `leaf`: size of the lowest supernodes, in units of 1/65536.
    Dissection(std::int64_t levels, std::int64_t dims, Fixed leaf) : levels_(levels) {
        const Fixed a_level = dims == 2 ? one / 2 : 2 * one / 3;
        for (std::int64_t l = levels; l >= 0; --l) {
            const Fixed grown = log2_of(static_cast<std::uint64_t>(leaf)) + (levels - l) * a_level;
            at(sizes_, l) = std::max<std::int64_t>(exp2_of(grown - 16 * one), 1);
            at(trees_, l) = at(sizes_, l) + (l < levels ? 2 * at(trees_, l + 1) : 0);
        }
    }

    std::int64_t columns() const { return trees_[0]; }
    std::int64_t entries() const {
        std::int64_t sum = 0;
        for (std::int64_t l = 0; l <= levels_; ++l) {
            std::int64_t row = (at(sizes_, l) + 1) / 2;
            for (std::int64_t a = 0; a < l; ++a) row += touched(l, a);
            sum += row * at(sizes_, l) << l;
        }
        return sum;
    }
    /// Row i of the factor's transpose: to the end of its supernode, and a part of each separator
    /// above.
    void append(std::int64_t i, const Random& random, Places& columns) const {
        std::array<std::int64_t, most_levels + 1> separators{};
        std::int64_t base = 0, left = i, l = 0;
        for (; l < levels_; ++l) {
            const std::int64_t child = at(trees_, l + 1);
            at(separators, l) = base + 2 * child;
            if (left >= 2 * child) break;
            base += left / child * child;
            left %= child;
        }
        if (l == levels_) at(separators, l) = base;
        const std::int64_t begin = at(separators, l), end = begin + at(sizes_, l);
        push(i, end, columns);
        for (std::int64_t a = l - 1; a >= 0; --a) {
            const std::int64_t length = touched(l, a);
            const std::int64_t first =
                at(separators, a) + random.below(at(sizes_, a) - length + 1, begin, a);
            push(first, first + length, columns);
        }
    }

    static constexpr std::int64_t most_levels = 24;

  private:
    using PerLevel = std::array<std::int64_t, most_levels + 1>;

    static std::int64_t& at(PerLevel& of, std::int64_t l) {
        return of[static_cast<std::size_t>(l)];
    }
    static std::int64_t at(const PerLevel& of, std::int64_t l) {
        return of[static_cast<std::size_t>(l)];
    }
    /// Columns of a separator of level a that a supernode of level l is coupled with.
    std::int64_t touched(std::int64_t l, std::int64_t a) const {
        return std::min(at(sizes_, a), at(sizes_, l) * 3 / 2 >> (l - a - 1) / 2);
    }
    static void push(std::int64_t begin, std::int64_t end, Places& columns) {
        for (std::int64_t j = begin; j < end; ++j) columns.push_back(static_cast<std::int32_t>(j));
    }

    std::int64_t levels_;
    PerLevel sizes_{}, trees_{};
};

Dissection dissection_in(const RandomSpec& spec) {
    return {spec.parameter("levels"), spec.parameter("dims"), spec.parameter("leaf")};
}

LengthLaw degrees_in(const RandomSpec& spec) {
    return {RowLengths::normal, spec.parameter("degree"), spec.parameter("spread"), most_lines, 0};
}

/// Unknowns of a node: `block`, or up to so many.
std::int64_t block_size(std::int64_t block, bool varied, const Random& random, std::int64_t node) {
    return varied ? 1 + random.below(block, node) : block;
}

}  // namespace

void draw_band(Draw& draw, RandomSpec& spec) {
    const std::int64_t reach =
        draw.octaves(1, std::clamp<std::int64_t>(root_of(spec.entries / 8, 2), 1, 500));
    const bool one_sided = draw.chance(15);
    const std::int64_t fill = draw.chance(45) ? 1000 : draw.between(150, 990);
    const std::int64_t row = one_sided ? reach : 2 * reach;
    set(spec, "lower", reach);
    set(spec, "upper", one_sided ? 0 : reach);
    set(spec, "fill", fill);
    spec.rows = spec.cols =
        std::clamp<std::int64_t>(spec.entries * 1000 / (row * fill + 1000), reach + 1, most_lines);
}

Pattern band(const RandomSpec& spec) {
    const std::int64_t n = spec.rows, lower = spec.parameter("lower");
    const std::int64_t upper = spec.parameter("upper"), fill = spec.parameter("fill");
    const Random random(spec.seed, Purpose::column);
    Pattern pattern{.rows = n, .cols = n, .symmetric = lower == upper};
    pattern.row = [=](std::int64_t i, Places& columns) {
        const std::int64_t end = std::min(i + upper, n - 1);
        for (std::int64_t j = std::max<std::int64_t>(i - lower, 0); j <= end; ++j)
            if (i == j || fill == 1000 || random.below(1000, std::min(i, j), std::max(i, j)) < fill)
                columns.push_back(static_cast<std::int32_t>(j));
    };
    return pattern;
}

void draw_diagonals(Draw& draw, RandomSpec& spec) {
    const bool mirrored = draw.chance(60);
    const std::int64_t fill = draw.chance(60) ? 1000 : draw.between(500, 990);
    const std::int64_t count =
        std::min(draw.octaves(1, 50), std::max<std::int64_t>(spec.entries / 100, 1));
    set(spec, "count", count);
    set(spec, "mirrored", mirrored);
    set(spec, "fill", fill);
    set(spec, "reach", 1);
    const std::int64_t about = spec.entries / (count * (mirrored ? 2 : 1) + 1);
    const std::int64_t reach = draw.octaves(16, std::max<std::int64_t>(about / 3, 16));
    spec.parameters.back().second = reach;
    const auto offsets = offsets_in(spec);
    spec.rows = spec.cols = largest_with(most_lines, spec.entries, [&](std::int64_t n) {
        std::int64_t sum = 0;
        for (const std::int64_t d : offsets) sum += std::max<std::int64_t>(n - std::abs(d), 0);
        return n + (sum - n) * fill / 1000;
    });
}

Pattern diagonals(const RandomSpec& spec) {
    const std::int64_t n = spec.rows, fill = spec.parameter("fill");
    const bool mirrored = spec.parameter("mirrored") != 0;
    const Random random(spec.seed, Purpose::column);
    Pattern pattern{.rows = n, .cols = n, .symmetric = mirrored};
    pattern.row = [=, offsets = offsets_in(spec)](std::int64_t i, Places& columns) {
        for (const std::int64_t d : offsets) {
            const std::int64_t j = i + d;
            if (j < 0 || j >= n) continue;
            // Holes come in pieces, as where a material or a boundary lets couplings out.
            if (d == 0 || fill == 1000 ||
                random.below(1000, std::min(i, j) / 32, std::abs(d)) < fill)
                columns.push_back(static_cast<std::int32_t>(j));
        }
    };
    return pattern;
}

void draw_blocks(Draw& draw, RandomSpec& spec) {
    std::int64_t block =
        draw.pick<std::int64_t>({2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 24, 30, 32, 36, 40});
    while (block > 2 && block * block * 16 > spec.entries) --block;
    const bool varied = draw.chance(30);
    // The mean square of 1 … block, where sizes vary; of different nodes, the square of the mean.
    const std::int64_t area = varied ? (block + 1) * (block + 1) / 4 : block * block;
    const std::int64_t degree =
        draw.octaves(1, std::clamp<std::int64_t>(root_of(spec.entries / area, 2) / 2, 1, 20));
    const std::int64_t nodes =
        std::clamp<std::int64_t>(spec.entries / area / (degree + 1), 2, most_lines / block);
    set(spec, "block", block);
    set(spec, "varied", varied);
    set(spec, "degree", degree);
    set(spec, "spread", draw.pick<std::int64_t>({0, 20, 60}));
    set(spec, "nodes", nodes);
    spec.columns = draw_columns(draw,
                                draw.pick({ColumnPlaces::near, ColumnPlaces::near,
                                           ColumnPlaces::anywhere, ColumnPlaces::communities}),
                                nodes);
    const Random random(spec.seed, Purpose::place);
    std::int64_t rows = nodes * block;
    if (varied) rows = 0;
    for (std::int64_t node = 0; varied && node < nodes; ++node)
        rows += block_size(block, varied, random, node);
    spec.rows = spec.cols = rows;
}

Pattern blocks(const RandomSpec& spec) {
    const std::int64_t nodes = spec.parameter("nodes");
    const Lengths lengths(degrees_in(spec), nodes, nodes, spec.seed);
    const ColumnDraw draw(spec.columns, nodes, nodes, spec.seed);
    const Random random(spec.seed, Purpose::place);
    const std::int64_t block = spec.parameter("block");
    const bool varied = spec.parameter("varied") != 0;
    Pattern pattern{.rows = nodes, .cols = nodes};
    pattern.row = [=](std::int64_t i, Places& columns) {
        columns.push_back(static_cast<std::int32_t>(i));
        draw.append(i, lengths(i), columns);
    };
    pattern.unknowns = [=](std::int64_t i) { return block_size(block, varied, random, i); };
    return pattern;
}

void draw_cholesky(Draw& draw, RandomSpec& spec) {
    const std::int64_t dims = draw.between(2, 3);
    std::int64_t levels = 0;
    while (levels < Dissection::most_levels &&
           Dissection(levels + 1, dims, 2 * one).entries() <= spec.entries)
        ++levels;
    levels = std::max<std::int64_t>(levels - draw.between(0, 3), std::min<std::int64_t>(levels, 1));
    const std::int64_t most_leaf = (2 * root_of(spec.entries >> levels, 2) + 2) * one;
    set(spec, "dims", dims);
    set(spec, "levels", levels);
    set(spec, "leaf", largest_with(most_leaf, spec.entries, [&](std::int64_t leaf) {
            return Dissection(levels, dims, leaf).entries();
        }));
    spec.rows = spec.cols = dissection_in(spec).columns();
}

Pattern cholesky(const RandomSpec& spec) {
    const Random random(spec.seed, Purpose::column);
    Pattern pattern{.rows = spec.rows, .cols = spec.cols};
    pattern.row = [=, tree = dissection_in(spec)](std::int64_t i, Places& columns) {
        tree.append(i, random, columns);
    };
    return pattern;
}

}  // namespace spmvgen::sampler
