#!/usr/bin/env python3
"""Prints the Markdown tables of docs/performance-gpu.md from what bench_gpu --json wrote.

Usage: bench/gpu_table.py PEERS.csv FILE… | --jit FILE… | --subwarp FILE…     (FILE: .jsonl or .jsonl.gz)
PEERS.csv: peer,kernel,matrix,m,n,nnz,us_per_spmv,… as ../shared/h200-peers.csv.
"""
import csv
import gzip
import json
import math
import re
import sys

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


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def read(paths):
    rows = []
    for path in paths:
        with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
            rows += [json.loads(line) for line in file if line.strip()]
    return rows


def peers_of(path):
    """peer → kernel → matrix → µs, of rows that were right."""
    peers = {}
    with open(path) as file:
        for row in csv.DictReader(file):
            if row["ok"] == "1" and row["peer"] != "peer":
                peers.setdefault(row["peer"], {}).setdefault(row["kernel"], {})[row["matrix"]] = float(row["us_per_spmv"])
    return peers


def kernel_of(row):
    """csr_classical of csr_classical:subwarp=8, and of auto what was chosen."""
    name = row["case"].split(":")[0]
    return re.match("(.*?)_[fc](32|64)_", row["kernel"])[1] if name == "auto" else name


def best(rows, kernels):
    """The fastest timed row of these kernels, or None."""
    timed = [r for r in rows if r["library"] == "spmvgen" and "us" in r and kernel_of(r) in kernels]
    return min(timed, key=lambda r: r["us"], default=None)


def microseconds(row):
    return "" if row is None else f"{row['us']:.1f}"


def beside_ginkgo(matrices, ginkgo):
    head = ["matrix"] + [title for title, _, _ in ALGORITHMS]
    rows, ratios, slower = [], {title: [] for title, _, _ in ALGORITHMS}, []
    for name, own in matrices.items():
        cells = [name]
        for title, theirs, kernels in ALGORITHMS:
            ours, reference = best(own, kernels), ginkgo.get(theirs, {}).get(name)
            cell = microseconds(ours)
            if ours and reference:
                ratio = reference / ours["us"]
                ratios[title].append(ratio)
                cell += f" (**{ratio:.2f}**)"
                if ratio < 0.95:
                    slower.append(f"{name}, {title}: {ours['us']:.1f} µs beside {reference:.1f} ({ours['case']})")
            elif reference:
                cell = f"none ({reference:.1f})"
            cells.append(cell)
        rows.append(cells)
    rows.append(["geometric mean"] + [f"**{mean(r):.2f}**" if r else "" for r in ratios.values()])
    rows.append(["least"] + [f"{min(r):.2f}" if r else "" for r in ratios.values()])
    print("µs of ours, fastest of the parameters tried (Ginkgo's time / ours):\n")
    table(head, rows)
    print("More than 5 % slower than Ginkgo's kernel of the same algorithm: " + (str(len(slower)) + "\n" if slower else "none\n"))
    for line in slower:
        print("- " + line)
    if slower:
        print()


def beside_cusparse(matrices, peers):
    head = ["matrix", "rows", "nonzeros", "best of ours µs", "kernel", "GB/s", "auto µs", "best cuSPARSE CSR µs", "ratio", "best of all cuSPARSE µs", "cuSPARSE CSR, csv"]
    rows, ratios, auto_ratios = [], [], []
    recorded = {k: v for k, v in peers.get("cusparse", {}).items() if k in CUSPARSE_CSR}
    for name, own in matrices.items():
        ours = min((r for r in own if r["library"] == "spmvgen" and "us" in r), key=lambda r: r["us"], default=None)
        auto = next((r for r in own if r["case"] == "auto" and "us" in r), None)
        theirs = [r for r in own if r["library"] == "cusparse" and "us" in r]
        csr = min((r for r in theirs if r["kernel"] in CUSPARSE_CSR), key=lambda r: r["us"], default=None)
        every = min(theirs, key=lambda r: r["us"], default=None)
        old = min((v[name] for v in recorded.values() if name in v), default=None)
        ratio = csr["us"] / ours["us"] if ours and csr else None
        if ratio:
            ratios.append(ratio)
        if auto and csr:
            auto_ratios.append(csr["us"] / auto["us"])
        rows.append([name, f"{own[0]['rows']:,}", f"{own[0]['nnz']:,}", microseconds(ours), f"`{ours['case']}`" if ours else "",
                     f"{ours['gb_s']:.0f}" if ours else "", microseconds(auto), microseconds(csr),
                     f"**{ratio:.2f}**" if ratio else "", f"{microseconds(every)} {every['kernel']}" if every else "",
                     f"{old:.1f}" if old else ""])
    table(head, rows)
    print(f"Geometric mean of best cuSPARSE CSR / best of ours: **{mean(ratios):.2f}** over {len(ratios)} matrices; "
          f"/ the kernel chosen by itself: {mean(auto_ratios):.2f}.\n")


