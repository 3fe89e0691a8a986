"""What cannot be is refused in words, by the exception that Python has for it."""

import copy
import pickle

import numpy
import pytest
from conftest import sparse

import spmvgen
from spmvgen._library import core


def tiny(**options):
    return spmvgen.matrix(([0, 2, 3], [0, 1, 1], [1.0, 2.0, 3.0], (2, 2)), **options)


@pytest.mark.parametrize(
    "row_ptr, col_idx, values, shape, message",
    [
        ([0, 2, 9], [0, 1, 1], [1.0, 2.0, 3.0], (2, 2), "broken CSR matrix"),
        (
            [0, 2, 3],
            [0, 7, 1],
            [1.0, 2.0, 3.0],
            (2, 2),
            "broken CSR matrix: entry 1 .* has column 7",
        ),
        ([0, 3], [0, 1, 1], [1.0, 2.0, 3.0], (2, 2), "row offsets: 2 for 2 rows"),
        ([0, 2, 3], [0, 1], [1.0, 2.0, 3.0], (2, 2), "columns: 2 for 3 values"),
        ([0], [], [], (-1, 2), "a shape is negative"),
    ],
)
def test_broken_matrices(row_ptr, col_idx, values, shape, message):
    with pytest.raises(ValueError, match=message):
        spmvgen.matrix(
            (row_ptr, numpy.array(col_idx, "int32"), numpy.array(values, "float64"), shape)
        )


def test_masked_arrays_say_that_some_elements_do_not_count():
    masked = numpy.ma.masked_array([1.0, 2.0], [False, True])
    a = tiny()
    for product in (
        lambda: a @ masked,
        lambda: masked @ a,
        lambda: a.apply(numpy.ones(2), masked),
        lambda: a.update(numpy.ma.masked_array(numpy.ones(3), True)),
        lambda: spmvgen.matrix(([0, 1, 2], [0, 1], masked, (2, 2))),
        lambda: tiny(epilogue="value + p[row]").apply(numpy.ones(2), operands={"p": masked}),
    ):
        with pytest.raises(TypeError, match=r"a masked array: give what filled\(0\) makes of it"):
            product()
    assert numpy.array_equal(a @ masked.filled(0), [1, 0])


def test_x_at_a_says_what_it_takes():
    a = spmvgen.matrix(([0, 2, 3], [0, 2, 1], [1.0, 2.0, 3.0], (2, 3)))
    message = r"x has shape \(3,\), but the matrix has shape \(2, 3\): give \(2,\) or \(k, 2\)"
    with pytest.raises(ValueError, match=message):
        numpy.ones(3) @ a
    with pytest.raises(ValueError, match=r"give \(2,\) or \(k, 2\)"):
        numpy.ones((2, 4)) @ a
    assert numpy.array_equal(numpy.ones((4, 2)) @ a, 4 * [[1, 3, 2]])


@pytest.mark.parametrize(
    "layout, shape, rows, columns, block, message",
    [
        ("CSC", (2, 3), [0, 1], [0, 1], (), "column offsets: 2 for 3 columns"),
        ("CSC", (2, 3), [0], [0, 1, 1, 2], (), "rows: 1 for 2 values"),
        ("BSR", (2, 4), [0, 1, 1], [0], (2, 1), "row offsets: 3 for 1 rows of blocks"),
        ("BSR", (2, 4), [0, 1], [0, 1], (2, 1), "columns: 2 for 1 blocks"),
        ("BSR", (2, 4), [0, 1], [0], (), "blocks have a shape of two positive numbers"),
        ("COO", (2, 4), [0, 1], [0], (), "columns: 1 for 2 values"),
    ],
)
def test_arrays_of_wrong_sizes(layout, shape, rows, columns, block, message):
    arrays = numpy.array(rows, "int32"), numpy.array(columns, "int32"), numpy.ones(2)
    with pytest.raises(ValueError, match=message):
        core.Arrays(getattr(core, layout), *shape, *arrays, *block)


