"""What matrices and vectors may be: tuples, DLPack, __cuda_array_interface__, PyTorch."""

import types

import numpy
import pytest
import stand_ins
from conftest import DTYPES, close, numbers, sparse
from stand_ins import SIMT, CudaArray

import spmvgen


class DLPackArray:
    """An array that can be had by DLPack only."""

    def __init__(self, array):
        self._array = array
        self.dtype, self.shape, self.ndim = array.dtype, array.shape, array.ndim

    def __dlpack__(self, **arguments):
        return self._array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class CuPyArray(numpy.ndarray):
    """An array that has the buffer protocol, too, as CuPy's from version 14 on."""

    @property
    def __cuda_array_interface__(self):
        return CudaArray(self.view(numpy.ndarray)).__cuda_array_interface__


def device_arrays(given):
    return tuple(CudaArray(array) for array in (given.indptr, given.indices, given.data))


def test_tuples_of_lists():
    a = spmvgen.matrix(([0, 2, 3], [0, 1, 1], [1.0, 2.0, 3.0], (2, 2)))
    close(a @ [10.0, 20.0], numpy.array([50.0, 60.0]))


def test_arrays_with_strides_are_copied():
    given = sparse(60, 42)
    wide = [
        numpy.stack([array, array], axis=1)[:, 0]
        for array in (given.indptr, given.indices, given.data)
    ]
    assert not wide[2].flags.c_contiguous
    close(spmvgen.matrix((*wide, given.shape)) @ numpy.ones(42), given.toarray() @ numpy.ones(42))


@pytest.mark.parametrize("dtype", DTYPES)
def test_dlpack(dtype):
    given = sparse(60, 42, dtype)
    x, y = numbers(42, dtype, 1), numpy.empty(60, dtype)
    handle_arrays = [DLPackArray(array) for array in (given.indptr, given.indices, given.data)]
    core = spmvgen._library.core
    handle = core.Handle(core.Arrays(core.CSR, 60, 42, *handle_arrays), {})
    handle.apply(DLPackArray(x), DLPackArray(y))
    close(y, given.toarray() @ x)


def test_operators_of_arrays_that_have_dlpack_only():
    given = sparse(60, 42)
    arrays = [DLPackArray(array) for array in (given.indptr, given.indices, given.data)]
    a = spmvgen.matrix((*arrays, given.shape))
    x, y = numbers(42, "float64", 1), numpy.empty(60)
    close(a @ DLPackArray(x), given.toarray() @ x)
    a.apply(DLPackArray(x), DLPackArray(y))
    close(y, given.toarray() @ x)


def test_dlpack_that_cannot_be_taken():
    core = spmvgen._library.core
    rows, columns, values = DLPackArray(numpy.array([0, 1])), numpy.array([0]), numpy.ones(1)
    with pytest.raises(ValueError, match="the array of values is not contiguous in C's order"):
        core.Arrays(core.CSR, 1, 1, rows, columns, DLPackArray(numpy.ones((2, 2)).T))
    with pytest.raises(TypeError, match="the array of values has elements of type DLPack 1:8"):
        core.Arrays(core.CSR, 1, 1, rows, columns, DLPackArray(numpy.ones(1, "uint8")))
    with pytest.raises(TypeError, match="the array of values is no array: object has neither"):
        core.Arrays(core.CSR, 1, 1, rows, columns, object())
    assert values.size == 1


