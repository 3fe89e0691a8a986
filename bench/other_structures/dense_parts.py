"""Matrices with dense parts."""

import numpy as np
import scipy.sparse as sp

from patterns import from_entries, from_runs, path, structure


@structure
def triangle(nnz, r):
    n = int((2 * nnz) ** 0.5) + 1
    return from_runs(np.zeros(n, int), np.arange(1, n + 1), (n, n))


@structure
def prefix_blocks(nnz, r):
    size = int(r.integers(20, 400))
    n = max(int(2 * nnz / size), size)
    return from_runs(np.arange(n) // size * size, np.arange(n) % size + 1, (n, n))


@structure
def schur_corner(nnz, r):
    dense = int((nnz * r.uniform(0.1, 0.6)) ** 0.5)
    n = max(int((nnz - dense * dense) / 7), 50)
    links = sp.random(n, dense, min(2 / dense, 1), format="csr", random_state=r)
    return sp.bmat([[path(n), links], [links.T, np.ones((dense, dense))]], format="csr")


@structure
def transport(nnz, r):
    sources = max(int((nnz / 2 / r.uniform(1, 30)) ** 0.5), 3)
    sinks = max(int(nnz / 2 / sources), 3)
    upper = sp.kron(sp.identity(sources), np.ones((1, sinks)))
    return sp.vstack([upper, sp.kron(np.ones((1, sources)), sp.identity(sinks))], format="csr")


@structure
def selection(nnz, r):
    n = max(int(nnz), 50)
    return from_entries(np.arange(n), r.permutation(int(n * r.uniform(1, 4)))[:n], (n, 4 * n))
