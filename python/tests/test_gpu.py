"""On a GPU: matrices and vectors of CuPy and PyTorch, and their streams. Skips where there is none."""

import numpy
import pytest
from conftest import DTYPES, close, numbers, sparse

import spmvgen


class CuPy:
    def __init__(self):
        self.cupy = pytest.importorskip("cupy")
        self.sparse = pytest.importorskip("cupyx.scipy.sparse")
        if self.cupy.cuda.runtime.getDeviceCount() == 0:
            pytest.skip("no GPU")

    def array(self, x):
        return self.cupy.asarray(x)

    def matrix(self, given, layout):
        return getattr(self.sparse, f"{layout}_matrix")(given)

    def numpy(self, x):
        assert isinstance(x, self.cupy.ndarray)
        return x.get()

    def stream(self):
        return self.cupy.cuda.Stream(non_blocking=True)

    def late(self, x, value):
        """Fills x on the current stream, after some milliseconds."""
        busy = self.cupy.ones((4000, 4000))
        for _ in range(20):
            busy = busy @ busy * 1e-4
        x.fill(value)


class Torch:
    def __init__(self):
        self.torch = pytest.importorskip("torch")
        if not self.torch.cuda.is_available():
            pytest.skip("no GPU")

    def array(self, x):
        return self.torch.from_numpy(x).cuda()

    def matrix(self, given, layout):
        tensor = self.array(given.toarray())
        return {"csr": tensor.to_sparse_csr, "csc": tensor.to_sparse_csc, "coo": tensor.to_sparse}[
            layout
        ]()

    def numpy(self, x):
        assert isinstance(x, self.torch.Tensor) and x.is_cuda
        return x.cpu().numpy()

    def stream(self):
        return self.torch.cuda.stream(self.torch.cuda.Stream())

    def late(self, x, value):
        self.torch.cuda._sleep(100_000_000)
        x.fill_(value)


@pytest.fixture(params=[CuPy, Torch])
def library(request):
    return request.param()


@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_products(library, dtype, layout):
    given = sparse(600, 420, dtype)
    dense = given.toarray()
    a = spmvgen.matrix(library.matrix(given, layout))
    x, u = numbers(420, dtype, 1), numbers(600, dtype, 2)
    columns = numbers((420, 3), dtype, 3)
    assert a.info["device"].startswith("cuda:0")
    close(library.numpy(a @ library.array(x)), dense @ x)
    close(library.numpy(a.T @ library.array(u)), dense.T @ u)
    close(library.numpy(a.H @ library.array(u)), dense.conj().T @ u)
    close(library.numpy(a @ library.array(columns)), dense @ columns)
    y = library.array(u.copy())
    a.apply(library.array(x), y, alpha=2, beta=-1)
    close(library.numpy(y), (2 * (dense @ x) - u).astype(dtype))


@pytest.mark.parametrize("format", ["auto", "csr", "sell"])
def test_new_numbers(library, format):
    given = sparse(600, 420)
    a = spmvgen.matrix(library.matrix(given, "csr"), format=format)
    x = numbers(420, "float64", 1)
    a @ library.array(x)
    given.data = numbers(given.nnz, "float64", 4)
    a.update(library.array(given.data))
    close(library.numpy(a @ library.array(x)), given.toarray() @ x)


def test_the_current_stream_is_respected(library):
    given = sparse(600, 420)
    a = spmvgen.matrix(library.matrix(given, "csr"))
    expected = given.toarray() @ numpy.full(420, 3.0)
    x, y = library.array(numpy.zeros(420)), library.array(numpy.zeros(600))
    a.apply(x, y)
    with library.stream():
        library.late(x, 3.0)
        a.apply(x, y)  # on another stream it would see zeros
        close(library.numpy(y), expected)
        library.late(x, 6.0)
        close(library.numpy(a @ x), 2 * expected)


def test_products_are_captured_in_a_graph():
    torch = Torch().torch
    given = sparse(600, 420)
    a = spmvgen.matrix(Torch().matrix(given, "csr"))
    x, y = torch.ones(420, dtype=torch.float64).cuda(), torch.zeros(600, dtype=torch.float64).cuda()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        a.apply(x, y)
    side.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side):
        a.apply(x, y)
    x.fill_(5.0)
    graph.replay()
    torch.cuda.synchronize()
    close(y.cpu().numpy(), given.toarray() @ numpy.full(420, 5.0))


def test_a_matrix_of_the_host_goes_to_the_gpu(library):
    given = sparse(600, 420)
    a = spmvgen.matrix(given, device="cuda:0")
    x = numbers(420, "float64", 1)
    close(library.numpy(a @ library.array(x)), given.toarray() @ x)
    with pytest.raises(ValueError, match="x is on host, but the matrix is on cuda:0"):
        a @ x


def test_vectors_of_the_gpu_and_a_matrix_of_the_host(library):
    with pytest.raises(ValueError, match="x is on cuda:0, but the matrix is on host"):
        spmvgen.matrix(sparse(600, 420)) @ library.array(numpy.ones(420))
