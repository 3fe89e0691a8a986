#!/usr/bin/env python3
"""Prints Markdown tables of what bench_cpu_peers --json F wrote (docs/cpu-peers.md).

Usage: bench/cpu_peers_table.py FILE…      (FILE: .jsonl or .jsonl.gz; of a matrix that is there twice the last counts)

For each matrix: the best of our kernels, the fastest peer, and how the ways of multiplying compare; then what each of
our cases reaches by itself.
"""
import gzip
import json
import math
import sys


def read(paths):
    rows = {}
    for path in paths:
        with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
            for line in file:
                row = json.loads(line)
                rows[row["matrix"].rsplit("/", 1)[-1].removesuffix(".csr")] = row
    return rows


def mean(numbers):
    """The geometric one."""
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def figure(number):
    """Three significant digits."""
    return f"{number:.0f}" if number >= 100 else f"{number:.{max(0, 2 - math.floor(math.log10(number)))}f}"


def best(row, peer):
    return min((c for c in row["cases"] if c["peer"] == peer), key=lambda c: c["us"])


def main():
    rows = read(sys.argv[1:])
    print("| matrix | rows | nonzeros | best of ours | µs | fastest peer | µs | peer / ours |")
    print("|---|---:|---:|---|---:|---|---:|---:|")
    ratios = {}
    for name, row in sorted(rows.items(), key=lambda item: item[1]["nnz"]):
        ours, peer = best(row, False), best(row, True)
        ratios[name] = peer["us"] / ours["us"]
        print(f"| {name} | {row['rows']:,} | {row['nnz']:,} | `{ours['case']}` | {figure(ours['us'])} | {peer['case']} |"
              f" {figure(peer['us'])} | {ratios[name]:.2f} |")
    print(f"| **geometric mean of {len(ratios)}** | | | | | | | **{mean(list(ratios.values())):.2f}** |\n")
    print("Below 0.97:", ", ".join(f"{n} {r:.2f}" for n, r in ratios.items() if r < 0.97) or "none", "\n")

    cases = {}
    for name, row in rows.items():
        ours, peer = best(row, False), best(row, True)
        for case in row["cases"]:
            if not case["peer"]:
                cases.setdefault(case["case"], []).append((peer["us"] / case["us"], ours["us"] / case["us"]))
    print("| ours | matrices | fastest peer / it, geometric mean | the fastest of ours on |")
    print("|---|---:|---:|---:|")
    for case, figures in cases.items():
        print(f"| `{case}` | {len(figures)} | {mean([f[0] for f in figures]):.2f} | {sum(f[1] >= 1 for f in figures)} |")
    peers = {}
    for row in rows.values():
        ours = best(row, False)
        for case in row["cases"]:
            if case["peer"]:
                peers.setdefault(case["case"], []).append(case["us"] / ours["us"])
    print("\n| peer | matrices | its time / the best of ours, geometric mean |")
    print("|---|---:|---:|")
    for case, figures in peers.items():
        print(f"| {case} | {len(figures)} | {mean(figures):.2f} |")


if __name__ == "__main__":
    main()
