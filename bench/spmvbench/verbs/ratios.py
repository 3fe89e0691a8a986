"""How far ahead of other libraries: over cuSPARSE, or on a CPU over all others, beside the goal (docs/how-to/benchmark-and-report.md).

FILE: of `spmvgen bench --kernels auto,auto/measure,all --against all --json FILE`. Of a result that
is there twice the last counts.
"""

import collections
import csv

from spmvbench.errors import BenchError
from spmvbench.results import add_clock_argument, best, classes, is_choice, is_cusparse_csr, is_ours, open_text, read
from spmvbench.tables import figure, mean, ratio, table

# Their y is in another order than the caller's, within the timed region.
PERMUTED = {("dasp", "dasp")} | {("uspmv", f"sell_c{c}_{s}") for c in (32, 64) for s in ("s512", "sm")}
SIZES = {"f32": 4, "f64": 8, "c32": 8, "c64": 16}


def add_arguments(parser):
    parser.add_argument("files", nargs="+", metavar="FILE")
    add_clock_argument(parser)
    parser.add_argument(
        "--values",
        choices=("own", "random"),
        default="own",
        help="what the matrices hold where the results do not say so: 2 times the best cuSPARSE CSR is wanted with "
        "own values, 1.6 with random ones",
    )
    parser.add_argument("--choice", metavar="CASE", help="what is judged: auto/measure where it is there, else auto")
    parser.add_argument(
        "--peers",
        metavar="PEERS.csv",
        help="times of other libraries (peer,kernel,matrix,m,n,nnz,us_per_spmv,…,ok), f64 by clock stream, of matrices with "
        "the same name, rows and nonzeros: the best of all, and the best that gives y in the caller's order",
    )
    parser.add_argument(
        "--peers-of",
        action="append",
        default=[],
        metavar="FILE",
        help="results whose times of other libraries stand for those that are missing, whatever the numbers: "
        "their kernels do not look at these",
    )
    parser.add_argument(
        "--classes",
        action="append",
        default=[],
        metavar="F.json",
        help='{"matrix": "class"}, or of `spmvgen gallery list --suite all --json`, for results without a class',
    )
    parser.add_argument(
        "--roof",
        type=float,
        default=4300,
        metavar="GB/S",
        help="bandwidth of the CSR roof, bytes of CSR, x and y over it (4300, an H200)",
    )


def is_cusparse(row):
    return row["library"] == "cusparse"


def is_preprocessed_csr(row):
    """With cusparseSpMV_preprocess, or a plan of SpMVOp."""
    return is_cusparse_csr(row) and (row["case"].endswith("_pre") or "/spmvop_" in row["case"])


def csv_peers(path):
    """(matrix, rows, nonzeros) → (least µs in the caller's order, least µs of all)."""
    found = {}
    with open_text(path) as file:
        for row in csv.DictReader(file):
            if row["ok"] != "1":
                continue
            key, us = (row["matrix"], int(row["m"]), int(row["nnz"])), float(row["us_per_spmv"])
            drop_in, any_order = found.get(key, (None, None))
            if (row["peer"], row["kernel"]) not in PERMUTED:
                drop_in = min(us, drop_in or us)
            found[key] = (drop_in, min(us, any_order or us))
    return found


class Matrix:
    """Of one matrix: the times that the bars are about, µs or None."""

    def __init__(self, cases, options, known_classes, peers):
        rows = list(cases.values())
        first, clock = rows[0], options.clock
        self.name, self.rows, self.nnz = first["matrix"], first["rows"], first["nnz"]
        self.structure = next((r["class"] for r in rows if "class" in r), known_classes.get(self.name, "not known"))
        self.choices = {r["case"]: r[clock]["us"] for r in rows if is_choice(r) and clock in r}
        self.wrong = [r["case"] for r in rows if "wrong" in r]

        def least(wanted):
            row = best(rows, wanted, clock)
            return row and row[clock]["us"]

        self.ours = least(lambda r: is_ours(r) and not is_choice(r))
        self.csr_pre, self.csr, self.cusparse = least(is_preprocessed_csr), least(is_cusparse_csr), least(is_cusparse)
        self.peer = least(lambda r: not is_ours(r))
        self.drop_in, self.any_order = (
            peers.get((self.name, self.rows, self.nnz), (None, None))
            if first["value"] == "f64" and clock == "stream"
            else (None, None)
        )
        size = SIZES[first["value"]]
        self.roof = (self.nnz * (size + 4) + 4 * (self.rows + 1) + size * (self.rows + first["cols"])) / (1e3 * options.roof)


