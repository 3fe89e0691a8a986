#!/usr/bin/env python3
"""Draws flow.svg (how a matrix becomes a kernel) and format-*.svg (how each format stores one small matrix).

usage: docs/pictures/draw.py [FOLDER]   # this folder unless given
"""
import os
import sys
from xml.sax.saxutils import escape

# The matrix of all pictures: row -> columns.
ROWS = [[0, 1], [0, 1, 5], [2, 3], [1, 2, 3, 4, 6, 7], [4], [], [4, 6, 7], [6, 7]]
SIZE = len(ROWS)
CELL, GAP = 22, 26
COLOURS = ["#cfe0f7", "#f9d9b8", "#cdeacb", "#f3c8d4", "#ddd2f0", "#fbeeb0", "#c9ecec", "#e3e3e3"]
INK, PADDING = "#333", "#f4f4f4"


class Picture:
    """Shapes with a title and a description, which screen readers read."""

    def __init__(self, title, description):
        self.title, self.description = title, description
        self.shapes, self.width, self.height = [], 0, 0

    def cell(self, x, y, text, fill, wide=CELL):
        self.shapes.append(f'<rect x="{x}" y="{y}" width="{wide}" height="{CELL}" fill="{fill}" '
                           f'stroke="{INK}" stroke-width="0.7"/>')
        self.text(x + wide / 2, y + CELL / 2 + 4, text, 11, "middle")
        self.grow(x + wide, y + CELL)

    def text(self, x, y, text, size=12, anchor="start", bold=False):
        weight = ' font-weight="bold"' if bold else ""
        self.shapes.append(f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" '
                           f'fill="{INK}"{weight}>{escape(text)}</text>')
        if anchor == "start":
            self.grow(x + 0.58 * size * len(text), y + 4)

    def arrow(self, x, y, length):
        self.shapes.append(f'<path d="M{x} {y} h{length - 7} m0 -4 l7 4 l-7 4 z" fill="{INK}" '
                           f'stroke="{INK}"/>')
        self.grow(x + length, y)

    def grow(self, x, y):
        self.width, self.height = max(self.width, x), max(self.height, y)

    def array(self, x, y, name, texts, fills):
        """A row of cells with a name before it."""
        self.text(x, y + CELL / 2 + 4, name)
        for i, (text, fill) in enumerate(zip(texts, fills)):
            self.cell(x + 78 + i * CELL, y, text, fill)

    def write(self, path):
        margin = 10
        w, h = round(self.width + 2 * margin), round(self.height + 2 * margin)
        with open(path, "w", encoding="utf-8") as out:
            out.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-margin} {-margin} {w} '
                      f'{h}" width="{w}" height="{h}" role="img" font-family="sans-serif" '
                      f'aria-labelledby="title description">\n<title id="title">'
                      f'{escape(self.title)}</title>\n<desc id="description">'
                      f'{escape(self.description)}</desc>\n')
            out.write(f'<rect x="{-margin}" y="{-margin}" width="{w}" height="{h}" fill="white"/>\n')
            out.write("\n".join(self.shapes) + "\n</svg>\n")


def entries():
    return [(row, col) for row, cols in enumerate(ROWS) for col in cols]


def colour(row):
    return COLOURS[row % len(COLOURS)]


def name(row, col):
    return f"{row}{col}"


def matrix(picture, x=0, y=0):
    """The matrix itself: entry 36 is in row 3, column 6. Returns where what stands beside begins."""
    for row in range(SIZE):
        for col in range(SIZE):
            filled = col in ROWS[row]
            picture.cell(x + col * CELL, y + row * CELL, name(row, col) if filled else "",
                         colour(row) if filled else "white")
    return x + SIZE * CELL + 2 * GAP


def csr():
    p = Picture("CSR", "row_ptr says where each row's entries begin; columns and values stand row "
                       "after row.")
    x = matrix(p)
    begins = [sum(len(r) for r in ROWS[:i]) for i in range(SIZE + 1)]
    p.array(x, 0, "row_ptr", [str(b) for b in begins], [colour(i) for i in range(SIZE)] + ["white"])
    fills = [colour(r) for r, _ in entries()]
    p.array(x, 2 * CELL, "col_idx", [str(c) for _, c in entries()], fills)
    p.array(x, 4 * CELL, "values", [name(*e) for e in entries()], fills)
    return p


