"""Fits the model of a device's kernels (docs/model.md) to recorded times, and says how good it is.

    bench_model_costs tuning_db/records-nvidia-h200*.json.gz > costs.jsonl
    python3 bench/spmvbench fit-model costs.jsonl --date 2026-11-21 -o tuning_db/model-nvidia-h200.json

Needs numpy and scipy. The same input gives the same output. Every figure that is printed for "left
out" is of matrices whose whole class (the records' group) took no part in the fit.
"""

import collections
import importlib
import json
import math

from spmvbench.errors import BenchError, need
from spmvbench.results import is_header, json_lines
from spmvbench.tables import mean

SIZES = 3  # classes of size, each with factors of its own: model_fit.SIZE_LIMITS
LEAST_SAMPLES = 20  # of other classes, for a class to be left out


def add_arguments(parser):
    parser.add_argument("costs", nargs="+", help="output of bench_model_costs")
    parser.add_argument("--date", default="")
    parser.add_argument("--method", default="", help="for people, kept in the file")
    parser.add_argument("--exponent", type=float, default=1.5, help="how costs overlap: 1 = they add up")
    parser.add_argument("--without", default="", help="kernels that the model is to know nothing of: a,b")
    parser.add_argument("-v", "--verbose", type=int, default=8, help="list so many of the worst choices")
    parser.add_argument("-o", "--output")


def problem(row):
    return (row["matrix"], row["value"], row["device"], row["threads"])


def quantile(numbers, share):
    """With linear interpolation between neighbours."""
    ordered = sorted(numbers)
    place = share * (len(ordered) - 1)
    low = int(place)
    return ordered[low] + (place - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])


def losses(rows, errors):
    """Per problem: time of the kernel with the least predicted time, allowing for its error, over the least time."""
    problems = collections.defaultdict(list)
    for row in rows:
        problems[problem(row)].append(row)
    result = []
    for key, found in problems.items():
        known = [r for r in found if "fitted_us" in r]
        if not known:
            continue
        best = min(found, key=lambda r: r["us"])
        chosen = min(known, key=lambda r: r["fitted_us"] * math.exp(errors[r["kernel"]]))
        result.append((chosen["us"] / best["us"], key, chosen, best))
    return result


def report(title, found, verbose):
    values = [f[0] for f in found]
    print(
        f"{title}: time of the choice over the best: {mean(values):.3f} in the geometric mean, "
        f"{max(values):.2f} at worst, {quantile(values, 0.9):.2f} at the 90 % quantile, {len(values)} problems"
    )
    for value in sorted({f[1][1] for f in found}):
        part = [f[0] for f in found if f[1][1] == value]
        print(f"  {value}: {mean(part):.3f}, {max(part):.2f} at worst, {len(part)} problems")
    for loss, key, chosen, best in sorted(found, key=lambda f: -f[0])[:verbose]:
        print(
            f"  {loss:5.2f} {key[0]} {key[1]}: chose {chosen['name']} (predicted {chosen['fitted_us']:.1f}, "
            f"took {chosen['us']:.1f}), best {best['name']} ({best['us']:.1f}, "
            f"predicted {best.get('fitted_us', math.nan):.1f})"
        )


def read(paths):
    rows, names = [], None
    for path in paths:
        for row in json_lines(path):
            if is_header(row):
                names = row["costs"]
            elif "costs" in row:
                rows.append(row)
    if not rows:
        raise BenchError("there is no time with costs in " + ", ".join(paths))
    return rows, names


def model_text(rows, names, models, arguments):
    kernels = []
    for name in sorted(models):
        m = models[name]
        factors = collections.defaultdict(dict)
        for (factor, value, size), log in sorted(m.factors.items()):
            factors[factor].setdefault(value, [0.0] * SIZES)[size] = round(log, 4)
        coefficients = {n: float(f"{c:.4g}") for n, c in zip(names, m.coefficients) if c > 0}
        kernels.append(
            f'  {{"kernel": {json.dumps(name)}, "samples": {m.samples}, "error": {m.error:.4f},\n'
            f'   "coefficients": {json.dumps(coefficients)},\n   "factors": {json.dumps(factors)}}}'
        )
    head = {
        "kind": "kernel-model",
        "schema": 1,
        "device": rows[0]["device"],
        "arch": rows[0]["arch"],
        "date": arguments.date,
        "method": arguments.method,
        "exponent": arguments.exponent,
    }
    text = "{\n" + "".join(f" {json.dumps(k)}: {json.dumps(v)},\n" for k, v in head.items())
    return text + ' "kernels": [\n' + ",\n".join(kernels) + "\n ]\n}\n"


def fit_all(fit, samples, exponent):
    """Kernel → its model of all samples; each row has "fitted_us" of them."""
    models = {}
    for name, s in samples.items():
        models[name] = fit.Kernel(s, s.us > 0, exponent)
        for row, us in zip(s.rows, models[name].predict(s)):
            row["fitted_us"] = float(us)
    return models


def fit_left_out(fit, samples, groups, exponent):
    """Gives each row "fitted_us" of a model that knows nothing of its class; kernel → mean error of these."""
    for group in groups:
        for s in samples.values():
            own = s.group == group
            if own.any() and (~own).sum() >= LEAST_SAMPLES:
                predicted = fit.Kernel(s, ~own, exponent).predict(s)
                for i in own.nonzero()[0]:
                    s.rows[i]["fitted_us"] = float(predicted[i])
    errors = {}
    for name, s in samples.items():
        off = [abs(math.log(r["us"] / r["fitted_us"])) for r in s.rows if "fitted_us" in r]
        if not off:
            raise BenchError(
                f"{name}: fewer than {LEAST_SAMPLES} times of other classes, whichever is left out: "
                f"time more, or use --without {name}"
            )
        errors[name] = sum(off) / len(off)
    return errors


def run(arguments):
    need("numpy", "python3-numpy")
    need("scipy.optimize", "python3-scipy")
    fit = importlib.import_module("spmvbench.model_fit")
    rows, names = read(arguments.costs)
    by_kernel = collections.defaultdict(list)
    for row in rows:
        if row["kernel"] not in arguments.without.split(","):
            by_kernel[row["kernel"]].append(row)
    samples = {k: fit.Samples(v, names) for k, v in by_kernel.items()}
    groups = sorted({g for s in samples.values() for g in s.group})
    errors = fit_left_out(fit, samples, groups, arguments.exponent)
    left_out = losses(rows, errors)
    report(f"left out, one of {len(groups)} classes at a time", left_out, arguments.verbose)
    models = fit_all(fit, samples, arguments.exponent)
    report("fitted to all", losses(rows, errors), 0)
    for name in sorted(models):
        models[name].error = errors[name]
        print(
            f"  {name}: {models[name].samples} samples, error {models[name].error:.3f}, "
            + ", ".join(f"{n} {c:.3g}" for n, c in zip(names, models[name].coefficients) if c > 0)
        )
    if not arguments.method:
        arguments.method = (
            f"spmvbench fit-model: {len(rows)} times of {len(left_out)} problems in {len(groups)} classes; the choice "
            f"takes {mean([f[0] for f in left_out]):.3f} times the best in the geometric mean when its "
            "class is left out; errors are of classes that were left out"
        )
    if arguments.output:
        with open(arguments.output, "w", encoding="utf-8") as file:
            file.write(model_text(rows, names, models, arguments))