def over(matrices, name, field):
    """Speed-ups of a choice over a field, of the matrices that have both."""
    times = ((time_of(m, name), getattr(m, field)) for m in matrices)
    return [other / own for own, other in times if own and other]


def time_of(matrix, name):
    return matrix.ours if name == "best of ours" else matrix.choices.get(name)


def text(numbers):
    return f"{figure(mean(numbers))} ({len(numbers)})" if numbers else ""


def table_of_means(matrices, choices, fields):
    head = ["what", *(label for _, label in fields), "least over " + fields[0][1]]
    body = []
    for name in choices:
        worst = [(ratio(getattr(m, fields[0][0]), time_of(m, name)), m.name) for m in matrices]
        worst = min(((r, n) for r, n in worst if r), default=None)
        body.append(
            [
                f"`{name}`",
                *(text(over(matrices, name, field)) for field, _ in fields),
                f"{figure(worst[0])} {worst[1]}" if worst else "",
            ]
        )
    table(head, body)


def table_of_classes(matrices, choice, fields, gpu):
    groups = collections.defaultdict(list)
    for matrix in matrices:
        groups[matrix.structure].append(matrix)
    body = []
    for name, group in sorted(groups.items(), key=lambda item: -len(item[1])):
        first = over(group, choice, fields[0][0])
        roofs = [time_of(m, choice) / m.roof for m in group if time_of(m, choice)]
        body.append(
            [
                name,
                str(len(group)),
                *(text(over(group, choice, field)) for field, _ in fields),
                figure(min(first, default=None)),
                *([figure(mean(roofs)), f"{sum(1 for r in roofs if r < 1)} of {len(roofs)}"] if gpu else []),
            ]
        )
    table(
        ["class", "matrices", *(label for _, label in fields), "least", *(["time / CSR roof", "below the roof"] if gpu else [])],
        body,
    )


def table_of_matrices(matrices, choice, fields, gpu):
    body = []
    for m in sorted(matrices, key=lambda m: m.nnz):
        own = time_of(m, choice)
        body.append(
            [
                m.name,
                m.structure,
                f"{m.nnz:,}",
                figure(own),
                *(figure(ratio(getattr(m, field), own)) for field, _ in fields),
                figure(ratio(own, m.ours)),
                *([figure(own / m.roof if own else None)] if gpu else []),
            ]
        )
    table(
        [
            "matrix",
            "class",
            "nonzeros",
            f"`{choice}` µs",
            *(label for _, label in fields),
            "time / best of ours",
            *(["time / CSR roof"] if gpu else []),
        ],
        body,
        left=2,
    )


def verdict(label, bar, value, matrices, what=""):
    if value is None:
        return [label, bar, "not measured", ""]
    return [
        label,
        bar,
        figure(value) + what,
        "met" if value >= float(bar.split()[-1]) else f"short by {figure(float(bar.split()[-1]) / value)} times" + matrices,
    ]


