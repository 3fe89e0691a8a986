// Nodes of a regular grid, coupled with those around them: stencils and finite elements.
#include <algorithm>
#include <cstdlib>
#include <span>

#include "matrix/gallery/grid.hpp"
#include "matrix/sampler/families.hpp"
#include "matrix/sampler/space.hpp"

namespace spmvgen::sampler {
namespace {

using generators::Offset;
using generators::Purpose;
using generators::Random;

/// How the unknowns of a node go: as many for each; one more at the nodes of the coarser grid (as
/// of elements whose kinds of unknowns are of different order); as the region has them; by chance.
enum Mixing : std::int64_t { same, coarser, region, chance };

/// Whether a stencil of so many points has the one at d.
bool has_point(std::int64_t dims, std::int64_t points, const Offset& d) {
    const std::int64_t sum = std::abs(d.x) + std::abs(d.y) + std::abs(d.z);
    const std::int64_t reach = std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});
    const bool one_side = d.x * d.y >= 0 && d.x * d.z >= 0 && d.y * d.z >= 0;
    if ((dims < 3 && d.z != 0) || (dims < 2 && d.y != 0)) return false;
    switch (dims * 100 + points) {
        case 103:
        case 205:
        case 307:
            return sum <= 1;
        case 105:
        case 213:
            return sum <= 2;
        case 207:
        case 315:
            return reach <= 1 && one_side;
        case 209:
        case 327:
            return reach <= 1;
        case 225:
            return reach <= 2;
        case 313:
            return sum == reach && reach <= 2;
        case 319:
            return reach <= 1 && sum <= 2;
        default:
            return sum == 0;
    }
}

std::vector<Offset> stencil_of(std::int64_t dims, std::int64_t points) {
    std::vector<Offset> offsets;
    for (std::int64_t z = -2; z <= 2; ++z)
        for (std::int64_t y = -2; y <= 2; ++y)
            for (std::int64_t x = -2; x <= 2; ++x)
                if (has_point(dims, points, {x, y, z})) offsets.push_back({x, y, z});
    return offsets;
}

/// A grid whose nodes have unknowns, and holes.
class Nodes {
  public:
    explicit Nodes(const RandomSpec& spec)
        : box_{spec.parameter("nx"), spec.parameter("ny"), spec.parameter("nz")},
          dims_(spec.parameter("dims")),
          unknowns_(spec.parameter("unknowns")),
          mixing_(spec.parameter("mixing")),
          holes_(spec.parameter("holes")),
          hole_(hole_side(box_.nodes(), dims_)),
          random_(spec.seed, Purpose::place) {}

    const Box& box() const { return box_; }
    bool mixed() const { return mixing_ != same; }

    std::int64_t unknowns(std::int64_t node) const {
        const Cell at = box_.cell(node);
        switch (mixing_) {
            case coarser:
                return unknowns_ - ((at.x | at.y | at.z) & 1);
            case region:
                return 1 + random_.below(unknowns_, box_.coarse(at, 8), 1);
            case chance:
                return 1 + random_.below(unknowns_, node, 2);
            default:
                return unknowns_;
        }
    }
    /// The mean of its square, in thousandths.
    std::int64_t mean_square() const {
        const std::int64_t u = unknowns_, parts = std::int64_t{1} << dims_;
        switch (mixing_) {
            case coarser: {
                const std::int64_t mean = 1000 * (u - 1) + 1000 / parts;
                return mean * mean / 1000;
            }
            case region:
                return 1000 * (u + 1) * (2 * u + 1) / 6;
            case chance:
                return 250 * (u + 1) * (u + 1);
            default:
                return 1000 * u * u;
        }
    }

    /// Some of the cubes that the box is cut into are holes; never the first.
    bool present(std::int64_t node) const {
        const std::int64_t cube = box_.coarse(box_.cell(node), hole_);
        return cube == 0 || random_.below(1000, cube, 3) >= holes_;
    }

    std::int64_t total_unknowns() const {
        const std::int64_t nodes = box_.nodes();
        if (holes_ == 0 && !mixed()) return nodes * unknowns_;
        std::int64_t sum = 0;
        for (std::int64_t node = 0; node < nodes; ++node)
            if (holes_ == 0 || present(node)) sum += unknowns(node);
        return sum;
    }

  private:
    static std::int64_t hole_side(std::int64_t nodes, std::int64_t dims) {
        const std::int64_t side = dims == 1   ? nodes / 100
                                  : dims == 2 ? root_of(nodes / 150, 2)
                                              : root_of(nodes / 500, 3);
        return std::max<std::int64_t>(side, 2);
    }

    Box box_;
    std::int64_t dims_, unknowns_, mixing_, holes_, hole_;
    Random random_;
};

/// Entries of the stencil on all nodes of the box.
std::int64_t couplings(const Box& box, const std::vector<Offset>& stencil, bool periodic) {
    if (periodic) return box.nodes() * static_cast<std::int64_t>(stencil.size());
    std::int64_t sum = 0;
    const auto left = [](std::int64_t n, std::int64_t d) {
        return std::max<std::int64_t>(n - std::abs(d), 0);
    };
    for (const Offset& d : stencil)
        sum += left(box.nx, d.x) * left(box.ny, d.y) * left(box.nz, d.z);
    return sum;
}

struct GridKind {
    std::int64_t dims, points;
    std::int64_t unknowns = 1, mixing = same, keep = 1000, holes = 0;
    bool periodic = false;
};