def test_broken_columns_and_blocks():
    given = sparse(60, 42)
    columns, blocks = given.tocsc(), given.tobsr((2, 3))
    columns.indices[1] = 60
    with pytest.raises(ValueError, match="broken CSC matrix: entry 1 .* has row 60"):
        spmvgen.matrix(columns)
    blocks.indices[1] = 14
    with pytest.raises(ValueError, match="broken BSR matrix, .* entry 1 .* has column 14"):
        spmvgen.matrix(blocks)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"frmat": "csr"}, "unknown option 'frmat': use one of device, format"),
        ({"format": "bsr"}, "unknown format 'bsr': use one of"),
        ({"threads": "many"}, "'many' is not an integer that fits"),
        (
            {"params": {"lanes": 3}, "kernel": "csr_vector"},
            "parameter lanes=3 of kernel csr_vector",
        ),
        ({"num_rhs": 2}, "num_rhs is no option here: give x with as many columns"),
        ({"op": "T"}, "op is no option here: take .T, .H or .conj"),
        ({"device": "gpu"}, "device"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        tiny(**options)


def test_what_this_machine_cannot_do():
    with pytest.raises(NotImplementedError, match="cuda:77|CUDA|cuda"):
        tiny(device="cuda:77")
    assert issubclass(NotImplementedError, RuntimeError)


def test_a_kernel_that_cannot_be_had(tmp_path):
    with pytest.raises(RuntimeError, match="csr_rows"):
        tiny(
            cache="load",
            cache_dir=str(tmp_path),
            strict=True,
            kernel="csr_rows",
            epilogue="value * 3.25",
        )


@pytest.mark.parametrize("given", [None, 3, "csr", numpy.eye(3), [[1.0]]])
def test_what_is_no_sparse_matrix(given):
    with pytest.raises(TypeError, match="no sparse matrix: "):
        spmvgen.matrix(given)
    with pytest.raises(ValueError, match="a tuple of 2: give"):
        spmvgen.matrix((1, 2))


def test_shapes_that_do_not_fit():
    a = spmvgen.matrix(sparse(60, 42))
    for x in (numpy.ones(41), numpy.ones((41, 2)), numpy.ones((42, 2, 2))):
        with pytest.raises(ValueError, match=r"but the matrix has shape \(60, 42\): give \(42,\)"):
            a @ x
    with pytest.raises(ValueError, match=r"out has shape \(42,\): the product has \(60,\)"):
        a.apply(numpy.ones(42), numpy.ones(42))
    with pytest.raises(ValueError, match="a vector has 42 elements"):
        a.matvec(numpy.ones((42, 2)))
    with pytest.raises(ValueError, match="columns have two"):
        a.matmat(numpy.ones(42))


def test_out():
    a = spmvgen.matrix(sparse(60, 42))
    x = numpy.ones(42)
    with pytest.raises(ValueError, match="beta is 1, but there is no out to add to"):
        a.apply(x, beta=1)
    with pytest.raises(ValueError, match="out is not contiguous in C's order"):
        a.apply(x, numpy.ones((60, 2))[:, 0])
    with pytest.raises(ValueError, match="out is read-only"):
        y = numpy.ones(60)
        y.flags.writeable = False
        a.apply(x, y)
    with pytest.raises(TypeError, match="out|int64"):
        a.apply(x, numpy.ones(60, "int64"))
    with pytest.raises(ValueError, match="alpha or beta is complex"):
        a.apply(x, numpy.ones(60), alpha=1j)
    with pytest.raises(TypeError, match="the matrix is real"):
        a.apply(x, numpy.ones(60, "complex128"))


def test_numbers_that_no_double_is_are_refused_alike():
    a = spmvgen.matrix(sparse(60, 42))
    x, y = numpy.ones(42), numpy.ones(60)
    for product in range(3):  # the later ones are short
        with pytest.raises(OverflowError, match="^alpha is larger than any double: use a smaller"):
            a.apply(x, y, 10**400)
        with pytest.raises(OverflowError, match="^beta is larger than any double: use a smaller"):
            a.apply(x, y, 1, -(10**400))
        numpy.testing.assert_array_equal(y, numpy.ones(60) if product == 0 else a @ x)
        a.apply(x, y)
    a.apply(x, y, 1 << 60)
    numpy.testing.assert_allclose(y, (a @ x) * 2.0**60)


@pytest.mark.parametrize("value", ["2", None, [1.0], numpy.ones(2)])
def test_scalars_that_are_no_numbers(value):
    a, x, y = tiny(), numpy.ones(2), numpy.ones(2)
    for _ in range(2):  # the second by the short way
        with pytest.raises(TypeError, match=f"^alpha is no number: {type(value).__name__}$"):
            a.apply(x, y, value)
        with pytest.raises(TypeError, match=f"^beta is no number: {type(value).__name__}$"):
            a.apply(x, y, 1, value)
        assert y.tolist() == [1.0, 1.0]
        a.apply(x, numpy.ones(2))
    assert a.apply(x, y, numpy.array(2.0)).tolist() == [6.0, 6.0]


def test_x_and_out_must_not_overlap():
    a = spmvgen.matrix(sparse(60, 60))
    x = numpy.ones(60)
    with pytest.raises(ValueError, match="overlap"):
        a.apply(x, x)


def test_the_extension_checks_sizes_and_types_itself():
    given = sparse(60, 42)
    handle = core.Handle(core.Arrays(core.CSR, 60, 42, given.indptr, given.indices, given.data), {})
    with pytest.raises(ValueError, match="x has 41 elements, but the product takes 42"):
        handle.apply(numpy.ones(41), numpy.ones(60))
    with pytest.raises(
        TypeError, match="x is of type float32, but the products are of type float64"
    ):
        handle.apply(numpy.ones(42, "float32"), numpy.ones(60))
    with pytest.raises(TypeError, match="x has elements of type 'e'"):
        handle.apply(numpy.ones(42, "float16"), numpy.ones(60))


def test_what_would_be_cut_off_silently():
    ends = numpy.array([0, 2, 3])
    with pytest.raises(TypeError, match="row offsets or columns of type float64: give integers"):
        spmvgen.matrix(([0, 2, 3], [0, 1.5, 1], [1.0, 2.0, 3.0], (2, 2)))
    with pytest.raises(TypeError, match="row offsets or columns of type float64: give integers"):
        spmvgen.matrix((ends, ends, numpy.ones(3), (2, 4)), rows=[1.5, 2.5], num_rows=9)
    columns = numpy.array([0, 1, 1], "int32")
    with pytest.raises(ValueError, match="rows that are no int32, which the columns are"):
        spmvgen.matrix((ends, columns, numpy.ones(3), (2, 2)), rows=[1, 2**32 + 2], num_rows=9)
    with pytest.raises(TypeError, match="num_rows is 9.7: give an integer"):
        spmvgen.matrix((ends, columns, numpy.ones(3), (2, 2)), rows=[1, 2], num_rows=9.7)
    for shape in ((2.7, 2), "22"):
        with pytest.raises(TypeError, match="shape: number of rows is .*: give an integer"):
            spmvgen.matrix((ends, columns, numpy.ones(3), shape))
    with pytest.raises(TypeError, match="params: lanes is 4.9: give an integer"):
        tiny(kernel="csr_vector", params={"lanes": 4.9})
    a, y = tiny(params=None), numpy.zeros(2)
    for _ in range(2):  # the second by the short way
        with pytest.raises(TypeError, match="the matrix is real: apply takes real x and out"):
            a.apply(numpy.array([1, 2j]), y)
        a @ y
    assert (spmvgen.matrix(([0, 0], [], [], (1, 3))) @ numpy.ones(3)).tolist() == [0.0]


@pytest.mark.parametrize("shape", [2, None, (2,), (2, 2, 2)])
def test_shapes_that_are_none(shape):
    with pytest.raises(ValueError, match=r"^shape is .*: give \(rows, columns\)$"):
        spmvgen.matrix(([0, 2, 3], [0, 1, 1], [1.0, 2.0, 3.0], shape))


def test_a_shape_beyond_64_bits():
    with pytest.raises(ValueError, match="^shape: number of columns is 10+, which 64 bits do not hold"):
        spmvgen.matrix(([0, 2, 3], [0, 1, 1], [1.0, 2.0, 3.0], (2, 10**30)))
    with pytest.raises(ValueError, match="^shape: number of rows is -10+, which"):
        spmvgen.matrix(([0, 2, 3], [0, 1, 1], [1.0, 2.0, 3.0], (-(10**30), 2)))


def test_what_is_no_dense_array():
    a = spmvgen.matrix(sparse(60, 42))
    with pytest.raises(TypeError, match="x is a sparse matrix: products are with dense ones"):
        a @ sparse(42, 3)
    with pytest.raises(TypeError, match="out is no array: list"):
        a.apply(numpy.ones(42), [0.0] * 60)
    for x in (3.0, None, "x"):
        with pytest.raises(ValueError, match=r"x has shape \(\), but the matrix has"):
            a @ x
        with pytest.raises(ValueError, match=r"x has shape \(\): a vector has 42 elements"):
            a.matvec(x)
    with pytest.raises(ValueError, match=r"x has shape \(1, 42\): a vector has 42 elements"):
        a.matvec([[1.0] * 42])
    expected = (a @ numpy.ones(42)).tolist()
    assert a.matvec([[1.0]] * 42).tolist() == [[y] for y in expected]
    assert a.apply([1.0] * 42).tolist() == expected
    assert ([1.0] * 60 @ a).tolist() == (a.T @ numpy.ones(60)).tolist()


def test_copies_and_pickles():
    a = spmvgen.matrix(sparse(60, 42))
    assert copy.copy(a) is a
    for refuse in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot be pickled: pickle the sparse matrix"):
            refuse(a)


def test_no_memory():
    with pytest.raises((MemoryError, ValueError)):
        spmvgen.matrix(sparse(60, 42), format="ell", memory_limit=10)


def test_a_host_refuses_streams_before_and_after_its_first_product():
    a, x, out = tiny(), numpy.ones(2), numpy.zeros(2)
    for _ in range(3):
        with pytest.raises(ValueError, match="apply: a stream is for GPUs only"):
            a.apply(x, out, stream=7)
        for stream in ("seven", -1, 1.5, 1 << 64):
            with pytest.raises(ValueError, match="^stream is .*: give a stream of CuPy or PyTorch"):
                a.apply(x, out, stream=stream)
        assert a.apply(x, out, stream=0) is out
        assert out.tolist() == [3.0, 3.0]


@pytest.mark.parametrize("name, text", [("epilogue", "value\0 + 1"), ("cache_dir", "/tmp/k\0p")])
def test_a_text_that_a_zero_would_cut_is_refused(name, text):
    with pytest.raises(ValueError, match=f"^option '{name}': character [67] is 0, where a text of"):
        tiny(**{name: text})
    with pytest.raises(ValueError, match=r"^option 'alp\\x00ha': character 4 is 0, where a text of"):
        spmvgen.emit(format="csr", **{"alp\0ha": "one"})
    with pytest.raises(ValueError, match="^option 'epilogue': character 6 is 0, where a text of"):
        spmvgen.emit(format="csr", epilogue="value\0 + 1")


def test_a_text_that_is_none_is_refused():
    with pytest.raises(UnicodeEncodeError):
        tiny(epilogue="\udc80")


def test_options_of_other_types():
    assert tiny(deterministic=numpy.bool_(True)).info["deterministic"]
    with pytest.raises(TypeError, match=r"params is \[1\]: give integers by name"):
        tiny(params=[1])
