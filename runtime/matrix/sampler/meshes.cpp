// Meshes that are no plain grids: refined in places, duals, roads, nearest neighbours.
#include <algorithm>
#include <array>
#include <compare>
#include <cstdlib>
#include <memory>

#include "matrix/random.hpp"
#include "matrix/sampler/families.hpp"
#include "matrix/sampler/space.hpp"

namespace spmvgen::sampler {
namespace {

using generators::Purpose;
using generators::Random;

void set_box(RandomSpec& spec, const Box& box) {
    set(spec, "nx", box.nx);
    set(spec, "ny", box.ny);
    set(spec, "nz", box.nz);
}

Box box_in(const RandomSpec& spec) {
    return {spec.parameter("nx"), spec.parameter("ny"), spec.parameter("nz")};
}

/// The cells of a box, each cut into 1, 2, 4 or 8 along each side (`finest`: 1, 2 or 3 times in
/// two): the finer the nearer it is to one of some spheres, as where a solution has fronts.
class Refinement {
  public:
    Refinement(const Box& box, std::int64_t dims, std::int64_t finest, std::int64_t fronts,
               std::uint64_t seed)
        : box_(box), dims_(dims), finest_(finest), fronts_(fronts), random_(seed, Purpose::place) {}

    const Box& box() const { return box_; }
    std::int64_t dims() const { return dims_; }

    /// Parts along a side of a cell.
    std::int64_t cuts(std::int64_t cell) const {
        const Cell c = box_.cell(cell);
        std::int64_t level = 0;
        for (std::int64_t front = 0; front < fronts_; ++front)
            level = std::max(level, level_at(c, front));
        return std::int64_t{1} << std::min(level, finest_);
    }
    std::int64_t leaves(std::int64_t cell) const {
        const std::int64_t s = cuts(cell);
        return dims_ == 2 ? s * s : s * s * s;
    }

  private:
    std::int64_t level_at(const Cell& c, std::int64_t front) const {
        std::int64_t square = from_center(c.x, box_.nx, front, 0);
        square += from_center(c.y, box_.ny, front, 1);
        if (dims_ == 3) square += from_center(c.z, box_.nz, front, 2);
        const std::int64_t radius = 100 + random_.below(300, front, 3);
        const std::int64_t off = std::abs(square - radius * radius);
        return off < 24 * radius ? 3 : off < 80 * radius ? 2 : off < 200 * radius ? 1 : 0;
    }
    /// Squared, of a side of 1024.
    std::int64_t from_center(std::int64_t at, std::int64_t n, std::int64_t front,
                             std::int64_t axis) const {
        const std::int64_t d = (2 * at + 1) * 512 / n - random_.below(1024, front, axis);
        return d * d;
    }

    Box box_;
    std::int64_t dims_, finest_, fronts_;
    Random random_;
};

Refinement refinement_in(const RandomSpec& spec) {
    return {box_in(spec), spec.parameter("dims"), spec.parameter("finest"),
            spec.parameter("fronts"), spec.seed};
}

std::int64_t total_leaves(const Refinement& mesh) {
    std::int64_t sum = 0;
    for (std::int64_t cell = 0; cell < mesh.box().nodes(); ++cell) sum += mesh.leaves(cell);
    return sum;
}

/// The leaves of a refinement, those of a cell one after another, and their neighbours by faces.
class Leaves {
  public:
    explicit Leaves(const Refinement& mesh) : mesh_(mesh), begins_{0} {
        for (std::int64_t cell = 0; cell < mesh.box().nodes(); ++cell) {
            cuts_.push_back(static_cast<std::int8_t>(mesh.cuts(cell)));
            begins_.push_back(begins_.back() + static_cast<std::int32_t>(mesh.leaves(cell)));
        }
    }