/// Sets sides, so that the wanted entries come out, and all parameters.
void set_grid(Draw& draw, RandomSpec& spec, GridKind kind) {
    while (kind.unknowns > 1 && kind.points * kind.unknowns * kind.unknowns * 8 > spec.entries)
        --kind.unknowns;
    if (kind.unknowns == 1) kind.mixing = same;
    // A few holes or regions more or less are much of a small grid.
    if (spec.entries < 4000 * kind.points * kind.unknowns * kind.unknowns) {
        kind.holes = 0;
        if (kind.mixing == region) kind.mixing = chance;
    }
    // Small ones are not long and narrow: they would consist of borders.
    const std::int64_t longer = std::min(draw.pick<std::int64_t>({1, 1, 1, 2, 8, 32}),
                                         1 + spec.entries / kind.points / 500);
    set(spec, "dims", kind.dims);
    set(spec, "points", kind.points);
    set(spec, "unknowns", kind.unknowns);
    set(spec, "mixing", kind.mixing);
    set(spec, "keep", kind.keep);
    set(spec, "holes", kind.holes);
    set(spec, "periodic", kind.periodic ? 1 : 0);
    set(spec, "nx", 1);
    set(spec, "ny", 1);
    set(spec, "nz", 1);
    const auto stencil = stencil_of(kind.dims, kind.points);
    const std::int64_t square = Nodes(spec).mean_square();
    const std::int64_t wanted =
        spec.entries * 1000 / square * 1000 / kind.keep * 1000 / (1000 - kind.holes);
    const std::int64_t nodes =
        largest_with(most_lines / kind.unknowns, wanted, [&](std::int64_t n) {
            return couplings(box_of(n, kind.dims, longer), stencil, kind.periodic);
        });
    const Box box = box_of(nodes, kind.dims, longer);
    const auto sides = std::span(spec.parameters).last(3);
    sides[0].second = box.nx;
    sides[1].second = box.ny;
    sides[2].second = box.nz;
    spec.rows = spec.cols = std::max<std::int64_t>(Nodes(spec).total_unknowns(), 1);
}

/// Finite elements over so many points around each.
void draw_elements(Draw& draw, RandomSpec& spec, std::int64_t dims, std::int64_t points) {
    GridKind kind{dims, points};
    kind.unknowns = draw.pick<std::int64_t>({1, 1, 2, 3, 3, 4, 5, 6});
    if (draw.chance(35)) kind.mixing = draw.pick<std::int64_t>({coarser, region, chance});
    if (draw.chance(50)) kind.keep = draw.between(820, 999);
    if (draw.chance(25)) kind.holes = draw.between(50, 300);
    set_grid(draw, spec, kind);
}

std::int64_t wrapped(std::int64_t at, std::int64_t n) {
    return at < 0 ? at + n : at >= n ? at - n : at;
}

}  // namespace

void draw_stencil(Draw& draw, RandomSpec& spec) {
    static constexpr GridKind kinds[] = {{1, 3},  {1, 5}, {2, 5},  {2, 9},  {2, 13},
                                         {2, 25}, {3, 7}, {3, 13}, {3, 19}, {3, 27}};
    GridKind kind = kinds[draw.between(0, 9)];
    if (draw.chance(15)) kind.unknowns = draw.between(2, 5);
    if (draw.chance(40)) kind.holes = draw.between(50, 400);
    if (draw.chance(15)) kind.keep = draw.between(900, 999);
    kind.periodic = draw.chance(20);
    set_grid(draw, spec, kind);
}

void draw_triangles(Draw& draw, RandomSpec& spec) {
    draw_elements(draw, spec, 2, 7);
}
void draw_quadrilaterals(Draw& draw, RandomSpec& spec) {
    draw_elements(draw, spec, 2, 9);
}
void draw_tetrahedra(Draw& draw, RandomSpec& spec) {
    draw_elements(draw, spec, 3, 15);
}
void draw_hexahedra(Draw& draw, RandomSpec& spec) {
    draw_elements(draw, spec, 3, 27);
}

Pattern grid_pattern(const RandomSpec& spec) {
    const Nodes nodes(spec);
    const Box box = nodes.box();
    const Random random(spec.seed, Purpose::edge);
    const std::int64_t keep = spec.parameter("keep");
    const bool periodic = spec.parameter("periodic") != 0;
    Pattern pattern = in_space(box);
    pattern.symmetric = true;
    pattern.row = [=, stencil = stencil_of(spec.parameter("dims"), spec.parameter("points"))](
                      std::int64_t p, Places& columns) {
        const Cell at = box.cell(p);
        for (const Offset& d : stencil) {
            Cell to{at.x + d.x, at.y + d.y, at.z + d.z};
            if (periodic)
                to = {wrapped(to.x, box.nx), wrapped(to.y, box.ny), wrapped(to.z, box.nz)};
            if (!box.has(to)) continue;
            const std::int64_t q = box.node(to);
            if (q == p || keep == 1000 || random.below(1000, std::min(p, q), std::max(p, q)) < keep)
                columns.push_back(static_cast<std::int32_t>(q));
        }
    };
    if (nodes.mixed() || spec.parameter("unknowns") > 1)
        pattern.unknowns = [=](std::int64_t p) { return nodes.unknowns(p); };
    if (spec.parameter("holes") > 0)
        pattern.present = [=](std::int64_t p) { return nodes.present(p); };
    return pattern;
}

}  // namespace spmvgen::sampler
