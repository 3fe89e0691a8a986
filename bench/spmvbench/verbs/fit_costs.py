"""Fits the constants of the choice by counted work (docs/explanation/choice.md) to recorded times, and says how good it is.

    bench_counted_work records-h200-seeds-f64.json.gz > work.jsonl
    python3 bench/spmvbench fit-costs work.jsonl -o tuning_db/gpu-costs.json

Of a GPU or of a CPU, as the input says. Needs numpy and scipy. The same input gives the same output.
Figures "left out" are of matrices whose whole family took no part in the fit. Files of matrices that took no part at
all: --test.
"""

import collections
import dataclasses
import itertools
import json
import math

from spmvbench.errors import BenchError, need
from spmvbench.results import is_header, json_lines
from spmvbench.tables import mean

FOLDS = 6
NEAR = 0.3  # |ln(time / best time)| from which on a time counts less
SOFT = 0.1  # |ln(predicted / measured)| from which on an error counts less
UNWEIGHED = 0.3  # what a time counts with parameters that a choice does not weigh
CAUTIOUS = 0.5  # of a kernel's error, that a choice adds: Prediction::bad_us()

OWN_MARGINS = (0.0, 0.03, 0.05, 0.06, 0.1, 0.15, 0.2)  # the same, of the rules' own kernel with other parameters
# Of pairs of them the one with the least squares of ln(time / least time) on families left out is kept, but at least
# the machines' least margin: the rules hold for classes of matrices that are not among the samples.
MARGINS = (0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)  # share of the rules' time that another choice must save


@dataclasses.dataclass(frozen=True)
class Machines:
    """What is fitted for one scheme of runtime/tuner/cost, by name: a name that is there twice is one number."""

    kernels: tuple  # that a choice weighs; what else there is has to be asked for
    costs: dict  # cost: name; others count as the profile says
    starts: dict  # kernel: name, µs of an empty product; others have none
    factors: dict  # kernel: name; others have 1
    fits_exponent: bool
    least_margin: float
    unfitted: dict = dataclasses.field(default_factory=dict)  # kernel without a part in the fit: whose numbers it has


GPU = (
    "bcsr_fused",
    "coo",
    "csr_by_length",
    "csr_classical",
    "csr_load_balance",
    "sell_slices",
    "strips",
    "tiles",
    "tiles_hubs",
)
SEVERAL = ("bcsr_fused", "csr_by_length", "csr_classical")
SLICES = ("ell", "sell", "strips_cpu")
MACHINES = {
    "gpu-costs": Machines(
        kernels=GPU,
        costs={"depth": "latency", "waits": "latency", "steps": "step", "atomics": "meeting"},
        starts=dict.fromkeys(GPU, "product"),
        factors={},
        fits_exponent=True,
        least_margin=0.1,
        unfitted={"dia": "sell_slices", "ell_groups": "sell_slices"},
    ),
    "gpu-several-costs": Machines(
        kernels=SEVERAL,
        costs={
            "depth": "latency",
            "waits": "latency",
            "near": "caches",
            "far": "caches",
            "steps": "step",
            "atomics": "meeting",
        },
        starts=dict.fromkeys(SEVERAL, "product"),
        factors={},
        fits_exponent=True,
        least_margin=0.15,
    ),
    "cpu-costs": Machines(
        kernels=("bcsr", "coo_segmented", "csr_balanced", "csr_k_rows", "csr_rows", "csr_vector", *SLICES),
        costs={
            **dict.fromkeys(("stream", "near", "middle", "far"), "memory"),
            "steps": "step",
            "rows": "end",
            "turns": "end",
            "rows_zen4": "end of a row, Zen 4",
            "turns_zen4": "end of a loop, Zen 4",
        },
        starts={},
        factors=dict.fromkeys(("bcsr", *SLICES), "slices"),
        fits_exponent=False,
        least_margin=0.15,
        unfitted={"dia_cpu": "strips_cpu"},
    ),
}


def add_arguments(parser):
    parser.add_argument("work", nargs="+", help="output of bench_counted_work")
    parser.add_argument("--test", nargs="*", default=[], help="output for matrices that are not fitted to")
    parser.add_argument("-v", "--verbose", type=int, default=8, help="list so many of the worst choices")
    parser.add_argument("-o", "--output")


