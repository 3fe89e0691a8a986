// Graphs: R-MAT, hosts of the web, circuits, hypercubes, chains of spins.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "matrix/random.hpp"
#include "matrix/sampler/families.hpp"
#include "matrix/sampler/laws.hpp"

namespace spmvgen::sampler {
namespace {

using generators::Purpose;
using generators::Random;

/// R-MAT, row by row: an edge falls into a quarter of the matrix with chances a, b, c and d = 1 - a
/// - b - c, and into a quarter of that, and so on; so the bits of a row tell how many edges it has,
/// and which bits its columns are likely to have.
class Quarters {
  public:
    explicit Quarters(const RandomSpec& spec)
        : scale_(spec.parameter("scale")),
          edges_(spec.parameter("edges")),
          random_(spec.seed, Purpose::edge) {
        const std::int64_t a = spec.parameter("a"), b = spec.parameter("b");
        const std::int64_t c = spec.parameter("c"), d = 1000 - a - b - c;
        upper_ = log2_of(static_cast<std::uint64_t>(a + b)) - log2_of(1000);
        lower_ = log2_of(static_cast<std::uint64_t>(c + d)) - log2_of(1000);
        right_of_upper_ = 65536 * b / (a + b);
        right_of_lower_ = 65536 * d / (c + d);
    }

    void append(std::int64_t row, Places& columns) const {
        const std::int64_t degree = degree_of(row);
        for (std::int64_t k = 0; k < degree; ++k)
            columns.push_back(static_cast<std::int32_t>(column(row, k)));
    }

  private:
    std::int64_t degree_of(std::int64_t row) const {
        const auto ones = static_cast<std::int64_t>(std::popcount(static_cast<std::uint64_t>(row)));
        const Fixed expected =
            log2_of(static_cast<std::uint64_t>(edges_)) + (scale_ - ones) * upper_ + ones * lower_;
        // In units of 1/65536, of which the fraction decides by chance; large ones vary a little.
        const std::int64_t units = exp2_of(std::max<Fixed>(expected + 16 * one, 0));
        const std::int64_t varied = units / 2 + random_.below(units + 1, row, -1);
        return (varied + random_.below(one, row, -2)) >> 16;
    }
    std::int64_t column(std::int64_t row, std::int64_t k) const {
        std::int64_t result = 0;
        std::uint64_t bits = 0;
        for (std::int64_t bit = 0; bit < scale_; ++bit) {
            if (bit % 4 == 0) bits = random_.bits(row, 8 * k + bit / 4);
            const bool below = (row >> bit & 1) != 0;
            const auto chance = static_cast<std::int64_t>(bits & 0xffff);
            bits >>= 16;
            result |= std::int64_t{chance < (below ? right_of_lower_ : right_of_upper_)} << bit;
        }
        return result;
    }

