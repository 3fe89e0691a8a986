#!/usr/bin/env python3
"""Makes records of tuning_db (docs/tuning-db.md) of what `spmvgen bench --numbers random --kernels auto,K,…` timed on one GPU, hot.

Usage: bench/records_of_bench.py RUN.jsonl[.gz]… | gzip -9n > tuning_db/records-….json.gz
A matrix becomes a record with every kernel that was timed on it in any of the runs; the rule's is that of case auto in the last one, plain CSR's that of case csr_classical.
"""
import collections
import json
import os
import sys

from gallery_table import OURS, read_lines


def timed(row):
    hot = row["hot"]
    return {"kernel": row["kernel"], "us": hot["us"], "low_us": hot["low_us"], "high_us": hot["high_us"]}


def record(header, cases, classes):
    auto = cases["auto"]
    name = os.path.basename(auto["matrix"]).removesuffix(".csr")
    gpu = header["machine"]["gpu"]
    rows = [row for row in cases.values() if row["library"] == OURS and "hot" in row]
    kernels = {}
    for row in sorted(rows, key=lambda row: row["hot"]["us"]):
        kernels.setdefault(row["kernel"], timed(row))
    features = next(row["about"]["features"] for row in cases.values() if "about" in row)
    plain = cases.get("csr_classical", {})
    return {
        "matrix": name,
        "group": auto.get("class") or classes.get(name, ""),
        "device": {"name": gpu["name"], "arch": gpu["target"], "vendor": "nvidia" if gpu["target"].startswith("sm_") else "amd"},
        "question": {"value": auto["value"], "storage": auto["value"], "num_rhs": 1, "op": "N", "deterministic": False, "threads": 0},
        "date": header["date"][:10],
        "method": "bench, %d kernels, %g ms each" % (len(kernels), 1000 * header["method"]["seconds_a_case"]),
        "generator": header["versions"]["generator"],
        "rule": auto["kernel"],
        "plain": plain["kernel"] if "hot" in plain else "",
        "features": features,
        "kernels": list(kernels.values()),
    }


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "matrix_classes.json")) as file:
        classes = json.load(file)
    headers, matrices = {}, collections.OrderedDict()
    for path in sys.argv[1:]:
        header = None
        for row in read_lines(path):
            if "kind" in row:
                header = row
                continue
            key = (row["rows"], row["nnz"], row["value"])
            headers[key] = header
            matrices.setdefault(key, {})[row["case"]] = row
    records = [record(headers[key], cases, classes) for key, cases in matrices.items() if "hot" in cases.get("auto", {})]
    print('{"kind": "tuning-records", "schema": 1, "records": [')
    print(",\n".join(json.dumps(r) for r in records))
    print("]}")


if __name__ == "__main__":
    main()
