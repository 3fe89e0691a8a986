"""SciPy's solvers over an operator, beside the same over SciPy's matrix."""

import numpy
import pytest
from conftest import numbers, sparse

import spmvgen

linalg = pytest.importorskip("scipy.sparse.linalg")
scipy_sparse = pytest.importorskip("scipy.sparse")


@pytest.fixture(scope="module")
def laplacian():
    """Of a grid of 60 x 60."""
    n = 60
    one = numpy.ones(n)
    line = scipy_sparse.diags([-one[1:], 2 * one, -one[1:]], [-1, 0, 1])
    identity = scipy_sparse.identity(n)
    return scipy_sparse.csr_matrix(
        scipy_sparse.kron(line, identity) + scipy_sparse.kron(identity, line)
    )


@pytest.mark.parametrize("solver", ["cg", "gmres", "bicg", "bicgstab", "minres"])
def test_solves(laplacian, solver):
    solution = numbers(laplacian.shape[0], "float64", 1)
    b = laplacian @ solution
    counts = []

    def solve(a):
        steps = []
        x, status = getattr(linalg, solver)(
            a,
            b,
            maxiter=2000,
            callback=lambda x: steps.append(1),
            **({"callback_type": "pr_norm"} if solver == "gmres" else {}),
        )
        assert status == 0
        counts.append(len(steps))
        return x

    ours, theirs = solve(spmvgen.matrix(laplacian)), solve(laplacian)
    assert numpy.abs(ours - theirs).max() < 1e-3
    assert abs(counts[0] - counts[1]) <= 0.1 * counts[1] + 1


def test_eigenvalues(laplacian):
    a = spmvgen.matrix(laplacian)
    start = numpy.ones(laplacian.shape[0])
    ours = linalg.eigsh(a, k=4, v0=start, return_eigenvectors=False)
    theirs = linalg.eigsh(laplacian, k=4, v0=start, return_eigenvectors=False)
    numpy.testing.assert_allclose(numpy.sort(ours), numpy.sort(theirs), rtol=1e-10)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_singular_values(dtype):
    given = sparse(200, 120, dtype)
    ours = linalg.svds(spmvgen.matrix(given), k=5, return_singular_vectors=False)
    dense = numpy.linalg.svd(given.toarray(), compute_uv=False)
    numpy.testing.assert_allclose(numpy.sort(ours)[::-1], dense[:5], rtol=1e-8)


def test_least_squares():
    given = sparse(200, 120)
    b = numbers(200, "float64", 1)
    ours, theirs = (
        linalg.lsqr(a, b, atol=1e-13, btol=1e-13)[0] for a in (spmvgen.matrix(given), given)
    )
    numpy.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_block_eigenvalues(laplacian):
    n = laplacian.shape[0]
    given = (laplacian + scipy_sparse.diags(numpy.arange(float(n)))).tocsr()
    start = numpy.random.default_rng(7).standard_normal((n, 8))
    options = {"M": scipy_sparse.diags(1 / given.diagonal()), "largest": False, "tol": 1e-8}
    ours, vectors = linalg.lobpcg(spmvgen.matrix(given), start, maxiter=100, **options)
    theirs, _ = linalg.lobpcg(given, start, maxiter=100, **options)
    numpy.testing.assert_allclose(ours, theirs, rtol=1e-8)
    numpy.testing.assert_allclose(given @ vectors, vectors * ours, atol=1e-6)


def test_is_a_linear_operator(laplacian):
    a = spmvgen.matrix(laplacian)
    assert isinstance(a, linalg.LinearOperator)
    assert linalg.aslinearoperator(a) is a
