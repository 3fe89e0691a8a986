"""What an operator is derived from: SciPy's LinearOperator, or the least of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

if TYPE_CHECKING:

    class Operator:
        dtype: numpy.dtype[Any]
        shape: tuple[int, int]

        def __init__(self, dtype: Any, shape: tuple[int, int]) -> None: ...
        def dot(self, x: Any) -> Any: ...

else:
    try:
        from scipy.sparse.linalg import LinearOperator as Operator
    except ImportError:

        class Operator:
            """The least of scipy.sparse.linalg.LinearOperator, where there is no SciPy."""

            ndim = 2

            def __init__(self, dtype, shape):
                self.dtype, self.shape = numpy.dtype(dtype), shape

            def dot(self, x):
                raise TypeError("products of operators need SciPy")