    std::int64_t scale_, edges_;
    Fixed upper_, lower_;
    std::int64_t right_of_upper_, right_of_lower_;  ///< chances, of 65536
    Random random_;
};

/// Binomial coefficients up to those of 33 things; larger ones are not asked for.
constexpr std::int64_t most_spins = 34;
constexpr auto binomials = [] {
    std::array<std::array<std::int64_t, most_spins + 2>, most_spins + 2> table{};
    for (std::size_t n = 0; n < table.size(); ++n) {
        table[n][0] = 1;
        for (std::size_t k = 1; k <= n; ++k) table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
    }
    return table;
}();
std::int64_t binomial(std::int64_t n, std::int64_t k) {
    return k < 0 || k > n ? 0 : binomials[static_cast<std::size_t>(n)][static_cast<std::size_t>(k)];
}

/// Entries of the Hamiltonian of a chain of n spins of which k are up, in thousandths of a row.
std::int64_t spin_row(std::int64_t n, std::int64_t k) {
    return 1000 + 2000 * k * (n - k) / n;
}

/// Pairs of nodes at random: an involution of the numbers within windows of 2^bits, so that i is
/// j's partner where j is i's.
std::int64_t partner(const Random& random, std::int64_t i, std::int64_t bits, std::int64_t key) {
    const std::int64_t mask = (std::int64_t{1} << bits) - 1, window = i >> bits;
    return i ^ (1 + random.below(std::max<std::int64_t>(mask, 1), window, key));
}

}  // namespace

void draw_rmat(Draw& draw, RandomSpec& spec) {
    const std::int64_t degree =
        draw.octaves(2, std::clamp<std::int64_t>(root_of(spec.entries, 2) / 4, 2, 40));
    const std::int64_t scale = std::clamp<std::int64_t>(
        (log2_of(static_cast<std::uint64_t>(spec.entries / degree + 1)) + one / 2) >> 16, 5, 25);
    const std::int64_t a = draw.between(430, 640), rest = 1000 - a;
    const std::int64_t b = rest * draw.between(330, 430) / 1000;
    set(spec, "scale", scale);
    set(spec, "a", a);
    set(spec, "b", b);
    set(spec, "c", draw.chance(60) ? b : rest * draw.between(330, 430) / 1000);
    // Some edges fall on others.
    set(spec, "edges", spec.entries * 11 / 10);
    spec.rows = spec.cols = std::int64_t{1} << scale;
}

Pattern rmat(const RandomSpec& spec) {
    Pattern pattern{.rows = spec.rows, .cols = spec.cols};
    pattern.row = [quarters = Quarters(spec)](std::int64_t i, Places& columns) {
        quarters.append(i, columns);
    };
    return pattern;
}

void draw_web(Draw& draw, RandomSpec& spec) {
    const std::int64_t row =
        draw.octaves(4, std::clamp<std::int64_t>(root_of(spec.entries, 2) / 4, 4, 60));
    const std::int64_t host = draw.octaves(8, 400);
    set(spec, "host", host);
    set(spec, "shared", row * 4 / 3);
    set(spec, "own", std::max<std::int64_t>(row / 3, 1));
    spec.rows = spec.cols = std::clamp<std::int64_t>(
        spec.entries / (row * 2 / 3 + std::max<std::int64_t>(row / 3, 1)), 2 * row, most_lines);
}

Pattern web(const RandomSpec& spec) {
    const std::int64_t n = spec.rows, host = spec.parameter("host");
    const std::int64_t shared = spec.parameter("shared"), own = spec.parameter("own");
    const ColumnDraw near({ColumnPlaces::near, host, 0}, n, n, spec.seed);
    const ColumnDraw popular({ColumnPlaces::popular, 1, 0}, n, n, spec.seed);
    const Random random(spec.seed, Purpose::hub);
    Pattern pattern{.rows = n, .cols = n};
    pattern.row = [=](std::int64_t i, Places& columns) {
        // Pages of a host choose among the same links; menus and footers.
        near.append(i / host * host, shared, columns);
        std::size_t kept = 0;
        for (std::size_t k = 0; k < columns.size(); ++k)
            if (random.below(2, i, columns[k]) == 0) columns[kept++] = columns[k];
        columns.resize(kept);
        const std::int64_t links = 1 + random.below(2 * own - 1, i, -1);
        popular.append(i, links, columns);
    };
    return pattern;
}

void draw_circuit(Draw& draw, RandomSpec& spec) {
    const std::int64_t nets = draw.between(2, 8), keep = draw.between(450, 900);
    const std::int64_t hubs = draw.pick<std::int64_t>({0, 1, 2, 4, 8});
    const std::int64_t row = 1000 + nets * keep;  // in thousandths
    const std::int64_t nodes = std::clamp<std::int64_t>(
        spec.entries * 1000 / row * (hubs > 0 ? 9 : 10) / 10, 32, most_lines);
    set(spec, "nets", nets);
    set(spec, "keep", keep);
    set(spec, "hubs", hubs);
    // All hubs together have some tenth of the entries, twice: as rows and as columns.
    set(spec, "hub_chance",
        hubs == 0 ? 0 : std::min<std::int64_t>(row * draw.between(20, 60) / 4, 450000));
    spec.rows = spec.cols = nodes;
}

Pattern circuit(const RandomSpec& spec) {
    const std::int64_t n = spec.rows, nets = spec.parameter("nets"), keep = spec.parameter("keep");
    const std::int64_t hubs = spec.parameter("hubs"), first = spec.parameter("hub_chance");
    const Random random(spec.seed, Purpose::edge), places(spec.seed, Purpose::hub);
    const auto far = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(n - 1)));
    std::vector<std::int64_t> hub_at;
    for (std::int64_t hub = 0; hub < hubs; ++hub) hub_at.push_back(places.below(n, hub));
    const auto coupled = [=](std::int64_t hub, std::int64_t node) {
        return places.below(1000000, hub, node) < first / (hub + 1);
    };
    Pattern pattern{.rows = n, .cols = n, .symmetric = true};
    pattern.row = [=](std::int64_t i, Places& columns) {
        columns.push_back(static_cast<std::int32_t>(i));
        for (std::int64_t net = 0; net < nets; ++net) {
            // Most nets are near; one in eight may reach anywhere.
            const std::int64_t bits = std::min(net == 7 ? far : 2 + net, far);
            const std::int64_t j = partner(random, i, bits, net);
            if (j < n && random.below(1000, std::min(i, j), -1 - net) < keep)
                columns.push_back(static_cast<std::int32_t>(j));
        }
        for (std::int64_t hub = 0; hub < hubs; ++hub) {
            const std::int64_t at = hub_at[static_cast<std::size_t>(hub)];
            if (coupled(hub, i)) columns.push_back(static_cast<std::int32_t>(at));
            for (std::int64_t j = 0; at == i && j < n; ++j)
                if (coupled(hub, j)) columns.push_back(static_cast<std::int32_t>(j));
        }
    };
    return pattern;
}

