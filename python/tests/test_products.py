"""Products of every layout, type and operation, beside those of the dense matrix."""

import numpy
import pytest
from conftest import DTYPES, close, numbers, sparse

import spmvgen

scipy_sparse = pytest.importorskip("scipy.sparse")

LAYOUTS = {
    "csr_matrix": lambda a: scipy_sparse.csr_matrix(a),
    "csc_matrix": lambda a: scipy_sparse.csc_matrix(a),
    "coo_matrix": lambda a: scipy_sparse.coo_matrix(a),
    "bsr_matrix": lambda a: a.tobsr((2, 3)),
    "csr_array": lambda a: scipy_sparse.csr_array(a),
    "csc_array": lambda a: scipy_sparse.csc_array(a),
    "coo_array": lambda a: scipy_sparse.coo_array(a),
    "bsr_array": lambda a: scipy_sparse.bsr_array(a, blocksize=(2, 3)),
    "dia_matrix": lambda a: scipy_sparse.dia_matrix(a),
    "lil_matrix": lambda a: scipy_sparse.lil_matrix(a),
}
OPERATIONS = {
    "A": (lambda a: a, lambda d: d),
    "A.T": (lambda a: a.T, lambda d: d.T),
    "A.H": (lambda a: a.H, lambda d: d.conj().T),
    "conj(A)": (lambda a: a.conj(), lambda d: d.conj()),
    "A.T.H": (lambda a: a.T.H, lambda d: d.conj()),
    "A.H.H": (lambda a: a.H.H, lambda d: d),
}


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_every_layout_and_operation(dtype, layout, operation):
    given = sparse(60, 42, dtype)
    of_operator, of_dense = OPERATIONS[operation]
    a, dense = of_operator(spmvgen.matrix(LAYOUTS[layout](given))), of_dense(given.toarray())
    x = numbers(dense.shape[1], dtype, 1)
    assert a.shape == dense.shape
    assert a.dtype == dense.dtype
    close(a @ x, dense @ x)


@pytest.mark.parametrize("layout", ["csr_matrix", "csc_matrix", "coo_matrix", "bsr_matrix"])
@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_type(dtype, index, layout):
    given = sparse(60, 42, dtype, index)
    a, dense = spmvgen.matrix(LAYOUTS[layout](given)), given.toarray()
    x, u = numbers(42, dtype, 1), numbers(60, dtype, 2)
    close(a @ x, dense @ x)
    close(a.T @ u, dense.T @ u)
    close(a.H @ u, dense.conj().T @ u)


@pytest.mark.parametrize("k", [1, 2, 3, 7, 32, 45])
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_columns(dtype, k):
    given = sparse(60, 42, dtype)
    a, dense = spmvgen.matrix(given), given.toarray()
    x, u = numbers((42, k), dtype, 1), numbers((60, k), dtype, 2)
    close(a @ x, dense @ x)
    close(a.matmat(x), dense @ x)
    close(a.rmatmat(u), dense.conj().T @ u)
    close(a @ numpy.asfortranarray(x), dense @ x)
    y = u.copy()
    a.apply(x, y, alpha=2, beta=-1)
    close(y, (2 * (dense @ x) - u).astype(dtype))


