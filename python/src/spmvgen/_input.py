"""Sparse matrices of other libraries as the arrays that spmvgen takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy

from ._library import core
from ._libraries import NumPy, computed_dtype, library_of


@dataclass(frozen=True)
class Input:
    """A matrix that was given: arrays of one library, on one device."""

    layout: int  # core.CSR or core.COO
    shape: tuple[int, int]  # of what the arrays hold
    rows: Any  # row offsets, or the row of each entry
    columns: Any
    values: Any
    transposed: bool  # the arrays hold the transpose of what was given
    values_of: Callable[[Any], Any]  # numbers in the order of what was given → in that of values

    @property
    def library(self) -> NumPy:
        return library_of(self.values)


def _same(values: Any) -> Any:
    return values


def _compressed(
    a: Any, shape: tuple[int, ...], arrays: tuple[Any, Any, Any], by_columns: bool
) -> Input:
    rows, cols = reversed(shape) if by_columns else shape
    return Input(core.CSR, (rows, cols), *arrays, by_columns, _same)


def _of_scipy(a: Any) -> Input:
    """Of scipy.sparse or cupyx.scipy.sparse, matrix or array."""
    if len(a.shape) != 2:
        raise ValueError(f"a sparse array with {len(a.shape)} dimensions: use one with two")
    if a.format in ("csr", "csc"):
        return _compressed(a, a.shape, (a.indptr, a.indices, a.data), a.format == "csc")
    if a.format == "coo":
        return Input(core.COO, a.shape, a.row, a.col, a.data, False, _same)
    if a.format == "bsr":
        return _of_blocks(a)
    csr = a.tocsr()
    return Input(core.CSR, a.shape, csr.indptr, csr.indices, csr.data, False, _refuse_new_values)


def _of_blocks(a: Any) -> Input:
    """Blocks are made entries here, those that are zero, too. New numbers come as blocks."""

    def entries(blocks: Any) -> Any:
        blocks = numpy.asarray(blocks)
        if blocks.shape != a.data.shape:
            raise ValueError(
                f"values of shape {blocks.shape}: give blocks, of shape {a.data.shape}"
            )
        return type(a)((blocks, a.indices, a.indptr), shape=a.shape).tocsr().data

    csr = a.tocsr()
    return Input(core.CSR, a.shape, csr.indptr, csr.indices, csr.data, False, entries)


def _refuse_new_values(values: Any) -> Any:
    raise ValueError(
        "the matrix was converted, so its values have no order to give new ones in: "
        "make the operator of a CSR, CSC, COO or BSR matrix"
    )


def _of_torch(a: Any) -> Input:
    layout = str(a.layout)
    if a.dim() != 2:
        raise ValueError(f"a sparse tensor with {a.dim()} dimensions: use one with two")
    shape = tuple(a.shape)
    if layout == "torch.sparse_csr":
        return _compressed(a, shape, (a.crow_indices(), a.col_indices(), a.values()), False)
    if layout == "torch.sparse_csc":
        return _compressed(a, shape, (a.ccol_indices(), a.row_indices(), a.values()), True)
    if layout == "torch.sparse_coo":
        rows, columns = a._indices()  # coalesced or not
        return Input(core.COO, shape, rows, columns, a._values(), False, _same)
    if layout == "torch.strided":
        raise TypeError("a dense tensor: make it sparse with to_sparse_csr()")
    a = a.to_sparse_csr()
    arrays = (a.crow_indices(), a.col_indices(), a.values())
    return Input(core.CSR, shape, *arrays, False, _refuse_new_values)


def _of_arrays(a: tuple[Any, ...]) -> Input:
    if len(a) != 4:
        raise ValueError(
            f"a tuple of {len(a)}: give (row_ptr, col_idx, values, shape), the arrays of CSR"
        )
    row_ptr, col_idx, values, shape = a
    rows, cols = shape
    return Input(core.CSR, (int(rows), int(cols)), row_ptr, col_idx, values, False, _same)


def _indices(array: Any) -> Any:
    """32 or 64 bits, contiguous; what is neither becomes 64."""
    library = library_of(array)
    dtype = library.dtype(array)
    return library.ready(array, None if dtype.name in ("int32", "int64") else numpy.dtype("int64"))


def ready_values(values: Any) -> Any:
    """Contiguous, of a type that products have."""
    library = library_of(values)
    return library.ready(values, computed_dtype(library.dtype(values)))


def read(a: Any) -> Input:
    """The arrays of a. They are a's own where they are contiguous and of a type that spmvgen knows.
    TypeError where a is no sparse matrix."""
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
    shape = (int(given.shape[0]), int(given.shape[1]))
    return Input(
        given.layout,
        shape,
        _indices(given.rows),
        _indices(given.columns),
        ready_values(given.values),
        given.transposed,
        given.values_of,
    )
