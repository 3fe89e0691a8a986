#!/usr/bin/env python3
"""Matrices of structures that the gallery's families do not have, to judge the choice by.

No constant was fitted to them. A matrix depends on its name, seed and wanted entries only (and
on the version of numpy); it has roughly as many entries as are wanted, with random values. Needs
numpy and scipy.

    python3 bench/other_structures FOLDER NAME:SEED:ENTRIES …     writes FOLDER/NAME-SEED.csr of each
    python3 bench/other_structures --draw SEED [MOST]             prints one specification a structure
"""

import os
import struct
import sys
import zlib

# Each enters its structures, in the order of --draw.
import images  # noqa: F401, I001
import physics  # noqa: F401
import meshes  # noqa: F401
import graphs  # noqa: F401
import dense_parts  # noqa: F401
import numpy as np
from patterns import STRUCTURES


def save(path, a, r):
    """Writes the pattern with random values as CSR binary (docs/reference/files.md)."""
    a.sort_indices()
    sections = [a.indptr.astype("<i4").tobytes(), a.indices.astype("<i4").tobytes()]
    sections.append(r.uniform(0.5, 1.5, a.nnz).astype("<f8").tobytes())
    block = 1 << 22
    sums = [zlib.crc32(s[at : at + block]) for s in sections for at in range(0, len(s), block)]
    table = struct.pack(f"<{len(sums)}I", *sums)
    head = b"\x89SPMVCSR" + struct.pack("<IIqqqBBBBII", 1, 56, *a.shape, a.nnz, 4, 4, 1, 0, block, zlib.crc32(table))
    head += struct.pack("<I", zlib.crc32(head))
    with open(path, "wb") as file:
        file.write(head)
        for section in [*sections, table]:
            file.write(bytes(-file.tell() % 4096))
            file.write(section)


def make(folder, spec):
    name, seed, nnz = spec.split(":")
    r = np.random.default_rng([int(seed), zlib.crc32(name.encode())])
    a = STRUCTURES[name](float(nnz), r).tocsr()
    save(os.path.join(folder, f"{name}-{seed}.csr"), a, r)
    print(f"{name}-{seed}: {a.shape[0]} x {a.shape[1]}, {a.nnz} entries", flush=True)


def main(words):
    if words[:1] == ["--draw"]:
        r = np.random.default_rng(int(words[1]))
        most = float(words[2]) if words[2:] else 2e7
        print(*(f"{name}:{words[1]}:{int(2e4 * (most / 2e4) ** r.random())}" for name in STRUCTURES))
    elif len(words) < 2 or words[0].startswith("-"):
        sys.exit(__doc__)
    else:
        os.makedirs(words[0], exist_ok=True)
        for spec in words[1:]:
            make(words[0], spec)


if __name__ == "__main__":
    main(sys.argv[1:])
