"""Draws performance profiles as SVG: how many matrices have a choice within a factor of the least time, by level.

The least time is that of all that are drawn: what levels chose, and the fastest way of each library. Readable on light
and on dark pages. Needs matplotlib. The same input gives the same file.
"""

from spmvbench.errors import BenchError, need
from spmvbench.results import OURS, add_clock_argument, is_choice, rows, time_of
from spmvbench.tables import mean

# Colours that stand out on white and on black; told apart by dashes, too.
STYLES = {
    "measure": ("#2da44e", "-"),
    "rule": ("#db6d28", "-"),
    "cusparse": ("#848d97", (0, (1, 2))),
}
OTHER = ("#db61a2", (0, (4, 1, 1, 1)))
TEXT, GRID = "#848d97", "#848d9760"
TICKS = [1, 1.05, 1.1, 1.2, 1.3, 1.5, 1.75, 2, 2.5, 3, 4, 5, 7, 10, 15, 20]
SETTINGS = {
    "svg.hashsalt": "spmvbench",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": TEXT,
    "axes.edgecolor": TEXT,
    "axes.labelcolor": TEXT,
    "xtick.color": TEXT,
    "ytick.color": TEXT,
}


def add_arguments(parser):
    parser.add_argument("files", nargs="+", metavar="FILE", help="of spmvgen bench --json")
    parser.add_argument("-o", dest="output", required=True, metavar="FILE.svg")
    parser.add_argument("--title", default="")
    parser.add_argument("--value", help="of records with that value type only")
    parser.add_argument("--levels", default=",".join(STYLES), metavar="L,…")
    parser.add_argument("--to", type=float, default=2.0, metavar="FACTOR", help="where the axis ends (2)")
    parser.add_argument("--xlabel", default="time of the choice ÷ time of the best kernel")
    add_clock_argument(parser)


def name_of(row):
    """What is drawn as one line: a level, or a library with all its ways."""
    if not is_choice(row):
        return None if row["library"] == OURS else row["library"]
    return row["case"].partition("/")[2] or "rule"


def ratios_of(path, options):
    """Times over the least that is drawn of the same matrix, for each level and library."""
    times = {}
    for row in rows(path):
        name = name_of(row) if "case" in row and options.value in (None, row["value"]) else None
        us = time_of(row, options.clock)
        if name and us:
            found = times.setdefault((row["matrix"], row["value"]), {})
            found[name] = min(us, found.get(name, us))
    ratios = {}
    for found in times.values():
        for name, us in found.items():
            ratios.setdefault(name, []).append(us / min(found.values()))
    return ratios


def steps(ratios, most):
    """Points of the share of ratios up to each, from 1 to `most`."""
    inside = [max(r, 1) for r in ratios if r <= most]
    return [1, *inside, most], [0, *((i + 1) / len(ratios) for i in range(len(inside))), len(inside) / len(ratios)]


def draw(ratios, levels, options):
    title, most, path = options.title, options.to, options.output
    matplotlib = need("matplotlib", "python3-matplotlib")
    figure_module = need("matplotlib.figure", "python3-matplotlib")
    with matplotlib.rc_context(SETTINGS):
        figure = figure_module.Figure(figsize=(7.9, 4.2))
        axes = figure.add_axes((0.09, 0.12, 0.59, 0.78))
        for level in levels:
            found = sorted(ratios.get(level, []))
            if not found:
                continue
            colour, dashes = STYLES.get(level, OTHER)
            axes.step(
                *steps(found, most),
                where="post",
                color=colour,
                linestyle=dashes,
                linewidth=1.8,
                label=f"{level}\nmean {mean(found):.3f}, worst {found[-1]:.2f}",
            )
        axes.set(xscale="log", xlim=(1, most), ylim=(0, 1.02), xlabel=options.xlabel)
        axes.set_title(title, loc="left", fontweight="bold")
        ticks = [t for t in TICKS if t <= most * 1.0001]
        axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
        axes.set_xticks([], minor=True)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
        axes.grid(color=GRID)
        axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.02), frameon=False, labelspacing=1)
        figure.savefig(path, format="svg", transparent=True, metadata={"Date": None, "Title": title})
    name_for_screen_readers(path)


def name_for_screen_readers(path):
    """The title of the picture becomes its name."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = text.replace("<svg ", '<svg role="img" aria-labelledby="title" ', 1).replace("<title>", '<title id="title">', 1)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def run(options):
    ratios = {}
    for path in options.files:
        for name, found in ratios_of(path, options).items():
            ratios.setdefault(name, []).extend(found)
    if not ratios:
        raise BenchError("there are no such records")
    draw(ratios, options.levels.split(","), options)
