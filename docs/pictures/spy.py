#!/usr/bin/env python3
"""Draws gallery.svg: where the entries of small matrices of the gallery are.

usage: docs/pictures/spy.py PROGRAM [FOLDER]   # PROGRAM is spmvgen; FOLDER this one unless given
"""
import os
import subprocess
import sys
from xml.sax.saxutils import escape

SPECS = {
    "stencil5": "nx=40,ny=40", "stencil27": "nx=12,ny=12,nz=12", "fem": "nx=24,ny=24", "mesh3d": "nx=12,ny=12,nz=12",
    "curl_curl": "nx=9,ny=9,nz=9", "delaunay": "n=1600", "dual": "n=900", "rgg": "n=1600", "road": "nx=40,ny=40",
    "rmat": "scale=11", "web": "n=2000", "citations": "n=2000", "powerlaw": "n=2000", "circuit": "n=2000,dense_length=200",
    "banded": "n=2000", "near": "n=2000", "arrow": "n=2000", "random": "rows=2000,cols=2000",
}
BINS, CELL, COLUMNS = 32, 3.2, 6
SIDE, GAP, TITLE = BINS * CELL, 16, 18
SHADES = ["#c6dbef", "#6baed6", "#2171b5", "#08306b"]


def entries(program, spec):
    """(rows, columns, list of (row, column)) of a matrix of the gallery."""
    made = subprocess.run([program, "gallery", "make", spec, "-o", "-", "--to", "mtx"], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        sys.exit(made.stderr)
    lines = [line for line in made.stdout.splitlines() if not line.startswith("%")]
    rows, cols, _ = map(int, lines[0].split())
    symmetric = "symmetric" in made.stdout.partition("\n")[0]
    places = [tuple(int(word) - 1 for word in line.split()[:2]) for line in lines[1:]]
    return rows, cols, places + ([(j, i) for i, j in places if i != j] if symmetric else [])


def density(rows, cols, places):
    """Entries in each of BINS × BINS parts."""
    counts = [[0] * BINS for _ in range(BINS)]
    for row, col in places:
        counts[row * BINS // rows][col * BINS // cols] += 1
    return counts


def shade(count, most):
    return min(len(SHADES) - 1, int(len(SHADES) * (count / most) ** 0.4 * 0.999))


def plot(name, rows, cols, places, x, y):
    counts = density(rows, cols, places)
    most = max(map(max, counts))
    paths = [""] * len(SHADES)
    for i, line in enumerate(counts):
        j = 0
        while j < BINS:
            if line[j] == 0:
                j += 1
                continue
            end, of = j, shade(line[j], most)
            while end < BINS and line[end] and shade(line[end], most) == of:
                end += 1
            paths[of] += f"M{j} {i}h{end - j}v1h{j - end}z"
            j = end
    cells = "".join(f'<path d="{path}" fill="{SHADES[of]}"/>' for of, path in enumerate(paths) if path)
    return (f'<text x="{x + SIDE / 2:.0f}" y="{y + 12:.0f}" font-size="12" text-anchor="middle" fill="#333">{escape(name)}</text>'
            f'<g transform="translate({x:.1f} {y + TITLE:.1f}) scale({CELL})"><rect width="{BINS}" height="{BINS}" '
            f'fill="none" stroke="#999" stroke-width="0.3"/>{cells}</g>')


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = sys.argv[2] if len(sys.argv) > 2 else os.path.dirname(os.path.abspath(__file__))
    shapes = []
    for number, (name, sizes) in enumerate(SPECS.items()):
        line, column = divmod(number, COLUMNS)
        shapes.append(plot(name, *entries(sys.argv[1], f"{name}:{sizes}"),
                           GAP + column * (SIDE + GAP), GAP / 2 + line * (SIDE + TITLE + GAP)))
    width = round(GAP + COLUMNS * (SIDE + GAP))
    height = round(GAP / 2 + -(-len(SPECS) // COLUMNS) * (SIDE + TITLE + GAP))
    with open(os.path.join(folder, "gallery.svg"), "w", encoding="utf-8") as out:
        out.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
                  'font-family="sans-serif" aria-labelledby="title description">\n<title id="title">Matrices of the gallery</title>\n'
                  f'<desc id="description">Where the entries of a small matrix of each of {len(SPECS)} generators are; the darker, the more: '
                  f'{", ".join(SPECS)}.</desc>\n<rect width="{width}" height="{height}" fill="white"/>\n' + "\n".join(shapes) + "\n</svg>\n")


if __name__ == "__main__":
    main()
