"""Fits the constants of the choice by counted work (docs/choice.md) to recorded times, and says how good it is.

    bench_counted_work records-h200-seeds-f64.json.gz > work.jsonl
    python3 bench/spmvbench fit-costs work.jsonl -o tuning_db/gpu-costs.json

Of a GPU or of a CPU, as the input says. Needs numpy, scipy and scikit-learn. The same input gives the same output.
Figures "left out" are of matrices whose whole family took no part in the fit. Files of matrices that took no part at
all: --test.
"""

import collections
import dataclasses
import itertools
import json
import math

from spmvbench import correction
from spmvbench.errors import BenchError, need
from spmvbench.results import is_header, json_lines
from spmvbench.tables import mean

FOLDS = 6
NEAR = 0.3  # |ln(time / best time)| from which on a time counts less
SOFT = 0.1  # |ln(predicted / measured)| from which on an error counts less
UNWEIGHED = 0.3  # what a time counts with parameters that a choice does not weigh

OWN_MARGINS = (0.0, 0.03, 0.06, 0.1, 0.15, 0.2)  # the same, of the rules' own kernel with other parameters
# Of pairs of them the one with the least squares of ln(time / least time) on families left out is kept, but at least
# the machines' least margin: the rules hold for classes of matrices that are not among the samples.
MARGINS = (0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)  # share of the rules' time that another choice must save


@dataclasses.dataclass(frozen=True)
class Machines:
    """What is fitted for one scheme of runtime/tuner/cost."""

    kernels: tuple  # that a choice weighs; what else there is has to be asked for
    first_start_us: float  # of an empty product, where the fit begins; 0 = the costs have it
    least_margin: float


MACHINES = {
    "gpu-costs": Machines(
        kernels=(
            "bcsr_fused",
            "coo",
            "csr_by_length",
            "csr_classical",
            "csr_load_balance",
            "ell_groups",
            "hyb",
            "sell_slices",
            "strips",
            "tiles",
            "tiles_hubs",
        ),
        first_start_us=0.8,
        least_margin=0.1,
    ),
    "cpu-costs": Machines(
        kernels=(
            "bcsr",
            "coo_segmented",
            "csr_balanced",
            "csr_k_rows",
            "csr_rows",
            "csr_vector",
            "ell",
            "sell",
            "strips_cpu",
        ),
        first_start_us=0.0,
        least_margin=0.25,
    ),
}


def add_arguments(parser):
    parser.add_argument("work", nargs="+", help="output of bench_counted_work")
    parser.add_argument("--test", nargs="*", default=[], help="output for matrices that are not fitted to")
    parser.add_argument("-v", "--verbose", type=int, default=8, help="list so many of the worst choices")
    parser.add_argument("--plain", action="store_true", help="counted work alone, without trees (no scikit-learn)")
    parser.add_argument("-o", "--output")


class Scheme:
    """Names of costs and of parameters, by the lines of the input that say them, and the machines they are of."""

    def __init__(self, line):
        self.kind, self.serial = line["scheme"], line["serial"]
        self.costs, self.parameters = line["costs"], line["parameters"]
        if self.kind not in MACHINES:
            raise BenchError(f"no machines are known of '{self.kind}': {', '.join(MACHINES)}")
        self.machines = MACHINES[self.kind]
        self.kernels = self.machines.kernels


class Samples:
    """Recorded times with their costs."""

    def __init__(self, paths, np):
        rows, self.scheme = [], None
        for path in paths:
            for row in json_lines(path):
                if "scheme" in row:
                    scheme = Scheme(row)
                    if self.scheme is not None and scheme.kind != self.scheme.kind:
                        raise BenchError(f"{path} is of {scheme.kind}, another file of {self.scheme.kind}")
                    self.scheme = scheme
                elif not is_header(row) and row.get("kernel") in (self.scheme.kernels if self.scheme else ()):
                    row["weighed"] = row["is_rule"] or row["in_grid"]
                    rows.append(row)
        if not rows:
            raise BenchError("no times of kernels that are weighed")
        self.rows = rows
        self.costs = np.array([row["costs"] for row in rows])
        self.log_us = np.log([row["us"] for row in rows])
        self.kernel = np.array([self.scheme.kernels.index(row["kernel"]) for row in rows])
        self.family = np.array([row["family"] for row in rows])
        problem = lambda row: (row["matrix"], row.get("threads", 0), row.get("value", ""))
        problems = {p: i for i, p in enumerate(sorted({problem(row) for row in rows}))}
        self.matrix = np.array([problems[problem(row)] for row in rows])
        self.groups = [np.where(self.matrix == i)[0] for i in range(len(problems))]
        best = np.array([self.log_us[g].min() for g in self.groups])[self.matrix]
        counts = np.bincount(self.matrix)
        self.weight = 1 / np.sqrt(1 + ((self.log_us - best) / NEAR) ** 2)
        self.weight /= np.sqrt(counts / counts.mean())[self.matrix]
        self.weight *= np.where([row["weighed"] for row in rows], 1, UNWEIGHED)


