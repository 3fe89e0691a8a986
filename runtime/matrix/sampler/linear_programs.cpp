// Classes of large linear programs. Rows are constraints, columns are variables.
#include <algorithm>
#include <memory>

#include "matrix/sampler/families.hpp"
#include "matrix/sampler/program_parts.hpp"

namespace spmvgen::sampler {
namespace {

void push(Places& columns, std::int64_t column) {
    columns.push_back(static_cast<std::int32_t>(column));
}

/// first, first + step, …
void push_all(Places& columns, std::int64_t first, std::int64_t count, std::int64_t step = 1) {
    for (std::int64_t k = 0; k < count; ++k) push(columns, first + k * step);
}

/// Of commodities: arcs as rows, nodes as columns.
Rows arcs_of(const RandomSpec& spec) {
    RandomSpec network = spec;
    network.rows = spec.parameter("arcs");
    network.cols = spec.parameter("nodes");
    return Rows(incidence(network));
}

}  // namespace

void draw_assignment(Draw& draw, RandomSpec& spec) {
    const bool pairs = draw.chance(50);
    const std::int64_t n = largest_with(75, spec.entries / 5 * 7, [&](std::int64_t k) {
        return 2 * k * k * k * (k + 1) + 2 * k * k + (pairs ? k * k * k * k : 0);
    });
    set(spec, "n", n);
    set(spec, "pairs", pairs);
    spec.rows = 2 * n + 2 * n * n * n + (pairs ? n * n * n * n / 2 : 0);
    spec.cols = n * n + n * n * n * n;
}

// After Adams and Johnson: x(i, j) puts i on j, y(i, j, k, l) is x(i, j) · x(k, l).
Pattern assignment(const RandomSpec& spec) {
    const std::int64_t n = spec.parameter("n"), nn = n * n, nnn = n * n * n;
    return {.rows = spec.rows, .cols = spec.cols, .row = [=](std::int64_t i, Places& columns) {
                if (i < 2 * n) {
                    const bool of_j = i >= n;
                    return push_all(columns, of_j ? i - n : i * n, n, of_j ? n : 1);
                }
                i -= 2 * n;
                if (i < 2 * nnn) {  // the sum over l, or over k, is x(i, j)
                    const bool over_k = i >= nnn;
                    const std::int64_t row = over_k ? i - nnn : i, pair = row / n, last = row % n;
                    push(columns, pair);
                    return push_all(columns, nn + pair * nn + (over_k ? last : last * n), n,
                                    over_k ? n : 1);
                }
                // y(i, j, k, l) = y(k, l, i, j)
                const std::int64_t y = 2 * (i - 2 * nnn), first = y / nn, second = y % nn;
                push(columns, nn + y);
                push(columns, nn + second * nn + first);
            }};
}

void draw_commodities(Draw& draw, RandomSpec& spec) {
    const std::int64_t commodities =
        draw.octaves(2, std::clamp<std::int64_t>(spec.entries / 300, 2, 200));
    const std::int64_t degree = draw.between(2, 6);
    const std::int64_t arcs = std::clamp<std::int64_t>(spec.entries / (3 * commodities + 1), 8,
                                                       most_lines / (commodities + 1));
    const std::int64_t nodes = std::max<std::int64_t>(arcs / degree, 4);
    set(spec, "commodities", commodities);
    set(spec, "arcs", arcs);
    set(spec, "nodes", nodes);
    set(spec, "reach", draw.octaves(1, std::max<std::int64_t>(nodes / 4, 1)));
    set(spec, "far", draw.pick<std::int64_t>({0, 50, 300, 1000}));
    spec.rows = commodities * nodes + arcs;
    spec.cols = (commodities + 1) * arcs;
}

// What flows into a node flows out, for each commodity; arcs have a capacity for all, with a slack.
Pattern commodities(const RandomSpec& spec) {
    const std::int64_t count = spec.parameter("commodities"), arcs = spec.parameter("arcs");
    const std::int64_t nodes = spec.parameter("nodes");
    const auto arcs_at = std::make_shared<const Rows>(arcs_of(spec).transposed());
    return {.rows = spec.rows, .cols = spec.cols, .row = [=](std::int64_t i, Places& columns) {
                if (i >= count * nodes)
                    return push_all(columns, i - count * nodes, count + 1, arcs);
                const std::size_t before = columns.size();
                arcs_at->append(i % nodes, columns);
                const auto first = static_cast<std::int32_t>(i / nodes * arcs);
                for (std::size_t k = before; k < columns.size(); ++k) columns[k] += first;
            }};
}

void draw_scenarios(Draw& draw, RandomSpec& spec) {
    spec.lengths = short_rows(draw, 8);
    const std::int64_t linked = draw.between(50, 500);
    const std::int64_t row = std::max<std::int64_t>(
        Lengths(spec.lengths, 1, most_lines, spec.seed).mean() + linked * 1024 / 1000, 1024);
    const std::int64_t all = std::clamp<std::int64_t>(spec.entries * 1024 / row, 64, most_lines);
    const std::int64_t block = draw.octaves(
        std::min<std::int64_t>(std::max<std::int64_t>(4 * spec.lengths.typical, 16), all / 2),
        std::clamp<std::int64_t>(all / 2, 16, 5000));
    const std::int64_t count = std::max<std::int64_t>(all / block, 1);
    const std::int64_t inner = std::min(more_columns(draw, block), (most_lines - 4096) / count);
    set(spec, "scenarios", count);
    set(spec, "block", block);
    set(spec, "inner", inner);
    set(spec, "first_stage", draw.octaves(8, 500));
    set(spec, "linked", linked);
    spec.rows = count * block;
    spec.cols = spec.parameter("first_stage") + count * inner;
}

// The same constraints in each scenario, some with a variable of the first stage.
Pattern scenarios(const RandomSpec& spec) {
    const std::int64_t block = spec.parameter("block"), inner = spec.parameter("inner");
    const std::int64_t first = spec.parameter("first_stage"), linked = spec.parameter("linked");
    const Lengths lengths(spec.lengths, block, inner, spec.seed);
    const Random random(spec.seed, Purpose::column);
    return {.rows = spec.rows, .cols = spec.cols, .row = [=](std::int64_t i, Places& columns) {
                const std::int64_t row = i % block, begin = columns.size();
                append_of({0, 1, inner}, random, row, 0, std::max<std::int64_t>(lengths(row), 1),
                          columns);
                const auto shift = static_cast<std::int32_t>(first + i / block * inner);
                for (std::size_t k = begin; k < columns.size(); ++k) columns[k] += shift;
                if (random.below(1000, row, -1) < linked)
                    push(columns, random.below(first, row, -2));
            }};
}

void draw_control(Draw&, RandomSpec& spec) {
    const std::int64_t side = std::max<std::int64_t>(root_of(spec.entries / 8, 2), 3);
    set(spec, "side", side);
    spec.rows = 2 * side * side;
    spec.cols = side * side + side;
}

// The equation of a grid's points, with a control for each line; and the distance from a goal.
Pattern control(const RandomSpec& spec) {
    const std::int64_t side = spec.parameter("side"), points = side * side;
    return {.rows = spec.rows, .cols = spec.cols, .row = [=](std::int64_t i, Places& columns) {
                const std::int64_t point = i % points, x = point % side, y = point / side;
                push(columns, point);
                push(columns, points + y);
                if (i >= points) return;
                if (x > 0) push(columns, point - 1);
                if (x + 1 < side) push(columns, point + 1);
                if (y > 0) push(columns, point - side);
                if (y + 1 < side) push(columns, point + side);
            }};
}

void draw_regression(Draw& draw, RandomSpec& spec) {
    const std::int64_t features =
        draw.octaves(4, std::clamp<std::int64_t>(root_of(spec.entries, 2) / 4, 4, 500));
    const bool largest = draw.chance(40);
    const std::int64_t row = features + (largest ? 1 : 2);
    spec.rows = std::clamp<std::int64_t>(spec.entries / row, 8, most_lines / 3);
    set(spec, "features", features);
    set(spec, "largest", largest);
    spec.cols = features + (largest ? 1 : 2 * spec.rows);
}

// A line is fitted to observations. The errors' sum has two variables a row, the largest has one.
Pattern regression(const RandomSpec& spec) {
    const std::int64_t features = spec.parameter("features");
    const bool largest = spec.parameter("largest") != 0;
    return {.rows = spec.rows, .cols = spec.cols, .row = [=](std::int64_t i, Places& columns) {
                push_all(columns, 0, features);
                if (largest) return push(columns, features);
                push_all(columns, features + 2 * i, 2);
            }};
}

void draw_windows(Draw& draw, RandomSpec& spec) {
    const std::int64_t longest = draw.between(1, 12);
    const std::int64_t cells = std::clamp<std::int64_t>(2 * spec.entries / (longest + 3), 64,
                                                        most_lines);  // jobs · times
    const std::int64_t times = draw.octaves(std::min(longest + 1, cells / 4),
                                            std::clamp<std::int64_t>(cells / 4, 8, 3000));
    set(spec, "times", times);
    set(spec, "jobs", std::max<std::int64_t>(cells / times, 2));
    set(spec, "longest", longest);
    spec.rows = spec.parameter("jobs") + times;
    spec.cols = spec.parameter("jobs") * times;
}

// A job begins once. Those that have begun and take until now share what there is.
Pattern windows(const RandomSpec& spec) {
    const std::int64_t jobs = spec.parameter("jobs"), times = spec.parameter("times");
    const std::int64_t longest = spec.parameter("longest");
    const Random random(spec.seed, Purpose::length);
    return {.rows = spec.rows, .cols = spec.cols, .row = [=](std::int64_t i, Places& columns) {
                if (i < jobs) return push_all(columns, i * times, times);
                const std::int64_t now = i - jobs;
                for (std::int64_t job = 0; job < jobs; ++job) {
                    const std::int64_t takes = std::min(1 + random.below(longest, job), now + 1);
                    push_all(columns, job * times + now - takes + 1, takes);
                }
            }};
}

void draw_precedence(Draw& draw, RandomSpec& spec) {
    const std::int64_t before = draw.between(1, 8);
    const std::int64_t a_variable = 2 * before + 6;
    const std::int64_t all =
        std::clamp<std::int64_t>(spec.entries / a_variable, 32, most_lines / (before + 2));
    const std::int64_t periods = draw.octaves(1, std::clamp<std::int64_t>(all / 16, 1, 50));
    const std::int64_t items = all / periods;
    set(spec, "periods", periods);
    set(spec, "items", items);
    set(spec, "before", before);
    set(spec, "reach", draw.octaves(1, std::max<std::int64_t>(items / 2, 1)));
    spec.rows = items * before * periods + items * (periods - 1) + 2 * periods;
    spec.cols = items * periods;
}

// An item comes after others, and no earlier than a period before; all of a period must fit.
Pattern precedence(const RandomSpec& spec) {
    const std::int64_t items = spec.parameter("items"), periods = spec.parameter("periods");
    const std::int64_t before = spec.parameter("before"), reach = spec.parameter("reach");
    const std::int64_t order = items * before * periods, later = items * (periods - 1);
    const Random random(spec.seed, Purpose::edge);
    return {.rows = spec.rows, .cols = spec.cols, .row = [=](std::int64_t i, Places& columns) {
                if (i < order) {
                    const std::int64_t pair = i % (items * before), item = pair / before;
                    const std::int64_t first = i / (items * before) * items;
                    push(columns, first + item);
                    return push(columns, first + (item + 1 + random.below(reach, pair)) % items);
                }
                i -= order;
                if (i < later) return push_all(columns, i, 2, items);
                const std::int64_t period = (i - later) / 2;
                push_all(columns, period * items, items);
                if (period > 0) push_all(columns, (period - 1) * items, items);
            }};
}

}  // namespace spmvgen::sampler
