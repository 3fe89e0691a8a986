#!/usr/bin/env python3
"""The table of twins in docs/gallery.md: twins_table.py SPMVGEN SUITE.json, the latter of `spmvgen gallery make --suite all`."""
import json
import subprocess
import sys


def figure(value):
    if not value:
        return "?"
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}" if value < 1000 * size else f"{value / size:.0f}{letter}"
    return f"{value:g}"


def both(twin, made):
    return f"{figure(twin)} / {figure(made)}"


def main():
    listed = subprocess.run([sys.argv[1], "gallery", "list", "--suite", "all", "--json"], check=True, capture_output=True).stdout
    made = {row["name"]: row for row in json.load(open(sys.argv[2]))["matrices"]}
    print("| twin | suite, class | rows | nonzeros | mean row | longest row | made as | differs from the original |")
    print("|---|---|---|---|---|---|---|---|")
    for twin in json.loads(listed)["matrices"]:
        row, original = made[twin["name"]], twin["original"]
        mean = f"{original['nnz'] / original['rows']:.2f} / {row['nnz'] / row['rows']:.2f}"
        print(f"| {twin['name']} | {twin['suite']}, {twin['structure']} | {both(original['rows'], row['rows'])} | {both(original['nnz'], row['nnz'])} | {mean} "
              f"| {both(original.get('max_row', 0), row['max_row'])} | `{twin['specification']}` | {twin['difference']} |")


if __name__ == "__main__":
    main()
