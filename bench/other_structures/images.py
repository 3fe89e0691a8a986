"""Images, signals, learning."""

import numpy as np
import scipy.sparse as sp

from patterns import from_entries, from_runs, path, structure


@structure
def tomography(nnz, r):
    side = int((1.3 * nnz) ** (1 / 3)) + 2
    angles = np.sort(r.random(max(side // 2, 1))) * np.pi
    t = np.arange(-0.7 * side, 0.7 * side)
    rows, cols = [], []
    for k, angle in enumerate(angles):
        s = (np.arange(side) - side // 2)[:, None]
        x = np.rint(side / 2 + t * np.cos(angle) - s * np.sin(angle)).astype(int)
        y = np.rint(side / 2 + t * np.sin(angle) + s * np.cos(angle)).astype(int)
        inside = (x >= 0) & (x < side) & (y >= 0) & (y < side)
        rows.append(np.broadcast_to(k * side + np.arange(side)[:, None], x.shape)[inside])
        cols.append((y * side + x)[inside])
    return from_entries(np.concatenate(rows), np.concatenate(cols), (angles.size * side, side * side))


@structure
def image_warp(nnz, r):
    side = int((nnz / 4) ** 0.5) + 2
    y, x = np.mgrid[0:side, 0:side] / side
    a = r.uniform(2, 9, 4)
    u = np.clip(x + 0.05 * np.sin(a[0] * y) + 0.03 * np.cos(a[1] * x), 0, 0.999) * (side - 1)
    v = np.clip(y + 0.05 * np.sin(a[2] * x) + 0.03 * np.cos(a[3] * y), 0, 0.999) * (side - 1)
    corner = (v.astype(int) * side + u.astype(int)).ravel()
    cols = corner[:, None] + [0, 1, side, side + 1]
    return from_entries(np.repeat(np.arange(side * side), 4), cols, (side * side, side * side))


@structure
def convolution(nnz, r):
    channels = int(r.choice([4, 8, 16, 32]))
    side = int((nnz / (9 * channels * channels)) ** 0.5) + 3
    pixels = sp.kron(path(side), path(side), format="csr")
    return sp.kron(pixels, np.ones((channels, channels)), format="csr")


@structure
def pruned_weights(nnz, r):
    density = r.uniform(0.03, 0.2)
    rows = int((nnz / density / 4) ** 0.5) + 1
    return sp.random(rows, 4 * rows, density, format="csr", random_state=r)


@structure
def two_of_four(nnz, r):
    rows = int((nnz / 2) ** 0.5) + 1
    kept = np.argsort(r.random((rows * rows, 4)), axis=1)[:, :2] + 4 * (np.arange(rows * rows) % rows)[:, None]
    return from_entries(np.repeat(np.arange(rows), 2 * rows), kept, (rows, 4 * rows))


@structure
def haar_levels(nnz, r):
    bits = max(int(np.log2(max(nnz, 64) / max(np.log2(nnz) - 4, 1))), 6)
    n = 1 << bits
    lengths = np.concatenate([np.full(n >> level, 1 << level) for level in range(1, bits + 1)])
    starts = np.concatenate([np.arange(n >> level) << level for level in range(1, bits + 1)])
    order = np.arange(lengths.size) if r.random() < 0.5 else np.arange(lengths.size)[::-1]
    return from_runs(starts[order], lengths[order], (lengths.size, n))


@structure
def butterflies(nnz, r):
    bits = max(int(np.log2(nnz / 16)), 6)
    n, strides = 1 << bits, np.sort(r.choice(bits, 4, replace=False))
    cols = np.arange(n)[:, None]
    for stride in strides:
        cols = np.concatenate([cols, cols ^ (1 << int(stride))], axis=1)
    return from_entries(np.repeat(np.arange(n), 16), cols, (n, n))


@structure
def documents(nnz, r):
    lengths = np.maximum(r.lognormal(4.5, 0.8, max(int(nnz / 90), 4)).astype(int), 1)
    words = max(int(8 * nnz**0.55), 100)
    cols = np.minimum(words ** r.random(lengths.sum()), words - 1).astype(int)
    return from_entries(np.repeat(np.arange(lengths.size), lengths), cols, (lengths.size, words))


@structure
def ratings(nnz, r):
    users, items = max(int(nnz / 40), 10), max(int(nnz / 400), 10)
    lengths = np.minimum(np.maximum(r.lognormal(3, 1.2, users), 1), items).astype(int)
    cols = r.permutation(items)[np.minimum(items * r.random(lengths.sum()) ** 3, items - 1).astype(int)]
    return from_entries(np.repeat(np.arange(users), lengths), cols, (users, items))


@structure
def genotypes(nnz, r):
    people = int(r.integers(200, 3000))
    places = max(int(nnz / people / 0.15), 50)
    shares = r.beta(0.5, 3, places)
    parts = [np.flatnonzero(r.random(places) < shares) for _ in range(people)]
    ptr = np.concatenate([[0], np.cumsum([p.size for p in parts])])
    return sp.csr_matrix((np.ones(ptr[-1]), np.concatenate(parts), ptr), shape=(people, places))
