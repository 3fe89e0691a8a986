"""Graphs."""

import numpy as np
import scipy.sparse as sp

from patterns import from_entries, from_runs, mirrored, star_grid, structure


@structure
def kronecker_power(nnz, r):
    k = int(r.integers(3, 6))
    seed = np.zeros(k * k)
    seed[r.choice(k * k, int(r.integers(k + 1, 2 * k + 1)), replace=False)] = 1
    seed = seed.reshape(k, k)
    a = sp.csr_matrix(seed)
    while a.nnz * seed.sum() <= 2 * nnz:
        a = sp.kron(a, seed, format="csr")
    return a


@structure
def ancestors(nnz, r):
    n = max(int(nnz / max(np.log2(nnz / 16), 1)), 64)
    nodes = np.arange(1, n + 1)
    pairs = [(nodes[nodes >> k > 0] - 1, (nodes[nodes >> k > 0] >> k) - 1) for k in range(n.bit_length())]
    return from_entries(*(np.concatenate(p) for p in zip(*pairs)), (n, n))


@structure
def attachments(nnz, r):
    each = int(r.integers(3, 30))
    n = max(int(nnz / each), 2 * each)
    i = np.repeat(np.arange(1, n), each)
    return from_entries(i, (i * r.random(i.size) ** 2).astype(int), (n, n))


@structure
def small_world(nnz, r):
    reach = int(r.integers(2, 25))
    n = max(int(nnz / (2 * reach + 1)), 3 * reach)
    i = np.repeat(np.arange(n), reach)
    j = (i + np.tile(np.arange(1, reach + 1), n)) % n
    far = r.random(i.size) < r.uniform(0.01, 0.2)
    j[far] = r.integers(0, n, far.sum())
    return mirrored(i, j, n)


@structure
def stars(nnz, r):
    n = max(int(nnz / 3), 100)
    gaps = np.minimum(2 / np.maximum(r.random(n), 1e-9) ** 0.9, n / 8).astype(int) + 1
    hubs = np.cumsum(gaps)
    hubs = np.concatenate([[0], hubs[hubs < n]])
    nodes = np.arange(n)
    return mirrored(nodes, hubs[np.searchsorted(hubs, nodes, side="right") - 1], n)


@structure
def intervals(nnz, r):
    n = max(int(nnz / 40), 100)
    begin = np.sort(r.random(n))
    end = begin + r.exponential(40 / n, n)
    last = np.searchsorted(begin, end, side="right")
    return from_runs(np.arange(n), np.maximum(last - np.arange(n), 1), (n, n))


@structure
def congruences(nnz, r):
    each = int(r.integers(4, 20))
    n = max(int(nnz / each), 50)
    cols = (np.arange(n)[:, None] * r.integers(2, n, each) + r.integers(0, n, each)) % n
    return from_entries(np.repeat(np.arange(n), each), cols, (n, n))


@structure
def power_flow(nnz, r):
    n = max(int(nnz / 14), 30)
    i = np.arange(1, n)
    graph = mirrored(i, np.maximum(i - r.geometric(0.08, n - 1), 0), n)
    return sp.kron(np.ones((2, 2)), graph, format="csr")


@structure
def catastrophes(nnz, r):
    side = max(int((nnz / 6) ** 0.5), 4)
    n = side * side
    a = star_grid(side, side) + from_entries(np.arange(n), np.zeros(n, int), (n, n))
    return a.tocsr() if r.random() < 0.5 else a.T.tocsr()
