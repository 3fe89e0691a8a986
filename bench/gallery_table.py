#!/usr/bin/env python3
"""Prints Markdown tables of what `spmvgen bench --json F` wrote (docs/bench.md).

Usage: bench/gallery_table.py [--page TITLE] FILE…      (FILE: .jsonl or .jsonl.gz; of a result that is there twice the last counts)

With --page a whole page, docs/bench-….md.

For each value type: how fast the choice, the best of our kernels and the best peer are on each matrix; then every kernel and
every peer, hot and cold; then what has no time, and why.
"""
import collections
import gzip
import json
import math
import os
import re
import sys

OURS = "spmvgen"


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


def name_in(by_name, row):
    """The matrix's name; with its nonzeros where another one of that name is there already."""
    name = row["matrix"]
    known = next(iter(by_name.get(name, {}).values()), row)
    return name if known.get("nnz") == row.get("nnz") else f"{name} ({row['nnz']:,})"


def read_lines(path):
    """The lines of a file, headers among them."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        for line in file:
            if line.endswith("\n"):
                yield json.loads(line)
            else:
                print(f"{path}: the last line is torn and is left out", file=sys.stderr)


def read(paths):
    """Headers, and value type → matrix → case → row."""
    headers, values = [], {}
    for row in (row for path in paths for row in read_lines(path)):
        if "kind" in row:
            headers.append(row)
        else:
            # bench names files by their paths where two of its matrices have one name.
            row["matrix"] = os.path.basename(row["matrix"]).removesuffix(".csr")
            # Times with other numbers than the matrix's own are another table.
            numbers = row.get("numbers", "own")
            by_name = values.setdefault(row["value"] + ("" if numbers == "own" else f", {numbers} values"), {})
            by_name.setdefault(name_in(by_name, row), {})[row["case"]] = row
    return headers, values


def table(head, rows, left=1):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * left + "---:|" * (len(head) - left))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def mean(numbers):
    """The geometric one."""
    numbers = [n for n in numbers if n]
    return math.exp(sum(map(math.log, numbers)) / len(numbers)) if numbers else None


def figure(number):
    """Three significant digits."""
    if number is None:
        return ""
    if number == 0 or abs(number) >= 100:
        return f"{number:.0f}"
    return f"{number:.{max(0, 2 - math.floor(math.log10(abs(number))))}f}"


def ratio(a, b):
    return a / b if a and b else None


def time_of(row, cache):
    """Microseconds, or None."""
    return row[cache]["us"] if row and cache in row else None


def is_choice(row):
    return row["library"] == OURS and re.split("[/:]", row["case"])[0] == "auto"


def best(rows, cache, wanted):
    timed = [row for row in rows if wanted(row) and cache in row]
    return min(timed, key=lambda row: row[cache]["us"], default=None)


def kernel_id(row):
    """csr_vector of csr_vector_f64_i32_…: a name of the registry has no part that is a value type."""
    parts = row.get("kernel", "").split("_")
    cut = next((i for i, part in enumerate(parts) if part in ("f32", "f64", "c32", "c64")), len(parts))
    return "_".join(parts[:cut])


def describe(headers):
    first = headers[0]
    machine, method = first["machine"], first["method"]
    gpu = machine.get("gpu")
    print(f"- Command: `{shortened(first['command'])}`" + (f", and {len(headers) - 1} more with `--resume`" if len(headers) > 1 else ""))
    print(f"- Machine: {machine['cpu']}, {machine['processors']} processors, native `{machine['native']}`"
          + (f"; {gpu['name']}, driver {gpu['driver']}" if gpu else f"; last-level cache {machine['last_level_cache_bytes'] / 2**20:.0f} MiB") + "; "
          + first["date"])
    print("- Versions: " + ", ".join(f"{name} {text[:12] if name == 'generator' else text}" for name, text in first["versions"].items()))
    peers = {}
    for header in headers:
        peers.update({name: peer for name, peer in header["peers"].items() if "version" in peer or name not in peers})
    print("- Peers: " + "; ".join(f"{name} {peer['version']} (`{peer['path'].split('/')[-1]}`)" if "version" in peer else f"{name} absent"
                                  for name, peer in peers.items()))
    print(f"- Method: {method['clock']}, {method['threads']} threads, {method['seconds_a_case'] * 1e3:.0f} ms a case; hot: {method['hot']}; cold: {method['cold']}"
          + (f", by walking over {method['flush_bytes'] / 2**20:.0f} MiB (last-level cache {method['cache_bytes'] / 2**20:.0f} MiB)" if method["flush_bytes"] else "")
          + f"; {method['statistic']}; checked {method['check']}")
    print()


def summary(matrices, caches):
    """The choice, the best of ours and the best peer on each matrix."""
    for cache in caches:
        head = ["matrix", "rows", "nonzeros", "choice", "µs", "best of ours", "µs", "GB/s", "choice / best", "best peer", "µs", "peer / choice", "peer / best of ours"]
        body, against_best, against_choice, loss = [], [], [], []
        for name, cases in matrices.items():
            rows = list(cases.values())
            choice = cases.get("auto")
            ours = best(rows, cache, lambda row: row["library"] == OURS and not is_choice(row)) or best(rows, cache, is_choice)
            peer = best(rows, cache, lambda row: row["library"] != OURS)
            t, o, p = time_of(choice, cache), time_of(ours, cache), time_of(peer, cache)
            against_best.append(ratio(p, o))
            against_choice.append(ratio(p, t))
            loss.append(ratio(t, o))
            body.append([name, f"{rows[0]['rows']:,}", f"{rows[0]['nnz']:,}", f"`{kernel_id(choice)}`" if t else "", figure(t),
                         f"`{kernel_id(ours)}`" if ours else "", figure(o), figure(ours[cache].get("gb_s")) if ours else "", figure(loss[-1]),
                         peer["case"] if peer else "", figure(p), figure(against_choice[-1]), figure(against_best[-1])])
        body.append(["**geometric mean**"] + [""] * 7 + [f"**{figure(mean(loss))}**", "", "", f"**{figure(mean(against_choice))}**", f"**{figure(mean(against_best))}**"])
        slower = sum(1 for r in against_choice if r and r < 1)
        print(f"### {cache.capitalize()}\n")
        table(head, body)
        print(f"The choice is slower than the best peer on {slower} of {sum(1 for r in against_choice if r)} matrices, "
              f"and slower than the best of ours by more than 15 % on {sum(1 for r in loss if r and r > 1.15)}.\n")


def every_case(matrices, caches):
    """µs of every kernel and peer, hot / cold; the last rows are means of time / best of the matrix."""
    names = list(dict.fromkeys(case for cases in matrices.values() for case in cases))
    ours = [n for n in names if any(n in c and c[n]["library"] == OURS for c in matrices.values())]
    for title, group in (("Our kernels", ours), ("Peers", [n for n in names if n not in ours])):
        if not group:
            continue
        print(f"### {title}: µs, {' / '.join(caches)}\n")
        body = [[name] + [cell(cases.get(case), caches) for case in group] for name, cases in matrices.items()]
        for cache in caches:
            body.append([f"**geometric mean of time / least of the matrix, {cache}**"] + [over_least(matrices, case, cache) for case in group])
        body.append(["**fastest of all, " + caches[0] + "**"] + [str(wins(matrices, case, caches[0])) for case in group])
        table(["matrix"] + group, body)


def cell(row, caches):
    if row is None:
        return ""
    if "wrong" in row:
        return "**WRONG**"
    if "none" in row:
        return "none"
    return " / ".join(figure(time_of(row, cache)) for cache in caches)


def least(cases, cache):
    return min((row[cache]["us"] for row in cases.values() if cache in row), default=None)


def over_least(matrices, case, cache):
    ratios = [r for r in (ratio(time_of(cases.get(case), cache), least(cases, cache)) for cases in matrices.values()) if r]
    return f"{figure(mean(ratios))} ({len(ratios)})" if ratios else ""


def wins(matrices, case, cache):
    return sum(1 for cases in matrices.values() if time_of(cases.get(case), cache) and time_of(cases[case], cache) == least(cases, cache))


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


def main(paths):
    title = None
    if paths[:1] == ["--page"] and len(paths) > 2:
        title, paths = paths[1], paths[2:]
    if not paths or paths[0].startswith("-"):
        sys.exit(__doc__)
    headers, values = read(paths)
    if not headers or not values:
        sys.exit("bench/gallery_table.py: no results in " + ", ".join(paths))
    if title:
        print(f"# {title}\n\nEvery kernel and every peer over the gallery, hot and cold. [bench.md](bench.md) tells what is timed and how. The command, and what makes this page of "
              f"its results (kept in `{', '.join(paths)}`):\n\n    {shortened(headers[0]['command'])}\n    bench/gallery_table.py --page \"{title}\" {' '.join(paths)}\n")
    describe(headers)
    for value, matrices in values.items():
        matrices = dict(sorted(matrices.items(), key=lambda item: next(iter(item[1].values()))["nnz"]))
        rows = [row for cases in matrices.values() for row in cases.values()]
        caches = [cache for cache in ("hot", "cold") if any(cache in row for row in rows)]
        print(f"## {value}: {len(matrices)} matrices\n")
        summary(matrices, caches)
        every_case(matrices, caches)
        without_time(matrices)


if __name__ == "__main__":
    main(sys.argv[1:])