def test_names_of_linear_operators():
    given = sparse(60, 42, "complex128")
    a, dense = spmvgen.matrix(given), given.toarray()
    x, u = numbers(42, "complex128", 1), numbers(60, "complex128", 2)
    close(a.matvec(x), dense @ x)
    close(a.matvec(x[:, None]), (dense @ x)[:, None])
    close(a.rmatvec(u), dense.conj().T @ u)
    close(a.dot(x), dense @ x)
    close(a(x), dense @ x)
    close(u @ a, u @ dense)
    close(a.transpose() @ u, dense.T @ u)
    close(a.adjoint() @ u, dense.conj().T @ u)
    close((a + 2 * a) @ x, 3 * (dense @ x))
    close((a.H @ a) @ x, dense.conj().T @ (dense @ x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_alpha_and_beta(dtype):
    given = sparse(60, 42, dtype)
    scalars = [0, 1, -2.5] + ([1 - 2j] if numpy.dtype(dtype).kind == "c" else [])
    for op in ("A", "A.H", "conj(A)"):
        of_operator, of_dense = OPERATIONS[op]
        a, dense = of_operator(spmvgen.matrix(given)), of_dense(given.toarray())
        x, u = numbers(dense.shape[1], dtype, 1), numbers(dense.shape[0], dtype, 2)
        for alpha in scalars:
            for beta in scalars:
                y = u.copy()
                assert a.apply(x, y, alpha, beta) is y
                close(y, (alpha * (dense @ x) + beta * u).astype(dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_scalars_of_numpy(dtype):
    given = sparse(60, 42, dtype)
    a, x = spmvgen.matrix(given), numbers(42, dtype, 1)
    expected = (2 * (given.toarray() @ x) - 1).astype(dtype)
    for kind in (numpy.float64, numpy.float32, numpy.int64, numpy.complex64):
        y = numpy.ones(60, dtype)
        a.apply(x, y, kind(2), kind(-1))
        close(y, expected)


def test_an_adjoint_that_nobody_kept_multiplies_the_short_way():
    given = sparse(60, 42)
    a, u = spmvgen.matrix(given), numbers(60, "float64", 2)
    assert a.H._apply_one is None
    for _ in range(2):
        close(a.rmatvec(u), given.toarray().T @ u)
        assert a.H._apply_one is not None


def test_beta_zero_reads_no_out():
    a = spmvgen.matrix(sparse(60, 42))
    y = numpy.full(60, numpy.nan)
    a.apply(numbers(42, "float64"), y)
    assert numpy.isfinite(y).all()


@pytest.mark.parametrize(
    "of_a, of_x",
    [
        ("float32", "float64"),
        ("float64", "float32"),
        ("float32", "complex128"),
        ("float64", "complex128"),
        ("complex64", "float64"),
        ("float64", "int64"),
        ("float32", "float16"),
    ],
)
def test_types_that_differ_meet_in_the_wider_one(of_a, of_x):
    given = sparse(60, 42, of_a)
    x = numpy.arange(42).astype(of_x)
    found = spmvgen.matrix(given) @ x
    assert found.dtype == numpy.result_type(numpy.dtype(of_a), x.dtype)
    expected = given.toarray().astype(found.dtype) @ x.astype(found.dtype)
    close(found, expected)


def test_integers_and_half_precision_are_widened():
    values = numpy.array([1, 2, 3])
    for dtype, wider in (("int64", "float64"), ("bool", "float64"), ("float16", "float32")):
        a = spmvgen.matrix(([0, 2, 3], [0, 1, 1], values.astype(dtype), (2, 2)))
        assert a.dtype == wider
    with pytest.raises(TypeError, match="values of type longdouble|values of type float128"):
        spmvgen.matrix(([0, 2, 3], [0, 1, 1], values.astype("longdouble"), (2, 2)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_another_order_of_bytes(dtype):
    given = sparse(60, 42, dtype)
    swapped = lambda array: array.astype(array.dtype.newbyteorder())  # noqa: E731
    arrays = swapped(given.indptr), swapped(given.indices), swapped(given.data)
    a, x = spmvgen.matrix((*arrays, given.shape)), numbers(42, dtype, 1)
    close(a @ swapped(x), given.toarray() @ x)
    a.update(swapped(3 * given.data))
    close(a @ x, (3 * given).toarray() @ x)


def test_vectors_of_another_type():
    given = sparse(60, 42, "float32")
    a = spmvgen.matrix(given, vectors="f64")
    assert a.dtype == numpy.float64
    x = numbers(42, "float64", 1)
    close(a @ x, given.toarray().astype("float64") @ x)
    z = numbers(42, "complex128", 2)
    close(a @ z, given.toarray().astype("complex128") @ z)
    assert len(a._family._handles) == 1  # one handle, and one copy of the matrix


def test_strides_of_vectors():
    given = sparse(60, 42)
    a, dense = spmvgen.matrix(given), given.toarray()
    wide = numbers((42, 2), "float64", 1)
    close(a @ wide[:, 0], dense @ wide[:, 0])
    close(a @ wide[::-1, 1], dense @ wide[::-1, 1])
    close(a @ list(wide[:, 0]), dense @ wide[:, 0])


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (5, 5)])
def test_matrices_without_entries(shape):
    a = spmvgen.matrix(scipy_sparse.csr_matrix(shape))
    assert (a @ numpy.ones(shape[1]) == numpy.zeros(shape[0])).all()
    assert (a.T @ numpy.ones(shape[0]) == numpy.zeros(shape[1])).all()
    assert (a @ numpy.ones((shape[1], 2))).shape == (shape[0], 2)


def test_no_columns_in_x():
    assert (spmvgen.matrix(sparse(60, 42)) @ numpy.ones((42, 0))).shape == (60, 0)


def test_an_epilogue_takes_operands():
    a = sparse(40, 40)
    x, p = numpy.arange(40.0), numpy.linspace(-1, 1, 40)
    dot, w = numpy.zeros(1), numpy.empty(40)
    operator = spmvgen.matrix(a, epilogue="dot += p[row] * value; w[row] = 2 * value; value + p[row]")
    y = operator.apply(x, operands={"p": p, "dot": dot, "w": w})
    numpy.testing.assert_allclose(y, a @ x + p, rtol=1e-14)
    numpy.testing.assert_allclose(w, 2 * (a @ x), rtol=1e-14)
    numpy.testing.assert_allclose(dot[0], p @ (a @ x), rtol=1e-12)
    with pytest.raises(ValueError, match="operand 'w' is missing"):
        operator.apply(x, operands={"p": p, "dot": dot})
    with pytest.raises(ValueError, match="the epilogue has no operand 'q'"):
        operator.apply(x, operands={"p": p, "dot": dot, "q": w})
    with pytest.raises(ValueError, match="p has 3 elements, but the product takes 40"):
        operator.apply(x, operands={"p": p[:3], "dot": dot, "w": w})
    for operands in ([p], {3: p}, p):
        with pytest.raises(TypeError, match="^operands: give arrays by name, as in {'p': p}$"):
            operator.apply(x, operands=operands)
    w.flags.writeable = False
    with pytest.raises(ValueError, match="w"):
        operator.apply(x, operands={"p": p, "dot": dot, "w": w})
    with pytest.raises(ValueError, match="has operands"):
        operator @ x


def test_an_epilogue_is_not_for_the_parts_of_complex_vectors():
    a = sparse(40, 30)
    x = numbers(30, "complex128")
    refusal = (
        "^the matrix is real, but x is complex: option epilogue would be applied to each part by "
        "itself; multiply x.real and x.imag$"
    )
    for operator in (spmvgen.matrix(a, epilogue="value + 1"), spmvgen.matrix(a.T, epilogue="-value").T):
        for vectors in (x, numpy.stack([x, x], 1)):
            with pytest.raises(ValueError, match=refusal):
                operator @ vectors
    close(spmvgen.matrix(a, epilogue="-value") @ x.real, -(a @ x.real))


def test_an_out_of_a_wider_type_is_taken_before_and_after_the_first_product():
    a = spmvgen.matrix(sparse(40, 30, "float32"))
    x = numbers(30, "float32")
    expected = a.apply(x, numpy.zeros(40))
    assert expected.dtype == "float64"
    for _ in range(3):
        a @ x
        assert (a.apply(x, numpy.zeros(40)) == expected).all()
