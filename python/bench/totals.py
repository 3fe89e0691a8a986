"""What making an operator and a number of products take in all, beside SciPy's products.

usage: totals.py [--least ENTRIES] [--rounds N] [--json FILE] MATRIX...

MATRIX: as beside.py has it. For each matrix the least processor time of one thread, over rounds in
which SciPy, level rule and level lazy take turns, of making the operator and 10, 30, 100 and 1000
products: milliseconds of SciPy, and the other two as shares of it. Kernels are in the cache.
"""

import argparse
import json
import math
import os
import time

import numpy
from beside import load

import spmvgen

COUNTS = (10, 30, 100, 1000)
LEVELS = ("rule", "lazy")


def totals(make, x):
    """Seconds until so many products are done, for each of COUNTS."""
    begin = time.process_time()
    a = make()
    done, found = 0, []
    for count in COUNTS:
        for _ in range(count - done):
            a @ x
        done = count
        found.append(time.process_time() - begin)
    return found


def least(makes, x, rounds):
    best = [[math.inf] * len(COUNTS) for _ in makes]
    for make in makes:
        totals(make, x)  # finds its kernels
    for _ in range(rounds):
        for i, make in enumerate(makes):
            best[i] = [min(pair) for pair in zip(best[i], totals(make, x))]
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--least", type=int, default=100_000, help="entries of a matrix")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=argparse.FileType("a"), help="where results go")
    parser.add_argument("matrices", nargs="+")
    options = parser.parse_args()
    shares = {level: {count: [] for count in COUNTS} for level in LEVELS}
    for path in options.matrices:
        given = load(path)
        if given.nnz < options.least or given.dtype.kind == "c":
            continue
        x = numpy.random.default_rng(0).random(given.shape[1])
        makes = [lambda: given]
        makes += [lambda level=level: spmvgen.matrix(given, threads=1, level=level) for level in LEVELS]
        theirs, *ours = least(makes, x, options.rounds)
        name = os.path.basename(path).partition(".")[0]
        line = f"{name:20} {given.nnz:9}"
        for level, times in zip(LEVELS, ours):
            line += f"  {level}:"
            for count, mine, other in zip(COUNTS, times, theirs):
                shares[level][count].append(mine / other)
                line += f" {mine / other:6.2f}"
        print(line, flush=True)
        if options.json:
            times = {"scipy": theirs, **dict(zip(LEVELS, ours))}
            result = {"matrix": name, "entries": int(given.nnz), "products": COUNTS}
            result["ms"] = {k: [round(1e3 * s, 4) for s in v] for k, v in times.items()}
            print(json.dumps(result), file=options.json, flush=True)
    for level in LEVELS:
        for count, found in shares[level].items():
            mean = math.exp(sum(map(math.log, found)) / len(found))
            print(
                f"{level}, {count} products: {mean:.2f} of SciPy's time in the geometric mean of "
                f"{len(found)}, most {max(found):.2f}, {sum(s > 1 for s in found)} above 1"
            )


if __name__ == "__main__":
    main()
