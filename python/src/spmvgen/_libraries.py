"""What differs between the libraries that arrays come from: NumPy, CuPy, PyTorch, and any other."""

from __future__ import annotations

import contextlib
import operator
from typing import Any, ContextManager, Union

import numpy

from ._library import core

_COMPUTED = ("float32", "float64", "complex64", "complex128")
_COMPUTED_TYPES = frozenset(map(numpy.dtype, _COMPUTED))  # which is faster than their names


def computed_dtype(dtype: numpy.dtype[Any]) -> numpy.dtype[Any]:
    """The type that products of numbers of this type have: wider where spmvgen has not this one,
    and in this machine's order of bytes."""
    if dtype in _COMPUTED_TYPES:
        return dtype
    if dtype.name in _COMPUTED:
        return dtype.newbyteorder("=")
    if dtype.kind in "biu":
        return numpy.dtype(numpy.float64)
    if dtype.name == "float16":
        return numpy.dtype(numpy.float32)
    raise TypeError(f"values of type {dtype.name}: use one of {', '.join(_COMPUTED)}")


def _shared(x: Any) -> Any:
    """x, as an array of NumPy where DLPack is all that it has."""
    only_dlpack = hasattr(x, "__dlpack__") and not hasattr(x, "__array__")
    return numpy.from_dlpack(x) if only_dlpack else x


def refuse_masked(x: Any) -> None:
    """TypeError for an array that says of some elements that they do not count: in a product all
    do."""
    if isinstance(x, numpy.ma.MaskedArray):
        raise TypeError("a masked array: give what filled(0) makes of it, or another number")


class NumPy:
    """Arrays of the host, of NumPy or whatever numpy.asarray or numpy.from_dlpack takes."""

    def dtype(self, x: Any) -> numpy.dtype[Any]:
        return numpy.dtype(numpy.asarray(_shared(x)).dtype)

    def ready(self, x: Any, dtype: numpy.dtype[Any] | None = None) -> Any:
        """x, contiguous and of that type; x itself where it is so already."""
        refuse_masked(x)
        return numpy.ascontiguousarray(_shared(x), dtype)

    def empty(self, shape: tuple[int, ...], dtype: numpy.dtype[Any], like: Any) -> Any:
        return numpy.empty(shape, dtype)

    def device(self, x: Any) -> str:
        """spmvgen's name of the device that x is on; "" = a GPU that is not known."""
        return "host"

    def stream(self, x: Any) -> int:
        """The current stream of x's device: its number."""
        return 0

    def on_stream(self, x: Any, stream: int) -> ContextManager[Any]:
        """Within it the library works on that stream."""
        return contextlib.nullcontext()

    def synchronize(self, x: Any) -> None:
        """Waits for what was enqueued on the current stream."""

    def vectors(self, x: Any, dtype: numpy.dtype[Any]) -> Union[core.Vectors, None]:
        """What reads vectors of the type of x, the same object's type, on its device without any
        protocol; None where there is no such thing."""
        return None


class CuPy(NumPy):
    """cupy.ndarray, on NVIDIA's and AMD's GPUs."""

    def __init__(self) -> None:
        import cupy

        self._cupy = cupy

    def dtype(self, x: Any) -> numpy.dtype[Any]:
        found: numpy.dtype[Any] = numpy.dtype(x.dtype)
        return found

    def ready(self, x: Any, dtype: numpy.dtype[Any] | None = None) -> Any:
        return self._cupy.ascontiguousarray(x, dtype)

    def empty(self, shape: tuple[int, ...], dtype: numpy.dtype[Any], like: Any) -> Any:
        with like.device:
            return self._cupy.empty(shape, dtype)

    def device(self, x: Any) -> str:
        vendor = "hip" if self._cupy.cuda.runtime.is_hip else "cuda"
        return f"{vendor}:{x.device.id}"

    def stream(self, x: Any) -> int:
        return int(self._cupy.cuda.get_current_stream().ptr)

    def on_stream(self, x: Any, stream: int) -> ContextManager[Any]:
        found: ContextManager[Any] = self._cupy.cuda.ExternalStream(stream)
        return found

    def synchronize(self, x: Any) -> None:
        self._cupy.cuda.get_current_stream().synchronize()

    def vectors(self, x: Any, dtype: numpy.dtype[Any]) -> Union[core.Vectors, None]:
        if type(x) is not self._cupy.ndarray:
            return None
        current_stream = self._cupy.cuda.get_current_stream
        return core.CuPyVectors(dtype, int(x.device.id), self._cupy.empty, current_stream)


