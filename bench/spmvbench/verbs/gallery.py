"""Markdown tables of every kernel and every peer over a gallery, of what `spmvgen bench --json F` wrote (docs/how-to/benchmark-and-report.md).

For each value type: how fast the choice, the best of our kernels and the best other library are on each
matrix; then every kernel and every peer, by each clock; then what has no time, and why. Of a result
that is there twice the last counts.
"""

import collections
import os

from spmvbench.errors import BenchError
from spmvbench.results import CLOCKS, best, is_choice, is_ours, kernel_id, read, time_of
from spmvbench.tables import figure, mean, ratio, table


def add_arguments(parser):
    parser.add_argument("--page", metavar="TITLE", help="a whole page with that title, as docs/bench-….md is")
    parser.add_argument("files", nargs="+", metavar="FILE")


def shortened(command):
    """Many files of one folder and ending as the pattern that stands for them."""

    def pattern(word):
        return os.path.join(os.path.dirname(word), "*" + os.path.splitext(word)[1]) if "/" in word else word

    words, kept = command.split(), []
    files = collections.Counter(map(pattern, words))
    for word in words:
        short = pattern(word) if files[pattern(word)] > 8 else word
        if short not in kept[-1:]:
            kept.append(short)
    return " ".join(kept)


def clocks_of(method):
    """How each clock is done; of schema 1 there are two, and the first is called hot."""
    clocks = method.get("clocks") or {"stream": method["hot"], "cold": method["cold"]}
    return "; ".join(f"{clock}: {how}" for clock, how in clocks.items())


def describe(headers):
    first = headers[0]
    machine, method = first["machine"], first["method"]
    gpu = machine.get("gpu")
    print(
        f"- Command: `{shortened(first['command'])}`"
        + (f", and {len(headers) - 1} more with `--resume`" if len(headers) > 1 else "")
    )
    print(
        f"- Machine: {machine['cpu']}, {machine['processors']} processors, native `{machine['native']}`"
        + (
            f"; {gpu['name']}, driver {gpu['driver']}"
            if gpu
            else f"; last-level cache {machine['last_level_cache_bytes'] / 2**20:.0f} MiB"
        )
        + "; "
        + first["date"]
    )
    print(
        "- Versions: "
        + ", ".join(f"{name} {text[:12] if name == 'generator' else text}" for name, text in first["versions"].items())
    )
    peers = {}
    for header in headers:
        peers.update({name: peer for name, peer in header["peers"].items() if "version" in peer or name not in peers})
    print(
        "- Peers: "
        + "; ".join(
            f"{name} {peer['version']} (`{peer['path'].split('/')[-1]}`)" if "version" in peer else f"{name} absent"
            for name, peer in peers.items()
        )
    )
    print(
        f"- Method: {method.get('timer') or method['clock']}, {method['threads']} threads, "
        f"{method['seconds_a_case'] * 1e3:.0f} ms a case; " + clocks_of(method)
        + (
            f", by walking over {method['flush_bytes'] / 2**20:.0f} MiB "
            f"(last-level cache {method['cache_bytes'] / 2**20:.0f} MiB)"
            if method["flush_bytes"]
            else ""
        )
        + f"; {method['statistic']}; checked {method['check']}"
    )
    print()


def summary(matrices, clocks):
    """The choice, the best of ours and of other libraries on each matrix."""
    for clock in clocks:
        head = [
            "matrix",
            "rows",
            "nonzeros",
            "choice",
            "µs",
            "best of ours",
            "µs",
            "GB/s",
            "choice / best",
            "best other library",
            "µs",
            "peer / choice",
            "peer / best of ours",
        ]
        body, against_best, against_choice, loss = [], [], [], []
        for name, cases in matrices.items():
            rows = list(cases.values())
            choice = cases.get("auto")
            ours = best(rows, lambda row: is_ours(row) and not is_choice(row), clock) or best(rows, is_choice, clock)
            peer = best(rows, lambda row: not is_ours(row), clock)
            t, o, p = time_of(choice, clock), time_of(ours, clock), time_of(peer, clock)
            against_best.append(ratio(p, o))
            against_choice.append(ratio(p, t))
            loss.append(ratio(t, o))
            body.append(
                [
                    name,
                    f"{rows[0]['rows']:,}",
                    f"{rows[0]['nnz']:,}",
                    f"`{kernel_id(choice)}`" if t else "",
                    figure(t),
                    f"`{kernel_id(ours)}`" if ours else "",
                    figure(o),
                    figure(ours[clock].get("gb_s")) if ours else "",
                    figure(loss[-1]),
                    peer["case"] if peer else "",
                    figure(p),
                    figure(against_choice[-1]),
                    figure(against_best[-1]),
                ]
            )
        body.append(
            ["**geometric mean**"]
            + [""] * 7
            + [f"**{figure(mean(loss))}**", "", "", f"**{figure(mean(against_choice))}**", f"**{figure(mean(against_best))}**"]
        )
        slower = sum(1 for r in against_choice if r and r < 1)
        print(f"### {clock.capitalize()}\n")
        table(head, body)
        print(
            f"The choice is slower than the best other library on {slower} of {sum(1 for r in against_choice if r)} matrices, "
            f"and slower than the best of ours by more than 15 % on {sum(1 for r in loss if r and r > 1.15)}.\n"
        )


