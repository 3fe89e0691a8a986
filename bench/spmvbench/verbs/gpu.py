"""Markdown tables of our kernels beside cuSPARSE and Ginkgo on a GPU, of `spmvgen bench --json F` (docs/performance.md).

spmvbench gpu PEERS.csv FILE…    each algorithm beside Ginkgo's, the best of ours beside cuSPARSE
spmvbench gpu --subwarp FILE…    csr_classical with each number of lanes a row, as
                                 `--kernels csr_classical,csr_classical:subwarp=2,…` times them
spmvbench gpu --jit FILE…        kept times of run-time compilers; of bench_jit: spmvbench micro

PEERS.csv has times of other libraries: peer,kernel,matrix,m,n,nnz,us_per_spmv,…,ok
"""

import csv
import math
import re

from spmvbench.errors import BenchError
from spmvbench.results import best, by_matrix, is_ours, json_lines, open_text, time_of
from spmvbench.tables import mean, table
from spmvbench.verbs.micro import print_compilers

# Our kernels beside the rows of Ginkgo for the same algorithm; of several of ours the fastest counts.
ALGORITHMS = [
    ("CSR classical", "csr_classical", ["csr_classical"]),
    ("CSR load balance", "csr_load_balance", ["csr_load_balance"]),
    ("CSR merge path", "csr_merge_path", ["csr_merge_path"]),
    ("COO", "coo", ["coo"]),
    ("ELL", "ell", ["ell_groups", "ell_shuffle"]),
    ("SELL", "sellp", ["sell_slices"]),
    ("HYB", "hybrid", ["hyb", "hyb_fused"]),
]
CUSPARSE_CSR = ["csr_alg1", "csr_alg1_pre", "csr_alg2", "csr_alg2_pre"]


def add_arguments(parser):
    parser.add_argument("--subwarp", action="store_true", help="the table of csr_classical's subwarps")
    parser.add_argument("--jit", action="store_true", help="the table of compilers")
    parser.add_argument("files", nargs="+", metavar="FILE")


def geometric(ratios):
    return mean(ratios) or math.nan


def peers_of(path):
    """peer → kernel → matrix → µs, of rows that were right."""
    peers = {}
    with open_text(path) as file:
        for row in csv.DictReader(file):
            if row["ok"] == "1":
                peers.setdefault(row["peer"], {}).setdefault(row["kernel"], {})[row["matrix"]] = float(row["us_per_spmv"])
    return peers


def kernel_of(row):
    """csr_classical of csr_classical:subwarp=8, and of auto what was chosen."""
    name = row["case"].split(":")[0]
    return re.match("(.*?)_[fc](32|64)_", row["kernel"])[1] if name == "auto" else name


def way_of(row):
    """csr_alg1 of cusparse/csr_alg1."""
    return row["case"].split("/")[-1]


def fastest(found, kernels):
    """The fastest timed row of these kernels of ours, or None."""
    return best(found, lambda row: is_ours(row) and "stream" in row and kernel_of(row) in kernels)


def microseconds(row):
    return "" if row is None else f"{time_of(row):.1f}"


def longest_row(found):
    """Entries of a matrix's longest row."""
    return next(
        (row.get("max_row") or row["about"]["features"]["max_row"] for row in found if "max_row" in row or "about" in row), 0
    )


def beside_ginkgo(matrices, ginkgo):
    head = ["matrix"] + [title for title, _, _ in ALGORITHMS]
    rows, ratios, slower = [], {title: [] for title, _, _ in ALGORITHMS}, []
    for name, own in matrices.items():
        cells = [name]
        for title, theirs, kernels in ALGORITHMS:
            ours, reference = fastest(own, kernels), ginkgo.get(theirs, {}).get(name)
            cell = microseconds(ours)
            if ours and reference:
                ratio = reference / time_of(ours)
                ratios[title].append(ratio)
                cell += f" (**{ratio:.2f}**)"
                if ratio < 0.95:
                    slower.append(f"{name}, {title}: {time_of(ours):.1f} µs beside {reference:.1f} ({ours['case']})")
            elif reference:
                cell = f"none ({reference:.1f})"
            cells.append(cell)
        rows.append(cells)
    rows.append(["geometric mean"] + [f"**{geometric(r):.2f}**" if r else "" for r in ratios.values()])
    rows.append(["least"] + [f"{min(r):.2f}" if r else "" for r in ratios.values()])
    print("µs of ours, fastest of the parameters tried (Ginkgo's time / ours):\n")
    table(head, rows, left=None)
    print("More than 5 % slower than Ginkgo's kernel of the same algorithm: " + (str(len(slower)) + "\n" if slower else "none\n"))
    for line in slower:
        print("- " + line)
    if slower:
        print()