class Constants:
    """Exponent, coefficients, and each kernel's start and factor, as logarithms in one vector."""

    def __init__(self, theta, scheme, np):
        n, k = len(scheme.costs), len(scheme.kernels)
        self.serial = scheme.serial
        self.coefficients = np.exp(theta[:n])
        self.exponent = 1 + math.exp(theta[n])
        self.factor = np.exp(theta[n + 1 : n + 1 + k])
        self.start = np.exp(theta[n + 1 + k :]) if scheme.machines.first_start_us else np.zeros(k)

    def log_us(self, samples, np):
        parts = samples.costs * self.coefficients
        serial = self.start[samples.kernel] + parts[:, : self.serial].sum(1)
        others = (np.maximum(parts[:, self.serial :], 1e-12) ** self.exponent).sum(1) ** (1 / self.exponent)
        return np.log(serial + self.factor[samples.kernel] * others)

    def figures(self, samples, np):
        """What trees ask for."""
        log_us = self.log_us(samples, np)
        shares = samples.costs * self.coefficients / np.exp(log_us)[:, None]
        names = [row["name"] for row in samples.rows]
        return correction.figures(names, shares, log_us, samples.scheme.parameters, np)


class Predictor:
    """Constants, and trees for what they leave over, fitted to some of the samples."""

    def __init__(self, samples, mask, plain, np, least_squares):
        self.constants = fit(samples, mask, np, least_squares)
        count = len(samples.scheme.kernels)
        self.trees = [[] for _ in range(count)]
        if not plain:
            residual = samples.log_us - self.constants.log_us(samples, np)
            inputs = self.constants.figures(samples, np)
            weight = np.where(mask, samples.weight, 0)
            self.trees = correction.fit(inputs, residual, weight, samples.kernel, count, np)

    def log_us(self, samples, np):
        counted = self.constants.log_us(samples, np)
        return counted, counted + correction.values(self.trees, self.constants.figures(samples, np), samples.kernel, np)


def fit(samples, mask, np, least_squares):
    scheme = samples.scheme
    n, k = len(scheme.costs), len(scheme.kernels)
    starts = k if scheme.machines.first_start_us else 0
    half, start = math.log(0.5), math.log(scheme.machines.first_start_us or 1)
    first = np.concatenate([np.full(n, half), [0.0], np.zeros(k), np.full(starts, start)])
    part = Part(samples, mask)

    def residuals(theta):
        errors = (Constants(theta, scheme, np).log_us(part, np) - part.log_us) * part.weight
        # What few times say little about stays where it began.
        priors = [0.05 * (theta[:n] - half), 0.3 * theta[n + 1 : n + 1 + k], 0.3 * (theta[n + 1 + k :] - start)]
        return np.concatenate([errors, *priors])

    found = least_squares(residuals, first, loss="soft_l1", f_scale=SOFT, max_nfev=100)
    return Constants(found.x, scheme, np)


class Part:
    """Some of the samples."""

    def __init__(self, samples, mask):
        self.costs, self.log_us = samples.costs[mask], samples.log_us[mask]
        self.kernel, self.weight = samples.kernel[mask], samples.weight[mask]


def choices(samples, predicted, margins):
    """Per matrix: ln(time of the choice / least time), and the rows of both."""
    margin, own_margin = margins
    found = []
    for group in samples.groups:
        weighed = [i for i in group if samples.rows[i]["weighed"]]
        chosen = min(weighed, key=lambda i: predicted[i])
        rule = next((i for i in group if samples.rows[i]["is_rule"]), None)
        if rule is not None and predicted[chosen] > predicted[rule] + math.log1p(-margin):
            own = [i for i in weighed if samples.kernel[i] == samples.kernel[rule]]
            chosen = min(own, key=lambda i: predicted[i])
            if predicted[chosen] > predicted[rule] + math.log1p(-own_margin):
                chosen = rule
        best = min(group, key=lambda i: samples.log_us[i])
        found.append((samples.log_us[chosen] - samples.log_us[best], chosen, best))
    return found


def told(title, found, np):
    ratios = np.exp([f[0] for f in found])
    return (
        f"{title}: {mean(ratios):.3f} in the geometric mean, {np.quantile(ratios, 0.95):.2f} at the 95 % quantile, "
        f"{ratios.max():.2f} at worst, {len(ratios)} matrices"
    )


