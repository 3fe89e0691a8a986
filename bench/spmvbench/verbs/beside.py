"""What a rule's choice took in a run, beside the least time in records of tuning_db: where a rule could be better.

Prints Markdown: matrices of both with as many nonzeros, and the geometric mean of all ratios (1
where the records have nothing better). The column "same kernel" is the run's time over the record's
of the very kernel that was chosen: how well the two agree.
"""

from spmvbench.results import is_header, read_json, rows, time_of
from spmvbench.tables import mean


def add_arguments(parser):
    parser.add_argument("run", metavar="RUN.jsonl")
    parser.add_argument("records", metavar="RECORDS.json")
    parser.add_argument("least", nargs="?", type=float, default=1.04, help="ratios from which on a matrix is listed (1.04)")


def chosen(path):
    """(matrix, nonzeros) → (µs, kernel) of case auto."""
    found = (row for row in rows(path) if not is_header(row) and row["case"] == "auto" and time_of(row))
    return {(row["matrix"], row["nnz"]): (time_of(row), row["kernel"]) for row in found}


def run(options):
    found, ratios, body = chosen(options.run), [], []
    for record in read_json(options.records)["records"]:
        key = (record["matrix"], record["features"]["nnz"])
        if key not in found:
            continue
        us, kernel = found[key]
        times = {k["kernel"]: k["us"] for k in record["kernels"]}
        least = min(times, key=times.get)
        ratios.append(max(1.0, us / times[least]))
        if us / times[least] >= options.least:
            same = f"{us / times[kernel]:.2f}" if kernel in times else "–"
            body.append(
                [
                    key[0],
                    f"{key[1]:,}",
                    f"{us:.1f}",
                    f"`{kernel}`",
                    f"{times[least]:.1f}",
                    f"`{least}`",
                    f"{us / times[least]:.2f}",
                    same,
                ]
            )
    print(
        "| matrix | nonzeros | run µs | kernel | record µs | kernel | ratio | same kernel |\n"
        "|---|---:|---:|---|---:|---|---:|---:|"
    )
    for row in body:
        print("| " + " | ".join(row) + " |")
    print(f"\n{len(ratios)} matrices, geometric mean {mean(ratios) or 1:.3f}")