class Torch(NumPy):
    """torch.Tensor, of the host or a GPU. Gradients are not followed."""

    def __init__(self) -> None:
        import torch

        self._torch = torch
        # The number of a device's current stream, without an object for the stream where possible.
        self._current_stream = getattr(
            torch._C,
            "_cuda_getCurrentRawStream",
            lambda device: torch.cuda.current_stream(device).cuda_stream,
        )

    def dtype(self, x: Any) -> numpy.dtype[Any]:
        name = str(x.dtype).replace("torch.", "")
        if name == "bfloat16":
            raise TypeError("values of type bfloat16: use one of " + ", ".join(_COMPUTED))
        return numpy.dtype(name)

    def ready(self, x: Any, dtype: numpy.dtype[Any] | None = None) -> Any:
        x = x.detach().resolve_conj().resolve_neg()
        if dtype is not None and self.dtype(x) != dtype:
            x = x.to(getattr(self._torch, dtype.name))
        return x.contiguous()

    def empty(self, shape: tuple[int, ...], dtype: numpy.dtype[Any], like: Any) -> Any:
        return self._torch.empty(shape, dtype=getattr(self._torch, dtype.name), device=like.device)

    def device(self, x: Any) -> str:
        if x.device.type == "cpu":
            return "host"
        if x.device.type != "cuda":
            raise TypeError(f"a tensor on {x.device}: use one on cpu or cuda")
        vendor = "hip" if self._torch.version.hip else "cuda"
        return f"{vendor}:{x.get_device()}"

    def stream(self, x: Any) -> int:
        if x.device.type == "cpu":
            return 0
        return int(self._current_stream(x.get_device()))

    def on_stream(self, x: Any, stream: int) -> ContextManager[Any]:
        if x.device.type == "cpu":
            return contextlib.nullcontext()
        external = self._torch.cuda.ExternalStream(  # type: ignore[no-untyped-call,unused-ignore]
            stream, x.device
        )
        found: ContextManager[Any] = self._torch.cuda.stream(external)
        return found

    def synchronize(self, x: Any) -> None:
        if x.device.type != "cpu":
            self._torch.cuda.current_stream(x.device).synchronize()

    def vectors(self, x: Any, dtype: numpy.dtype[Any]) -> Union[core.Vectors, None]:
        if type(x) is not self._torch.Tensor:
            return None
        of_type = getattr(self._torch, dtype.name)
        device = -1 if x.device.type == "cpu" else int(x.get_device())
        return core.TorchVectors(of_type, device, self._current_stream)


class CudaArray(NumPy):
    """Any array with __cuda_array_interface__, such as Numba's. It must be right as it is: it is
    neither converted nor made here."""

    def dtype(self, x: Any) -> numpy.dtype[Any]:
        found: numpy.dtype[Any] = numpy.dtype(x.__cuda_array_interface__["typestr"])
        return found

    def ready(self, x: Any, dtype: numpy.dtype[Any] | None = None) -> Any:
        if dtype is not None and self.dtype(x) != dtype:
            raise TypeError(f"an array of type {self.dtype(x).name}: give one of {dtype.name}")
        return x

    def empty(self, shape: tuple[int, ...], dtype: numpy.dtype[Any], like: Any) -> Any:
        raise TypeError(f"arrays of {type(like).__name__} are not made here: give out")

    def device(self, x: Any) -> str:
        return ""  # of which GPU it is, the interface does not say

    def stream(self, x: Any) -> int:
        return int(x.__cuda_array_interface__.get("stream") or 0)


_MADE: dict[str, NumPy] = {}
_KINDS = {"cupy": CuPy, "cupyx": CuPy, "torch": Torch}


def library_of(x: Any) -> NumPy:
    """The library that x is an array of."""
    name = type(x).__module__.partition(".")[0]
    kind: type[NumPy] = _KINDS.get(name, NumPy)
    if kind is NumPy and name != "numpy" and hasattr(x, "__cuda_array_interface__"):
        kind = CudaArray
    found = _MADE.get(kind.__name__)
    if found is None:
        found = _MADE[kind.__name__] = kind()
    return found


def stream_number(stream: Any) -> int:
    """The number of a stream: of CuPy (ptr), PyTorch (cuda_stream), any with __cuda_stream__, or
    the number itself."""
    for name in ("ptr", "cuda_stream"):
        if hasattr(stream, name):
            return int(getattr(stream, name))
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    try:
        number = operator.index(stream)
    except TypeError:
        number = -1
    if not 0 <= number < 1 << 64:
        raise ValueError(f"stream is {stream!r}: give a stream of CuPy or PyTorch, or its number")
    return number
