// Constraints of linear and quadratic programs. Rows are constraints, columns are variables; the
// last columns may be slacks, one for each row.
#include <algorithm>
#include <array>
#include <memory>

#include "matrix/random.hpp"
#include "matrix/sampler/families.hpp"
#include "matrix/sampler/laws.hpp"
#include "matrix/sampler/program_parts.hpp"

namespace spmvgen::sampler {
namespace {

/// H of a saddle point: a band, or the star of a grid.
Pattern quadratic(const RandomSpec& spec) {
    const std::int64_t n = spec.parameter("variables"), reach = spec.parameter("reach");
    const std::int64_t side = std::max<std::int64_t>(spec.parameter("side"), 1);
    Pattern h{.rows = n, .cols = n};
    h.row = [=](std::int64_t i, Places& columns) {
        for (std::int64_t d = -reach; d <= reach; ++d)
            for (const std::int64_t j : {i + d, i + d * side})
                if (j >= 0 && j < n) columns.push_back(static_cast<std::int32_t>(j));
    };
    return h;
}

/// A of a saddle point, constraints × variables.
Pattern constraints(const RandomSpec& spec) {
    RandomSpec a = spec;
    a.rows = spec.parameter("constraints");
    a.cols = spec.parameter("variables");
    return rows_by_laws(a);
}

}  // namespace

void draw_staircase(Draw& draw, RandomSpec& spec) {
    const bool slacks = draw.chance(40);
    spec.lengths = short_rows(draw, 14);
    spec.rows = rows_for(spec.entries, spec.lengths, slacks);
    spec.cols = more_columns(draw, spec.rows);
    set(spec, "stages", draw.octaves(2, most_parts(spec.rows, spec.lengths, 2000)));
    set(spec, "before", draw.between(100, 500));
    set_slacks(spec, slacks);
}

Pattern staircase(const RandomSpec& spec) {
    const std::int64_t n = variables(spec), stages = spec.parameter("stages");
    const std::int64_t before = spec.parameter("before"), rows = spec.rows;
    const Lengths lengths(spec.lengths, rows, n, spec.seed);
    const Random random(spec.seed, Purpose::column);
    return with_slacks(spec, [=](std::int64_t i, Places& columns) {
        const std::int64_t stage = i * stages / rows, length = lengths(i);
        const std::int64_t earlier =
            stage == 0 ? 0 : (length * before + random.below(1000, i, -1)) / 1000;
        append_of({stage, stages, n}, random, i, 0, length - earlier, columns);
        append_of({std::max<std::int64_t>(stage - 1, 0), stages, n}, random, i, length, earlier,
                  columns);
    });
}

void draw_border(Draw& draw, RandomSpec& spec) {
    const bool slacks = draw.chance(40);
    spec.lengths = short_rows(draw, 12);
    const std::int64_t linking = draw.octaves(1, 50), in_linking = draw.between(5, 40);
    const std::int64_t inner =
        rows_for(spec.entries / 100 * (100 - in_linking), spec.lengths, slacks);
    spec.rows = inner + linking;
    spec.cols = more_columns(draw, inner);
    set(spec, "blocks", draw.octaves(2, most_parts(inner, spec.lengths, 5000)));
    set(spec, "linking_rows", linking);
    set(spec, "linking_length",
        std::clamp<std::int64_t>(spec.entries / 100 * in_linking / linking, 1, spec.cols / 2));
    set(spec, "linking_columns", std::min(draw.octaves(1, 200), spec.cols / 8));
    set(spec, "linked", draw.between(20, 400));
    set_slacks(spec, slacks);
}

Pattern border(const RandomSpec& spec) {
    const std::int64_t n = variables(spec), shared = spec.parameter("linking_columns");
    const std::int64_t blocks = spec.parameter("blocks"), linked = spec.parameter("linked");
    const std::int64_t inner = spec.rows - spec.parameter("linking_rows");
    const std::int64_t long_row = spec.parameter("linking_length");
    const Lengths lengths(spec.lengths, inner, n, spec.seed);
    const ColumnDraw anywhere({ColumnPlaces::anywhere, 1, 0}, spec.rows, n, spec.seed + 1);
    const Random random(spec.seed, Purpose::column);
    return with_slacks(spec, [=](std::int64_t i, Places& columns) {
        if (i >= inner) return anywhere.append(i, long_row, columns);
        append_of({i * blocks / inner, blocks, n - shared}, random, i, 0, lengths(i), columns);
        if (random.below(1000, i, -1) < linked)
            columns.push_back(static_cast<std::int32_t>(n - 1 - random.below(shared, i, -2)));
    });
}

void draw_knapsacks(Draw& draw, RandomSpec& spec) {
    // Each task goes to one agent; the tasks of an agent fit into his time.
    const std::int64_t agents =
        draw.octaves(4, std::clamp<std::int64_t>(root_of(spec.entries / 2, 2), 4, 400));
    const std::int64_t tasks =
        std::max<std::int64_t>(std::min(spec.entries / (2 * agents), most_lines / agents), 2);
    set(spec, "agents", agents);
    set(spec, "tasks", tasks);
    spec.rows = agents + tasks;
    spec.cols = agents * tasks;
    set_slacks(spec, draw.chance(40));
}

Pattern knapsacks(const RandomSpec& spec) {
    const std::int64_t agents = spec.parameter("agents"), tasks = spec.parameter("tasks");
    return with_slacks(spec, [=](std::int64_t i, Places& columns) {
        const bool task = i < tasks;
        const std::int64_t count = task ? agents : tasks;
        for (std::int64_t k = 0; k < count; ++k)
            columns.push_back(
                static_cast<std::int32_t>(task ? k * tasks + i : (i - tasks) * tasks + k));
    });
}

void draw_short_rows(Draw& draw, RandomSpec& spec) {
    const bool slacks = draw.chance(40);
    const std::int64_t count = draw.octaves(1, 40);
    const std::int64_t in_long = spec.entries / 100 * draw.between(10, 60);
    const std::int64_t inner = std::clamp<std::int64_t>((spec.entries - in_long) / (slacks ? 3 : 2),
                                                        2 * count, most_lines);
    spec.rows = inner;
    spec.cols = more_columns(draw, inner);
    const std::int64_t longest = std::clamp<std::int64_t>(in_long / count, 1, spec.cols / 2);
    spec.lengths = {RowLengths::few_dense, 2, 0, longest, count};
    spec.columns = draw_columns(draw, spec.cols);
    set_slacks(spec, slacks);
}

Pattern rows_and_slacks(const RandomSpec& spec) {
    RandomSpec inner = spec;
    inner.cols = variables(spec);
    return with_slacks(spec, rows_by_laws(inner).row);
}

void draw_dense_columns(Draw& draw, RandomSpec& spec) {
    const bool slacks = draw.chance(40);
    spec.lengths = short_rows(draw, 10);
    const std::int64_t dense = draw.octaves(1, 12), share = draw.between(50, 700);
    const std::int64_t mean = Lengths(spec.lengths, 1, most_lines, spec.seed).mean();
    const std::int64_t row = 1000 * mean / 1024 + dense * share + (slacks ? 1000 : 0);
    spec.rows = std::clamp<std::int64_t>(spec.entries * 1000 / row, 8, most_lines);
    spec.cols = more_columns(draw, spec.rows);
    set(spec, "dense", dense);
    set(spec, "share", share);
    spec.columns = draw_columns(draw, ColumnPlaces::near, spec.cols);
    set_slacks(spec, slacks);
}

Pattern dense_columns(const RandomSpec& spec) {
    const std::int64_t n = variables(spec), dense = spec.parameter("dense");
    const std::int64_t share = spec.parameter("share");
    const Lengths lengths(spec.lengths, spec.rows, n, spec.seed);
    const ColumnDraw draw(spec.columns, spec.rows, n, spec.seed);
    const Random random(spec.seed, Purpose::hub);
    return with_slacks(spec, [=](std::int64_t i, Places& columns) {
        draw.append(i, lengths(i), columns);
        for (std::int64_t k = 0; k < dense; ++k)
            if (random.below(1000, i, k) < share)
                columns.push_back(static_cast<std::int32_t>(random.below(n, -1, k)));
    });
}

void draw_incidence(Draw& draw, RandomSpec& spec) {
    spec.rows = std::min(spec.entries / 2, most_lines);
    spec.cols = std::max<std::int64_t>(spec.rows / draw.octaves(1, 30), 8);
    set(spec, "reach", draw.octaves(1, std::max<std::int64_t>(spec.cols / 4, 1)));
    set(spec, "far", draw.pick<std::int64_t>({0, 0, 50, 300, 1000}));
}

Pattern incidence(const RandomSpec& spec) {
    const std::int64_t arcs = spec.rows, nodes = spec.cols, reach = spec.parameter("reach");
    const std::int64_t far = spec.parameter("far");
    const Random random(spec.seed, Purpose::edge);
    return {.rows = arcs, .cols = nodes, .row = [=](std::int64_t i, Places& columns) {
                const std::int64_t tail = i * nodes / arcs;
                const bool near = random.below(1000, i, 0) >= far;
                const std::int64_t step =
                    near ? 1 + random.below(reach, i, 1) : random.below(nodes, i, 1);
                columns.push_back(static_cast<std::int32_t>(tail));
                columns.push_back(static_cast<std::int32_t>((tail + step) % nodes));
            }};
}

void draw_covering(Draw& draw, RandomSpec& spec) {
    // As it is drawn, a row is a choice and a column what is to be covered.
    const std::int64_t mean = draw.octaves(2, 14);
    spec.lengths = draw_lengths(draw, draw.pick({RowLengths::equal, RowLengths::normal}), mean);
    spec.rows = rows_for(spec.entries, spec.lengths, false);
    spec.cols = draw.octaves(64, std::clamp<std::int64_t>(spec.rows / 4, 64, 6000));
    spec.columns = draw_columns(
        draw, draw.pick({ColumnPlaces::near, ColumnPlaces::runs, ColumnPlaces::anywhere}),
        spec.cols);
}

void draw_saddle_point(Draw& draw, RandomSpec& spec) {
    const std::int64_t reach = draw.between(0, 3);
    const bool grid = reach == 1 && draw.chance(60), corner = draw.chance(40);
    const std::int64_t share = draw.between(10, 90);  // constraints of 100 variables
    spec.lengths = short_rows(draw, 10);
    const std::int64_t mean = Lengths(spec.lengths, 1, most_lines, spec.seed).mean();
    const std::int64_t row =
        1024 * (2 * reach + (grid ? 3 : 1)) + (2 * mean + (corner ? 1024 : 0)) * share / 100;
    const std::int64_t n = std::clamp<std::int64_t>(spec.entries * 1024 / row, 16, most_lines / 2);
    const std::int64_t m = std::max<std::int64_t>(n * share / 100, 1);
    set(spec, "variables", n);
    set(spec, "constraints", m);
    set(spec, "reach", reach);
    set(spec, "side", grid ? root_of(n, 2) : 0);
    set(spec, "corner", corner);
    spec.columns = draw_columns(draw,
                                draw.pick({ColumnPlaces::near, ColumnPlaces::near,
                                           ColumnPlaces::anywhere, ColumnPlaces::runs}),
                                n);
    spec.rows = spec.cols = n + m;
}

Pattern saddle_point(const RandomSpec& spec) {
    const std::int64_t n = spec.parameter("variables");
    const bool corner = spec.parameter("corner") != 0;
    const auto a = std::make_shared<const Rows>(constraints(spec));
    const auto transposed = std::make_shared<const Rows>(a->transposed());
    Pattern pattern{.rows = spec.rows, .cols = spec.cols, .symmetric = true};
    pattern.row = [=, h = quadratic(spec).row](std::int64_t i, Places& columns) {
        if (i >= n) {
            a->append(i - n, columns);
            if (corner) columns.push_back(static_cast<std::int32_t>(i));
            return;
        }
        h(i, columns);
        const std::size_t before = columns.size();
        transposed->append(i, columns);
        for (std::size_t k = before; k < columns.size(); ++k)
            columns[k] += static_cast<std::int32_t>(n);
    };
    return pattern;
}

}  // namespace spmvgen::sampler
