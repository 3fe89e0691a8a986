"""What each technique contributes: kernels timed with it and with it left out, by `spmvgen bench` (docs/performance.md).

spmvbench ablation SPMVGEN --json OUT.jsonl [--device D] … MATRIX…
spmvbench ablation --table OUT.jsonl…

MATRIX: what `spmvgen bench` takes: a file, or gallery:SPEC. First every matrix is planned once by
each kernel, which tells what it uses there (the kernel's name has all its parameters). Then kernel
and variants are timed in one process, each variant with one technique left out and the parameters
that are tuned kept as they are. A technique that a matrix does not use is not timed. OUT.jsonl has
all lines of `spmvgen bench`, variants as cases "strips:sigma=1:…"; the header before those of a
matrix says in "ablation" what was left out in each. --table prints Markdown.
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile

from spmvbench.errors import BenchError
from spmvbench.results import add_clock_argument, is_header, json_lines, rows, time_of
from spmvbench.tables import figure, mean, table

# Name: what is set instead. A technique is in use where one of its parameters has another value
# (of the encodings of values: see uses()).
TECHNIQUES = {
    "narrow deltas": {"codes": 8},
    "narrow values": {"encodings": "none"},
    "both": {"codes": 8, "encodings": "none"},
    "sorted rows": {"sigma": 1},
    "long rows apart": {"long_rows": 0},
    "blocks": {"block_rows": 1, "block_cols": 1},
    "holes": {"fill": 0},
    "several lanes a row": {"threads_per_row": 1},
    "hub columns": {"hubs": 0},
    "warm columns": {"warm": 0},
    "prefetch": {"prefetch": 0},
}
# What the matrix decides follows from what is left out: it is not kept.
OF_MATRIX = {"codes", "value_code", "ragged", "fill", "gaps", "long_rows", "block_rows", "block_cols"}
WIDE_STORAGE = re.compile(r"_(f64|f32|c64|c32)_s(f32|f16|bf16|c32)(_|$)")


def add_arguments(parser):
    parser.add_argument("--table", action="store_true", help="print the table of files that were made before")
    parser.add_argument("--json", metavar="OUT.jsonl")
    parser.add_argument("--device", default="host")
    parser.add_argument("--value", default="f64")
    parser.add_argument("--kernels", metavar="K,…", help="strips, tiles and tiles_hubs on GPUs, strips_cpu on CPUs")
    add_clock_argument(parser)
    parser.add_argument("--budget", default="20ms", help="time for a case")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("names", nargs="+", metavar="NAME", help="SPMVGEN and matrices; with --table files")


def parameters(kernel, names):
    """{"sigma": 4096, …} of "strips_f64_i32_…_sigma4096_…"."""
    found = {}
    for name in names:
        match = re.search(rf"_{name}(\d+)(?=_|$)", kernel)
        if match:
            found[name] = int(match[1])
    return found


def uses(technique, params, kernel):
    """Whether a kernel has what the technique leaves out."""
    if technique == "holes" and params.get("block_rows", 1) * params.get("block_cols", 1) > 1:
        return False  # of larger blocks `fill` is no technique
    narrow_values = params.get("value_code", 0) != 0 or bool(WIDE_STORAGE.search(kernel))
    in_use = {
        name: narrow_values if name == "encodings" else name in params and params[name] != value
        for name, value in TECHNIQUES[technique].items()
    }
    return all(in_use.values()) if technique == "both" else any(in_use.values())


def variant(kernel_id, technique, params):
    """The case of `bench` that leaves the technique out and keeps what was tuned."""
    if (
        technique == "hub columns" and params.get("warm", 0) == 0
    ):  # with neither there is nothing to gather: plain tiles, as they are tuned
        kept = {name: params[name] for name in ("block", "items", "run", "staged") if name in params}
        return ":".join(["tiles"] + [f"{name}={value}" for name, value in kept.items()])
    out = {name: value for name, value in TECHNIQUES[technique].items() if name == "encodings" or name in params}
    kept = {name: value for name, value in params.items() if name not in OF_MATRIX and name not in out}
    return ":".join([kernel_id] + [f"{name}={value}" for name, value in {**kept, **out}.items()])


def bench(options, matrices, kernels, budget):
    """Lines of `spmvgen bench`: header and results."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "R.jsonl")
        command = [
            options.program,
            "bench",
            *matrices,
            "--device",
            options.device,
            "--kernels",
            ",".join(kernels),
            "--against",
            "none",
            "--value",
            options.value,
            "--clock",
            options.clock,
            "--budget",
            budget,
            "--json",
            path,
        ]
        if options.threads:
            command += ["--threads", str(options.threads)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0 or not os.path.exists(path):
            # A wrong product or a kernel that cannot be made is in the lines; anything else ends the run.
            print(done.stderr.strip(), file=sys.stderr)
            if done.returncode != 1 or not os.path.exists(path):
                raise BenchError(f"{' '.join(command)}: status {done.returncode}")
        return list(json_lines(path))


def parameter_names(program):
    listing = json.loads(
        subprocess.run([program, "emit", "--list", "--json"], check=True, stdout=subprocess.PIPE, text=True).stdout
    )
    return {kernel["id"]: [p["name"] for p in kernel["params"]] for kernel in listing["kernels"]}


def usual_kernels(names, gpu):
    wanted = ("strips", "tiles", "tiles_hubs") if gpu else ("strips_cpu",)
    return [name for name in names if name in wanted]


def measure(options):
    names = parameter_names(options.program)
    kernels = options.kernels.split(",") if options.kernels else usual_kernels(names, options.device != "host")
    unknown = [k for k in kernels if k not in names]
    if unknown or not kernels:
        raise BenchError(
            "--kernels: "
            + (f"no kernel {unknown[0]}" if unknown else "none of the usual ones is there: name some")
            + ": see spmvgen emit --list"
        )
    if os.path.exists(options.json):
        raise BenchError(f"{options.json} is there already: name another file")
    with open(options.json, "w") as out:

        def keep(line):
            out.write(json.dumps(line) + "\n")
            out.flush()

        for matrix in options.matrices:
            planned = [row for row in bench(options, [matrix], kernels, "1ms") if "kind" not in row]
            left_out, cases = {}, []
            for row in planned:
                if "none" in row or "wrong" in row:
                    print(f"{row['matrix']} {row['case']}: {row.get('none') or row['wrong']}", file=sys.stderr)
                    continue
                params = parameters(row["kernel"], names[row["case"]])
                tuned = [f"{name}={value}" for name, value in params.items() if name not in OF_MATRIX]
                base = ":".join([row["case"], *tuned])
                left_out[base] = {"kernel": row["case"], "technique": None}
                for technique in TECHNIQUES:
                    if uses(technique, params, row["kernel"]):
                        left_out[variant(row["case"], technique, params)] = {"kernel": row["case"], "technique": technique}
            cases = list(left_out)
            if not cases:
                continue
            lines = bench(options, [matrix], cases, options.budget)
            keep({**lines[0], "ablation": left_out})
            for line in lines[1:]:
                keep(line)
            print(f"{planned[0]['matrix']}: {len(cases)} cases", file=sys.stderr)


def results_of(paths):
    """(kernel, value) → matrix → technique that was left out → result."""
    results, cases = {}, {}
    for path in paths:
        for line in rows(path):
            if is_header(line):
                cases = line.get("ablation", {})
            elif line["case"] not in cases:
                raise BenchError(
                    f"{path}: {line['case']}: no header says what was left out: give what spmvbench ablation --json wrote"
                )
            else:
                role = cases[line["case"]]
                results.setdefault((role["kernel"], line["value"]), {}).setdefault(line["matrix"], {})[role["technique"]] = line
    return results


def print_tables(paths, clock):
    results = results_of(paths)
    for (kernel, value), matrices in results.items():
        used = [t for t in TECHNIQUES if any(t in rows for rows in matrices.values())]
        body, gains = [], collections.defaultdict(list)
        for matrix, rows in sorted(matrices.items(), key=lambda item: item[1][None]["nnz"]):
            base = time_of(rows[None], clock)
            cells = []
            for technique in used:
                row = rows.get(technique)
                without = time_of(row, clock)
                if row is None:
                    cells.append("–")
                elif without is None or base is None:
                    cells.append("**WRONG**" if "wrong" in row else "none")
                else:
                    gains[technique].append(without / base)
                    cells.append(figure(without / base))
            body.append([matrix, f"{rows[None]['nnz']:,}", figure(base), *cells])
        print(
            f"### `{kernel}`, {value}, {clock}\n\nTime without the technique over time with it; – = the matrix does not use it.\n"
        )
        means = ["**geometric mean where used**", "", "", *(f"**{figure(mean(gains[t]))}** ({len(gains[t])})" for t in used)]
        every = ["**over all matrices**", "", "", *(figure(mean(gains[t] + [1] * (len(matrices) - len(gains[t])))) for t in used)]
        table(["matrix", "nonzeros", "µs", *used], [*body, means, every])


def run(options):
    if options.table:
        return print_tables(options.names, options.clock)
    if not options.json or len(options.names) < 2:
        raise BenchError("give SPMVGEN, --json OUT.jsonl and a matrix, or --table and a file; see spmvbench ablation --help")
    options.program, options.matrices = os.path.abspath(options.names[0]), options.names[1:]
    return measure(options)