    std::int64_t cell_of(std::int64_t leaf) const {
        return std::upper_bound(begins_.begin(), begins_.end(), leaf) - begins_.begin() - 1;
    }
    void append(std::int64_t leaf, Places& columns) const {
        const std::int64_t cell = cell_of(leaf), s = cuts(cell);
        const std::int64_t inner = leaf - begins_[static_cast<std::size_t>(cell)];
        const std::array<std::int64_t, 3> at{inner % s, inner / s % s, inner / s / s};
        columns.push_back(static_cast<std::int32_t>(leaf));
        for (std::size_t axis = 0; axis < static_cast<std::size_t>(mesh_.dims()); ++axis)
            for (const int step : {-1, 1}) append_face(cell, at, axis, step, columns);
    }

  private:
    using Place = std::array<std::int64_t, 3>;

    std::int64_t cuts(std::int64_t cell) const { return cuts_[static_cast<std::size_t>(cell)]; }

    void append_face(std::int64_t cell, Place at, std::size_t axis, int step,
                     Places& columns) const {
        const std::int64_t s = cuts(cell);
        at[axis] += step;
        if (at[axis] >= 0 && at[axis] < s) return append_leaf(cell, s, at, columns);
        const Cell here = mesh_.box().cell(cell);
        Place beside{here.x, here.y, here.z};
        beside[axis] += step;
        const Cell there{beside[0], beside[1], beside[2]};
        if (!mesh_.box().has(there)) return;
        const std::int64_t other = mesh_.box().node(there), t = cuts(other);
        // Where the other cell is finer, all its leaves along the face; else the one.
        const std::int64_t along = std::max<std::int64_t>(t / s, 1);
        const std::int64_t deep = mesh_.dims() == 3 ? along : 1;
        const std::size_t u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
        for (std::int64_t a = 0; a < along; ++a)
            for (std::int64_t b = 0; b < deep; ++b) {
                Place to{};
                to[axis] = step > 0 ? 0 : t - 1;
                to[u] = at[u] * t / s + a;
                to[v] = mesh_.dims() == 3 ? at[v] * t / s + b : 0;
                append_leaf(other, t, to, columns);
            }
    }
    void append_leaf(std::int64_t cell, std::int64_t s, const Place& at, Places& columns) const {
        const std::int64_t inner = (at[2] * s + at[1]) * s + at[0];
        columns.push_back(begins_[static_cast<std::size_t>(cell)] +
                          static_cast<std::int32_t>(inner));
    }

    Refinement mesh_;
    std::vector<std::int8_t> cuts_;
    std::vector<std::int32_t> begins_;
};

/// Calls visit(neighbour, edge number) along the axes of a plane grid.
template <typename Visit>
void along_axes(const Box& box, std::int64_t p, const Visit& visit) {
    const Cell at = box.cell(p);
    if (at.y > 0) visit(p - box.nx, 2 * (p - box.nx) + 1);
    if (at.x > 0) visit(p - 1, 2 * (p - 1));
    if (at.x + 1 < box.nx) visit(p + 1, 2 * p);
    if (at.y + 1 < box.ny) visit(p + box.nx, 2 * p + 1);
}

/// Points at random places of a box's cells, as many in each.
class Cloud {
  public:
    Cloud(const Box& box, std::int64_t a_cell, std::uint64_t seed)
        : box_(box), a_cell_(a_cell), random_(seed, Purpose::place) {}

    /// Appends the `count` points that are the nearest to p.
    void append_nearest(std::int64_t p, std::int64_t count, Places& columns) const {
        struct Near {
            std::int64_t distance;
            std::int32_t point;
            auto operator<=>(const Near&) const = default;
        };
        std::vector<Near> all;
        const Cell at = box_.cell(p / a_cell_);
        const Place from = place(p);
        for_three(at.z, box_.nz, [&](std::int64_t z) {
            for_three(at.y, box_.ny, [&](std::int64_t y) {
                for_three(at.x, box_.nx, [&](std::int64_t x) {
                    for (std::int64_t k = 0; k < a_cell_; ++k) {
                        const std::int64_t q = box_.node({x, y, z}) * a_cell_ + k;
                        if (q != p)
                            all.push_back({distance(from, place(q)), static_cast<std::int32_t>(q)});
                    }
                });
            });
        });
        const auto wanted = std::min<std::int64_t>(count, static_cast<std::int64_t>(all.size()));
        std::nth_element(all.begin(), all.begin() + wanted, all.end());
        for (std::int64_t k = 0; k < wanted; ++k)
            columns.push_back(all[static_cast<std::size_t>(k)].point);
    }

