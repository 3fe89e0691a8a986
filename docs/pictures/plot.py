#!/usr/bin/env python3
"""Draws roofline-*.svg: operations and bytes of products under the bandwidths of their machine.

usage: docs/pictures/plot.py [FOLDER]   # this folder unless given

Times are those of bench/results, bandwidths those of the device's profile.
"""
import gzip
import json
import math
import os
import sys
from xml.sax.saxutils import escape

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 620, 20, 340
INK, GRID, CACHED, BEYOND = "#333", "#ddd", "#1f77b4", "#d1495b"


def lines_of(name):
    with gzip.open(os.path.join(ROOT, "bench/results", name), "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def points(name, clock):
    """(operations a byte, GFLOP/s, bytes) of each product that the rule chose."""
    found = {}
    for line in lines_of(name):
        if line.get("case") == "auto" and clock in line:
            found[line["matrix"]] = (2 * line["nnz"] / line["bytes"], 2 * line["nnz"] / line[clock]["us"] / 1e3,
                                     line["bytes"])
    return list(found.values())


def rate(profile, threads, size):
    """Bytes a second that are read of so many bytes: those of the nearest amount that was measured."""
    reads = [read for read in profile["read"] if read["threads"] == threads]
    return min(reads, key=lambda read: abs(math.log(read["bytes"] / size)))["bytes_per_s"]


class Axes:
    """Two logarithmic axes."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def at(self, x, y):
        def place(value, low, high, begin, end):
            return begin + (end - begin) * math.log(value / low) / math.log(high / low)
        return place(x, *self.x, LEFT, RIGHT), place(y, *self.y, BOTTOM, TOP)

    def ticks(self, low, high):
        for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
            for digit in (1, 2, 5):
                if low <= digit * 10.0 ** power <= high:
                    yield digit * 10.0 ** power

    def grid(self):
        for x in self.ticks(*self.x):
            at, _ = self.at(x, self.y[0])
            yield f'<path d="M{at:.0f} {TOP}V{BOTTOM}" stroke="{GRID}"/>' + text(at, BOTTOM + 16, f"{x:g}", "middle")
        for y in self.ticks(*self.y):
            _, at = self.at(self.x[0], y)
            yield f'<path d="M{LEFT} {at:.0f}H{RIGHT}" stroke="{GRID}"/>' + text(LEFT - 6, at + 4, f"{y:g}", "end")

    def roof(self, bandwidth, label, dashes):
        """The most operations a second at a bandwidth."""
        begin = max(self.x[0], self.y[0] * 1e9 / bandwidth)
        end = min(self.x[1], self.y[1] * 1e9 / bandwidth)
        (x0, y0), (x1, y1) = self.at(begin, begin * bandwidth / 1e9), self.at(end, end * bandwidth / 1e9)
        angle = math.degrees(math.atan2(y1 - y0, x1 - x0))
        x, y = x0 + 0.08 * (x1 - x0), y0 + 0.08 * (y1 - y0) - 6
        return (f'<path d="M{x0:.0f} {y0:.0f}L{x1:.0f} {y1:.0f}" stroke="{INK}" stroke-width="1.5" {dashes}/>'
                f'<g transform="rotate({angle:.1f} {x:.0f} {y:.0f})">{text(x, y, label)}</g>')


def text(x, y, what, anchor="start", size=12):
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" text-anchor="{anchor}" fill="{INK}">{escape(what)}</text>'


def roofline(title, description, found, cache_bytes, roofs, axes):
    shapes = list(axes.grid())
    shapes += [axes.roof(bandwidth, label, dashes) for bandwidth, label, dashes in roofs]
    for intensity, speed, size in sorted(found, key=lambda point: point[2]):
        x, y = axes.at(intensity, speed)
        cached = size <= cache_bytes
        mark = (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.4"' if cached
                else f'<rect x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6"')
        shapes.append(f'{mark} fill="{CACHED if cached else BEYOND}" fill-opacity="0.75"/>')
    shapes.append(text((LEFT + RIGHT) / 2, BOTTOM + 36, "operations for each byte (bytes: each array once)", "middle", 13))
    shapes.append(f'<g transform="rotate(-90 16 {(TOP + BOTTOM) / 2})">'
                  f'{text(16, (TOP + BOTTOM) / 2, "10⁹ operations a second", "middle", 13)}</g>')
    shapes.append(f'<circle cx="{LEFT + 20}" cy="{HEIGHT - 10}" r="3.4" fill="{CACHED}"/>' +
                  text(LEFT + 30, HEIGHT - 6, f"arrays of up to {cache_bytes / 1e6:.0f} MB, which the cache holds") +
                  f'<rect x="{LEFT + 320}" y="{HEIGHT - 13}" width="6" height="6" fill="{BEYOND}"/>' +
                  text(LEFT + 332, HEIGHT - 6, "larger ones"))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
            f'height="{HEIGHT}" role="img" font-family="sans-serif" aria-labelledby="title description">\n'
            f'<title id="title">{escape(title)}</title>\n<desc id="description">{escape(description)}</desc>\n'
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n' + "\n".join(shapes) + "\n</svg>\n")


def share_under(found, bandwidth):
    """Median of what a product reaches of the bandwidth."""
    reached = sorted(speed * 1e9 / intensity / bandwidth for intensity, speed, _ in found)
    return reached[len(reached) // 2]


def h200():
    with open(os.path.join(ROOT, "tuning_db/device-nvidia-h200.json"), encoding="utf-8") as file:
        profile = json.load(file)
    found = points("h200-f64-seeds-rule-graph.jsonl.gz", "graph")
    cache = profile["l2_bytes"]
    memory, l2 = rate(profile, 0, 4e9), rate(profile, 0, 16e6)
    large = [point for point in found if point[2] > cache]
    return roofline(
        "Roofline of an NVIDIA H200, f64",
        f"{len(found)} drawn matrices, kernels chosen by rule. Products whose arrays do not fit the L2 cache reach "
        f"{share_under(large, memory):.0%} of the memory's {memory / 1e12:.1f} TB/s in the median. Small ones are "
        "bound by the launch, far below the roofs.",
        found, cache, [(memory, f"memory, {memory / 1e12:.1f} TB/s", ""),
                       (l2, f"L2, {l2 / 1e12:.1f} TB/s", 'stroke-dasharray="6 4"')],
        Axes((0.05, 1), (10, 3000)))


def epyc():
    profile = lines_of("cpu-seeds-fitted-profiles.jsonl.gz")[0]
    found = points("cpu-epyc-f64-drawn.jsonl.gz", "stream")
    cache = 16e6
    memory, near = rate(profile, 2, 1e9), rate(profile, 2, 1e6)
    large = [point for point in found if point[2] > cache]
    return roofline(
        "Roofline of two cores of an EPYC, f64",
        f"{len(found)} drawn matrices, kernels chosen by rule. Products whose arrays have more than 16 MB reach "
        f"{share_under(large, memory):.0%} of the memory's {memory / 1e9:.0f} GB/s in the median.",
        found, cache, [(memory, f"memory, {memory / 1e9:.0f} GB/s", ""),
                       (near, f"1 MB, {near / 1e9:.0f} GB/s", 'stroke-dasharray="6 4"')],
        Axes((0.02, 1), (1, 50)))


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    for name, draw in (("roofline-h200-f64", h200), ("roofline-epyc-f64", epyc)):
        with open(os.path.join(folder, name + ".svg"), "w", encoding="utf-8") as out:
            out.write(draw())


if __name__ == "__main__":
    main()
