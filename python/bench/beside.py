"""Products by spmvgen beside those of SciPy, and on a GPU of CuPy and PyTorch, in one run.

usage: beside.py [--device cuda:0] [--least ENTRIES] [--cpu-time] [--minima] [--recall] [--json FILE] MATRIX...

MATRIX: a file of Matrix Market, may be packed; grid:N, the Laplacian of N x N points; random:N:K, N
rows of K entries on average at random columns.

For each matrix: microseconds of `@` of the other library and of spmvgen, their ratio, and after how
many products a handle with cached kernels has paid for itself. On the host with one and two threads.
Rounds of both take turns; a time is the median of the rounds. --cpu-time: one thread, and the time
that its processor worked for it; --minima: many short rounds, of which the fastest counts. Both are
for machines that others use. --json: a line for each matrix and number of threads is appended to
FILE.
"""

import argparse
import json
import math
import os
import statistics
import time

import numpy
import scipy.io
import scipy.sparse

import spmvgen

ROUNDS, ROUND_SECONDS, TYPICAL = 15, 0.02, statistics.median
MAKES = 9
RECALL = False
CLOCK = time.perf_counter


def seconds(product, count, wait):
    begin = CLOCK()
    for _ in range(count):
        product()
    wait()
    return (CLOCK() - begin) / count


def typical(products, wait=lambda: None):
    """The typical seconds of each product; their rounds take turns."""
    counts = []
    for product in products:
        product()
        counts.append(max(1, int(ROUND_SECONDS / seconds(product, 3, wait))))
    rounds = [[] for _ in products]
    for _ in range(ROUNDS):
        for times, product, count in zip(rounds, products, counts):
            times.append(seconds(product, count, wait))
    return [TYPICAL(times) for times in rounds]


def prepared(given, **options):
    """The operator, and the typical seconds that making it takes with its kernel in the memory; its
    choice is made each time, but with --recall."""
    times = []
    for _ in range(1 + MAKES):
        begin = CLOCK()
        a = spmvgen.matrix(given, choose_anew=not RECALL, **options)
        times.append(CLOCK() - begin)
    return a, TYPICAL(times[1:])


class Column:
    """The ratios of one column of the table, and what is said below it."""

    def __init__(self, name):
        self.name, self.ratios, self.repaid = name, [], []

    def add(self, theirs, ours, prepare):
        self.ratios.append(theirs / ours)
        self.repaid.append(prepare / (theirs - ours) if theirs > ours else math.inf)
        return f"{theirs * 1e6:9.1f} {ours * 1e6:9.1f} {theirs / ours:6.2f} {self.repaid[-1]:6.0f} "

    def summary(self):
        mean = math.exp(statistics.fmean(map(math.log, self.ratios)))
        return (
            f"{self.name}: ratio {mean:.2f} in the geometric mean of {len(self.ratios)}, least "
            f"{min(self.ratios):.2f}, {sum(r < 1 for r in self.ratios)} below 1; repaid after "
            f"{statistics.median(self.repaid):.0f} products in the median"
        )


def load(name):
    """The matrix of that name, as CSR in f64."""
    kind, *numbers = name.split(":")
    if kind == "grid":
        n = int(numbers[0])
        line = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
        unit = scipy.sparse.identity(n)
        found = scipy.sparse.kron(line, unit) + scipy.sparse.kron(unit, line)
    elif kind == "random":
        rows, per_row = map(int, numbers)
        random = numpy.random.default_rng(0)
        columns = random.integers(0, rows, rows * per_row)
        entries = numpy.repeat(numpy.arange(rows), per_row), columns
        found = scipy.sparse.coo_matrix((random.random(columns.size), entries), (rows, rows))
    else:
        found = scipy.io.mmread(name)
    found = scipy.sparse.csr_matrix(found)
    return found if found.dtype.kind == "c" else found.astype("float64")


def on_host(given, columns, all_threads, told):
    x = numpy.random.default_rng(0).random(given.shape[1])
    line = ""
    for threads in all_threads:
        a, prepare = prepared(given, threads=threads)
        theirs, ours = typical([lambda: given @ x, lambda: a @ x])
        line += columns.setdefault(threads, Column(f"{threads} threads")).add(theirs, ours, prepare)
        told(
            threads=threads,
            theirs_us=1e6 * theirs,
            ours_us=1e6 * ours,
            make_us=1e6 * prepare,
            kernel=a.info["kernel"],
        )
    return line + a.info["kernel"].split("_f64")[0]


