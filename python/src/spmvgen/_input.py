"""Sparse matrices of other libraries as the arrays that spmvgen takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy

from ._library import core, whole_number
from ._libraries import NumPy, computed_dtype, library_of


@dataclass(frozen=True)
class Input:
    """A matrix that was given: arrays of one library, on one device."""

    layout: int  # core.CSR, CSC, COO or BSR
    shape: tuple[int, int]
    rows: Any  # of entries; row offsets of CSR and BSR
    columns: Any  # of entries, or of blocks; column offsets of CSC
    values: Any
    check_new: Callable[[Any], None]  # refuses numbers that cannot take the place of values
    block: tuple[int, int] = (0, 0)  # the shape of a block of BSR
    listed: Any = None  # the rows that are there, of CSR; None = all

    @property
    def library(self) -> NumPy:
        return library_of(self.values)


def _take(values: Any) -> None:
    """Any numbers: how many there are is checked later."""


def _compressed(a: Any, arrays: tuple[Any, Any, Any], by_columns: bool) -> Input:
    """Of offsets, indices and values."""
    offsets, indices, values = arrays
    if by_columns:
        return Input(core.CSC, a.shape, indices, offsets, values, _take)
    return Input(core.CSR, a.shape, offsets, indices, values, _take)


def _blocks(a: Any, arrays: tuple[Any, Any, Any]) -> Input:
    """Of offsets, columns and blocks. New numbers come as blocks, too."""
    shape = tuple(arrays[2].shape)

    def check(blocks: Any) -> None:
        given = tuple(numpy.shape(blocks))
        if given != shape:
            raise ValueError(f"values of shape {given}: give blocks, of shape {shape}")

    return Input(core.BSR, a.shape, *arrays, check, (int(shape[1]), int(shape[2])))


def _of_scipy(a: Any) -> Input:
    """Of scipy.sparse or cupyx.scipy.sparse, matrix or array."""
    if len(a.shape) != 2:
        raise ValueError(f"a sparse array with {len(a.shape)} dimensions: use one with two")
    if a.format in ("csr", "csc"):
        return _compressed(a, (a.indptr, a.indices, a.data), a.format == "csc")
    if a.format == "coo":
        return Input(core.COO, a.shape, a.row, a.col, a.data, _take)
    if a.format == "bsr":
        return _blocks(a, (a.indptr, a.indices, a.data))
    csr = a.tocsr()
    return Input(core.CSR, a.shape, csr.indptr, csr.indices, csr.data, _refuse_new_values)


def _refuse_new_values(values: Any) -> None:
    raise ValueError(
        "the matrix was converted, so its values have no order to give new ones in: "
        "make the operator of a CSR, CSC, COO or BSR matrix"
    )


def _of_torch(a: Any) -> Input:
    layout = str(a.layout)
    if a.dim() != 2:
        raise ValueError(f"a sparse tensor with {a.dim()} dimensions: use one with two")
    if layout == "torch.sparse_csr":
        return _compressed(a, (a.crow_indices(), a.col_indices(), a.values()), False)
    if layout == "torch.sparse_csc":
        return _compressed(a, (a.ccol_indices(), a.row_indices(), a.values()), True)
    if layout == "torch.sparse_coo":
        rows, columns = a._indices()  # coalesced or not
        return Input(core.COO, a.shape, rows, columns, a._values(), _take)
    if layout == "torch.sparse_bsr" and a.device.type == "cpu":  # the library takes no others
        return _blocks(a, (a.crow_indices(), a.col_indices(), a.values()))
    if layout == "torch.strided":
        raise TypeError("a dense tensor: make it sparse with to_sparse_csr()")
    a = a.to_sparse_csr()
    arrays = (a.crow_indices(), a.col_indices(), a.values())
    return Input(core.CSR, a.shape, *arrays, _refuse_new_values)


def _of_arrays(a: tuple[Any, ...]) -> Input:
    if len(a) != 4:
        raise ValueError(
            f"a tuple of {len(a)}: give (row_ptr, col_idx, values, shape), the arrays of CSR"
        )
    row_ptr, col_idx, values, shape = a
    return Input(core.CSR, _shape(shape), row_ptr, col_idx, values, _take)


def _shape(shape: Any) -> tuple[int, int]:
    """The numbers of rows and columns."""
    try:
        rows, cols = shape
    except (TypeError, ValueError):
        raise ValueError(f"shape is {shape!r}: give (rows, columns)") from None
    return _extent("shape: number of rows", rows), _extent("shape: number of columns", cols)


def _extent(what: str, number: Any) -> int:
    """The number, which the library takes in 64 bits."""
    extent = whole_number(what, number)
    if abs(extent) >= 1 << 63:
        raise ValueError(f"{what} is {extent}, which 64 bits do not hold")
    return extent


_INDICES = frozenset(map(numpy.dtype, ("int32", "int64")))


def _indices(array: Any) -> Any:
    """32 or 64 bits, contiguous; integers of other widths become 64. TypeError for other numbers,
    unless there are none: NumPy makes floats of an empty list."""
    library = library_of(array)
    dtype = library.dtype(array)
    if dtype.kind not in "iu" and len(array) > 0:
        raise TypeError(f"row offsets or columns of type {dtype.name}: give integers")
    return library.ready(array, None if dtype in _INDICES else numpy.dtype("int64"))


def ready_values(values: Any) -> Any:
    """Contiguous, of a type that products have."""
    library = library_of(values)
    return library.ready(values, computed_dtype(library.dtype(values)))


def _with_rows(given: Input, rows: Any, num_rows: int) -> Input:
    """Of rows that are listed, of a matrix with num_rows."""
    if given.layout != core.CSR:
        raise ValueError("rows: a list of rows is for CSR: convert the matrix with tocsr()")
    columns = given.library.dtype(given.columns)
    rows = _indices(rows)
    listed = library_of(rows).ready(rows, columns)
    if isinstance(rows, numpy.ndarray) and not numpy.array_equal(listed, rows):
        raise ValueError(f"rows: numbers of rows that are no {columns.name}, which the columns are")
    return replace(given, shape=(_extent("num_rows", num_rows), given.shape[1]), listed=listed)


def read(a: Any, rows: Any = None, num_rows: int | None = None) -> Input:
    """The arrays of a. They are a's own where they are contiguous and of a type that spmvgen knows.
    rows: which rows of a matrix with num_rows those of a are. TypeError where a is no sparse
    matrix."""
    if (rows is None) != (num_rows is None):
        raise ValueError("rows and num_rows: give both, or none of them")
    found = _read(a)
    return found if rows is None else _with_rows(found, rows, num_rows or 0)


def _read(a: Any) -> Input:
    if isinstance(a, tuple):
        given = _of_arrays(a)
    elif hasattr(a, "format") and hasattr(a, "tocsr"):
        given = _of_scipy(a)
    elif str(getattr(a, "layout", "")).startswith("torch."):
        given = _of_torch(a)
    else:
        raise TypeError(
            f"no sparse matrix: {type(a).__name__}; use one of SciPy, CuPy or PyTorch, or "
            "(row_ptr, col_idx, values, shape)"
        )
    return replace(
        given,
        shape=(int(given.shape[0]), int(given.shape[1])),
        rows=_indices(given.rows),
        columns=_indices(given.columns),
        values=ready_values(given.values),
    )