class Scheme:
    """Names of costs and of parameters, by the lines of the input that say them, and the machines they are of."""

    def __init__(self, line):
        self.kind, self.serial, self.costs = line["scheme"], line["serial"], line["costs"]
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
        problem = lambda row: tuple(row.get(key, "") for key in ("matrix", "threads", "value", "num_rhs", "device"))
        problems = {p: i for i, p in enumerate(sorted({problem(row) for row in rows}))}
        self.matrix = np.array([problems[problem(row)] for row in rows])
        self.groups = [np.where(self.matrix == i)[0] for i in range(len(problems))]
        self.value = np.array([p[2] for p in sorted(problems)])
        best = np.array([self.log_us[g].min() for g in self.groups])[self.matrix]
        counts = np.bincount(self.matrix)
        self.weight = 1 / np.sqrt(1 + ((self.log_us - best) / NEAR) ** 2)
        self.weight /= np.sqrt(counts / counts.mean())[self.matrix]
        self.weight *= np.where([row["weighed"] for row in rows], 1, UNWEIGHED)


class Constants:
    """What a scheme's constants are for a vector of logarithms, one for each fitted number."""

    def __init__(self, theta, scheme, np):
        machines = scheme.machines
        self.fitted = dict(zip(fitted_names(machines), np.exp(theta)))
        number = lambda kind, name, otherwise: self.fitted[kind, name] if name else otherwise
        self.serial = scheme.serial
        self.coefficients = np.array([number("cost", machines.costs.get(c), 1.0) for c in scheme.costs])
        self.start = np.array([number("start", machines.starts.get(k), 0.0) for k in scheme.kernels])
        self.factor = np.array([number("factor", machines.factors.get(k), 1.0) for k in scheme.kernels])
        self.exponent = 1 + self.fitted["exponent", ""] if machines.fits_exponent else 1.0

    def log_us(self, samples, np):
        parts = samples.costs * self.coefficients
        serial = self.start[samples.kernel] + parts[:, : self.serial].sum(1)
        others = (np.maximum(parts[:, self.serial :], 1e-12) ** self.exponent).sum(1) ** (1 / self.exponent)
        return np.log(serial + self.factor[samples.kernel] * others)


def fitted_names(machines):
    """Each fitted number once: of which kind, and its name."""
    kinds = [("cost", machines.costs), ("start", machines.starts), ("factor", machines.factors)]
    names = [(kind, name) for kind, of in kinds for name in sorted(set(of.values()))]
    return names + ([("exponent", "")] if machines.fits_exponent else [])


# Where the fit begins, and how much it holds to that: what few times say little about stays there.
FIRST = {"cost": (0.5, 0.05), "start": (0.8, 0.3), "factor": (1.0, 0.3), "exponent": (1.0, 0.0)}


def fit(samples, mask, np, least_squares):
    names = fitted_names(samples.scheme.machines)
    first = np.log([FIRST[kind][0] for kind, _ in names])
    held = np.array([FIRST[kind][1] for kind, _ in names])
    part = Part(samples, mask)

    def residuals(theta):
        errors = (Constants(theta, samples.scheme, np).log_us(part, np) - part.log_us) * part.weight
        return np.concatenate([errors, held * (theta - first)])

    found = least_squares(residuals, first, loss="soft_l1", f_scale=SOFT, max_nfev=100)
    return Constants(found.x, samples.scheme, np)


class Part:
    """Some of the samples."""

    def __init__(self, samples, mask):
        self.costs, self.log_us = samples.costs[mask], samples.log_us[mask]
        self.kernel, self.weight = samples.kernel[mask], samples.weight[mask]


