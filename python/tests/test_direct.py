"""Vectors of CuPy and PyTorch that are read by their own attributes, without a protocol."""

import numpy
import pytest
import stand_ins
from conftest import DTYPES, close, numbers, sparse

import spmvgen


@pytest.fixture(params=["cupy", "torch"])
def library(request, monkeypatch):
    return getattr(stand_ins, request.param)(monkeypatch)


@pytest.fixture
def cupy(monkeypatch):
    return stand_ins.cupy(monkeypatch)


@pytest.fixture
def torch(monkeypatch):
    return stand_ins.torch(monkeypatch)


def operator(library, given):
    arrays = (library.array(array) for array in (given.indptr, given.indices, given.data))
    return spmvgen.matrix((*arrays, given.shape))


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_after_the_first_use_no_protocol(library, dtype):
    given = sparse(60, 42, dtype)
    dense = given.toarray()
    a = operator(library, given)
    x, u = numbers(42, dtype, 1), numbers(60, dtype, 2)
    for op, matrix, vector in ((a, dense, x), (a.T, dense.T, u), (a.H, dense.conj().T, u)):
        op @ library.array(vector)
        library.protocols = 0
        y = op @ library.array(vector)
        assert type(y) is type(library.array(vector))
        close(library.numpy(y), matrix @ vector)
        out = library.array(numbers(len(matrix), dtype, 3))
        expected = 2 * (matrix @ vector) - library.numpy(out)
        assert op.apply(library.array(vector), out, 2, -1) is out
        close(library.numpy(out), expected.astype(dtype))
        assert library.protocols == 0
    a.update(library.array(3 * given.data))
    close(library.numpy(a @ library.array(x)), (3 * given).toarray() @ x)


def test_the_current_stream_is_passed(library):
    a = operator(library, sparse(60, 42))
    x, y = library.array(numpy.ones(42)), library.array(numpy.zeros(60))
    a @ x
    library.set_stream(1234)
    for product in (lambda: a @ x, lambda: a.apply(x, y)):
        with pytest.raises(ValueError, match="stream"):  # the executor has only the default one
            product()
    a.apply(x, y, stream=0)
    library.set_stream(0)
    with pytest.raises(ValueError, match="stream"):
        a.apply(x, y, stream=1234)


def test_a_torch_without_raw_streams(monkeypatch):
    torch = stand_ins.torch(monkeypatch, raw_streams=False)
    a = operator(torch, sparse(60, 42))
    x = torch.array(numpy.ones(42))
    a @ x
    a @ x
    torch.set_stream(1234)
    with pytest.raises(ValueError, match="stream"):
        a @ x


def test_other_vectors_are_taken_as_before(library):
    given = sparse(60, 42)
    dense = given.toarray()
    a = operator(library, given)
    x = numbers(42, "float64", 1)
    a @ library.array(x)
    library.protocols = 0
    wide = numbers((42, 2), "float64", 2)
    strided = numpy.repeat(x, 2)[::2]
    assert not strided.flags.c_contiguous
    for other in (wide, strided, x.astype("float32")):
        close(library.numpy(a @ library.array(other)), dense @ other.astype("float64"))
        assert library.protocols > 0
        library.protocols = 0
    with pytest.raises(ValueError, match=r"x has shape \(41,\), but the matrix has shape"):
        a @ library.array(x[:41])
    with pytest.raises(ValueError, match=r"out has shape \(61,\): the product has \(60,\)"):
        a.apply(library.array(x), library.array(numpy.ones(61)))
    with pytest.raises(ValueError, match="out is not contiguous in C's order"):
        a.apply(library.array(x), library.array(numpy.ones(120)[::2]))
    with pytest.raises(ValueError, match="alpha or beta is complex"):
        a.apply(library.array(x), library.array(numpy.ones(60)), 1j)


@pytest.mark.parametrize("dtype, lazy", [("float64", "neg"), ("complex128", "conj")])
def test_tensors_whose_memory_is_not_what_they_are(torch, dtype, lazy):
    given = sparse(60, 42, dtype)
    a = operator(torch, given)
    x = numbers(42, dtype, 1)
    a @ torch.array(x)
    meant = -x if lazy == "neg" else x.conj()
    close(torch.numpy(a @ torch.array(x, lazy=lazy)), given.toarray() @ meant)


def test_tensors_that_want_gradients(torch):
    given = sparse(60, 42)
    a = operator(torch, given)
    x = numbers(42, "float64", 1)
    a @ torch.array(x)
    y = a @ torch.array(x, requires_grad=True)
    assert not y.requires_grad
    close(torch.numpy(y), given.toarray() @ x)
    with pytest.raises(TypeError, match="out is no array: Tensor has neither the buffer protocol"):
        a.apply(torch.array(x), torch.array(numpy.ones(60), requires_grad=True))


def test_vectors_of_another_device(library):
    a = operator(library, sparse(60, 42))
    a @ library.array(numpy.ones(42))
    library.protocols = 0
    a @ library.array(numpy.ones(42), 1)  # the stand-in's devices are one
    assert library.protocols > 0


def test_results_are_made_where_x_is(cupy):
    a = operator(cupy, sparse(60, 42))
    x = cupy.array(numpy.ones(42))
    for current in (0, 1):
        cupy.device = current
        assert (a @ x).device.id == 0
        assert cupy.device == current


def test_rows_that_are_not_listed_are_zero(library):
    given = sparse(3, 4)
    arrays = (library.array(array) for array in (given.indptr, given.indices, given.data))
    a = spmvgen.matrix((*arrays, given.shape), rows=library.array(numpy.int32([0, 4, 2])), num_rows=9)
    x = numpy.ones(4)
    expected = numpy.zeros(9)
    expected[[0, 4, 2]] = given.toarray() @ x
    for _ in range(2):
        close(library.numpy(a @ library.array(x)), expected)