def coo():
    p = Picture("COO", "Row, column and value of each entry, sorted by row.")
    x = matrix(p)
    fills = [colour(r) for r, _ in entries()]
    p.array(x, 0, "row_idx", [str(r) for r, _ in entries()], fills)
    p.array(x, 2 * CELL, "col_idx", [str(c) for _, c in entries()], fills)
    p.array(x, 4 * CELL, "values", [name(*e) for e in entries()], fills)
    return p


def padded(picture, x, rows, width, top=0):
    """Rows of so many places, column after column, with padding."""
    for i, row in enumerate(rows):
        for k in range(width):
            there = k < len(ROWS[row])
            picture.cell(x + k * CELL, top + i * CELL, name(row, ROWS[row][k]) if there else "–",
                         colour(row) if there else PADDING)


def ell():
    p = Picture("ELL", "Every row has as many places as the longest one; what is empty is padding. "
                       "Memory goes down the columns, so that neighbouring threads read neighbours.")
    x = matrix(p)
    padded(p, x, range(SIZE), 6)
    p.text(x, SIZE * CELL + 18, "one width for all rows; stored column by column")
    return p


def sell():
    p = Picture("SELL-C-sigma", "Rows are sorted by length within a window and cut into slices, each "
                                "as wide as its longest row.")
    x = matrix(p)
    order = sorted(range(SIZE), key=lambda r: -len(ROWS[r]))
    top = 0
    for begin in range(0, SIZE, 4):
        rows = order[begin:begin + 4]
        padded(p, x, rows, max(len(ROWS[r]) for r in rows), top)
        top += 4 * CELL + 8
    p.text(x, top + 12, "slices of 4 rows, sorted by length; row_order says whose sum is whose")
    return p


def hyb():
    p = Picture("HYB", "ELL for the first entries of each row, COO for the rest.")
    x = matrix(p)
    for row in range(SIZE):
        for k in range(3):
            there = k < len(ROWS[row])
            p.cell(x + k * CELL, row * CELL, name(row, ROWS[row][k]) if there else "–",
                   colour(row) if there else PADDING)
    rest = [(r, c) for r, cols in enumerate(ROWS) for c in cols[3:]]
    p.array(x + 3 * CELL + GAP, 0, "rest: row", [str(r) for r, _ in rest],
            [colour(r) for r, _ in rest])
    p.array(x + 3 * CELL + GAP, 2 * CELL, "column", [str(c) for _, c in rest],
            [colour(r) for r, _ in rest])
    p.array(x + 3 * CELL + GAP, 4 * CELL, "value", [name(*e) for e in rest],
            [colour(r) for r, _ in rest])
    p.text(x, SIZE * CELL + 18, "an ELL part of width 3, and COO")
    return p