def choices(samples, predicted, errors, margins):
    """Per matrix: ln(time of the choice / least time), and the rows of both, by bad cases as in CountedChoice."""
    margin, own_margin = margins
    bad = [p + CAUTIOUS * errors[row["kernel"]] for p, row in zip(predicted, samples.rows)]
    found = []
    for group in samples.groups:
        weighed = [i for i in group if samples.rows[i]["weighed"]]
        if not weighed:  # of what a choice would weigh nothing was timed
            continue
        chosen = min(weighed, key=lambda i: bad[i])
        rule = next((i for i in group if samples.rows[i]["is_rule"]), None)
        if rule is not None and bad[chosen] > bad[rule] + math.log1p(-margin):
            own = [i for i in weighed if samples.kernel[i] == samples.kernel[rule]]
            chosen = min(own, key=lambda i: bad[i])
            if bad[chosen] > bad[rule] + math.log1p(-own_margin):
                chosen = rule
        best = min(group, key=lambda i: samples.log_us[i])
        found.append((samples.log_us[chosen] - samples.log_us[best], chosen, best))
    return found


def told(title, samples, found, np):
    lines = [title]
    of_value = [samples.value[samples.matrix[best]] for _, _, best in found]
    for value in ["all", *sorted(set(of_value))]:
        ratios = np.exp([f[0] for f, v in zip(found, of_value) if value in ("all", v)])
        lines.append(
            f"  {value}: {mean(ratios):.3f} in the geometric mean, {np.quantile(ratios, 0.95):.2f} at the 95 % "
            f"quantile, {ratios.max():.2f} at worst, {len(ratios)} matrices"
        )
    return "\n".join(lines)


def rules(samples):
    found = []
    for group in samples.groups:
        for i in group:
            if samples.rows[i]["is_rule"]:
                best = min(group, key=lambda j: samples.log_us[j])
                found.append((samples.log_us[i] - samples.log_us[best], i, best))
    return found


def left_out(samples, np, least_squares):
    """Predictions of each family by what was fitted without it."""
    predicted = np.zeros(len(samples.rows))
    families = sorted(set(samples.family))
    for fold in range(FOLDS):
        held = np.isin(samples.family, families[fold::FOLDS])
        predicted[held] = fit(samples, ~held, np, least_squares).log_us(samples, np)[held]
    return predicted


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
    predicted = left_out(samples, np, least_squares)
    errors = errors_by_kernel(samples, predicted, np)
    print(told("rules", samples, rules(samples), np))
    chosen = {m: choices(samples, predicted, errors, m) for m in itertools.product(MARGINS, OWN_MARGINS)}
    losses = {m: sum(f[0] ** 2 for f in found) for m, found in chosen.items()}
    margins = min((m for m in losses if m[0] >= samples.scheme.machines.least_margin), key=losses.get)
    for pair in [(0.0, 0.0), min(losses, key=losses.get), margins]:
        print(told("left out, margins {:.2f} and {:.2f}".format(*pair), samples, chosen[pair], np))
    for loss, row, best in sorted(chosen[margins], reverse=True)[: options.verbose]:
        of, fastest = samples.rows[row], samples.rows[best]["name"]
        print(f"  {math.exp(loss):.2f} {of['matrix']} ({of['family']}): {of['name']}, best {fastest}")
    constants = fit(samples, np.ones(len(samples.rows), bool), np, least_squares)
    for (kind, name), number in constants.fitted.items():
        print(f"{kind} {name}: {number:.4g}")
    for path in options.test:
        test = Samples([path], np)
        print(told(f"{path}, rules", test, rules(test), np))
        found = choices(test, constants.log_us(test, np), errors, margins)
        print(told(f"{path}, predicted", test, found, np))
    if options.output:
        write(options.output, samples.scheme, constants, margins, errors)


def write(path, scheme, constants, margins, errors):
    rounded = lambda x: float(f"{x:.4g}")
    kernels = {}
    for k, name in enumerate(scheme.kernels):
        kernels[name] = {"start_us": rounded(constants.start[k])} if scheme.machines.starts else {}
        if name in scheme.machines.factors:
            kernels[name]["factor"] = rounded(constants.factor[k])
        kernels[name]["error"] = round(errors[name], 3)
    for name, like in scheme.machines.unfitted.items():
        kernels[name] = kernels[like]
    content = {
        "kind": scheme.kind,
        "schema": 3,
        "exponent": rounded(constants.exponent),
        "margin": margins[0],
        "own_margin": margins[1],
        "coefficients": {n: rounded(c) for n, c in zip(scheme.costs, constants.coefficients)},
        "kernels": dict(sorted(kernels.items())),
    }
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(content, indent=1) + "\n")
