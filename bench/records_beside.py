#!/usr/bin/env python3
"""What a rule's choice took in a run of `spmvgen bench`, beside the least time in records of tuning_db: where a rule could be better.

Usage: bench/records_beside.py RUN.jsonl[.gz] RECORDS.json [LEAST]      LEAST: ratios from which on a matrix is listed (1.04)

Prints Markdown: matrices of both with as many nonzeros, and the geometric mean of all ratios (1 where the records have nothing better). The column
"same kernel" is the run's time over the record's of the very kernel that was chosen: how well the two agree.
"""
import gzip
import json
import math
import sys


def chosen(path):
    """(matrix, nonzeros) → (µs, kernel) of case auto."""
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path)) as file:
        rows = [json.loads(line) for line in file]
    return {(r["matrix"], r["nnz"]): (r["hot"]["us"], r["kernel"]) for r in rows if r.get("case") == "auto" and "hot" in r}


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    found, least = chosen(sys.argv[1]), float(sys.argv[3]) if len(sys.argv) == 4 else 1.04
    with (gzip.open if sys.argv[2].endswith(".gz") else open)(sys.argv[2], "rt") as file:
        records = json.load(file)["records"]
    ratios = []
    print("| matrix | nonzeros | run µs | kernel | record µs | kernel | ratio | same kernel |\n|---|---:|---:|---|---:|---|---:|---:|")
    for record in records:
        key = (record["matrix"], record["features"]["nnz"])
        if key not in found:
            continue
        us, kernel = found[key]
        times = {k["kernel"]: k["us"] for k in record["kernels"]}
        best = min(times, key=times.get)
        ratios.append(max(1.0, us / times[best]))
        if us / times[best] >= least:
            same = f"{us / times[kernel]:.2f}" if kernel in times else "–"
            print(f"| {key[0]} | {key[1]:,} | {us:.1f} | `{kernel}` | {times[best]:.1f} | `{best}` | {us / times[best]:.2f} | {same} |")
    print(f"\n{len(ratios)} matrices, geometric mean {math.exp(sum(map(math.log, ratios)) / max(1, len(ratios))):.3f}")


if __name__ == "__main__":
    main()
