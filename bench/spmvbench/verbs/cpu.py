"""Markdown tables of our kernels beside other libraries on a CPU, of `spmvgen bench --json F` (docs/performance.md).

For each matrix: the best of our kernels, the fastest peer, and how the ways of multiplying compare;
then what each of our cases reaches by itself, and each peer. Of a result that is there twice the
last counts.
"""

from spmvbench.errors import BenchError
from spmvbench.results import add_clock_argument, best, is_ours, read
from spmvbench.tables import figure, mean, table


def add_arguments(parser):
    parser.add_argument("files", nargs="+", metavar="FILE")
    add_clock_argument(parser)


def pair(cases, clock):
    """The fastest of ours and the fastest peer."""
    return (best(cases.values(), is_ours, clock), best(cases.values(), lambda row: not is_ours(row), clock))


def table_of_matrices(matrices, clock):
    ratios, body = {}, []
    for name, cases in sorted(matrices.items(), key=lambda item: next(iter(item[1].values()))["nnz"]):
        ours, peer = pair(cases, clock)
        ratios[name] = peer[clock]["us"] / ours[clock]["us"]
        body.append(
            [
                name,
                f"{ours['rows']:,}",
                f"{ours['nnz']:,}",
                f"`{ours['case']}`",
                figure(ours[clock]["us"]),
                peer["case"],
                figure(peer[clock]["us"]),
                f"{ratios[name]:.2f}",
            ]
        )
    print("| matrix | rows | nonzeros | best of ours | µs | fastest peer | µs | peer / ours |")
    print("|---|---:|---:|---|---:|---|---:|---:|")
    for row in [*body, [f"**geometric mean of {len(ratios)}**", *[""] * 6, f"**{mean(ratios.values()):.2f}**"]]:
        print("| " + " | ".join(row) + " |")
    print("\nBelow 0.97:", ", ".join(f"{n} {r:.2f}" for n, r in ratios.items() if r < 0.97) or "none", "\n")


def tables_of_cases(matrices, clock):
    cases, peers = {}, {}
    for found in matrices.values():
        ours, peer = pair(found, clock)
        for name, row in found.items():
            if clock not in row:
                continue
            us = row[clock]["us"]
            if is_ours(row):
                cases.setdefault(name, []).append((peer[clock]["us"] / us, ours[clock]["us"] / us))
            else:
                peers.setdefault(name, []).append(us / ours[clock]["us"])
    table(
        ["ours", "matrices", "fastest peer / it, geometric mean", "the fastest of ours on"],
        [
            [f"`{case}`", str(len(of)), f"{mean(f[0] for f in of):.2f}", str(sum(f[1] >= 1 for f in of))]
            for case, of in cases.items()
        ],
    )
    table(
        ["peer", "matrices", "its time / the best of ours, geometric mean"],
        [[case, str(len(of)), f"{mean(of):.2f}"] for case, of in peers.items()],
    )


def run(options):
    values = read(options.files)[1]
    found = False
    for value, by_name in values.items():
        matrices = {name: cases for name, cases in by_name.items() if all(pair(cases, options.clock))}
        if not matrices:
            continue
        found = True
        if len(values) > 1:
            print(f"## {value}, {options.clock}\n")
        table_of_matrices(matrices, options.clock)
        tables_of_cases(matrices, options.clock)
    if not found:
        raise BenchError(
            f"no matrix has {options.clock} times of a kernel of ours and of a peer: give results of `spmvgen bench --against …`"
        )
