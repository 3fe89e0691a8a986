"""The model of one kernel: coefficients of costs and factors of parameters, fitted to recorded times. Imports scipy."""

import collections

import numpy as np
from scipy.optimize import least_squares

from spmvbench.verbs.fit_model import problem as problem_of

FACTORS = [
    "value",
    "block",
    "unroll",
    "subwarp",
    "group",
    "groups",
    "threads_per_row",
    "entries",
    "items",
    "omega",
    "slice",
    "sigma",
    "lanes",
    "k",
    "level",
    "rows",
]
PRIOR = 4.0  # samples of "no difference" that each factor is weighed against
SERIAL = 2  # costs that do not overlap with others: "apply" and "launches"
SIZE_LIMITS = (2.0, 12.0)  # of the classes of size, as in runtime/tuner/model.hpp
FIT_TOLERANCE = 1e-6  # of the sum of the loss, relative
MOST_EVALUATIONS = 200
HUBER = 0.15  # |ln(measured / predicted)| from which on a sample counts less
LOG_LIMITS = (-12.0, 8.0)  # of coefficients
LOG_ZERO = -8.0  # below it a coefficient is 0


def combined(costs, c, p, serial=SERIAL):
    """The time that costs (a row each) with coefficients c give, the powers' part of it, and each cost's own."""
    parts = costs * c
    overlapping = (parts[:, serial:] ** p).sum(1) ** (1 / p)
    return parts[:, :serial].sum(1) + overlapping, overlapping, parts


def fit_coefficients(costs, us, p):
    """The c ≥ 0 with the least sum of Huber's function of ln(combined / us), over the logarithms of c."""
    used = costs.max(0) > 0
    costs = costs[:, used]
    serial = int(used[:SERIAL].sum())

    def time_of(theta):
        return combined(costs, np.exp(theta), p, serial)

    def residuals(theta):
        return np.log(np.maximum(time_of(theta)[0], 1e-9) / us)

    def jacobian(theta):
        total, overlapping, parts = time_of(theta)
        parts[:, serial:] *= (parts[:, serial:] / np.maximum(overlapping, 1e-12)[:, None]) ** (p - 1)
        return parts / np.maximum(total, 1e-9)[:, None]

    start = np.full(costs.shape[1], np.log(0.5))
    start += np.log(max(np.median(us / np.maximum(time_of(start)[0], 1e-9)), 1e-3))
    found = least_squares(
        residuals,
        np.clip(start, *LOG_LIMITS),
        jacobian,
        bounds=LOG_LIMITS,
        loss="huber",
        f_scale=HUBER,
        ftol=FIT_TOLERANCE,
        xtol=None,
        gtol=None,
        max_nfev=MOST_EVALUATIONS,
    )
    c = np.zeros(len(used))
    c[used] = np.where(found.x < LOG_ZERO, 0, np.exp(found.x))
    return c


def size_class(costs, names):
    size = (costs[names.index("stream")] + costs[names.index("far")]) / costs[names.index("apply")]
    return sum(size >= limit for limit in SIZE_LIMITS)


class Samples:
    """All times of one kernel."""

    def __init__(self, rows, names):
        self.rows = rows
        self.costs, self.us = np.array([r["costs"] for r in rows]), np.array([r["us"] for r in rows])
        self.group = np.array([r["group"] or r["matrix"] for r in rows])
        _, self.problem = np.unique([str(problem_of(r)) for r in rows], return_inverse=True)
        members = collections.defaultdict(list)
        for i, row in enumerate(rows):
            for f in FACTORS:
                value = row["value"] if f == "value" else row["params"].get(f)
                if value is not None:
                    members[f, str(value), size_class(row["costs"], names)].append(i)
        different = {f: len({v for g, v, _ in members if g == f}) for f, _, _ in members}
        self.members = {k: np.array(v) for k, v in members.items() if different[k[0]] > 1}


class Kernel:
    """Coefficients and factors of one kernel, fitted to the samples of a mask."""

    def __init__(self, samples, mask, p):
        self.p, self.error, self.samples = p, 1.0, int(mask.sum())
        costs, us, problem = samples.costs[mask], samples.us[mask], samples.problem[mask]
        place = np.cumsum(mask) - 1
        members = {k: place[v[mask[v]]] for k, v in samples.members.items()}
        counts = np.maximum(np.bincount(problem), 1)
        self.factors, logs = collections.defaultdict(float), np.zeros(len(us))
        for _ in range(3):
            self.coefficients = fit_coefficients(costs, us / np.exp(logs), p)
            left = np.log(us / np.maximum(combined(costs, self.coefficients, p)[0], 1e-6)) - logs
            for _ in range(3):
                # Against the same matrix' other times: which values were tried differs from matrix to matrix.
                left -= (np.bincount(problem, left) / counts)[problem]
                for key, at in members.items():
                    step = left[at].sum() / (len(at) + PRIOR)
                    self.factors[key] += step
                    left[at] -= step
                    logs[at] += step

    def predict(self, samples):
        logs = np.zeros(len(samples.us))
        for key, at in samples.members.items():
            logs[at] += self.factors.get(key, 0.0)
        return np.maximum(combined(samples.costs, self.coefficients, self.p)[0] * np.exp(logs), 1e-3)
