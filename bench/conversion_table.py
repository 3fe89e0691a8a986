#!/usr/bin/env python3
"""Milliseconds of conversions, and how many applies of cuSPARSE CSR they take, from JSON lines of bench_gpu --handles.

    conversion_table.py there.json [here.json …]

For each matrix: the fastest csr_alg of cuSPARSE in any of the files, and of each file the conversion of the last kernel of ours.
"""
import json
import math
import sys


def rows(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines if line.strip()]


def main():
    files = {path: rows(path) for path in sys.argv[1:]}
    if not files:
        sys.exit(__doc__)
    csr, conversions = {}, {}
    for path, found in files.items():
        for row in found:
            if row.get("library") == "cusparse" and row["kernel"].startswith("csr_alg") and "us" in row:
                csr[row["matrix"]] = min(row["us"], csr.get(row["matrix"], math.inf))
            if row.get("library") == "spmvgen" and "convert_ms" in row:
                conversions.setdefault(row["matrix"], {})[path] = row
    print("| matrix | nnz | cuSPARSE CSR µs |" + "".join(f" {path}: ms | applies |" for path in files))
    print("|---|---|---|" + "---|---|" * len(files))
    for matrix, of in sorted(conversions.items(), key=lambda item: next(iter(item[1].values()))["nnz"]):
        line = f"| {matrix} | {next(iter(of.values()))['nnz']:,} | {csr.get(matrix, math.nan):.1f} |"
        for path in files:
            ms = of[path]["convert_ms"] if path in of else math.nan
            line += f" {ms:.2f} | {1000 * ms / csr.get(matrix, math.nan):.0f} |"
        print(line)


if __name__ == "__main__":
    main()
