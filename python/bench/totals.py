"""What making an operator and a number of products take in all, beside SciPy's products.

usage: totals.py [--least ENTRIES] [--rounds N] [--json FILE] MATRIX...

MATRIX: as beside.py has it. For each matrix the least time, over rounds in which SciPy, level rule
and level lazy take turns, of making the operator and 10, 30, 60, 100, 300 and 1000 products by one
thread: milliseconds of SciPy, and the other two as shares of it; after how many products they are
repaid, that is, from there on up to 1000 they have taken no more than SciPy's in all; and the most
that they take of SciPy's time with 20 products or more. Kernels are in the cache.
"""

import argparse
import json
import math
import os
import time

import numpy
from beside import load

import spmvgen

COUNTS = (10, 30, 60, 100, 300, 1000)
LEVELS = ("rule", "lazy")
FEW = 20  # products, from which on the most is told


def totals(make, x):
    """Seconds until 1, 2, 3, … products are done."""
    found = numpy.empty(COUNTS[-1])
    begin = time.perf_counter()
    a = make()
    for i in range(found.size):
        a @ x
        found[i] = time.perf_counter() - begin
    return found


def least(makes, x, rounds):
    for make in makes:
        totals(make, x)  # finds its kernels
    best = [numpy.full(COUNTS[-1], math.inf) for _ in makes]
    for _ in range(rounds):
        for i, make in enumerate(makes):
            best[i] = numpy.minimum(best[i], totals(make, x))
    return best


def repaid(mine, theirs):
    """Products from which on nothing is lost; infinite where that is not so with all."""
    lost = numpy.flatnonzero(mine > theirs)
    return 1 if lost.size == 0 else int(lost[-1]) + 2 if lost[-1] + 1 < mine.size else math.inf


class Level:
    """What one level takes, over all matrices."""

    def __init__(self, name):
        self.name, self.shares, self.repaid, self.most = name, {n: [] for n in COUNTS}, [], []

    def add(self, mine, theirs):
        for count in COUNTS:
            self.shares[count].append(mine[count - 1] / theirs[count - 1])
        self.repaid.append(repaid(mine, theirs))
        self.most.append(float((mine / theirs)[FEW - 1 :].max()))
        shares = " ".join(f"{self.shares[n][-1]:5.2f}" for n in COUNTS)
        return f"  {self.name}: {shares} {self.repaid[-1]:4}"

    def summary(self):
        for count, found in self.shares.items():
            mean = math.exp(sum(map(math.log, found)) / len(found))
            print(
                f"{self.name}, {count} products: {mean:.2f} of SciPy's time in the geometric mean "
                f"of {len(found)}, most {max(found):.2f}, {sum(s > 1 for s in found)} above 1"
            )
        ordered = sorted(self.repaid)
        print(
            f"{self.name}: repaid after {ordered[len(ordered) // 2]} products in the median, "
            f"{ordered[int(0.95 * len(ordered))]} at the 95th percentile, {ordered[-1]} at most, "
            f"{sum(r <= 30 for r in ordered)} of {len(ordered)} within 30; with {FEW} products or "
            f"more at most {max(self.most):.2f} of SciPy's time"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--least", type=int, default=100_000, help="entries of a matrix")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=argparse.FileType("a"), help="where results go")
    parser.add_argument("matrices", nargs="+")
    options = parser.parse_args()
    levels = [Level(name) for name in LEVELS]
    for path in options.matrices:
        given = load(path)
        if given.nnz < options.least or given.dtype.kind == "c":
            continue
        x = numpy.random.default_rng(0).random(given.shape[1])
        makes = [lambda: given]
        makes += [lambda name=name: spmvgen.matrix(given, threads=1, level=name) for name in LEVELS]
        theirs, *ours = least(makes, x, options.rounds)
        name = os.path.basename(path).partition(".")[0]
        line = f"{name:20} {given.nnz:9} {1e3 * theirs[-1]:9.1f}"
        for level, mine in zip(levels, ours):
            line += level.add(mine, theirs)
        print(line, flush=True)
        if options.json:
            result = {"matrix": name, "entries": int(given.nnz), "products": COUNTS}
            at = {"scipy": theirs, **dict(zip(LEVELS, ours))}
            result["ms"] = {k: [round(1e3 * v[n - 1], 4) for n in COUNTS] for k, v in at.items()}
            result["repaid"] = {level.name: level.repaid[-1] for level in levels}
            result["most"] = {level.name: round(level.most[-1], 3) for level in levels}
            print(json.dumps(result), file=options.json, flush=True)
    for level in levels:
        level.summary()


if __name__ == "__main__":
    main()
