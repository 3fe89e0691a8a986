"""Reads what was measured. The only place that knows how files look: lines of JSON with headers among them, compressed or not.

A result is a dictionary as `spmvgen bench --json` writes it (docs/how-to/benchmark-and-report.md). Kept results of
programs that this one replaced have other forms and are brought to this one: a line of a matrix
with "cases", and lines with "us" in place of "stream", which schema 1 calls "hot".
"""

import gzip
import io
import json
import os
import re
import sys

from spmvbench.errors import BenchError

OURS = "spmvgen"
# How products are timed (docs/how-to/benchmark-and-report.md), each the field of a result with its times.
CLOCKS = ("stream", "graph", "solver", "cold")
CLASSES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "matrix_classes.json")


def open_text(path):
    """A file as text, whatever its name is: gzip is told by its first bytes."""
    try:
        file = open(path, "rb")
    except OSError as error:
        raise BenchError(f"{path}: {error.strerror}") from None
    packed = file.peek(2)[:2] == b"\x1f\x8b"
    return io.TextIOWrapper(gzip.GzipFile(fileobj=file) if packed else file, encoding="utf-8")


def kept(path):
    """The path of a file that may be there as PATH.gz."""
    return path if os.path.exists(path) or not os.path.exists(path + ".gz") else path + ".gz"


def read_json(path):
    """A file that is one JSON value."""
    with open_text(path) as file:
        try:
            return json.load(file)
        except (ValueError, EOFError) as error:
            raise BenchError(f"{path}: not JSON: {error}") from None


def json_values(path):
    """The values of a file that is one JSON value, or one a line."""
    with open_text(path) as file:
        text = file.read()
    try:
        return [json.loads(text)]
    except ValueError:
        return list(json_lines(path))


def json_lines(path):
    """The objects of a file with one a line. A torn last line is left out with a word, as a run that was cut short leaves it."""
    with open_text(path) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError:
                if line.endswith("\n"):
                    raise BenchError(f"{path}:{number}: not JSON") from None
                print(f"{path}: the last line is torn and is left out", file=sys.stderr)
                return
            if not isinstance(row, dict):
                raise BenchError(f"{path}:{number}: no JSON object")
            yield row


def is_header(row):
    return "matrix" not in row


def flat(line):
    """The results of one line; a header is itself."""
    if "cases" in line and not is_header(line):
        for number, case in enumerate(line["cases"]):
            stream = {name: case[name] for name in ("us", "low_us", "high_us") if name in case}
            library = case["case"].split("/")[0] if case["peer"] else OURS
            yield {
                **{name: line[name] for name in ("matrix", "rows", "nnz")},
                "value": "f64",
                **case,
                "library": library,
                "stream": stream,
                "begins_matrix": number == 0,
            }
    elif "hot" in line:
        yield {("stream" if name == "hot" else name): value for name, value in line.items()}
    elif "us" in line and "stream" not in line and not is_header(line):
        times = {"us": line["us"], "min_us": line.get("us_min"), "max_us": line.get("us_max"), "gb_s": line.get("gb_s")}
        yield {**line, "stream": times}
    else:
        yield line


def rows(path):
    """Headers and results of a file, in their order."""
    for line in json_lines(path):
        yield from flat(line)


def matrix_name(row):
    """`spmvgen bench` names files by their paths where two of its matrices have one name."""
    return os.path.basename(row["matrix"]).removesuffix(".csr")


def name_in(by_name, row):
    """The matrix's name; with its nonzeros where another one of that name is there already."""
    name = row["matrix"]
    known = next(iter(by_name.get(name, {}).values()), row)
    return name if known.get("nnz") == row.get("nnz") else f"{name} ({row['nnz']:,})"


def read(paths):
    """Headers, and value type → matrix → case → result; of a result that is there twice the last counts."""
    headers, values = [], {}
    for row in (row for path in paths for row in rows(path)):
        if is_header(row):
            headers.append(row)
            continue
        row["matrix"] = matrix_name(row)
        # Times with other numbers than the matrix's own are another table.
        numbers = row.get("numbers", "own")
        by_name = values.setdefault(row["value"] + ("" if numbers == "own" else f", {numbers} values"), {})
        name = name_in(by_name, row)
        if row.pop("begins_matrix", False):  # such a line is all of its matrix
            by_name.get(name, {}).clear()
        by_name.setdefault(name, {})[row["case"]] = row
    if not values:
        raise BenchError("no results in " + ", ".join(paths))
    return headers, values


def by_matrix(paths):
    """Matrix → all its results, those of one case that is there twice among them; matrices by their nonzeros."""
    matrices = {}
    for row in (row for path in paths for row in rows(path)):
        if not is_header(row):
            matrices.setdefault(row["matrix"], []).append(row)
    return dict(sorted(matrices.items(), key=lambda item: item[1][0]["nnz"]))


def classes(files=()):
    """Matrix → class of structure: those of real matrices, and of files: {"matrix": "class"} or `spmvgen gallery list --json`."""
    found = {}
    for path in [CLASSES, *files]:
        content = read_json(path)
        found.update({m["name"]: m["structure"] for m in content["matrices"]} if "matrices" in content else content)
    return found


def add_clock_argument(parser):
    parser.add_argument("--clock", choices=CLOCKS, default="stream", help="whose times are compared (stream)")


def time_of(row, clock="stream"):
    """Microseconds, or None."""
    return row[clock]["us"] if row and clock in row else None


def best(found, wanted=lambda row: True, clock="stream"):
    """The fastest of those results that are wanted and have a time, or None."""
    timed = [row for row in found if wanted(row) and clock in row]
    return min(timed, key=lambda row: row[clock]["us"], default=None)


def is_ours(row):
    return row["library"] == OURS


def is_cusparse_csr(row):
    """Whether a result is of cuSPARSE on CSR arrays; "cusparse/csr_alg1", "cusparse 12.9.4/spmvop_alg1"."""
    return row["library"] == "cusparse" and re.search("/(csr|spmvop)_", row["case"]) is not None


def is_choice(row):
    """Whether a result is of what a level chose."""
    return is_ours(row) and re.split("[/:]", row["case"])[0] == "auto"


def kernel_id(row):
    """csr_vector of csr_vector_f64_i32_…: a name of the registry has no part that is a value type."""
    parts = row.get("kernel", "").split("_")
    cut = next((i for i, part in enumerate(parts) if part in ("f32", "f64", "c32", "c64")), len(parts))
    return "_".join(parts[:cut])
