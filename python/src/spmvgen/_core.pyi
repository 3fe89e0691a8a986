from collections.abc import Callable
from typing import Any, Union

CSR: int
COO: int
CSC: int
BSR: int

class Arrays:
    def __init__(
        self,
        layout: int,
        num_rows: int,
        num_cols: int,
        rows: Any,
        columns: Any,
        values: Any,
        block_rows: int = 0,
        block_cols: int = 0,
        listed: Any = None,
    ) -> None: ...
    def with_values(self, values: Any) -> Arrays: ...

class Handle:
    def __init__(self, arrays: Arrays, options: dict[str, str]) -> None: ...
    def apply(
        self,
        x: Any,
        y: Any,
        alpha: float = 1.0,
        beta: float = 0.0,
        alpha_imag: float = 0.0,
        beta_imag: float = 0.0,
        stream: int = 0,
        columns: int = 1,
    ) -> None: ...
    def apply_with(
        self,
        x: Any,
        y: Any,
        operands: dict[str, Any],
        alpha: float = 1.0,
        beta: float = 0.0,
        alpha_imag: float = 0.0,
        beta_imag: float = 0.0,
        stream: int = 0,
    ) -> None: ...
    def update(self, arrays: Arrays, stream: int = 0) -> None: ...
    def explain(self, arrays: Arrays, options: dict[str, str]) -> str: ...
    def info(self) -> str: ...
    def source(self) -> str: ...
    def row_order(self) -> bytes: ...
    @property
    def device(self) -> str: ...
    @property
    def vector_type(self) -> str: ...

class Vectors: ...

class TorchVectors(Vectors):
    def __init__(self, dtype: Any, device: int, current_stream: Callable[[int], int]) -> None: ...

class CuPyVectors(Vectors):
    def __init__(
        self,
        dtype: Any,
        device: int,
        empty: Callable[[int, Any], Any],
        current_stream: Callable[[], Any],
    ) -> None: ...

class Direct:
    def __init__(self, handle: Handle, vectors: Vectors) -> None: ...
    def multiply(self, x: Any) -> Any: ...
    def apply(
        self, x: Any, out: Any, alpha: float, beta: float, stream: Union[int, None]
    ) -> bool: ...

def emit(options: dict[str, str]) -> bytes: ...
def version() -> str: ...
def counters() -> str: ...
def option_names() -> str: ...