def table_of_bars(matrices, choice, values, gpu):
    def value(field):
        numbers = over(matrices, choice, field)
        return (
            mean(numbers),
            min(numbers, default=None),
            [m.name for m in matrices if (ratio(getattr(m, field), time_of(m, choice)) or 9) < least_allowed],
        )

    least_allowed = 1.0 if gpu else 0.97
    body = []
    if gpu:
        csr, lowest, below = value("csr_pre")
        below_text = (": " + ", ".join(below)) if below else ""
        body.append(
            verdict(
                f"geometric mean over best cuSPARSE CSR, preprocessed, {values} values",
                "≥ 2.0" if values == "own" else "≥ 1.6",
                csr,
                "",
            )
        )
        body.append(verdict("geometric mean over the best of all cuSPARSE formats", "≥ 1.25", value("cusparse")[0], ""))
        body.append(
            verdict(
                "no matrix below the best cuSPARSE CSR" + ("" if "measure" in choice else " (wanted of auto/measure)"),
                "≥ 1.0",
                lowest,
                below_text,
            )
        )
        body.append(verdict("aim: geometric mean over best cuSPARSE CSR, preprocessed", "≥ 2.0", csr, ""))
        for field, label in (("drop_in", "y in the caller's order"), ("any_order", "in any order")):
            body.append(verdict(f"aim: geometric mean over the best of all other libraries, {label}", "≥ 1.5", value(field)[0], ""))
        stencils = [m for m in matrices if m.structure == "stencil" and time_of(m, choice)]
        above = [m.name for m in stencils if time_of(m, choice) >= m.roof]
        body.append(
            [
                "stencils below the CSR byte roof",
                "all",
                f"{len(stencils) - len(above)} of {len(stencils)}",
                "met" if stencils and not above else "above: " + ", ".join(above) if above else "not measured",
            ]
        )
    else:
        best, lowest, below = value("peer")
        body.append(verdict("geometric mean over the best of the peers of each matrix", "≥ 1.3", best, ""))
        body.append(verdict("no matrix below", "≥ 0.97", lowest, (": " + ", ".join(below)) if below else ""))
    table(["goal", "wanted", "found", ""], body, left=4)


def add_peers(values, others):
    """Puts other libraries' times of the same matrices and value type into `values` where they are missing."""
    for value, by_name in values.items():
        for other, matrices in others.items():
            if other.split(",")[0] != value.split(",")[0]:
                continue
            for name, cases in by_name.items():
                for case, row in matrices.get(name, {}).items():
                    if not is_ours(row):
                        cases.setdefault(case, row)


def run(options):
    values = read(options.files)[1]
    if options.peers_of:
        add_peers(values, read(options.peers_of)[1])
    known_classes, peers = classes(options.classes), csv_peers(options.peers) if options.peers else {}
    for value, by_name in values.items():
        matrices = [Matrix(cases, options, known_classes, peers) for cases in by_name.values()]
        choices = list(dict.fromkeys(name for m in matrices for name in m.choices))
        choice = options.choice or ("auto/measure" if "auto/measure" in choices else next(iter(choices), "best of ours"))
        if choice not in [*choices, "best of ours"]:
            raise BenchError(f"no choice {choice} in the results: there are " + ", ".join([*choices, "best of ours"]))
        gpu = any(m.cusparse for m in matrices)
        fields = (
            [("csr_pre", "cuSPARSE CSR, preprocessed"), ("csr", "any cuSPARSE CSR"), ("cusparse", "best of cuSPARSE")]
            if gpu
            else [("peer", "best other library")]
        )
        if any(m.any_order for m in matrices):
            fields += [("drop_in", "all others, y in order"), ("any_order", "all others, any order")]
        print(f"## {value}, {options.clock}: {len(matrices)} matrices\n")
        wrong = [f"{m.name} {case}" for m in matrices for case in m.wrong]
        print(
            f"{len(wrong)} results are wrong"
            + (": " + ", ".join(wrong) if wrong else "")
            + f". Judged: `{choice}`. Numbers are geometric means of speed-ups (of so many matrices).\n"
        )
        table_of_bars(matrices, choice, "random" if "random" in value else options.values, gpu)
        table_of_means(matrices, [*choices, "best of ours"], fields)
        table_of_classes(matrices, choice, fields, gpu)
        table_of_matrices(matrices, choice, fields, gpu)
