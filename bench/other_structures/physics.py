"""Physics."""

import itertools
from math import comb

import numpy as np
import scipy.sparse as sp
from scipy.spatial import cKDTree

from patterns import from_entries, path, star_grid, structure


@structure
def hubbard(nnz, r):
    sites = 4
    while comb(sites, sites // 2) ** 2 * (sites + 1) < nnz:
        sites += 1
    states = [sum(1 << k for k in c) for c in itertools.combinations(range(sites), sites // 2)]
    place = {s: k for k, s in enumerate(sorted(states))}
    hops = []
    for s in states:
        for k in range(sites):
            pair = (1 << k) | (1 << (k + 1) % sites)
            if (s & pair) not in (0, pair):
                hops.append((place[s], place[s ^ pair]))
    hop = from_entries(*np.array(hops).T, (len(states),) * 2)
    one = sp.identity(len(states))
    return (sp.kron(hop, one) + sp.kron(one, hop) + sp.identity(len(states) ** 2)).tocsr()


@structure
def wilson_fermions(nnz, r):
    side = max(int((nnz / 12 / 49) ** 0.25 + 0.5), 2)
    ring = sp.csr_matrix(np.roll(np.eye(side), 1, axis=1))
    total = sp.identity(12 * side**4, format="csr")
    for axis in range(4):
        hop = sp.kron(sp.kron(sp.identity(side**axis), ring), sp.identity(side ** (3 - axis)))
        spin = np.eye(4) + np.eye(4)[[[3, 2, 1, 0], [3, 2, 1, 0], [2, 3, 0, 1], [2, 3, 0, 1]][axis]]
        total = total + sp.kron(hop + hop.T, np.kron(spin, np.ones((3, 3))), format="csr")
    return total.tocsr()


def near_points(n, reach, r):
    """Points of a unit cube cell by cell, and the pairs within `reach`."""
    p = r.random((n, 3))
    cells = max(int(1 / reach), 1)
    p = p[np.lexsort((p * cells).astype(int).T)]
    return cKDTree(p, boxsize=1.0).query_pairs(reach, output_type="ndarray")


@structure
def molecular_pairs(nnz, r):
    n = max(int(nnz / 35), 200)
    i, j = near_points(n, (70 / n / 4.19) ** (1 / 3), r).T
    return from_entries(np.concatenate([i, np.arange(n)]), np.concatenate([j, np.arange(n)]), (n, n))


@structure
def near_field(nnz, r):
    side = max(int((nnz / 27 / 900) ** (1 / 3) + 0.5), 2)
    leaves = sp.kron(sp.kron(path(side), path(side)), path(side), format="csr")
    return blocks_of(leaves, r.integers(8, 52, side**3))


def blocks_of(graph, sizes):
    """Each entry (i, j) becomes a dense block of sizes[i] × sizes[j]."""
    graph.sort_indices()
    first = np.concatenate([[0], np.cumsum(sizes)])
    widths = sizes[graph.indices]
    of_row = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    row_nnz = np.bincount(of_row, widths, graph.shape[0]).astype(int)
    ptr = np.concatenate([[0], np.cumsum(np.repeat(row_nnz, sizes))])
    begin = np.concatenate([[0], np.cumsum(widths)])
    one = np.arange(begin[-1]) - np.repeat(begin[:-1] - first[graph.indices], widths)
    of_node = begin[graph.indptr]
    cols = np.concatenate([np.tile(one[of_node[i] : of_node[i + 1]], s) for i, s in enumerate(sizes)])
    return sp.csr_matrix((np.ones(ptr[-1]), cols, ptr), shape=(first[-1],) * 2)


@structure
def mixed_degrees(nnz, r):
    side = max(int((nnz / 5 / 90) ** 0.5), 2)
    y, x = np.mgrid[0:side, 0:side] / side
    degree = np.clip((2 + 2 * np.sin(5 * x) * np.cos(4 * y) + r.random((side, side))).astype(int), 0, 4)
    return blocks_of(star_grid(side, side), np.array([3, 6, 10, 15, 21])[degree.ravel()])


@structure
def staggered_flow(nnz, r):
    n = max(int((nnz / 18) ** 0.5), 3)
    d = sp.diags([-np.ones(n), np.ones(n)], [0, 1], shape=(n, n + 1))
    one = sp.identity(n)
    gx, gy = sp.kron(one, d), sp.kron(d, one)
    u, v = sp.kron(path(n), path(n + 1)), sp.kron(path(n + 1), path(n))
    star = [sp.csr_matrix(m).multiply(s) for m, s in ((u, star_grid(n, n + 1)), (v, star_grid(n + 1, n)))]
    return sp.bmat([[star[0], None, gx.T], [None, star[1], gy.T], [gx, gy, None]], format="csr")


@structure
def layers(nnz, r):
    deep = int(r.integers(10, 80))
    side = max(int((nnz / 9 / deep) ** 0.5), 3)
    flat = star_grid(side, side) + sp.kron(sp.diags([1.0], [1], shape=(side, side)), path(side))
    flat, tall = (flat + flat.T).tocsr(), path(deep)
    parts = [(flat, sp.identity(deep)), (sp.identity(side * side), tall)]
    if r.random() < 0.5:
        parts = [(b, a) for a, b in parts]
    return sum(sp.kron(a, b, format="csr") for a, b in parts).tocsr()


@structure
def space_time(nnz, r):
    steps = int(r.integers(20, 200))
    side = max(int((nnz / 6 / steps) ** 0.5), 3)
    grid = star_grid(side, side)
    below = sp.diags([1.0], [-1], shape=(steps, steps))
    return (sp.kron(sp.identity(steps), grid) + sp.kron(below, sp.identity(side * side))).tocsr()