@pytest.mark.parametrize("format", ["auto", "csr", "sell"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_of_a_gpu(dtype, format):
    given = sparse(60, 42, dtype)
    dense = given.toarray()
    a = spmvgen.matrix((*device_arrays(given), given.shape), device=SIMT, format=format)
    x, u = numbers(42, dtype, 1), numbers(60, dtype, 2)
    y = u.copy()
    a.apply(CudaArray(x), CudaArray(y), alpha=2, beta=-1)
    close(y, (2 * (dense @ x) - u).astype(dtype))
    z = numpy.empty(42, dtype)
    a.H.apply(CudaArray(u), CudaArray(z))
    close(z, dense.conj().T @ u)
    new = numbers(given.nnz, dtype, 4)
    a.update(CudaArray(new))
    given.data = new
    a.apply(CudaArray(x), CudaArray(y))
    close(y, given.toarray() @ x)


def test_columns_of_a_gpu():
    given = sparse(60, 42)
    a = spmvgen.matrix((*device_arrays(given), given.shape), device=SIMT)
    x, y = numbers((42, 4), "float64", 1), numpy.empty((60, 4))
    a.apply(CudaArray(x), CudaArray(y))
    close(y, given.toarray() @ x)


def test_a_matrix_of_the_host_on_a_device():
    given = sparse(60, 42)
    a = spmvgen.matrix(given, device=SIMT)
    x = numbers(42, "float64", 1)
    close(a @ x, given.toarray() @ x)
    with pytest.raises(ValueError, match=f"x is in a GPU's memory, but the matrix is on {SIMT}"):
        a.apply(CudaArray(x), numpy.empty(60))


def test_arrays_of_a_gpu_with_the_buffer_protocol():
    given = sparse(60, 42)
    core = spmvgen._library.core
    handle = core.Handle(core.Arrays(core.CSR, 60, 42, given.indptr, given.indices, given.data), {})
    with pytest.raises(ValueError, match="x is in a GPU's memory, but the matrix is on host"):
        handle.apply(numpy.ones(42).view(CuPyArray), numpy.empty(60))


def test_the_stream_of_an_array_is_passed():
    given = sparse(60, 42)
    a = spmvgen.matrix((*device_arrays(given), given.shape), device=SIMT)
    x, y = CudaArray(numpy.ones(42), stream=1234), CudaArray(numpy.empty(60))
    with pytest.raises(ValueError, match="stream"):  # the executor has only the default one
        a.apply(x, y)
    with pytest.raises(ValueError, match="stream"):
        a.apply(CudaArray(numpy.ones(42)), y, stream=1234)
    a.apply(x, y, stream=0)


@pytest.mark.parametrize(
    "attribute, value", [("ptr", 7), ("cuda_stream", 7), ("__cuda_stream__", lambda: (0, 7))]
)
def test_streams_of_all_libraries(attribute, value):
    assert spmvgen._libraries.stream_number(types.SimpleNamespace(**{attribute: value})) == 7
    assert spmvgen._libraries.stream_number(7) == 7


def test_what_a_gpus_array_must_be():
    given = sparse(60, 42)
    a = spmvgen.matrix((*device_arrays(given), given.shape), device=SIMT)
    x, y = numpy.ones(42), numpy.empty(60)
    with pytest.raises(ValueError, match="out is read-only"):
        a.apply(CudaArray(x), CudaArray(y, read_only=True))
    with pytest.raises(ValueError, match="x is not contiguous in C's order"):
        a.apply(CudaArray(x, strides=(16,)), CudaArray(y))
    with pytest.raises(TypeError, match="an array of type float32: give one of float64"):
        a.apply(CudaArray(x.astype("float32")), CudaArray(y))
    with pytest.raises(TypeError, match="arrays of CudaArray are not made here: give out"):
        a @ CudaArray(x)
    with pytest.raises(ValueError, match="the matrix is on a GPU, not on host"):
        spmvgen.matrix((*device_arrays(given), given.shape), device="host")


@pytest.fixture
def cupy(monkeypatch):
    return stand_ins.cupy(monkeypatch)


def test_arrays_of_cupy(cupy):
    given = sparse(60, 42)
    arrays = [cupy.ndarray(array) for array in (given.indptr, given.indices, given.data)]
    a = spmvgen.matrix((*arrays, given.shape))
    assert a.info["device"].startswith(SIMT)
    assert cupy.waits  # the arrays are complete before they are read
    x = numbers(42, "float64", 1)
    y = a @ cupy.ndarray(x)
    assert type(y) is cupy.ndarray
    close(y._array, given.toarray() @ x)
    y = a @ cupy.ndarray(x.astype("float32"))
    close(y._array, given.toarray() @ x.astype("float32").astype("float64"))
    cupy.current.ptr = 1234
    with pytest.raises(ValueError, match="stream"):  # it is the current one that is passed
        a @ cupy.ndarray(x)


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "bsr"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_tensors_of_the_host(torch, dtype, layout):
    given = sparse(60, 42, dtype)
    tensor = torch.from_numpy(given.toarray())
    tensor = {
        "csr": tensor.to_sparse_csr,
        "csc": tensor.to_sparse_csc,
        "coo": tensor.to_sparse,
        "bsr": lambda: tensor.to_sparse_bsr((2, 3)),
    }[layout]()
    a = spmvgen.matrix(tensor)
    x, u = numbers(42, dtype, 1), numbers(60, dtype, 2)
    y = a @ torch.from_numpy(x)
    assert isinstance(y, torch.Tensor)
    close(y.numpy(), given.toarray() @ x)
    close((a.H @ torch.from_numpy(u)).numpy(), given.toarray().conj().T @ u)
    columns = numbers((42, 3), dtype, 3)
    close((a @ torch.from_numpy(columns)).numpy(), given.toarray() @ columns)


def test_a_tensor_that_wants_its_gradient(torch):
    given = sparse(60, 42)
    x = torch.ones(42, dtype=torch.float64, requires_grad=True)
    y = spmvgen.matrix(given) @ x
    assert not y.requires_grad
    close(y.numpy(), given.toarray() @ numpy.ones(42))


@pytest.mark.parametrize("device", ["host", SIMT])
def test_rows_that_are_listed(device):
    given = sparse(20, 42).astype(numpy.float64)
    rows = numpy.arange(19, -1, -1) * 3 + 1
    whole = numpy.zeros((100, 42))
    whole[rows] = given.toarray()
    a = spmvgen.matrix(given, rows=rows, num_rows=100, device=device)
    assert a.shape == (100, 42)
    for columns in ((42,), (42, 3)):
        x = numbers(columns, numpy.float64)
        close(a @ x, whole @ x)
        close(a @ x, whole @ x)  # by the handle for plain vectors
        out = numpy.ones((100, *columns[1:]))
        a.apply(x, out, beta=2)
        listed = numpy.isin(numpy.arange(100), rows)
        close(out[listed], (whole @ x + 2)[listed])
        assert (out[~listed] == 1).all()
        y = numbers((100, *columns[1:]), numpy.float64)
        close(a.T @ y, whole.T @ y)
    a.update(2 * given.data)
    close(a @ numpy.ones(42), 2 * whole @ numpy.ones(42))
    assert a.info["reason"].startswith("20 of 100 rows are listed; ")
    none = spmvgen.matrix(([0], [], numpy.zeros(0), (0, 42)), rows=[], num_rows=100, device=device)
    assert (none @ numpy.ones(42) == 0).all()


def test_wrong_lists_of_rows():
    given = sparse(3, 4).tocsr()
    with pytest.raises(ValueError, match="rows and num_rows: give both, or none of them"):
        spmvgen.matrix(given, rows=[0, 1, 2])
    with pytest.raises(ValueError, match=r"rows: a list of rows is for CSR: convert the matrix"):
        spmvgen.matrix(given.tocsc(), rows=[0, 1, 2], num_rows=9)
    with pytest.raises(ValueError, match="row offsets: 4 for 2 listed rows"):
        spmvgen.matrix(given, rows=[0, 1], num_rows=9)
    with pytest.raises(ValueError, match=r"broken list of rows: rows\[1\] is 9, outside 0…8"):
        spmvgen.matrix(given, rows=[0, 9, 2], num_rows=9)
