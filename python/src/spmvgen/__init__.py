"""Sparse matrix-vector products by kernels that are made for the matrix.

>>> import numpy, spmvgen
>>> a = spmvgen.matrix(([0, 2, 3], [0, 1, 1], [1.0, 2.0, 3.0], (2, 2)))
>>> a @ numpy.array([10.0, 20.0])
array([50., 60.])

``matrix`` takes sparse matrices of SciPy, CuPy and PyTorch; what it gives is an operator for SciPy's
solvers. ``emit`` gives the text of a kernel. The page docs/reference/python.md describes both.
"""

from ._library import counters, version
from ._emit import emit
from ._matrix import Matrix, matrix

__all__ = ["Matrix", "counters", "emit", "matrix"]
__version__: str = version()