void draw_hypercube(Draw& draw, RandomSpec& spec) {
    const bool diagonal = draw.chance(50);
    // 2^k corners, times a ring of several of them.
    std::int64_t k = 2;
    while ((std::int64_t{8} << k) * (k + 4) <= spec.entries && k < 22) ++k;
    const std::int64_t row = k + 2 + (diagonal ? 1 : 0);
    const std::int64_t ring = std::max<std::int64_t>((spec.entries / row) >> k, 3);
    set(spec, "dimensions", k);
    set(spec, "ring", ring);
    set(spec, "diagonal", diagonal);
    spec.rows = spec.cols = ring << k;
}

Pattern hypercube(const RandomSpec& spec) {
    const std::int64_t k = spec.parameter("dimensions"), ring = spec.parameter("ring");
    const bool diagonal = spec.parameter("diagonal") != 0;
    Pattern pattern{.rows = spec.rows, .cols = spec.cols, .symmetric = true};
    pattern.row = [=](std::int64_t i, Places& columns) {
        const auto push = [&](std::int64_t j) { columns.push_back(static_cast<std::int32_t>(j)); };
        if (diagonal) push(i);
        for (std::int64_t bit = 0; bit < k; ++bit) push(i ^ std::int64_t{1} << bit);
        const std::int64_t corner = i & ((std::int64_t{1} << k) - 1), at = i >> k;
        push((at + 1) % ring << k | corner);
        push((at + ring - 1) % ring << k | corner);
    };
    return pattern;
}

void draw_spin_chain(Draw& draw, RandomSpec& spec) {
    std::vector<std::array<std::int64_t, 2>> near;
    std::array<std::int64_t, 2> nearest{4, 2};
    const auto entries = [](std::int64_t n, std::int64_t k) {
        return binomial(n, k) * spin_row(n, k) / 1000;
    };
    for (std::int64_t n = 4; n <= most_spins; ++n)
        for (std::int64_t k = std::max<std::int64_t>(n / 6, 2); k <= n / 2; ++k) {
            if (binomial(n, k) > most_lines) continue;
            const std::int64_t count = entries(n, k);
            if (count > spec.entries * 3 / 4 && count < spec.entries * 5 / 4)
                near.push_back({n, k});
            if (std::abs(count - spec.entries) <
                std::abs(entries(nearest[0], nearest[1]) - spec.entries))
                nearest = {n, k};
        }
    if (!near.empty())
        nearest = near[static_cast<std::size_t>(
            draw.between(0, static_cast<std::int64_t>(near.size()) - 1))];
    set(spec, "spins", nearest[0]);
    set(spec, "up", nearest[1]);
    spec.rows = spec.cols = binomial(nearest[0], nearest[1]);
}

Pattern spin_chain(const RandomSpec& spec) {
    const std::int64_t spins = spec.parameter("spins"), up = spec.parameter("up");
    Pattern pattern{.rows = spec.rows, .cols = spec.cols, .symmetric = true};
    // Basis states by number: the j-th spin up, counted from 1, is at p_j; the number of the state
    // is the sum of the binomials of p_j over j.
    pattern.row = [=](std::int64_t i, Places& columns) {
        columns.push_back(static_cast<std::int32_t>(i));
        std::int64_t left = i, above = -1;
        for (std::int64_t p = spins - 1, j = up; p >= 0 && j > 0; --p) {
            if (binomial(p, j) > left) continue;
            left -= binomial(p, j);
            // A spin up may change places with one down beside it.
            if (p + 1 < spins && above != p + 1)
                columns.push_back(static_cast<std::int32_t>(i + binomial(p, j - 1)));
            if (p > 0 && !(j > 1 && binomial(p - 1, j - 1) <= left))
                columns.push_back(static_cast<std::int32_t>(i - binomial(p - 1, j - 1)));
            above = p;
            --j;
        }
    };
    return pattern;
}

}  // namespace spmvgen::sampler
