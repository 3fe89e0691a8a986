"""Fits the correction of predicted times of GPUs (docs/explanation/choice.md) to recorded times, and says how good it is.

    bench_counted_work --random-values records-h200-seeds-f64.json.gz > work.jsonl
    python3 bench/spmvbench fit-correction work.jsonl -o tuning_db/gpu-correction.json

It learns ln(measured / predicted) beside that of the other kernels of a matrix, in trees whose nodes of one level all
ask the same. Needs catboost, which PyPI has. The same input gives the same output. Figures "left out" are of matrices
whose whole family took no part. Files of matrices that took no part at all: --test.
"""

import json
import os
import tempfile

from spmvbench.errors import BenchError, need
from spmvbench.results import json_lines, read_json
from spmvbench.verbs.fit_costs import FOLDS, OWN_MARGINS, UNWEIGHED, Samples, choices, told

LEVELS, TREES, RATE = 5, 300, 0.15
FALLS = 2.0  # of a time's weight, for each unit of ln(time / best time): what is far from the best matters little
MARGINS = (0.0, 0.05, 0.1, 0.15)
SHIPPED = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[".."] * 3, "tuning_db", "gpu-costs.json")


def add_arguments(parser):
    parser.add_argument("work", nargs="+", help="output of bench_counted_work")
    parser.add_argument("--test", nargs="*", default=[], help="output for matrices that are not fitted to")
    parser.add_argument("--constants", default=SHIPPED, help="of the times that are corrected (default: those that ship)")
    parser.add_argument("-o", "--output")


class Predicted:
    """Recorded times with their features, and ln(time) by constants alone."""

    def __init__(self, paths, constants, np):
        self.samples = Samples(paths, np)
        rows = self.samples.rows
        if any("features" not in row for row in rows):
            raise BenchError("there are times without features: of CPUs, several vectors, or an earlier version")
        self.names = next(line["features"] for path in paths for line in json_lines(path) if "scheme" in line)
        self.features = np.array([row["features"] for row in rows])
        scheme = self.samples.scheme
        parts = self.samples.costs * np.array([constants["coefficients"][name] for name in scheme.costs])
        kernels = [constants["kernels"][row["kernel"]] for row in rows]
        serial = np.array([kernel["start_us"] for kernel in kernels]) + parts[:, : scheme.serial].sum(1)
        powers = (np.maximum(parts[:, scheme.serial :], 0) ** constants["exponent"]).sum(1)
        self.log_us = np.log(serial + powers ** (1 / constants["exponent"]))
        self.target, self.weight = self.beside_others(np)

    def beside_others(self, np):
        """What a time exceeds its prediction by, less the mean of its matrix, and its weight."""
        log_us, matrix = self.samples.log_us, self.samples.matrix
        best = np.array([log_us[group].min() for group in self.samples.groups])[matrix]
        weight = np.exp(-FALLS * (log_us - best))
        weight *= np.where([row["weighed"] for row in self.samples.rows], 1, UNWEIGHED)
        error = log_us - self.log_us
        means = np.bincount(matrix, error * weight) / np.bincount(matrix, weight)
        return error - means[matrix], weight


def learned(data, mask, np, catboost):
    rows = np.where(mask)[0]
    rows = rows[np.argsort(data.samples.matrix[rows], kind="stable")]
    pool = catboost.Pool(
        data.features[rows], data.target[rows], weight=data.weight[rows], group_id=data.samples.matrix[rows]
    )
    model = catboost.CatBoost(
        {
            "loss_function": "QueryRMSE",
            "depth": LEVELS,
            "iterations": TREES,
            "learning_rate": RATE,
            "random_seed": 1,
            "thread_count": 1,
            "allow_writing_files": False,
            "verbose": False,
        }
    )
    model.fit(pool)
    return model


def left_out(data, np, catboost):
    """Corrections of each family by what was learned without it."""
    correction = np.zeros(len(data.target))
    families = sorted(set(data.samples.family))
    for fold in range(FOLDS):
        held = np.isin(data.samples.family, families[fold::FOLDS])
        if held.any() and not held.all():
            correction[held] = learned(data, ~held, np, catboost).predict(data.features[held])
    return correction


def errors_of(constants, samples):
    return {kernel: constants["kernels"][kernel]["error"] for kernel in samples.scheme.kernels}


def tell(title, data, correction, constants, margins, np):
    found = choices(data.samples, data.log_us + correction, errors_of(constants, data.samples), margins)
    print(told(f"{title}, margins {margins[0]:.2f} and {margins[1]:.2f}", data.samples, found, np))


def run(options):
    np = need("numpy", "python3-numpy")
    catboost = need("catboost", "catboost", "pip install")
    constants = read_json(options.constants)
    data = Predicted(options.work, constants, np)
    given = (constants["margin"], constants["own_margin"])
    correction = left_out(data, np, catboost)
    pairs = [(margin, own) for margin in MARGINS for own in OWN_MARGINS if own <= margin]
    loss = lambda pair: sum(
        f[0] ** 2 for f in choices(data.samples, data.log_us + correction, errors_of(constants, data.samples), pair)
    )
    tell("constants alone", data, 0, constants, given, np)
    for pair in sorted({given, min(pairs, key=loss)}):
        tell("left out", data, correction, constants, pair, np)
    model = learned(data, np.ones(len(data.target), bool), np, catboost)
    for path in options.test:
        test = Predicted([path], constants, np)
        tell(f"{path}, constants alone", test, 0, constants, given, np)
        tell(path, test, model.predict(test.features), constants, given, np)
    if options.output:
        write(options.output, model, data.names)


def trees_of(model):
    """Of each tree its questions, a feature's place and a number each, and its leaves in thousandths."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json")
        model.save_model(path, format="json")
        saved = read_json(path)
    scale = saved["scale_and_bias"][0]
    for tree in saved["oblivious_trees"]:
        row = []
        for split in tree["splits"]:
            row += [split["float_feature_index"], float(f"{split['border']:.4g}")]
        yield [*row, [round(1000 * scale * value) for value in tree["leaf_values"]]]


def write(path, model, names):
    head = {"kind": "gpu-correction", "schema": 1, "vendor": "nvidia", "features": names}
    text = "{\n" + "".join(f" {json.dumps(name)}: {json.dumps(value)},\n" for name, value in head.items())
    text += ' "trees": [\n'
    text += ",\n".join(json.dumps(tree, separators=(",", ":")) for tree in trees_of(model)) + "\n]}\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    print(f"{path}: {len(text)} bytes")