def on_libraries(given, x, device):
    """Of CuPy and PyTorch the name, the matrix and the vector."""
    import cupy
    import cupyx.scipy.sparse
    import torch

    yield "CuPy", cupyx.scipy.sparse.csr_matrix(given), cupy.asarray(x)
    yield "PyTorch", torch.sparse_csr_tensor(
        torch.from_numpy(given.indptr), torch.from_numpy(given.indices),
        torch.from_numpy(given.data), given.shape).to(device), torch.from_numpy(x).to(device)  # fmt: skip


def on_gpu(given, columns, device):
    import cupy
    import torch

    x = numpy.random.default_rng(0).random(given.shape[1])
    line = ""
    with cupy.cuda.Device(int(device.partition(":")[2])):
        for name, theirs_of, vector in on_libraries(given, x, device):
            a, prepare = prepared(theirs_of)
            torch.testing.assert_close(
                torch.as_tensor(a @ vector), torch.as_tensor(theirs_of @ vector)
            )
            theirs, ours = typical(
                [lambda: theirs_of @ vector, lambda: a @ vector], torch.cuda.synchronize
            )
            line += columns.setdefault(name, Column(name)).add(theirs, ours, prepare)
    return line + a.info["kernel"].split("_f64")[0]


def overhead_on_gpu(device):
    """The same with vectors of the libraries of a GPU. What is enqueued is not waited for."""
    import cupy

    with cupy.cuda.Device(int(device.partition(":")[2])):
        tiny = scipy.sparse.identity(3, format="csr")
        for name, theirs_of, x in on_libraries(tiny, numpy.ones(3), device):
            a = spmvgen.matrix(theirs_of)
            y = a @ x
            found = typical([lambda: a @ x, lambda: a.apply(x, y), lambda: theirs_of @ x])
            print(
                f"a call with {name}: "
                "@ {:.2f}, apply {:.2f}, its own @ {:.2f} µs".format(*(1e6 * s for s in found))
            )


def overhead():
    """Microseconds of a call that has nearly nothing to do."""
    tiny = scipy.sparse.identity(3, format="csr")
    a, x, y = spmvgen.matrix(tiny), numpy.ones(3), numpy.empty(3)
    found = typical([lambda: a @ x, lambda: a.apply(x, y), lambda: tiny @ x])
    print("a call: @ {:.2f}, apply {:.2f}, SciPy's @ {:.2f} µs".format(*(1e6 * s for s in found)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="host")
    parser.add_argument("--least", type=int, default=100_000, help="entries of a matrix")
    parser.add_argument("matrices", nargs="+")
    parser.add_argument("--cpu-time", action="store_true")
    parser.add_argument("--minima", action="store_true")
    parser.add_argument("--recall", action="store_true", help="the choice of an operator before")
    parser.add_argument("--json", type=argparse.FileType("a"), help="where results go")
    options = parser.parse_args()
    global CLOCK, RECALL, ROUNDS, ROUND_SECONDS, TYPICAL
    RECALL = options.recall
    if options.cpu_time:
        CLOCK = time.process_time
    if options.minima:
        ROUNDS, ROUND_SECONDS, TYPICAL = 120, 0.003, min
    overhead()
    if options.device != "host":
        overhead_on_gpu(options.device)
    columns = {}
    for path in options.matrices:
        given = load(path)
        if given.nnz < options.least or given.dtype.kind == "c":
            continue
        name = os.path.basename(path).partition(".")[0]

        def told(**result):
            if options.json:
                line = {"matrix": name, "entries": int(given.nnz), **result}
                print(json.dumps(line), file=options.json, flush=True)

        line = (
            on_host(given, columns, (1,) if options.cpu_time else (1, 2), told)
            if options.device == "host"
            else on_gpu(given, columns, options.device)
        )
        print(f"{name:20} {given.nnz:9} {line}", flush=True)
    for column in columns.values():
        print(column.summary())


if __name__ == "__main__":
    main()