def rules(samples):
    found = []
    for group in samples.groups:
        for i in group:
            if samples.rows[i]["is_rule"]:
                found.append((samples.log_us[i] - min(samples.log_us[j] for j in group), i, i))
    return found


def left_out(samples, plain, np, least_squares):
    """Predictions of each family by what was fitted without it: as counted, and corrected."""
    counted, predicted = np.zeros(len(samples.rows)), np.zeros(len(samples.rows))
    families = sorted(set(samples.family))
    for fold in range(FOLDS):
        held = np.isin(samples.family, families[fold::FOLDS])
        found = Predictor(samples, ~held, plain, np, least_squares).log_us(samples, np)
        counted[held], predicted[held] = found[0][held], found[1][held]
    return counted, predicted


def errors_by_kernel(samples, predicted, np):
    """Root mean square of ln(predicted / measured) of times near the best of their matrix."""
    best = np.array([samples.log_us[g].min() for g in samples.groups])[samples.matrix]
    weighed = np.array([row["weighed"] for row in samples.rows])
    near = (samples.log_us - best < NEAR) & weighed
    errors = collections.defaultdict(float)
    for k, kernel in enumerate(samples.scheme.kernels):
        mask = near & (samples.kernel == k)
        errors[kernel] = float(np.sqrt(((predicted - samples.log_us)[mask] ** 2).mean())) if mask.any() else 1.0
    return errors


def run(options):
    np = need("numpy", "python3-numpy")
    least_squares = need("scipy.optimize", "python3-scipy").least_squares
    samples = Samples(options.work, np)
    counted, predicted = left_out(samples, options.plain, np, least_squares)
    print(told("rules", rules(samples), np))
    losses = {m: sum(f[0] ** 2 for f in choices(samples, predicted, m)) for m in itertools.product(MARGINS, OWN_MARGINS)}
    margins = min((m for m in losses if m[0] >= samples.scheme.machines.least_margin), key=losses.get)
    print(told("left out, as counted", choices(samples, counted, (0.0, 0.0)), np))
    for pair in [(0.0, 0.0), min(losses, key=losses.get), margins]:
        print(told("left out, margins {:.2f} and {:.2f}".format(*pair), choices(samples, predicted, pair), np))
    for loss, chosen, best in sorted(choices(samples, predicted, margins), reverse=True)[: options.verbose]:
        row = samples.rows[chosen]
        print(f"  {math.exp(loss):.2f} {row['matrix']} ({row['family']}): {row['name']}, best {samples.rows[best]['name']}")
    predictor = Predictor(samples, np.ones(len(samples.rows), bool), options.plain, np, least_squares)
    for path in options.test:
        test = Samples([path], np)
        print(told(f"{path}, rules", rules(test), np))
        counted, predicted_there = predictor.log_us(test, np)
        print(told(f"{path}, as counted", choices(test, counted, (0.0, 0.0)), np))
        print(told(f"{path}, predicted", choices(test, predicted_there, margins), np))
    if options.output:
        write(options.output, samples, predictor, margins, errors_by_kernel(samples, predicted, np))


def kernel_json(predictor, k, error, columns):
    rounded = lambda x: float(f"{x:.4g}")
    constants = predictor.constants
    found = {"start_us": rounded(constants.start[k]), "factor": rounded(constants.factor[k]), "error": round(error, 3)}
    trees = [correction.named(tree, columns) for tree in predictor.trees[k]]
    return found | ({"trees": trees} if trees else {})


def write(path, samples, predictor, margins, errors):
    constants, scheme = predictor.constants, samples.scheme
    columns = correction.names(scheme.costs, scheme.parameters)
    content = {
        "kind": scheme.kind,
        "schema": 2,
        "exponent": float(f"{constants.exponent:.4g}"),
        "margin": margins[0],
        "own_margin": margins[1],
        "coefficients": {n: float(f"{c:.4g}") for n, c in zip(scheme.costs, constants.coefficients)},
        "kernels": {name: kernel_json(predictor, k, errors[name], columns) for k, name in enumerate(scheme.kernels)},
    }
    with open(path, "w", encoding="utf-8") as file:
        file.write(with_a_tree_a_line(content) + "\n")


def with_a_tree_a_line(content):
    """As JSON: trees are hard to read with a number a line."""
    short = dict(content, kernels={})
    lines = [json.dumps(short, indent=1)[: -len("}\n}")].rstrip()]
    for name, kernel in content["kernels"].items():
        trees = [json.dumps(tree) for tree in kernel.get("trees", [])]
        plain = ", ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in kernel.items() if k != "trees")
        listed = ', "trees": [\n   ' + ",\n   ".join(trees) + "]" if trees else ""
        lines.append(f"  {json.dumps(name)}: {{{plain}{listed}}},")
    return "\n".join(lines).rstrip(",") + "\n }\n}"