def subwarp_of(row):
    return int(re.search("subwarp(\\d+)", row["kernel"])[1])


def subwarps(matrices):
    """csr_classical with each subwarp: the chosen one, the best, and the one that the longest row would give."""
    rows, loss, gain = [], [], []
    for name, own in matrices.items():
        # Of a subwarp that was timed twice (chosen, and asked for) the lesser time counts.
        times = {}
        for row in own:
            if row["library"] == "spmvgen" and "us" in row and re.fullmatch("csr_classical(:subwarp=\\d+)?", row["case"]):
                times[subwarp_of(row)] = min(row["us"], times.get(subwarp_of(row), row["us"]))
        chosen = next((subwarp_of(r) for r in own if r["case"] == "csr_classical" and "us" in r), None)
        longest = max((w for w in times if w <= own[0]["max_row"]), default=min(times, default=None))
        if chosen is None or len(times) < 2:
            continue
        least = min(times, key=times.get)
        loss.append(times[chosen] / times[least])
        gain.append(times[longest] / times[chosen])
        rows.append([name, f"{own[0]['nnz'] / own[0]['rows']:.1f}, {own[0]['max_row']}", f"{chosen}: {times[chosen]:.1f}",
                     f"{least}: {times[least]:.1f}", f"{longest}: {times[longest]:.1f}", f"{loss[-1]:.2f}", f"{gain[-1]:.2f}"])
    table(["matrix", "mean, longest row", "chosen: µs", "best: µs", "by the longest row: µs", "chosen / best", "longest / chosen"], rows)
    print(f"Geometric means: chosen / best {mean(loss):.2f} (worst {max(loss):.2f}), by the longest row / chosen {mean(gain):.2f} "
          f"(least {min(gain):.2f}), over {len(loss)} matrices.")


def jit(rows):
    done = [r for r in rows if "jit" in r and "both_ms" in r]
    ways = list(dict.fromkeys((r["compiler"], r["kind"], r["arch"]) for r in done))
    at = {(r["jit"], r["compiler"], r["kind"], r["arch"]): r for r in done}
    kernels = list(dict.fromkeys(r["jit"] for r in done))
    table(["kernel"] + [f"{c}, {k}, {a}: ms (emit)" for c, k, a in ways],
          [[f"`{kernel}`"] + [f"{at[kernel, *way]['both_ms']:.1f} ({at[kernel, *way]['emit_ms']:.1f})" if (kernel, *way) in at else ""
                              for way in ways] for kernel in kernels])
    for way in ways:
        times = sorted(r["both_ms"] for key, r in at.items() if key[1:] == way)
        first = [r["first_ms"] for key, r in at.items() if key[1:] == way and "first_ms" in r]
        print(f"{way[0]}, {way[1]}, {way[2]}: median over the kernels {times[len(times) // 2]:.1f} ms"
              + (f"; first job of the process {first[0]:.0f} ms" if first else "") + ".")


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    rows = read(arguments[1:])
    if arguments[0] == "--jit":
        return jit(rows)
    matrices = {}
    for row in rows:
        if "matrix" in row:
            matrices.setdefault(row["matrix"], []).append(row)
    matrices = dict(sorted(matrices.items(), key=lambda m: m[1][0]["nnz"]))
    if arguments[0] == "--subwarp":
        return subwarps(matrices)
    peers = peers_of(arguments[0])
    wrong = [r for rows in matrices.values() for r in rows if "wrong" in r]
    print(f"Wrong products: {len(wrong)}\n" + "".join(f"- {r['matrix']}, {r['case']}: {r['wrong']}\n" for r in wrong))
    beside_ginkgo(matrices, peers.get("ginkgo", {}))
    beside_cusparse(matrices, peers)


if __name__ == "__main__":
    main(sys.argv[1:])