def beside_cusparse(matrices, peers):
    head = [
        "matrix",
        "rows",
        "nonzeros",
        "best of ours µs",
        "kernel",
        "GB/s",
        "auto µs",
        "best cuSPARSE CSR µs",
        "ratio",
        "best of all cuSPARSE µs",
        "cuSPARSE CSR, csv",
    ]
    rows, ratios, auto_ratios = [], [], []
    recorded = {k: v for k, v in peers.get("cusparse", {}).items() if k in CUSPARSE_CSR}
    for name, own in matrices.items():
        ours = best(own, is_ours)
        auto = next((r for r in own if r["case"] == "auto" and time_of(r)), None)
        csr = best(own, lambda r: r["library"] == "cusparse" and way_of(r) in CUSPARSE_CSR)
        every = best(own, lambda r: r["library"] == "cusparse")
        old = min((v[name] for v in recorded.values() if name in v), default=None)
        ratio = time_of(csr) / time_of(ours) if ours and csr else None
        if ratio:
            ratios.append(ratio)
        if auto and csr:
            auto_ratios.append(time_of(csr) / time_of(auto))
        rows.append(
            [
                name,
                f"{own[0]['rows']:,}",
                f"{own[0]['nnz']:,}",
                microseconds(ours),
                f"`{ours['case']}`" if ours else "",
                f"{ours['stream']['gb_s']:.0f}" if ours else "",
                microseconds(auto),
                microseconds(csr),
                f"**{ratio:.2f}**" if ratio else "",
                f"{microseconds(every)} {way_of(every)}" if every else "",
                f"{old:.1f}" if old else "",
            ]
        )
    table(head, rows, left=None)
    print(
        f"Geometric mean of best cuSPARSE CSR / best of ours: **{geometric(ratios):.2f}** over {len(ratios)} matrices; "
        f"/ the kernel chosen by itself: {geometric(auto_ratios):.2f}.\n"
    )


def subwarp_of(row):
    return int(re.search("subwarp(\\d+)", row["kernel"])[1])


def subwarps(matrices):
    """csr_classical with each subwarp: the chosen one, the best, and the one that the longest row would give."""
    rows, loss, gain = [], [], []
    for name, own in matrices.items():
        # Of a subwarp that was timed twice (chosen, and asked for) the lesser time counts.
        times = {}
        for row in own:
            if is_ours(row) and time_of(row) and re.fullmatch("csr_classical(:subwarp=\\d+)?", row["case"]):
                times[subwarp_of(row)] = min(time_of(row), times.get(subwarp_of(row), math.inf))
        chosen = next((subwarp_of(r) for r in own if r["case"] == "csr_classical" and time_of(r)), None)
        longest = max((w for w in times if w <= longest_row(own)), default=min(times, default=None))
        if chosen is None or len(times) < 2:
            continue
        least = min(times, key=times.get)
        loss.append(times[chosen] / times[least])
        gain.append(times[longest] / times[chosen])
        rows.append(
            [
                name,
                f"{own[0]['nnz'] / own[0]['rows']:.1f}, {longest_row(own)}",
                f"{chosen}: {times[chosen]:.1f}",
                f"{least}: {times[least]:.1f}",
                f"{longest}: {times[longest]:.1f}",
                f"{loss[-1]:.2f}",
                f"{gain[-1]:.2f}",
            ]
        )
    if not rows:
        raise BenchError("no matrix has times of csr_classical with two numbers of lanes, one of them as it is chosen")
    table(
        ["matrix", "mean, longest row", "chosen: µs", "best: µs", "by the longest row: µs", "chosen / best", "longest / chosen"],
        rows,
        left=None,
    )
    print(
        f"Geometric means: chosen / best {geometric(loss):.2f} (worst {max(loss):.2f}), "
        f"by the longest row / chosen {geometric(gain):.2f} "
        f"(least {min(gain):.2f}), over {len(loss)} matrices."
    )


def run(options):
    if options.jit:
        return print_compilers([row for path in options.files for row in json_lines(path) if "jit" in row and "both_ms" in row])
    if options.subwarp:
        return subwarps(by_matrix(options.files))
    if len(options.files) < 2:
        raise BenchError("give PEERS.csv and a file of results")
    peers, matrices = peers_of(options.files[0]), by_matrix(options.files[1:])
    wrong = [r for found in matrices.values() for r in found if "wrong" in r]
    print(f"Wrong products: {len(wrong)}\n" + "".join(f"- {r['matrix']}, {r['case']}: {r['wrong']}\n" for r in wrong))
    beside_ginkgo(matrices, peers.get("ginkgo", {}))
    beside_cusparse(matrices, peers)
