"""One matrix and its handles: for each operation, number of columns and type of vectors."""

from __future__ import annotations

import threading
import weakref
from dataclasses import dataclass
from typing import Any, Callable

import numpy

from ._input import Input, ready_values
from ._library import core, option_texts
from ._libraries import computed_dtype, library_of, stream_number

# Numbers of columns that handles are planned for; each serves those up to its own, the last all.
_PLANNED = (1, 4, 8)
_VECTORS = {"float32": "f32", "float64": "f64", "complex64": "c32", "complex128": "c64"}
_NOT_OPTIONS = {
    "num_rhs": "give x with as many columns",
    "op": "take .T, .H or .conj() of the operator",
}


@dataclass(frozen=True)
class Product:
    """y = alpha A x + beta y; x and y contiguous, of one type, on one device."""

    x: Any
    y: Any
    alpha: complex
    beta: complex
    columns: int
    dtype: numpy.dtype[Any]
    stream: int
    operands: Any = None  # of option epilogue


class Family:
    """The arrays of a matrix, and the handles that were made of them."""

    def __init__(self, given: Input, options: dict[str, Any]) -> None:
        for name, instead in _NOT_OPTIONS.items():
            if name in options:
                raise ValueError(f"{name} is no option here: {instead}")
        library = given.library
        self.dtype = library.dtype(given.values)
        self.device = self._device(library.device(given.values), options)
        self.shape = given.shape
        self._check_new = given.check_new
        self._arrays = core.Arrays(
            given.layout,
            *given.shape,
            given.rows,
            given.columns,
            given.values,
            *given.block,
            given.listed,
        )
        # Whether products write some rows only.
        self.listed = given.listed is not None
        self._options = option_texts({"copy": False, **options, "device": self.device})
        if library.device(given.values) != "host":
            self._options.setdefault("device_arrays", "true")
            library.synchronize(given.values)
        self.has_epilogue = bool(self._options.get("epilogue"))
        self._fixed_vectors = bool(self._options.get("vectors"))
        # Guards what follows; a handle is made, and given new numbers, by one thread at a time.
        self._lock = threading.RLock()
        self._handles: dict[tuple[str, int, numpy.dtype[Any]], Any] = {}
        self._operators: weakref.WeakValueDictionary[Any, Any] = weakref.WeakValueDictionary()
        first = core.Handle(self._arrays, self._texts("N", 1, None))
        self.vectors = numpy.dtype(first.vector_type)
        self._handles["N", 1, self.vectors] = first

    @staticmethod
    def _device(own: str, options: dict[str, Any]) -> str:
        """Where products run: where the arrays are, unless an option says otherwise."""
        wanted = str(options.get("device", own or "cuda:0"))
        if wanted != own and (wanted == "host" if own == "" else own != "host"):
            raise ValueError(
                f"the matrix is on {own or 'a GPU'}, not on {wanted}: move it there, or drop device"
            )
        return wanted

    def operator(self, key: tuple[bool, bool], make: Callable[..., Any]) -> Any:
        """The operator for (transposed, conjugated), made at the first time it is wanted."""
        with self._lock:
            found = self._operators.get(key)
            if found is None:
                found = self._operators[key] = make(self, *key)
        return found

    def product_dtype(self, dtype: numpy.dtype[Any]) -> numpy.dtype[Any]:
        """The type of products with vectors of this type."""
        if self._fixed_vectors:
            return self.vectors
        return numpy.result_type(computed_dtype(dtype), self.vectors)

    # Handles

    def _op(self, transposed: bool, conjugated: bool) -> str:
        """The library's operation."""
        if transposed:
            return "H" if conjugated else "T"
        return "C" if conjugated and self.dtype.kind == "c" else "N"

    def handle(self, transposed: bool, conjugated: bool, k: int, dtype: numpy.dtype[Any]) -> Any:
        """The handle that multiplies k columns of this type; made at the first time."""
        return self._handle(self._op(transposed, conjugated), k, dtype)

    def _handle(self, op: str, k: int, dtype: numpy.dtype[Any] | None) -> Any:
        k = next((planned for planned in _PLANNED if k <= planned), _PLANNED[-1])
        key = (op, k, dtype or self.vectors)
        found = self._handles.get(key)
        if found is not None:
            return found
        with self._lock:
            if key not in self._handles:
                self._handles[key] = core.Handle(self._arrays, self._texts(op, k, dtype))
            return self._handles[key]

    def plain_product(self, transposed: bool, conjugated: bool) -> Any:
        """What multiplies a vector of the host; None where no handle was made for that."""
        found = self._handles.get((self._op(transposed, conjugated), 1, self.vectors))
        return found.apply if found is not None and self.device == "host" else None

    def _texts(self, op: str, k: int, dtype: numpy.dtype[Any] | None) -> dict[str, str]:
        texts = {**self._options, "op": op, "num_rhs": str(k)}
        if dtype is not None and dtype != self.vectors:
            texts["vectors"] = _VECTORS[dtype.name]
        return texts

    # Products

    def multiply(self, transposed: bool, conjugated: bool, p: Product) -> None:
        """The product, of A, its transpose, its conjugate or its adjoint."""
        self._check_device(p.x)
        if p.dtype.kind != "c" and (p.alpha.imag != 0 or p.beta.imag != 0):
            raise ValueError("alpha or beta is complex, but the matrix and the vectors are real")
        handle = self.handle(transposed, conjugated, p.columns, p.dtype)
        scalars = (p.alpha.real, p.beta.real, p.alpha.imag, p.beta.imag)
        if p.operands is None:
            handle.apply(p.x, p.y, *scalars, p.stream, p.columns)
        elif p.columns != 1:
            raise ValueError(f"operands are for one vector, but x has {p.columns} columns")
        else:
            handle.apply_with(p.x, p.y, p.operands, *scalars, p.stream)

    def _check_device(self, x: Any) -> None:
        own = library_of(x).device(x)
        if own == self.device or (own == "" and self.device != "host"):
            return
        if own != "host" or not self.device.startswith("simt"):
            raise ValueError(f"x is on {own or 'a GPU'}, but the matrix is on {self.device}")

    # The rest

    def update(self, values: Any, stream: Any) -> None:
        """New numbers for all handles, or for none where one of them refuses."""
        self._check_new(values)
        values = ready_values(values)
        if library_of(values).dtype(values) != self.dtype:
            raise TypeError(
                f"values of type {library_of(values).dtype(values).name}: "
                f"the matrix has {self.dtype.name}"
            )
        number = library_of(values).stream(values) if stream is None else stream_number(stream)
        with self._lock:
            arrays = self._arrays.with_values(values)
            done: list[Any] = []
            try:
                for handle in self._handles.values():
                    handle.update(arrays, number)
                    done.append(handle)
            except BaseException:
                for handle in done:
                    handle.update(self._arrays, number)
                raise
            self._arrays = arrays

    def explain(self, transposed: bool, conjugated: bool) -> str:
        """What there is to say about the choice of the kernel for vectors."""
        op = self._op(transposed, conjugated)
        found: str = self._handle(op, 1, None).explain(self._arrays, self._texts(op, 1, None))
        return found