def every_case(matrices, clocks):
    """µs of every kernel and peer, by clock; the last rows are means of time / best of the matrix."""
    names = list(dict.fromkeys(case for cases in matrices.values() for case in cases))
    ours = [n for n in names if any(n in c and is_ours(c[n]) for c in matrices.values())]
    for title, group in (("Our kernels", ours), ("Peers", [n for n in names if n not in ours])):
        if not group:
            continue
        print(f"### {title}: µs, {' / '.join(clocks)}\n")
        body = [[name] + [cell(cases.get(case), clocks) for case in group] for name, cases in matrices.items()]
        for clock in clocks:
            body.append(
                [f"**geometric mean of time / least of the matrix, {clock}**"]
                + [over_least(matrices, case, clock) for case in group]
            )
        body.append(["**fastest of all, " + clocks[0] + "**"] + [str(wins(matrices, case, clocks[0])) for case in group])
        table(["matrix"] + group, body)


def cell(row, clocks):
    if row is None:
        return ""
    if "wrong" in row:
        return "**WRONG**"
    if "none" in row:
        return "none"
    return " / ".join(figure(time_of(row, clock)) for clock in clocks)


def least(cases, clock):
    return min((row[clock]["us"] for row in cases.values() if clock in row), default=None)


def over_least(matrices, case, clock):
    ratios = [r for r in (ratio(time_of(cases.get(case), clock), least(cases, clock)) for cases in matrices.values()) if r]
    return f"{figure(mean(ratios))} ({len(ratios)})" if ratios else ""


def wins(matrices, case, clock):
    return sum(
        1 for cases in matrices.values() if time_of(cases.get(case), clock) and time_of(cases[case], clock) == least(cases, clock)
    )


def without_time(matrices):
    wrong = [(name, case, row["wrong"]) for name, cases in matrices.items() for case, row in cases.items() if "wrong" in row]
    none = collections.defaultdict(list)
    for name, cases in matrices.items():
        for case, row in cases.items():
            if "none" in row:
                none[case].append((name, row["none"]))
    results = sum(len(cases) for cases in matrices.values())
    print(f"Of {results} results {len(wrong)} are wrong, and {sum(map(len, none.values()))} have no time:\n")
    for name, case, why in wrong:
        print(f"- **WRONG** {name}, {case}: {why}")
    for case, matrices_of in none.items():
        print(f"- {case}: {len(matrices_of)}, such as {matrices_of[0][0]}: {matrices_of[0][1].split(': use ')[0]}")
    print()


def print_page_head(title, header, paths):
    print(
        f"# {title}\n\nEvery kernel and every peer over the gallery. "
        f"[how-to/benchmark-and-report.md](how-to/benchmark-and-report.md) says what is timed and how. "
        f"The command, and what makes this page of its results (kept in `{', '.join(paths)}`):\n\n"
        f"    {shortened(header['command'])}\n"
        f"    python3 bench/spmvbench gallery --page \"{title}\" {' '.join(paths)}\n"
    )


def run(options):
    headers, values = read(options.files)
    if not headers or "method" not in headers[0]:
        raise BenchError(options.files[0] + ": has no header of `spmvgen bench`, which tells how the times were taken")
    if options.page:
        print_page_head(options.page, headers[0], options.files)
    describe(headers)
    for value, matrices in values.items():
        matrices = dict(sorted(matrices.items(), key=lambda item: next(iter(item[1].values()))["nnz"]))
        found = [row for cases in matrices.values() for row in cases.values()]
        clocks = [clock for clock in CLOCKS if any(clock in row for row in found)]
        print(f"## {value}: {len(matrices)} matrices\n")
        summary(matrices, clocks)
        every_case(matrices, clocks)
        without_time(matrices)
