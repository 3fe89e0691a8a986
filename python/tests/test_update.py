"""New numbers for a pattern."""

import numpy
import pytest
from conftest import close, numbers, sparse

import spmvgen

scipy_sparse = pytest.importorskip("scipy.sparse")


@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
@pytest.mark.parametrize("format", ["auto", "csr", "sell"])
def test_reaches_every_operator_of_the_matrix(layout, format):
    given = sparse(60, 42, "complex128").asformat(layout)
    a = spmvgen.matrix(given, format=format)
    x, u = numbers(42, "complex128", 1), numbers(60, "complex128", 2)
    columns = numbers((42, 3), "complex128", 3)
    transpose = a.T
    for product in (a @ x, transpose @ u, a.H @ u, a @ columns):
        assert product.any()
    new = numbers(given.nnz, "complex128", 4)
    a.update(new)
    given.data = new
    dense = given.toarray()
    close(a @ x, dense @ x)
    close(transpose @ u, dense.T @ u)
    close(a.H @ u, dense.conj().T @ u)
    close(a @ columns, dense @ columns)


def test_of_blocks_takes_blocks():
    given = sparse(60, 42).tobsr((2, 3))
    a = spmvgen.matrix(given)
    blocks = numbers(given.data.shape, "float64", 4)
    a.update(blocks)
    given.data = blocks
    x = numbers(42, "float64", 1)
    close(a @ x, given.toarray() @ x)
    with pytest.raises(ValueError, match=r"values of shape \(7,\): give blocks, of shape"):
        a.update(numpy.ones(7))


def test_of_duplicates_in_coordinates():
    given = scipy_sparse.coo_matrix(([1.0, 2.0, 3.0], ([0, 1, 0], [1, 0, 1])), shape=(2, 2))
    a = spmvgen.matrix(given)
    close(a @ numpy.ones(2), numpy.array([4.0, 2.0]))
    a.update(numpy.array([10.0, 20.0, 30.0]))
    close(a @ numpy.ones(2), numpy.array([40.0, 20.0]))


def test_does_not_write_to_what_was_given():
    given = sparse(60, 42)
    before = given.data.copy()
    a = spmvgen.matrix(given, format="csr")
    a.update(numpy.zeros(given.nnz))
    assert (given.data == before).all()
    assert not (a @ numpy.ones(42)).any()


def test_refused_numbers_leave_the_old_ones():
    given = sparse(60, 42)
    a = spmvgen.matrix(given)
    with pytest.raises(
        ValueError, match=f"the matrix has {given.nnz} entries, but there are 3 values"
    ):
        a.update(numpy.ones(3))
    with pytest.raises(TypeError, match="values of type complex128: the matrix has float64"):
        a.update(numpy.ones(given.nnz, "complex128"))
    x = numbers(42, "float64", 1)
    close(a @ x, given.toarray() @ x)


def test_is_undone_where_one_of_several_handles_refuses():
    given = sparse(60, 42, "float64")
    a = spmvgen.matrix(given, storage="f16")
    u = numbers(60, "float64", 2)
    before = a.T @ u
    too_large = numpy.full(given.nnz, 1e6)
    with pytest.raises(ValueError, match="f16"):
        a.update(too_large)
    close(a.T @ u, before)


def test_a_converted_layout_has_no_order_for_them():
    a = spmvgen.matrix(scipy_sparse.dia_matrix(sparse(60, 42)))
    with pytest.raises(ValueError, match="its values have no order to give new ones in"):
        a.update(numpy.ones(3))
