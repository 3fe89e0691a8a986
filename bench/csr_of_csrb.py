#!/usr/bin/env python3
"""Writes matrices of ../shared/gallery.py (.csrb: int64 rows, columns, nonzeros; int32 row_ptr, col_idx; float64 values) as CSR binary (docs/csr-binary.md), which `spmvgen` reads.

Usage: bench/csr_of_csrb.py FOLDER A.csrb…     writes FOLDER/A.csr; needs Python's standard library only
"""
import os
import struct
import sys
import zlib
from multiprocessing import Pool

BLOCK = 1 << 22  # bytes under one checksum
PAGE = 4096  # where arrays begin


def padding(position):
    return bytes(-position % PAGE)


def convert(job):
    folder, source = job
    with open(source, "rb") as file:
        data = memoryview(file.read())
    rows, cols, nnz = struct.unpack_from("<qqq", data)
    sections, begin = [], 24
    for size in (4 * (rows + 1), 4 * nnz, 8 * nnz):
        sections.append(data[begin:begin + size])
        begin += size
    if begin != len(data):
        sys.exit(f"csr_of_csrb.py: {source}: {len(data)} bytes, but its header tells {begin}")
    sums = [zlib.crc32(section[at:at + BLOCK]) for section in sections for at in range(0, len(section), BLOCK)]
    table = struct.pack(f"<{len(sums)}I", *sums)
    header = b"\x89SPMVCSR" + struct.pack("<IIqqqBBBBII", 1, 56, rows, cols, nnz, 4, 4, 1, 0, BLOCK, zlib.crc32(table))
    header += struct.pack("<I", zlib.crc32(header))
    name = os.path.splitext(os.path.basename(source))[0]
    with open(os.path.join(folder, name + ".csr"), "wb") as file:
        file.write(header)
        for section in [*sections, table]:
            file.write(padding(file.tell()))
            file.write(section)
    return name


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    with Pool() as pool:
        for name in pool.imap_unordered(convert, [(sys.argv[1], source) for source in sys.argv[2:]]):
            print(name)


if __name__ == "__main__":
    main()
