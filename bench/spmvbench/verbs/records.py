"""Records of tuning_db (docs/reference/files.md), of what `spmvgen bench --numbers random --kernels auto,K,…` timed on one GPU, by clock stream.

A matrix becomes a record with every kernel that was timed on it in any of the runs; the rule's is
that of case auto in the last one, plain CSR's that of case csr_classical. Redirect the output to
tuning_db/records-….json.gz.
"""

import json

from spmvbench.errors import BenchError
from spmvbench.results import classes, is_header, is_ours, matrix_name, rows


def add_arguments(parser):
    parser.add_argument("runs", nargs="+", metavar="RUN.jsonl")


def timed(row):
    times = row["stream"]
    return {"kernel": row["kernel"], "us": times["us"], "low_us": times["low_us"], "high_us": times["high_us"]}


def record(header, cases, known_classes):
    auto = cases["auto"]
    name = matrix_name(auto)
    gpu = header["machine"]["gpu"]
    kernels = {}
    for row in sorted((row for row in cases.values() if is_ours(row) and "stream" in row), key=lambda row: row["stream"]["us"]):
        kernels.setdefault(row["kernel"], timed(row))
    features = next(row["about"]["features"] for row in cases.values() if "about" in row)
    plain = cases.get("csr_classical", {})
    return {
        "matrix": name,
        "group": auto.get("class") or known_classes.get(name, ""),
        "device": {"name": gpu["name"], "arch": gpu["target"], "vendor": "nvidia" if gpu["target"].startswith("sm_") else "amd"},
        "question": {
            "value": auto["value"],
            "storage": auto["value"],
            "num_rhs": 1,
            "op": "N",
            "deterministic": False,
            "threads": 0,
        },
        "date": header["date"][:10],
        "method": "bench, %d kernels, %g ms each" % (len(kernels), 1000 * header["method"]["seconds_a_case"]),
        "generator": header["versions"]["generator"],
        "rule": auto["kernel"],
        "plain": plain["kernel"] if "stream" in plain else "",
        "features": features,
        "kernels": list(kernels.values()),
    }


def run(options):
    known_classes, headers, matrices = classes(), {}, {}
    for path in options.runs:
        header = None
        for row in rows(path):
            if is_header(row):
                header = row
                continue
            key = (row["rows"], row["nnz"], row["value"])
            headers[key] = header
            matrices.setdefault(key, {})[row["case"]] = row
    chosen = {key: cases for key, cases in matrices.items() if "stream" in cases.get("auto", {})}
    for key in chosen:
        if not (headers[key] or {}).get("machine", {}).get("gpu"):
            raise BenchError(
                f"{chosen[key]['auto']['matrix']}: was not timed by `spmvgen bench` on a GPU, as its header would say"
            )
    records = [record(headers[key], cases, known_classes) for key, cases in chosen.items()]
    print('{"kind": "tuning-records", "schema": 1, "records": [')
    print(",\n".join(json.dumps(r) for r in records))
    print("]}")
