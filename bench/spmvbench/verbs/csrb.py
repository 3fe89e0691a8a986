"""Writes matrices in a plain binary form as CSR binary (docs/reference/files.md), which `spmvgen` reads.

A.csrb: rows, columns, nonzeros as int64; row_ptr and col_idx as int32; values as float64; all
little-endian, without gaps.
"""

import os
import struct
import zlib
from multiprocessing import Pool

from spmvbench.errors import BenchError

BLOCK = 1 << 22  # bytes under one checksum
PAGE = 4096  # where arrays begin


def add_arguments(parser):
    parser.add_argument("folder", metavar="FOLDER", help="where A.csr is written")
    parser.add_argument("sources", nargs="+", metavar="A.csrb")


def padding(position):
    return bytes(-position % PAGE)


def convert(job):
    """The name of the matrix that was written, or a BenchError for the parent to raise."""
    folder, source = job
    with open(source, "rb") as file:
        data = memoryview(file.read())
    if len(data) < 24:
        return BenchError(f"{source}: {len(data)} bytes are no matrix")
    rows, cols, nnz = struct.unpack_from("<qqq", data)
    sections, begin = [], 24
    for size in (4 * (rows + 1), 4 * nnz, 8 * nnz):
        sections.append(data[begin : begin + size])
        begin += size
    if min(rows, cols, nnz) < 0 or begin != len(data):
        return BenchError(f"{source}: {len(data)} bytes, but its header tells {begin}")
    sums = [zlib.crc32(section[at : at + BLOCK]) for section in sections for at in range(0, len(section), BLOCK)]
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


def run(options):
    for source in options.sources:
        if not os.path.isfile(source):
            raise BenchError(f"{source}: there is no such file")
    os.makedirs(options.folder, exist_ok=True)
    with Pool() as pool:
        for done in pool.imap_unordered(convert, [(options.folder, source) for source in options.sources]):
            if isinstance(done, BenchError):
                raise done
            print(done)
