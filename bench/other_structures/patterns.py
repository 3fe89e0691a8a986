"""The registry of structures, and what they are made of: patterns as CSR whose values are ones."""

import numpy as np
import scipy.sparse as sp

STRUCTURES = {}  # name → function of the wanted entries and a generator, in the order of --draw


def structure(function):
    STRUCTURES[function.__name__] = function
    return function


def from_entries(rows, cols, shape):
    """A pattern; places that occur twice count once."""
    rows, cols = np.ravel(rows), np.ravel(cols)
    a = sp.csr_matrix((np.ones(rows.size), (rows, cols)), shape=shape)
    a.sum_duplicates()
    return a


def from_runs(starts, lengths, shape):
    """Row i has the columns starts[i] … starts[i] + lengths[i] - 1."""
    ptr = np.concatenate([[0], np.cumsum(lengths)])
    cols = np.arange(ptr[-1]) - np.repeat(ptr[:-1] - starts, lengths)
    return sp.csr_matrix((np.ones(ptr[-1]), cols, ptr), shape=shape)


def mirrored(i, j, n):
    return from_entries(np.concatenate([i, j, np.arange(n)]), np.concatenate([j, i, np.arange(n)]), (n, n))


def path(n):
    return sp.diags([np.ones(n - 1), np.ones(n), np.ones(n - 1)], [-1, 0, 1], format="csr")


def star_grid(*sides):
    """Points of a grid and their neighbours along the axes, the first side slowest."""
    total = sp.csr_matrix((int(np.prod(sides)),) * 2)
    for axis, side in enumerate(sides):
        before, after = int(np.prod(sides[:axis])), int(np.prod(sides[axis + 1 :]))
        total = total + sp.kron(sp.kron(sp.identity(before), path(side)), sp.identity(after), format="csr")
    return total.tocsr()


def reordered(a, order):
    """`order` lists the old numbers in the new order."""
    return a[order][:, order].tocsr()
