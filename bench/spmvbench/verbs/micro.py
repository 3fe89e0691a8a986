"""Markdown tables of what the programs bench_* wrote with --benchmark_out=F.json (docs/performance.md).

A file is what one run wrote, or has one run a line. What it holds is told by its benchmarks. Kept results of a handle beside the plain loop
("plain_us") have a table of their own.
"""

from spmvbench.errors import BenchError
from spmvbench.results import json_values
from spmvbench.tables import mean


def add_arguments(parser):
    parser.add_argument("files", nargs="+", metavar="F.json")


def table(head, rows):
    """Without an empty line after it: text may follow."""
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def print_applies(results):
    rows = []
    for r in results:
        low, high = r["ratio_quartiles"]
        rows.append(
            [
                r["matrix"],
                f"{r['nnz']:,}",
                f"{r['plain_us']:,.0f}",
                f"{r['handle_us']:,.0f}",
                f"**{r['ratio']:.2f}** ({low:.2f} to {high:.2f})",
                f"{r['bytes'] / r['plain_bytes']:.2f}",
                "`" + r["kernel"].split("_f")[0].split("_c3")[0].split("_c6")[0] + "`",
                r["reason"].rsplit(":", 1)[0],
            ]
        )
    table(["matrix", "nonzeros", "plain µs", "spmvgen µs", "ratio (quartiles)", "bytes", "kernel", "chosen for"], rows)
    ratios = [r["ratio"] for r in results]
    print(f"\nGeometric mean {mean(ratios):.2f}, least {min(ratios):.2f}.")


def print_compilers(done):
    """Rows with "jit" (the kernel), "compiler", "kind", "arch", and milliseconds: a column for each way to compile."""
    if not done:
        raise BenchError("no time of a compiler")
    ways = list(dict.fromkeys((r["compiler"], r["kind"], r["arch"]) for r in done))
    at = {(r["jit"], r["compiler"], r["kind"], r["arch"]): r for r in done}
    kernels = list(dict.fromkeys(r["jit"] for r in done))
    table(
        ["kernel"] + [f"{c}, {k}, {a}: ms (emit)" for c, k, a in ways],
        [
            [f"`{kernel}`"]
            + [
                f"{at[kernel, *way]['both_ms']:.1f} ({at[kernel, *way]['emit_ms']:.1f})" if (kernel, *way) in at else ""
                for way in ways
            ]
            for kernel in kernels
        ],
    )
    print()
    for way in ways:
        times = sorted(r["both_ms"] for key, r in at.items() if key[1:] == way)
        first = [r["first_ms"] for key, r in at.items() if key[1:] == way and "first_ms" in r]
        print(
            f"{way[0]}, {way[1]}, {way[2]}: median over the kernels {times[len(times) // 2]:.1f} ms"
            + (f"; first job of the process {first[0]:.0f} ms" if first else "")
            + "."
        )


def print_jit(benchmarks):
    cold, warm, gpu = {}, {}, []
    for b in benchmarks:
        kind, part, kernel = b["name"].split("/")[:3]
        if kind == "cold":
            cold[kernel] = b
        elif kind == "warm":
            warm.setdefault(kernel, {})[part] = b["real_time"]
        elif kind == "gpu":  # gpu/NVRTC-cubin-sm_90/KERNEL
            compiler, form, arch = part.split("-", 2)
            gpu.append(
                {
                    "jit": kernel,
                    "compiler": compiler,
                    "kind": form,
                    "arch": arch,
                    "both_ms": b["real_time"],
                    "emit_ms": b["emit_ms"],
                }
            )
    if cold:
        table(
            ["kernel", "cold ms (median of 30)", "least", "of it load", "emit", "compile and link", "warm ms", "of it emit"],
            [
                [f"`{k}`", f"{b['real_time']:.1f}"]
                + [f"{b['min_' + part + 'ms']:.1f}" for part in ("", "load_", "emit_", "compile_")]
                + [fixed(warm.get(k, {}).get(part)) for part in ("callable", "emit")]
                for k, b in cold.items()
            ],
        )
    if cold and gpu:
        print()
    if gpu:
        print_compilers(gpu)


def fixed(ms):
    return "" if ms is None else f"{ms:.1f}"


def print_rates(benchmarks):
    table(
        ["case", "ms", "MB/s", "memory / CSR"],
        [
            [
                b["name"].split("/process")[0],
                f"{b['real_time']:.0f}",
                f"{b['bytes_per_second'] / 1e6:.0f}",
                f"{b['memory_ratio']:.2f}",
            ]
            for b in benchmarks
        ],
    )


def print_times(benchmarks):
    table(["case", "time"], [[b["name"], f"{b['real_time']:.3g} {b['time_unit']}"] for b in benchmarks])


def print_content(path, content):
    if any("plain_us" in r for r in content.get("results", [])):
        return print_applies(content["results"])
    benchmarks = [b for b in content.get("benchmarks", []) if not b.get("error_occurred")]
    if not benchmarks:
        raise BenchError(
            f"{path}: has no benchmarks: give what a program wrote with --benchmark_out={path} --benchmark_out_format=json"
        )
    if all("memory_ratio" in b for b in benchmarks):
        return print_rates(benchmarks)
    if any(b["name"].startswith(("cold/", "warm/", "gpu/")) for b in benchmarks):
        return print_jit(benchmarks)
    return print_times(benchmarks)


def run(options):
    contents = [(path, content) for path in options.files for content in json_values(path)]
    for number, (path, content) in enumerate(contents):
        if number > 0:
            print()
        print_content(path, content)
