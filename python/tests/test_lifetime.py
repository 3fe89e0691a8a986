"""Arrays that are borrowed live as long as they are read, and no longer."""

import gc
import sys
import weakref

import numpy
import pytest
from conftest import close, numbers, sparse

import spmvgen
from spmvgen._library import core


def arrays_of(given):
    """The arrays of a matrix with which something can be weakly referred to."""
    return [array.copy() for array in (given.indptr, given.indices, given.data)]


def made(arrays, shape, **options):
    return spmvgen.matrix((*arrays, shape), **options)


def test_a_borrowing_operator_keeps_them():
    given = sparse(60, 42)
    arrays = arrays_of(given)
    seen = [weakref.ref(array) for array in arrays]
    a = made(arrays, given.shape, format="csr")
    del arrays
    gc.collect()
    assert all(reference() is not None for reference in seen)
    x = numbers(42, "float64", 1)
    close(a @ x, given.toarray() @ x)
    del a
    gc.collect()
    assert all(reference() is None for reference in seen)


@pytest.mark.parametrize("format, kept", [("csr", True), ("ell", False)])
def test_a_handle_keeps_what_it_reads(format, kept):
    given = sparse(60, 42)
    rows, columns, values = arrays_of(given)
    seen = weakref.ref(values)
    arrays = core.Arrays(core.CSR, 60, 42, rows, columns, values)
    handle = core.Handle(arrays, {"copy": "false", "format": format})
    del arrays, rows, columns, values
    gc.collect()
    assert (seen() is not None) == kept
    y = numpy.empty(60)
    handle.apply(numpy.ones(42), y)
    close(y, given.toarray() @ numpy.ones(42))
    del handle
    gc.collect()
    assert seen() is None


def test_new_numbers_take_the_place_of_the_old_array():
    given = sparse(60, 42)
    arrays = arrays_of(given)
    seen = weakref.ref(arrays[2])
    a = made(arrays, given.shape, format="csr")
    del arrays
    new = numbers(given.nnz, "float64", 4)
    new_seen = weakref.ref(new)
    a.update(new)
    del new
    gc.collect()
    assert seen() is None
    assert new_seen() is not None
    given.data = new_seen()
    close(a @ numpy.ones(42), given.toarray() @ numpy.ones(42))


def test_a_copy_keeps_no_array_of_the_callers():
    given = sparse(60, 42)
    expected = given.toarray() @ numpy.ones(42)
    a = spmvgen.matrix(given, copy=True, format="csr")
    given.data[:] = 0
    close(a @ numpy.ones(42), expected)


def test_the_transpose_outlives_its_matrix():
    given = sparse(60, 42)
    transpose = spmvgen.matrix(given).T
    gc.collect()
    u = numbers(60, "float64", 2)
    close(transpose @ u, given.toarray().T @ u)


def test_an_array_cannot_be_resized_meanwhile():
    given = sparse(60, 42)
    rows, columns, values = arrays_of(given)
    a = made((rows, columns, values), given.shape, format="csr")
    with pytest.raises(ValueError):
        values.resize(3)
    assert a.info["nnz"] == given.nnz


def test_products_leak_nothing():
    a = spmvgen.matrix(sparse(60, 42))
    x, y = numpy.ones(42), numpy.empty(60)
    a.apply(x, y)
    before = sys.getrefcount(x), sys.getrefcount(y), sys.getrefcount(a)
    for _ in range(100):
        a.apply(x, y)
        a @ x
    assert (sys.getrefcount(x), sys.getrefcount(y), sys.getrefcount(a)) == before
