"""Markdown tables of our kernels beside other libraries on a CPU, of `spmvgen bench --json F` (docs/cpu-peers.md).

For each matrix: the best of our kernels, the fastest peer, and how the ways of multiplying compare;
then what each of our cases reaches by itself, and each peer. Of a result that is there twice the
last counts.
"""

from spmvbench.errors import BenchError
from spmvbench.results import best, is_ours, read
from spmvbench.tables import figure, mean, table


def add_arguments(parser):
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--cache", choices=("hot", "cold"), default="hot")


def pair(cases, cache):
    """The fastest of ours and the fastest peer."""
    return (best(cases.values(), is_ours, cache), best(cases.values(), lambda row: not is_ours(row), cache))


def table_of_matrices(matrices, cache):
    ratios, body = {}, []
    for name, cases in sorted(matrices.items(), key=lambda item: next(iter(item[1].values()))["nnz"]):
        ours, peer = pair(cases, cache)
        ratios[name] = peer[cache]["us"] / ours[cache]["us"]
        body.append(
            [
                name,
                f"{ours['rows']:,}",
                f"{ours['nnz']:,}",
                f"`{ours['case']}`",
                figure(ours[cache]["us"]),
                peer["case"],
                figure(peer[cache]["us"]),
                f"{ratios[name]:.2f}",
            ]
        )
    print("| matrix | rows | nonzeros | best of ours | µs | fastest peer | µs | peer / ours |")
    print("|---|---:|---:|---|---:|---|---:|---:|")
    for row in [*body, [f"**geometric mean of {len(ratios)}**", *[""] * 6, f"**{mean(ratios.values()):.2f}**"]]:
        print("| " + " | ".join(row) + " |")
    print("\nBelow 0.97:", ", ".join(f"{n} {r:.2f}" for n, r in ratios.items() if r < 0.97) or "none", "\n")


def tables_of_cases(matrices, cache):
    cases, peers = {}, {}
    for found in matrices.values():
        ours, peer = pair(found, cache)
        for name, row in found.items():
            if cache not in row:
                continue
            us = row[cache]["us"]
            if is_ours(row):
                cases.setdefault(name, []).append((peer[cache]["us"] / us, ours[cache]["us"] / us))
            else:
                peers.setdefault(name, []).append(us / ours[cache]["us"])
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
        matrices = {name: cases for name, cases in by_name.items() if all(pair(cases, options.cache))}
        if not matrices:
            continue
        found = True
        if len(values) > 1:
            print(f"## {value}, {options.cache}\n")
        table_of_matrices(matrices, options.cache)
        tables_of_cases(matrices, options.cache)
    if not found:
        raise BenchError(
            f"no matrix has {options.cache} times of a kernel of ours and of a peer: give results of `spmvgen bench --against …`"
        )
