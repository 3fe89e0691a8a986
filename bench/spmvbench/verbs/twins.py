"""A table of twins beside their originals, of the suite that `spmvgen gallery make --suite all` made.

SUITE.json is what that command wrote beside the matrices.
"""

import json
import subprocess

from spmvbench.errors import BenchError
from spmvbench.results import read_json


def add_arguments(parser):
    parser.add_argument("program", metavar="SPMVGEN")
    parser.add_argument("suite", metavar="SUITE.json")


def figure(value):
    if not value:
        return "?"
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}" if value < 1000 * size else f"{value / size:.0f}{letter}"
    return f"{value:g}"


def both(twin, made):
    return f"{figure(twin)} / {figure(made)}"


def run(options):
    command = [options.program, "gallery", "list", "--suite", "all", "--json"]
    try:
        listed = subprocess.run(command, check=True, capture_output=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise BenchError(f"{' '.join(command)}: {error}") from None
    made = {row["name"]: row for row in read_json(options.suite)["matrices"]}
    print("| twin | suite, class | rows | nonzeros | mean row | longest row | made as | differs from the original |")
    print("|---|---|---|---|---|---|---|---|")
    for twin in json.loads(listed)["matrices"]:
        if twin["name"] not in made:
            raise BenchError(f"{options.suite}: has no {twin['name']}: make the whole suite with this spmvgen")
        row, original = made[twin["name"]], twin["original"]
        mean = f"{original['nnz'] / original['rows']:.2f} / {row['nnz'] / row['rows']:.2f}"
        print(
            f"| {twin['name']} | {twin['suite']}, {twin['structure']} | {both(original['rows'], row['rows'])} "
            f"| {both(original['nnz'], row['nnz'])} | {mean} | {both(original.get('max_row', 0), row['max_row'])} "
            f"| `{twin['specification']}` | {twin['difference']} |"
        )