def bcsr():
    p = Picture("BCSR", "Dense blocks of 2 x 2 with one column number each; zeros fill them up.")
    x = matrix(p)
    left = x
    for block_row in range(SIZE // 2):
        rows = (2 * block_row, 2 * block_row + 1)
        for block_col in sorted({c // 2 for r in rows for c in ROWS[r]}):
            for i, row in enumerate(rows):
                for j in range(2):
                    col = 2 * block_col + j
                    there = col in ROWS[row]
                    p.cell(left + j * CELL, i * CELL + 10, name(row, col) if there else "0",
                           colour(row) if there else PADDING)
            p.text(left + CELL, 2 * CELL + 26, str(block_col), 11, "middle")
            left += 2 * CELL + 8
    p.text(x, 2 * CELL + 50, "blocks, row of blocks after row of blocks, with their block columns")
    return p


def dia():
    p = Picture("DIA", "Pieces of diagonals without holes; a piece has one offset, column minus row, "
                       "for all its entries.")
    x = matrix(p)
    pieces = []
    for offset in range(1 - SIZE, SIZE):
        run = []
        for row in range(SIZE + 1):
            if row < SIZE and row + offset in ROWS[row]:
                run.append(row)
            elif run:
                pieces.append((offset, run))
                run = []
    for k, (offset, rows) in enumerate(pieces):
        column, line = divmod(k, 8)
        left, top = x + column * 150, line * (CELL + 4)
        p.text(left, top + 15, f"{offset:+d}")
        for i, row in enumerate(rows):
            p.cell(left + 26 + i * CELL, top, name(row, row + offset), colour(row))
    p.text(x, 8 * (CELL + 4) + 18, "offset, then the entries of a piece; no columns are stored")
    return p


def strips():
    p = Picture("Strips", "Slices as in SELL, whose columns are stored as small differences from the "
                          "neighbouring row or strip, and not at all where a strip is a diagonal.")
    x = matrix(p)
    rows = [0, 1, 2, 3]
    for k in range(2):
        p.text(x + k * 190, 12, "values of a slice" if k == 0 else "columns, each less its row")
        for i, row in enumerate(rows):
            for j in range(max(len(ROWS[r]) for r in rows)):
                there = j < len(ROWS[row])
                text = "–" if not there else name(row, ROWS[row][j]) if k == 0 \
                    else f"{ROWS[row][j] - row:+d}"
                p.cell(x + k * 190 + j * CELL, 20 + i * CELL, text,
                       colour(row) if there else PADDING)
    p.text(x, 20 + 4 * CELL + 22, "differences that are alike down a strip are one number,")
    p.text(x, 20 + 4 * CELL + 40, "small ones take a byte; long rows stand apart")
    return p


def tiles():
    p = Picture("Tiles", "Entries in order, equally many for each lane; marks say which begin a row.")
    x = matrix(p)
    for k, (row, col) in enumerate(entries()):
        lane, place = divmod(k, 4)
        p.cell(x + 60 + place * CELL, lane * CELL, name(row, col), colour(row))
        first = k == 0 or entries()[k - 1][0] != row
        p.cell(x + 60 + (5 + place) * CELL, lane * CELL, "1" if first else "0", "white")
        if place == 0:
            p.text(x, lane * CELL + 15, f"lane {lane}")
    p.text(x, 5 * CELL + 20, "entries of each lane, and the marks of rows' begins")
    return p


def flow():
    p = Picture("How a matrix becomes a kernel",
                "A matrix is looked at, times of kernels are predicted, one is chosen with its "
                "parameters; the matrix is stored in its format, the kernel's template is "
                "specialised and compiled or found in the cache; both are bound, and multiply.")
    boxes = [("matrix", "CSR, COO, CSC, BSR"), ("features", "rows, columns, values"),
             ("choice", "kernel, parameters"), ("stored matrix", "arrays of the format"),
             ("kernel", "binary for the device"), ("product", "y = αAx + βy")]
    places = [(0, 50), (190, 50), (380, 50), (570, 0), (570, 100), (770, 50)]
    for (title, text), (x, y) in zip(boxes, places):
        p.shapes.append(f'<rect x="{x}" y="{y}" width="150" height="56" rx="6" fill="{COLOURS[0]}" '
                        f'stroke="{INK}"/>')
        p.text(x + 75, y + 24, title, 14, "middle", True)
        p.text(x + 75, y + 43, text, 11, "middle")
        p.grow(x + 150, y + 56)
    for x in (150, 340):
        p.arrow(x, 78, 40)
    for y in (28, 128):
        p.shapes.append(f'<path d="M720 {y} L770 78" stroke="{INK}" fill="none"/>')
    p.shapes.append(f'<path d="M530 78 L570 28 M530 78 L570 128" stroke="{INK}" fill="none"/>')
    p.text(570, 176, "template → specialiser → compiler, or the cache", 11)
    return p


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    flow().write(os.path.join(folder, "flow.svg"))
    for draw in (csr, coo, ell, sell, hyb, bcsr, dia, strips, tiles):
        draw().write(os.path.join(folder, f"format-{draw.__name__}.svg"))


main()
