"""Milliseconds of conversions, and how many applies of cuSPARSE CSR they take, of `spmvgen bench --json F`.

For each matrix: the fastest csr_alg of cuSPARSE in any of the files, and of each file the
conversion of the last kernel of ours. A file is a column: give one with the matrix on the device
and one with it on the host.
"""

import math

from spmvbench.errors import BenchError
from spmvbench.results import by_matrix, is_cusparse_csr, is_ours, time_of


def add_arguments(parser):
    parser.add_argument("files", nargs="+", metavar="FILE")


def run(options):
    csr, conversions = {}, {}
    for path in options.files:
        for matrix, found in by_matrix([path]).items():
            for row in found:
                if is_cusparse_csr(row) and "/csr_alg" in row["case"] and time_of(row):
                    csr[matrix] = min(time_of(row), csr.get(matrix, math.inf))
                if is_ours(row) and "convert_ms" in row:
                    conversions.setdefault(matrix, {})[path] = row
    if not conversions:
        raise BenchError("no conversion of ours in " + ", ".join(options.files))
    print("| matrix | nnz | cuSPARSE CSR µs |" + "".join(f" {path}: ms | applies |" for path in options.files))
    print("|---|---|---|" + "---|---|" * len(options.files))
    for matrix, of in sorted(conversions.items(), key=lambda item: next(iter(item[1].values()))["nnz"]):
        line = f"| {matrix} | {next(iter(of.values()))['nnz']:,} | {csr.get(matrix, math.nan):.1f} |"
        for path in options.files:
            ms = of[path]["convert_ms"] if path in of else math.nan
            line += f" {ms:.2f} | {1000 * ms / csr.get(matrix, math.nan):.0f} |"
        print(line)
