#!/usr/bin/env python3
"""Prints the Markdown tables of docs/performance-cpu.md from the JSON files in bench/results.

Usage: bench/tables.py apply FILE.json | jit FILE.json | emit FILE.json | read FILE.json | store FILE.json
"""
import json
import math
import sys


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def apply(results):
    rows = []
    for r in results["results"]:
        low, high = r["ratio_quartiles"]
        rows.append([r["matrix"], f"{r['nnz']:,}", f"{r['plain_us']:,.0f}", f"{r['handle_us']:,.0f}",
                     f"**{r['ratio']:.2f}** ({low:.2f} to {high:.2f})", f"{r['bytes'] / r['plain_bytes']:.2f}",
                     "`" + r["kernel"].split("_f")[0].split("_c3")[0].split("_c6")[0] + "`", r["reason"].rsplit(":", 1)[0]])
    table(["matrix", "nonzeros", "plain µs", "spmvgen µs", "ratio (quartiles)", "bytes", "kernel", "chosen for"], rows)
    ratios = [r["ratio"] for r in results["results"]]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"\nGeometric mean {mean:.2f}, least {min(ratios):.2f}.")


def jit(results):
    cold, warm = {}, {}
    for b in results["benchmarks"]:
        kind, part, kernel = b["name"].split("/")[:3]
        if kind == "cold":
            cold[kernel] = b
        else:
            warm.setdefault(kernel, {})[part] = b["real_time"]
    table(["kernel", "cold ms (median of 30)", "least", "of it load", "emit", "compile and link", "warm ms", "of it emit"],
          [[f"`{k}`", f"{b['real_time']:.1f}"] + [f"{b['min_' + part + 'ms']:.1f}" for part in ("", "load_", "emit_", "compile_")] +
           [f"{warm[k]['callable']:.1f}", f"{warm[k]['emit']:.1f}"] for k, b in cold.items()])


def rates(results):
    table(["case", "ms", "MB/s", "memory / CSR"],
          [[b["name"].split("/process")[0], f"{b['real_time']:.0f}", f"{b['bytes_per_second'] / 1e6:.0f}", f"{b['memory_ratio']:.2f}"]
           for b in results["benchmarks"]])


def times(results):
    table(["case", "time"], [[b["name"], f"{b['real_time']:.3g} {b['time_unit']}"] for b in results["benchmarks"]])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[2]) as file:
        {"apply": apply, "jit": jit, "emit": times, "read": rates, "store": times}[sys.argv[1]](json.load(file))
