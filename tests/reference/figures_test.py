#!/usr/bin/env python3
"""The figures of README.md and docs/performance.md that matter most are those of bench/results. Usage: figures_test.py ROOT

For each machine: how many matrices, the geometric mean of the fastest other library's time over that of the choice, the 5th
percentile, the least, and how many are below 1. Exit status: 0 all agree, 1 something does not.
"""
import gzip
import json
import math
import pathlib
import re
import sys

# Raw data, clock, the part of performance.md that has a row **all**, and the row of the README's table.
TABLES = (
    ("h200-f64-seeds-rule-graph", "graph", "## NVIDIA H200", "NVIDIA H200"),
    ("h100-f64-seeds-rule-graph", "graph", "## NVIDIA H100", "NVIDIA H100"),
    ("cpu-zen4-f64-seeds-idle", "stream", "| EPYC (Zen 4), idle", "two cores of an EPYC"),
    ("cpu-xeon16-f64-seeds", "stream", "| Xeon, up to 16 threads", "16 threads of a Xeon"),
)


def ratios(path, clock):
    """Of each matrix: time of the fastest other library over time of the choice, ascending. The least time of several runs counts."""
    ours, others = {}, {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for result in map(json.loads, file):
            if clock not in result:
                continue
            matrix, us = result["matrix"], result[clock]["us"]
            if result["library"] != "spmvgen":
                others[matrix] = min(us, others.get(matrix, us))
            elif result["case"] == "auto":
                ours[matrix] = min(us, ours.get(matrix, us))
    return sorted(others[matrix] / ours[matrix] for matrix in ours if matrix in others)


def wrong_in(root):
    page = (root / "docs/performance.md").read_text(encoding="utf-8")
    readme = (root / "README.md").read_text(encoding="utf-8")
    for name, clock, part, row in TABLES:
        found = ratios(root / f"bench/results/{name}.jsonl.gz", clock)
        mean = f"{math.exp(sum(map(math.log, found)) / len(found)):.2f}"
        least, low = f"{found[0]:.2f}", f"{found[int(0.05 * len(found))]:.2f}"
        below = page[page.index(part):]
        said = re.search(r"^\|[^\n]*\*\*all\*\* \| (\d+) \| \*\*([\d.]+)\*\* \| \*\*([\d.]+)\*\* \| \*\*([\d.]+)\*\* \| (\d+)", below, re.M)
        expected = (str(len(found)), mean, low, least, str(sum(ratio < 1 for ratio in found)))
        if said is None or said.groups() != expected:
            yield f"docs/performance.md, {part}: {said and said.groups()}, bench/results/{name} has {expected}"
        said = re.search(rf"^\| {re.escape(row)}[^|]*\| (\d+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|", readme, re.M)
        expected = (str(len(found)), mean, low, least)
        if said is None or said.groups() != expected:
            yield f"README.md, {row}: {said and said.groups()}, bench/results/{name} has {expected}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    wrong = list(wrong_in(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(wrong) or f"{len(TABLES)} tables agree")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
