"""Whether spmvgen works here: python -m spmvgen.selftest

Multiplies small matrices of every type, layout and operation and compares with NumPy's products of
the same numbers as a dense matrix. Prints what it found and where kernels came from. Exit status 1
where something is wrong.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy

import spmvgen

_TYPES = ("float32", "float64", "complex64", "complex128")


def _example(dtype: str, index: str, rows: int = 257, cols: int = 130) -> tuple[Any, Any]:
    """The arrays of a matrix in CSR, and the same matrix dense."""
    random = numpy.random.default_rng(1)
    dense = numpy.where(random.random((rows, cols)) < 0.1, random.standard_normal((rows, cols)), 0)
    dense = dense.astype(dtype)
    if dense.dtype.kind == "c":
        dense *= dense.dtype.type(1 + 0.5j)
    row_idx, col_idx = numpy.nonzero(dense)
    row_ptr = numpy.searchsorted(row_idx, numpy.arange(rows + 1)).astype(index)
    return (row_ptr, col_idx.astype(index), dense[row_idx, col_idx], dense.shape), dense


def _error(found: Any, expected: Any) -> float:
    """The largest difference, relative to the largest number."""
    return float(numpy.abs(found - expected).max() / numpy.abs(expected).max())


def _errors(dtype: str, index: str) -> list[tuple[str, float]]:
    """What was done with one matrix, and its error."""
    arrays, dense = _example(dtype, index)
    rows, cols = dense.shape
    x, u = numpy.arange(1, cols + 1, dtype=dtype), numpy.arange(1, rows + 1, dtype=dtype)
    columns = numpy.stack([x, -x, 2 * x], axis=1)
    a = spmvgen.matrix(arrays)
    y = u.copy()
    a.apply(x, y, alpha=2, beta=-1)
    found = [
        ("A x", _error(a @ x, dense @ x)),
        ("A.T x", _error(a.T @ u, dense.T @ u)),
        ("A.H x", _error(a.H @ u, dense.conj().T @ u)),
        ("A X", _error(a @ columns, dense @ columns)),
        ("2 A x - y", _error(y, 2 * (dense @ x) - u)),
    ]
    a.update(3 * arrays[2])
    found.append(("new values", _error(a @ x, 3 * (dense @ x))))
    return found


def main() -> int:
    """The exit status."""
    wrong = 0
    for dtype in _TYPES:
        tolerance = 200 * float(numpy.finfo(dtype).eps)
        for index in ("int32", "int64"):
            for what, error in _errors(dtype, index):
                if not error <= tolerance:
                    wrong += 1
                    print(f"wrong: {what} of {dtype}, {index}: relative error {error:.1e}")
    arrays, _ = _example("float64", "int32")
    info = spmvgen.matrix(arrays).info
    made = spmvgen.counters()
    print(f"spmvgen {spmvgen.__version__}: kernel {info['kernel']}, {info['origin']}")
    compiled = made["compiles_started"] - made["compiles_failed"]
    print(
        f"kernels compiled {compiled}, from the cache {made['hits_store']}, from sets {made['hits_set']}"
    )
    if info["warning"]:
        print(info["warning"])
    print(f"{wrong} products are wrong" if wrong else "all products are right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
