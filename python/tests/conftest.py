"""Matrices that the tests multiply, and places of their own for kernels and records."""

import os
import tempfile

import numpy
import pytest

# Before spmvgen is imported: what the developer keeps decides nothing here.
os.environ.setdefault("SPMVGEN_CACHE_DIR", tempfile.mkdtemp(prefix="spmvgen-kernels-"))
os.environ["SPMVGEN_RECORDS_DIR"] = os.path.join(os.environ["SPMVGEN_CACHE_DIR"], "no-records")

DTYPES = ("float32", "float64", "complex64", "complex128")


def numbers(shape, dtype, seed=0):
    """Random numbers of a type, complex ones with both parts."""
    random = numpy.random.default_rng(seed)
    found = random.standard_normal(shape)
    if numpy.dtype(dtype).kind == "c":
        found = found + 1j * random.standard_normal(shape)
    return found.astype(dtype)


def sparse(rows, cols, dtype="float64", index="int32", density=0.05, seed=0):
    """A CSR array of SciPy; a twentieth of its rows is empty, one is full."""
    scipy_sparse = pytest.importorskip("scipy.sparse")
    random = numpy.random.default_rng(seed)
    mask = random.random((rows, cols)) < density
    mask[::20] = False
    mask[rows // 2] = True
    a = scipy_sparse.csr_matrix(numpy.where(mask, numbers((rows, cols), dtype, seed), 0))
    a.indptr, a.indices = a.indptr.astype(index), a.indices.astype(index)
    return a


def close(found, expected):
    """Asserts type, shape and numbers, these relative to the largest."""
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    tolerance = 200 * numpy.finfo(expected.dtype).eps
    assert numpy.abs(found - expected).max() <= tolerance * max(1, numpy.abs(expected).max())