  private:
    using Place = std::array<std::int64_t, 3>;  ///< in units of 1/1024 of a cell

    Place place(std::int64_t p) const {
        const Cell c = box_.cell(p / a_cell_);
        const std::uint64_t bits = random_.bits(p);
        return {c.x * 1024 + static_cast<std::int64_t>(bits & 1023),
                c.y * 1024 + static_cast<std::int64_t>(bits >> 10 & 1023),
                box_.nz > 1 ? c.z * 1024 + static_cast<std::int64_t>(bits >> 20 & 1023) : 0};
    }
    static std::int64_t distance(const Place& a, const Place& b) {
        std::int64_t sum = 0;
        for (std::size_t axis = 0; axis < 3; ++axis)
            sum += (a[axis] - b[axis]) * (a[axis] - b[axis]);
        return sum;
    }
    /// visit(i) for the three numbers around `at`, moved inside 0 … n-1.
    template <typename Visit>
    static void for_three(std::int64_t at, std::int64_t n, const Visit& visit) {
        const std::int64_t begin =
            std::clamp<std::int64_t>(at - 1, 0, std::max<std::int64_t>(n - 3, 0));
        for (std::int64_t i = begin; i < std::min(begin + 3, n); ++i) visit(i);
    }

    Box box_;
    std::int64_t a_cell_;
    Random random_;
};

}  // namespace

void draw_adaptive(Draw& draw, RandomSpec& spec) {
    const std::int64_t dims = draw.between(2, 3), fronts = draw.between(1, 3);
    const std::int64_t wanted = std::max<std::int64_t>(spec.entries / (2 * dims + 1), 1);
    // The finest cells are so small that one more or less does not count.
    std::int64_t finest = draw.between(2, 3);
    while (finest > 1 && wanted >> finest * dims < 200) --finest;
    const auto leaves_of = [&](const Box& box) {
        return total_leaves({box, dims, finest, fronts, spec.seed});
    };
    // Levels are shared out about as in a coarse box with the same fronts.
    Box box = box_of(std::min<std::int64_t>(wanted, 1600), dims, 1), best = box;
    std::int64_t off = spec.entries;
    for (int round = 0; round < 5 && off > wanted / 10; ++round) {
        const std::int64_t leaves = leaves_of(box);
        if (std::abs(leaves - wanted) < off) best = box;
        off = std::min(off, std::abs(leaves - wanted));
        box = box_of(std::max<std::int64_t>(box.nodes() * wanted / leaves, 1), dims, 1);
    }
    set(spec, "dims", dims);
    set(spec, "finest", finest);
    set(spec, "fronts", fronts);
    set_box(spec, best);
    spec.rows = spec.cols = leaves_of(best);
}

Pattern adaptive(const RandomSpec& spec) {
    const auto leaves = std::make_shared<const Leaves>(refinement_in(spec));
    const Pattern cells = in_space(box_in(spec));
    Pattern pattern{.rows = spec.rows, .cols = spec.cols, .symmetric = true};
    pattern.row = [=](std::int64_t i, Places& columns) { leaves->append(i, columns); };
    pattern.along = [=](std::int64_t i) { return cells.along(leaves->cell_of(i)); };
    pattern.part = [=](std::int64_t i) { return cells.part(leaves->cell_of(i)); };
    return pattern;
}

void draw_dual(Draw& draw, RandomSpec& spec) {
    const bool diagonal = draw.chance(30);
    const std::int64_t nodes = std::min(spec.entries / (diagonal ? 4 : 3), most_lines);
    set(spec, "diagonal", diagonal);
    set_box(spec, box_of(nodes, 2, spec.entries > 30000 ? draw.pick<std::int64_t>({1, 2, 8}) : 1));
    spec.rows = spec.cols = box_in(spec).nodes();
}

Pattern dual(const RandomSpec& spec) {
    const Box box = box_in(spec);
    const bool diagonal = spec.parameter("diagonal") != 0;
    Pattern pattern = in_space(box);
    pattern.symmetric = true;
    pattern.row = [=](std::int64_t p, Places& columns) {
        const Cell at = box.cell(p);
        if (diagonal) columns.push_back(static_cast<std::int32_t>(p));
        // Two sides left and right, the third below or above in turn: as a wall of bricks.
        const std::int64_t third = (at.x + at.y) % 2 == 0 ? box.nx : -box.nx;
        along_axes(box, p, [&](std::int64_t q, std::int64_t) {
            if (q == p - 1 || q == p + 1 || q == p + third)
                columns.push_back(static_cast<std::int32_t>(q));
        });
    };
    return pattern;
}

void draw_roads(Draw& draw, RandomSpec& spec) {
    const std::int64_t keep = draw.between(520, 780);
    const bool diagonal = draw.chance(30);
    const std::int64_t nodes =
        std::min(spec.entries * 1000 / (4 * keep + (diagonal ? 1000 : 0)), most_lines);
    set(spec, "keep", keep);
    set(spec, "diagonal", diagonal);
    set_box(spec, box_of(nodes, 2, 1));
    spec.rows = spec.cols = box_in(spec).nodes();
}

Pattern roads(const RandomSpec& spec) {
    const Box box = box_in(spec);
    const Random random(spec.seed, Purpose::edge);
    const std::int64_t keep = spec.parameter("keep");
    const bool diagonal = spec.parameter("diagonal") != 0;
    Pattern pattern = in_space(box);
    pattern.symmetric = true;
    pattern.row = [=](std::int64_t p, Places& columns) {
        if (diagonal) columns.push_back(static_cast<std::int32_t>(p));
        along_axes(box, p, [&](std::int64_t q, std::int64_t edge) {
            if (random.below(1000, edge) < keep) columns.push_back(static_cast<std::int32_t>(q));
        });
    };
    return pattern;
}

void draw_neighbours(Draw& draw, RandomSpec& spec) {
    const std::int64_t dims = draw.between(2, 3);
    const std::int64_t count =
        std::min(draw.octaves(4, 40), std::max<std::int64_t>(spec.entries / 64, 2));
    const bool diagonal = draw.chance(50);
    // Enough that the nearest are in the cells around.
    const std::int64_t a_cell = dims == 2 ? count * 5 / 18 + 1 : count / 6 + 1;
    const std::int64_t points = std::min(spec.entries / (count + (diagonal ? 1 : 0)), most_lines);
    set(spec, "neighbours", count);
    set(spec, "diagonal", diagonal);
    set(spec, "a_cell", a_cell);
    set_box(spec, box_of(std::max<std::int64_t>(points / a_cell, 1), dims, 1));
    spec.rows = spec.cols = box_in(spec).nodes() * a_cell;
}

Pattern neighbours(const RandomSpec& spec) {
    const Box box = box_in(spec);
    const std::int64_t a_cell = spec.parameter("a_cell"), count = spec.parameter("neighbours");
    const Cloud cloud(box, a_cell, spec.seed);
    const bool diagonal = spec.parameter("diagonal") != 0;
    const Pattern cells = in_space(box);
    Pattern pattern{.rows = spec.rows, .cols = spec.cols};
    pattern.row = [=](std::int64_t p, Places& columns) {
        if (diagonal) columns.push_back(static_cast<std::int32_t>(p));
        cloud.append_nearest(p, count, columns);
    };
    pattern.along = [=](std::int64_t p) { return cells.along(p / a_cell); };
    pattern.part = [=](std::int64_t p) { return cells.part(p / a_cell); };
    return pattern;
}

}  // namespace spmvgen::sampler
