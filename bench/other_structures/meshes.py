"""Meshes in other orders, and the operators of multigrid."""

import numpy as np
from scipy.spatial import cKDTree

from patterns import from_entries, reordered, star_grid, structure


@structure
def red_black(nnz, r):
    side = max(int((nnz / 7) ** (1 / 3)), 3)
    colour = np.indices((side,) * 3).sum(axis=0).ravel() % 2
    return reordered(star_grid(side, side, side), np.argsort(colour, kind="stable"))


@structure
def nested_dissection(nnz, r):
    side = max(int((nnz / 5) ** 0.5), 4)
    order = []

    def cut(x0, x1, y0, y1):
        if (x1 - x0) * (y1 - y0) <= 64:
            order.append((np.arange(y0, y1)[:, None] * side + np.arange(x0, x1)).ravel())
        elif x1 - x0 >= y1 - y0:
            m = (x0 + x1) // 2
            cut(x0, m, y0, y1), cut(m + 1, x1, y0, y1), order.append(np.arange(y0, y1) * side + m)
        else:
            m = (y0 + y1) // 2
            cut(x0, x1, y0, m), cut(x0, x1, m + 1, y1), order.append(m * side + np.arange(x0, x1))

    cut(0, side, 0, side)
    return reordered(star_grid(side, side), np.concatenate(order))


@structure
def subdomains(nnz, r):
    side = max(int((nnz / 7) ** (1 / 3)), 6)
    cuts = np.sort(r.choice(np.arange(1, side), min(side // 4, 7), replace=False))
    part = np.searchsorted(cuts, np.arange(side), side="right")
    edge = np.isin(np.arange(side), cuts)
    on_edge = (edge[:, None, None] | edge[None, :, None] | edge[None, None, :]).ravel()
    of = ((part[:, None, None] * 9 + part[None, :, None]) * 9 + part[None, None, :]).ravel()
    return reordered(star_grid(side, side, side), np.argsort(np.where(on_edge, 1000, of), kind="stable"))


def aggregates(side, r):
    """A smoothed prolongation of a grid's points to random near aggregates."""
    n = side * side
    seeds = np.sort(r.choice(n, max(n // 10, 2), replace=False))
    tree = cKDTree(np.stack([seeds // side, seeds % side], axis=1))
    points = np.arange(n)
    nearest = tree.query(np.stack([points // side, points % side], axis=1))[1]
    return (star_grid(side, side) @ from_entries(points, nearest, (n, seeds.size))).tocsr()


@structure
def prolongation(nnz, r):
    return aggregates(max(int((nnz / 2.2) ** 0.5), 8), r)


@structure
def restriction(nnz, r):
    return aggregates(max(int((nnz / 2.2) ** 0.5), 8), r).T.tocsr()


@structure
def galerkin(nnz, r):
    side = max(int((nnz / 2) ** 0.5), 8)
    p = aggregates(side, r)
    return (p.T @ (star_grid(side, side) @ p)).tocsr()
