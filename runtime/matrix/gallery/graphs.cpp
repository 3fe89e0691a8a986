// Graphs: recursive, combinatorial, and circuits with hubs.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "matrix/gallery/builder.hpp"
#include "matrix/gallery/families.hpp"

namespace spmvgen::generators {
namespace {

/// A permutation of the numbers of `bits` bits that scatters them.
class Scatter {
  public:
    Scatter(std::uint64_t seed, int bits)
        : bits_(bits), first_(odd(seed, 0)), second_(odd(seed, 1)) {}

    std::int64_t operator()(std::int64_t x) const {
        const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
        const int shift = bits_ / 2 + 1;
        std::uint64_t u = static_cast<std::uint64_t>(x);
        for (const std::uint64_t factor : {first_, second_}) {
            u = u * factor & mask;
            u ^= u >> shift;
        }
        return static_cast<std::int64_t>(u);
    }

  private:
    static std::uint64_t odd(std::uint64_t seed, std::int64_t k) {
        return Random(seed, Purpose::order).bits(k) | 1;
    }
    int bits_;
    std::uint64_t first_, second_;
};

}  // namespace

// Chakrabarti, Zhan, Faloutsos: R-MAT (2004): each bit of (row, column) falls into a quadrant with
// chances a, b, c, d.
CsrMatrix rmat(const Arguments& arguments) {
    const int scale = static_cast<int>(arguments.whole("scale"));
    const std::int64_t all = std::int64_t{1} << scale;
    const std::int64_t n = arguments.whole("nodes") == 0 ? all : arguments.whole("nodes");
    if (n > all) arguments.fail(fmt::format("nodes={} is more than 2^scale={}", n, all));
    const std::int64_t edges = arguments.whole("edges") == 0
                                   ? product({all, arguments.whole("degree")})
                                   : arguments.whole("edges");
    const bool every = arguments.flag("every");
    const bool symmetric = arguments.flag("symmetric"), scattered = arguments.flag("scatter");
    const Shape shape = checked(arguments, {n, n, product({edges, symmetric ? 2 : 1})});
    const double a = arguments.real("a"), ab = a + arguments.real("b");
    const double abc = ab + arguments.real("c");
    if (abc > 1) arguments.fail(fmt::format("a + b + c = {} is more than 1", abc));

    // Chances in 65536ths: a draw of 64 bits decides four levels.
    const auto part = [](double chance) { return static_cast<std::uint64_t>(chance * 65536); };
    const std::uint64_t to_b = part(a), to_c = part(ab), to_d = part(abc);
    const Random random(arguments.seed(), Purpose::edge);
    const Scatter scatter(arguments.seed(), scale);
    const auto edge = [&](std::int64_t k) {
        std::int64_t i = 0, j = 0;
        std::uint64_t bits = 0;
        for (int level = 0; level < scale; ++level, bits >>= 16) {
            if (level % 4 == 0) bits = random.bits(k, level);
            const std::uint64_t u = bits & 0xffff;
            const bool below = u >= to_c;
            i = 2 * i + below;
            j = 2 * j + (below ? u >= to_d : u >= to_b);
        }
        if (scattered) i = scatter(i), j = scatter(j);
        return std::pair(every && k < n ? k : i % n, j % n);
    };
    return from_edges(shape, edges, symmetric, edge, {arguments, 1, 1, symmetric});
}

CsrMatrix debruijn(const Arguments& a) {
    const std::int64_t n = std::int64_t{1} << a.whole("k");
    const bool symmetric = a.flag("symmetric");
    const Shape shape = checked(a, {n, n, product({n, symmetric ? 4 : 2})});
    const auto row = [=](std::int64_t i, Columns& columns) {
        for (const std::int64_t j : {2 * i % n, (2 * i + 1) % n})
            if (!symmetric || j != i) columns.push_back(j);
        if (symmetric)
            for (const std::int64_t j : {i / 2, i / 2 + n / 2})
                if (j != i) columns.push_back(j);
    };
    return from_rows(shape, row, {a, 1, 1, symmetric});
}

// Couplings to near nodes with a heavy tail, and a few nets that touch a large part of the circuit
// (supply, clock): dense rows and columns, the k-th with dense_length / k entries.
CsrMatrix circuit(const Arguments& a) {
    const std::int64_t n = a.whole("n"), span = a.whole("span");
    const std::int64_t longest = a.whole("dense_length");
    if (longest > n) a.fail(fmt::format("dense_length={} is more than n={}", longest, n));
    const auto couplings =
        static_cast<std::int64_t>(static_cast<double>(n) * (a.real("per_row") - 1) / 2);
    Columns ends{n, n + couplings};  // where the edges of each kind and dense row end
    for (std::int64_t k = 1; k <= a.whole("dense"); ++k)
        ends.push_back(ends.back() + std::max<std::int64_t>(longest / k, 1));
    const Shape shape = checked(a, {n, n, product({ends.back(), 2})});

    const Random random(a.seed(), Purpose::edge), place(a.seed(), Purpose::place);
    const auto edge = [&](std::int64_t k) -> std::pair<std::int64_t, std::int64_t> {
        if (k < n) return {k, k};
        if (k < ends[1]) {
            const std::int64_t i = random.below(n, k, 0);
            const int reach = std::min(std::countr_zero(random.bits(k, 1)), 24);
            return {i, (i + 1 + random.below(span << reach, k, 2)) % n};
        }
        const auto dense = std::upper_bound(ends.begin() + 2, ends.end(), k) - ends.begin();
        return {place.below(n, dense), random.below(n, k, 0)};
    };
    return from_edges(shape, ends.back(), true, edge, {a, 1, 1});
}

}  // namespace spmvgen::generators
