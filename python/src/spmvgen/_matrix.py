"""The operator: products with a sparse matrix, its transpose and its adjoint."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Union

import numpy

from ._family import Family, Product
from ._input import read
from ._library import core
from ._libraries import library_of, refuse_masked, stream_number
from ._operator import Operator

_MOST = 1 << 53  # of whole numbers that a double has
_REALS = frozenset((float, numpy.float64, numpy.float32))


def _is_real(value: Any) -> bool:
    """Whether alpha or beta is a number that the short ways take."""
    kind = type(value)
    return kind in _REALS or (kind is int and -_MOST <= value <= _MOST)


def _number(name: str, value: complex) -> complex:
    """alpha or beta, as the library takes it."""
    try:
        if not isinstance(value, str):  # of which complex would make a number, too
            return complex(value)
    except OverflowError:
        raise OverflowError(f"{name} is larger than any double: use a smaller number") from None
    except TypeError:
        pass
    raise TypeError(f"{name} is no number: {type(value).__name__}")


def _array(x: Any) -> Any:
    """x, as an array of its library where it is a list or a number."""
    if hasattr(x, "tocsr"):
        raise TypeError("x is a sparse matrix: products are with dense ones, as toarray() gives")
    if hasattr(x, "ndim"):
        return x
    return numpy.asarray(x) if numpy.isscalar(x) or x is None else library_of(x).ready(x)


def _by_name(operands: Any) -> dict[str, Any]:
    """The operands of option epilogue."""
    if not isinstance(operands, Mapping) or not all(isinstance(name, str) for name in operands):
        raise TypeError("operands: give arrays by name, as in {'p': p}")
    for operand in operands.values():
        refuse_masked(operand)
    return dict(operands)


class Matrix(Operator):  # type: ignore[misc,unused-ignore]
    """A sparse matrix ready to be multiplied; made by spmvgen.matrix.

    It is a scipy.sparse.linalg.LinearOperator where SciPy is installed. Products take and give
    arrays of NumPy, CuPy or PyTorch, on the device that the matrix is on. Several threads may
    multiply at the same time; the interpreter's lock is free meanwhile.
    """

    __array_ufunc__ = None  # x @ A is for A to work out

    def __init__(self, family: Family, transposed: bool, conjugated: bool) -> None:
        self._family = family
        self._transposed = transposed
        # Of real numbers there is nothing to conjugate.
        self._conjugated = conjugated and family.dtype.kind == "c"
        rows, cols = family.shape
        super().__init__(family.vectors, (cols, rows) if transposed else (rows, cols))
        self._one_column = (self.shape[1],)
        self._num_rows = int(self.shape[0])
        # Rows that are not listed have no entries, and nobody writes them.
        self._zeroed = family.listed and not transposed
        self._make = numpy.zeros if self._zeroed else numpy.empty
        # Of the handle for plain vectors of the host, once it is there.
        self._apply_one: Any = family.plain_product(transposed, conjugated)
        # core.Direct, for vectors of another library, by their type
        self._direct: dict[type, Any] = {}

    # Products

    def __matmul__(self, x: Any) -> Any:
        """A @ x, of a vector (n,) or of columns (n, k)."""
        if self._apply_one is not None and self._is_plain(x):
            y = self._make(self._num_rows, self.dtype)
            self._apply_one(x, y)
            return y
        direct = self._direct.get(type(x))
        if direct is not None:
            y = direct.multiply(x)
            if y is not None:
                return y
        return self._product(x)

    def _is_plain(self, x: Any) -> bool:
        """Whether the handle for plain vectors takes x as it is."""
        return (
            type(x) is numpy.ndarray
            and x.dtype == self.dtype
            and x.shape == self._one_column
            and x.flags.c_contiguous
        )

    def __call__(self, x: Any) -> Any:
        return self @ x

    def dot(self, x: Any) -> Any:
        """A @ x; of an operator or a number, what SciPy makes of it."""
        if isinstance(x, Operator) or numpy.ndim(x) == 0:
            return super().dot(x)
        return self @ x

    def matvec(self, x: Any) -> Any:
        """A @ x of a vector, (n,) or (n, 1)."""
        if numpy.ndim(x) != 1:
            x = _array(x)
            if tuple(x.shape) != (self.shape[1], 1):
                raise ValueError(
                    f"x has shape {tuple(x.shape)}: a vector has {self.shape[1]} elements"
                )
        return self @ x

    def rmatvec(self, x: Any) -> Any:
        """A.H @ x of a vector."""
        return self.H.matvec(x)

    def matmat(self, x: Any) -> Any:
        """A @ x of columns, (n, k)."""
        if numpy.ndim(x) != 2:
            raise ValueError(f"x has {numpy.ndim(x)} dimensions: columns have two")
        return self @ x

    def rmatmat(self, x: Any) -> Any:
        """A.H @ x of columns."""
        return self.H.matmat(x)

    def __rmatmul__(self, x: Any) -> Any:
        """x @ A."""
        x = _array(x)
        rows, _ = self.shape
        if x.ndim not in (1, 2) or x.shape[-1] != rows:
            raise ValueError(
                f"x has shape {tuple(x.shape)}, but the matrix has shape {tuple(self.shape)}: "
                f"give ({rows},) or (k, {rows})"
            )
        return (self.T @ x.T).T

    def apply(
        self,
        x: Any,
        out: Any = None,
        alpha: complex = 1,
        beta: complex = 0,
        stream: Any = None,
        operands: Union[dict[str, Any], None] = None,
    ) -> Any:
        """out = alpha A x + beta out, in place; gives out.

        x and out: (n,) and (m,), or (n, k) and (m, k). Nothing is copied where x is contiguous and
        of the type of out. out must be both; without it a new array is made, and beta must be 0.
        out is not read where beta is 0.
        stream: a stream of CuPy or PyTorch, or its number; None = the current one of x's library.
        On a GPU the product is only enqueued.
        operands: what the names of option epilogue stand for: arrays with an element for each row
        of out, or with one, of the type of out and where it is.
        Of a matrix with listed rows, these rows of out alone are read and written.
        """
        if operands is not None:
            operands = _by_name(operands)
        elif _is_real(alpha) and _is_real(beta):
            if (
                self._apply_one is not None
                and stream is None
                and self._is_plain(x)
                and type(out) is numpy.ndarray
                and out.dtype == self.dtype
                and out.shape == (self._num_rows,)
            ):
                self._apply_one(x, out, alpha, beta)
                return out
            direct = self._direct.get(type(x))
            if direct is not None and type(out) is type(x):
                number = None if stream is None else stream_number(stream)
                if direct.apply(x, out, alpha, beta, number):
                    return out
        x = _array(x)
        if out is not None and not hasattr(out, "shape"):
            raise TypeError(f"out is no array: {type(out).__name__}")
        refuse_masked(out)
        library = library_of(x)
        if stream is None:
            return self._apply(library, x, out, alpha, beta, library.stream(x), operands)
        number = stream_number(stream)
        with library.on_stream(x, number):
            return self._apply(library, x, out, alpha, beta, number, operands)

    def _apply(
        self,
        library: Any,
        x: Any,
        out: Any,
        alpha: complex,
        beta: complex,
        stream: int,
        operands: Union[dict[str, Any], None],
    ) -> Any:
        of_y = x if out is None else out
        dtype = self._family.product_dtype(library_of(of_y).dtype(of_y))
        is_complex = "c" in (dtype.kind, library.dtype(x).kind)
        if is_complex and self._family.dtype.kind != "c":
            raise TypeError("the matrix is real: apply takes real x and out")
        k = self._check_shape(x)
        rows = (self._num_rows,) if x.ndim == 1 else (self._num_rows, k)
        x = library.ready(x, dtype)
        if out is None:
            if beta != 0:
                raise ValueError(f"beta is {beta}, but there is no out to add to")
            out = library.empty(rows, dtype, x)
            if self._zeroed:
                out[...] = 0
        elif tuple(out.shape) != rows:
            raise ValueError(f"out has shape {tuple(out.shape)}: the product has {rows}")
        scalars = _number("alpha", alpha), _number("beta", beta)
        product = Product(x, out, *scalars, k, dtype, stream, operands)
        self._family.multiply(self._transposed, self._conjugated, product)
        if k == 1 and operands is None and dtype == self.dtype:
            self._shorten(library, x)
        return out

    def _shorten(self, library: Any, x: Any) -> None:
        """Makes the next products with vectors like x short, of which one has succeeded."""
        handle = self._family.handle(self._transposed, self._conjugated, 1, self.dtype)
        if self._family.device == "host":
            self._apply_one = handle.apply
        if type(x) in self._direct or self._zeroed:
            return
        vectors = library.vectors(x, self.dtype)
        if vectors is not None:
            self._direct[type(x)] = core.Direct(handle, vectors)

    def _check_shape(self, x: Any) -> int:
        """The number of columns of x."""
        if x.ndim not in (1, 2) or x.shape[0] != self.shape[1]:
            raise ValueError(
                f"x has shape {tuple(x.shape)}, but the matrix has shape {tuple(self.shape)}: "
                f"give ({self.shape[1]},) or ({self.shape[1]}, k)"
            )
        return 1 if x.ndim == 1 else int(x.shape[1])

    def _product(self, x: Any) -> Any:
        """A @ x of whatever types A and x are."""
        if isinstance(x, Operator):
            return super().dot(x)
        x = _array(x)
        library = library_of(x)
        self._check_shape(x)
        dtype = library.dtype(x)
        if dtype.kind == "c" and self._family.dtype.kind != "c":
            if self._family.has_epilogue:
                raise ValueError(
                    "the matrix is real, but x is complex: option epilogue would be applied to "
                    "each part by itself; multiply x.real and x.imag"
                )
            parts = self.apply(x.real), self.apply(x.imag)
            return parts[0] + 1j * parts[1]
        return self.apply(library.ready(x, self._family.product_dtype(dtype)))

    # What SciPy's own functions call

    def _matvec(self, x: Any) -> Any:
        return self @ x

    def _matmat(self, x: Any) -> Any:
        return self @ x

    def _rmatvec(self, x: Any) -> Any:
        return self.H @ x

    def _rmatmat(self, x: Any) -> Any:
        return self.H @ x

    def _transpose(self) -> Matrix:
        return self.T

    def _adjoint(self) -> Matrix:
        return self.H

    # Other operators of the same matrix

    @property
    def T(self) -> Matrix:
        """The transpose. It shares the matrix and its new values."""
        return self._other(not self._transposed, self._conjugated)

    @property
    def H(self) -> Matrix:
        """The adjoint, the transpose of the conjugate. It shares the matrix and its new values."""
        return self._other(not self._transposed, not self._conjugated)

    def transpose(self) -> Matrix:
        """The same as T."""
        return self.T

    def adjoint(self) -> Matrix:
        """The same as H."""
        return self.H

    def conj(self) -> Matrix:
        """The conjugate, not transposed."""
        return self._other(self._transposed, not self._conjugated)

    def _other(self, transposed: bool, conjugated: bool) -> Matrix:
        key = (transposed, conjugated and self._family.dtype.kind == "c")
        found: Matrix = self._family.operator(key, Matrix)
        return found

    # The rest

    def update(self, values: Any, stream: Any = None) -> None:
        """New numbers for the same pattern, also for T, H and all that share the matrix.

        values: an array like that of the matrix that was given, in its order, of its type. It is
        borrowed where the matrix was. Nothing is planned again. Waits for products that run.
        stream: on a GPU the new numbers come after what was enqueued on it.
        """
        self._family.update(values, stream)

    @property
    def info(self) -> dict[str, Any]:
        """What the handle does and why: "kernel", "format", "reason", "prepare_ms", …"""
        found: dict[str, Any] = json.loads(self._own_handle().info())
        return found

    @property
    def source(self) -> str:
        """The emitted source of the kernel; "" where the generic kernel serves."""
        return str(self._own_handle().source())

    @property
    def row_order(self) -> Union[numpy.ndarray[Any, Any], None]:
        """Of a reordered matrix the order, new to old; None where its order was kept."""
        order = numpy.frombuffer(self._own_handle().row_order(), numpy.int32)
        return order if order.size else None

    def explain(self) -> str:
        """What there is to say about the choice of the kernel, in lines. Analyses the matrix
        again, which must be CSR or CSC in host memory. "" where there was no choice, for a
        reordered matrix, and for T, H and a complex conj(); of CSC for all but T."""
        return self._family.explain(self._transposed, self._conjugated)

    def _own_handle(self) -> Any:
        return self._family.handle(self._transposed, self._conjugated, 1, self._family.vectors)

    def __copy__(self) -> Matrix:
        return self

    def __reduce__(self) -> str:
        raise TypeError(
            "an operator cannot be pickled: pickle the sparse matrix, and make an operator of it "
            "where it is needed"
        )

    def __repr__(self) -> str:
        info = self.info
        rows, cols = self.shape
        return (
            f"<spmvgen.Matrix {rows}x{cols} of {self.dtype.name}, {info['nnz']} entries, "
            f"{info['format']} on {self._family.device}>"
        )


def matrix(
    a: Any, rows: Any = None, num_rows: Union[int, None] = None, **options: Any
) -> Matrix:
    """The operator of a sparse matrix.

    a: CSR, CSC, COO or BSR of SciPy (matrix or array), of CuPy or PyTorch, on the host or a GPU; or
    (row_ptr, col_idx, values, shape), the arrays of CSR of any library. Its device is where
    products run. Its arrays are borrowed and kept, as far as kernels read them as they are: do not
    write to them, call update. copy=True takes a copy.
    rows, num_rows: a has some of the rows of a matrix with num_rows; row i of it is row rows[i].
    Each row once, in any order; a is CSR.
    options: those of docs/reference/cpp-handle.md: level="measure", format="sell", deterministic=True,
    threads=2, params={"lanes": 8}, …

    ValueError for a broken matrix or option, TypeError for what is no sparse matrix, MemoryError,
    OSError for a GPU's driver that refuses, NotImplementedError for what this machine cannot do,
    RuntimeError for a kernel that cannot be made.
    """
    found: Matrix = Family(read(a, rows, num_rows), options).operator((False, False), Matrix)
    return found
