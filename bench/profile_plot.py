#!/usr/bin/env python3
"""Draws performance profiles as SVG: how many matrices have a choice within a factor of the best kernel's time, by level.

Usage: bench/profile_plot.py -o FILE.svg [--title TEXT] [--value f64] [--levels rule,model,…] [--to 2] QUALITY.json…
QUALITY.json are files of bench_choice_quality --json. Standard library only; readable on light and on dark pages.
"""
import argparse
import json
import math
from xml.sax.saxutils import escape

LEVELS = ["measure", "measure (replayed)", "model", "rule", "rule (left out)", "hand-written", "plain CSR"]
# Light and dark page; told apart by dashes, too.
STYLES = {"measure": ("#1a7f37", "#3fb950", ""), "measure (replayed)": ("#1a7f37", "#3fb950", "5 3"),
          "model": ("#0969da", "#58a6ff", "9 4"), "rule": ("#bc4c00", "#f0883e", ""),
          "rule (left out)": ("#bc4c00", "#f0883e", "5 3"),
          "hand-written": ("#8250df", "#bc8cff", "3 3"), "plain CSR": ("#59636e", "#9198a1", "2 5")}
OTHER = ("#bf3989", "#f778ba", "6 2 2 2")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 400, 64, 220, 44, 52


def ratios_of(records, level):
    return sorted(c["ratio"] for c in (r["choices"].get(level, {}) for r in records) if "ratio" in c)


def ticks(most):
    wanted = [1, 1.05, 1.1, 1.2, 1.3, 1.5, 1.75, 2, 2.5, 3, 4, 5, 7, 10, 15, 20]
    return [t for t in wanted if t <= most * 1.0001]


class Plot:
    def __init__(self, most):
        self.most = most

    def x(self, ratio):
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log(ratio) / math.log(self.most)

    def y(self, share):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    def frame(self, title):
        lines = [f'<text class="title" x="{LEFT}" y="24">{escape(title)}</text>']
        for tick in ticks(self.most):
            x = self.x(tick)
            lines.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}"/>')
            lines.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{tick:g}</text>')
        for share in (0, 0.25, 0.5, 0.75, 1):
            y = self.y(share)
            lines.append(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>')
            lines.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{100 * share:.0f} %</text>')
        middle = (LEFT + WIDTH - RIGHT) / 2
        lines.append(f'<text x="{middle:.0f}" y="{HEIGHT - 12}" text-anchor="middle">time of the choice ÷ time of the best kernel</text>')
        return lines

    def curve(self, ratios, style):
        """Steps: at each ratio one matrix more."""
        inside = [r for r in ratios if r <= self.most]
        points, share = [f"M{self.x(1):.1f},{self.y(0):.1f}"], 0.0
        for i, ratio in enumerate(inside):
            points.append(f"L{self.x(max(ratio, 1)):.1f},{self.y(share):.1f}")
            share = (i + 1) / len(ratios)
            points.append(f"L{self.x(max(ratio, 1)):.1f},{self.y(share):.1f}")
        points.append(f"L{self.x(self.most):.1f},{self.y(share):.1f}")
        return f'<path class="{style}" d="{" ".join(points)}"/>'


def css(levels):
    """Colours of both kinds of page."""
    def rules(of):
        text = "#1f2328" if of == 0 else "#e6edf3"
        grid = "#d1d9e0" if of == 0 else "#3d444d"
        lines = f"text{{fill:{text}}}.grid{{stroke:{grid}}}"
        for i, level in enumerate(levels):
            lines += f".c{i}{{stroke:{STYLES.get(level, OTHER)[of]}}}"
        return lines
    dashes = "".join(f".c{i}{{stroke-dasharray:{d}}}" for i, d in enumerate(STYLES.get(level, OTHER)[2] for level in levels) if d)
    return (f"text{{font:13px sans-serif}}.title{{font-weight:bold;font-size:15px}}.grid{{stroke-width:1}}"
            f"path,.key{{fill:none;stroke-width:2.2}}{dashes}{rules(0)}@media(prefers-color-scheme:dark){{{rules(1)}}}")


def draw(records, levels, title, most):
    plot = Plot(most)
    curves = [(level, ratios_of(records, level)) for level in levels]
    curves = [(level, ratios) for level, ratios in curves if ratios]
    lines = plot.frame(title)
    for i, (level, ratios) in enumerate(curves):
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        y = TOP + 14 + 40 * i
        x = WIDTH - RIGHT + 14
        lines.append(plot.curve(ratios, f"c{i}"))
        lines.append(f'<line class="key c{i}" x1="{x}" y1="{y - 4}" x2="{x + 28}" y2="{y - 4}"/>')
        lines.append(f'<text x="{x + 36}" y="{y}">{escape(level)}</text>')
        lines.append(f'<text x="{x + 36}" y="{y + 16}">mean {mean:.3f}, worst {ratios[-1]:.2f}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">\n'
            f"<title>{escape(title)}</title>\n<style>{css([c[0] for c in curves])}</style>\n" + "\n".join(lines) + "\n</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("-o", dest="output", required=True)
    parser.add_argument("--title", default="")
    parser.add_argument("--value")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--levels", default=",".join(LEVELS))
    parser.add_argument("--to", type=float, default=2.0)
    a = parser.parse_args()
    records = []
    for path in a.files:
        with open(path) as file:
            records += json.load(file)["records"]
    records = [r for r in records if a.value in (None, r["value"]) and a.threads in (None, r["threads"])]
    if not records:
        parser.error("there are no such records")
    with open(a.output, "w") as file:
        file.write(draw(records, a.levels.split(","), a.title or f"{len(records)} matrices", a.to))


if __name__ == "__main__":
    main()
