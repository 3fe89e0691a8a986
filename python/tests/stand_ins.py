"""As much of CuPy and PyTorch as operators use, on memory of this CPU, where there is no GPU.

Their device is named as the executor that runs a GPU's kernels here, which has the default stream
alone. `protocols` counts how often an array has shown itself by __cuda_array_interface__.
"""

import sys
import types

import numpy

import spmvgen

SIMT = "simt:gfx90a"  # runs a GPU's kernels on this CPU, on memory of this CPU


class CudaArray:
    """An array as those of GPUs show themselves. Its memory is this CPU's."""

    def __init__(self, array, stream=None, read_only=False, strides=None):
        self._array = array
        self.dtype, self.shape, self.ndim = array.dtype, array.shape, array.ndim
        self.__cuda_array_interface__ = {
            "shape": array.shape,
            "typestr": array.dtype.str,
            "version": 3,
            "strides": strides,
            "data": (array.ctypes.data, read_only),
            "stream": stream,
        }


def _shown(module, array):
    module.protocols += 1
    strides = None if array.flags.c_contiguous else array.strides
    return CudaArray(array, strides=strides).__cuda_array_interface__


def _install(monkeypatch, module, library):
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(spmvgen._libraries, "_MADE", {})
    monkeypatch.setattr(library, "device", lambda self, x: SIMT)
    module.protocols, module.waits = 0, []
    return module


class _Device:
    """The current device within `with`."""

    def __init__(self, module, number):
        self._module, self.id = module, number

    def __enter__(self):
        self._before, self._module.device = self._module.device, self.id

    def __exit__(self, *failure):
        self._module.device = self._before


def cupy(monkeypatch):
    """CuPy; `current` is the current stream, `device` the number of the current device."""
    module = _install(monkeypatch, types.ModuleType("cupy"), spmvgen._libraries.CuPy)
    module.device = 0
    module.current = types.SimpleNamespace(ptr=0, synchronize=lambda: module.waits.append(1))
    module.cuda = types.SimpleNamespace(
        runtime=types.SimpleNamespace(is_hip=False),
        get_current_stream=lambda: module.current,
        ExternalStream=None,
    )

    class ndarray:
        def __init__(self, array, device=0):
            self._array = array
            self.dtype, self.shape, self.ndim = array.dtype, array.shape, array.ndim
            self.strides, self.device = array.strides, _Device(module, device)
            self.data = types.SimpleNamespace(ptr=array.ctypes.data, device_id=device)

        def __setitem__(self, place, value):
            self._array[place] = value

        @property
        def __cuda_array_interface__(self):
            return _shown(module, self._array)

    ndarray.__module__ = "cupy"
    module.ndarray = ndarray
    module.empty = lambda shape, dtype: ndarray(numpy.empty(shape, dtype), module.device)
    module.ascontiguousarray = lambda x, dtype=None: (
        x
        if x._array.flags.c_contiguous and (dtype is None or x.dtype == dtype)
        else ndarray(numpy.ascontiguousarray(x._array, dtype))
    )
    module.array = ndarray
    module.numpy = lambda x: x._array
    module.set_stream = lambda number: setattr(module.current, "ptr", number)
    return module


class _TorchType:
    """torch.float64 and its like."""

    def __init__(self, name):
        self.name, self.is_complex = name, name.startswith("complex")

    def __repr__(self):
        return "torch." + self.name


def torch(monkeypatch, raw_streams=True):
    """PyTorch; `stream` is the number of the current stream, which _C gives if raw_streams."""
    module = _install(monkeypatch, types.ModuleType("torch"), spmvgen._libraries.Torch)
    for name in ("float32", "float64", "complex64", "complex128", "int32", "int64"):
        setattr(module, name, _TorchType(name))
    module.stream = 0
    of_device = lambda device: types.SimpleNamespace(  # noqa: E731
        cuda_stream=module.stream, synchronize=lambda: module.waits.append(1)
    )
    module.cuda = types.SimpleNamespace(current_stream=of_device)
    module._C = types.SimpleNamespace()
    if raw_streams:
        module._C._cuda_getCurrentRawStream = lambda device: module.stream

    class Tensor:
        """lazy: "neg" or "conj", what is still to be done to the memory's numbers."""

        is_cpu, is_cuda = False, True

        def __init__(self, array, device=0, requires_grad=False, lazy=""):
            self._array, self._lazy, self.requires_grad = array, lazy, requires_grad
            self.dtype = getattr(module, array.dtype.name)
            self.shape, self.ndim = array.shape, array.ndim
            self.device = types.SimpleNamespace(type="cuda", index=device)

        def __setitem__(self, place, value):
            self._array[place] = value

        @property
        def __cuda_array_interface__(self):
            if self.requires_grad or self._lazy:
                raise RuntimeError("as it is, it cannot be shown")
            return _shown(module, self._array)

        def get_device(self):
            return self.device.index

        def data_ptr(self):
            return self._array.ctypes.data

        def is_contiguous(self):
            return bool(self._array.flags.c_contiguous)

        def is_neg(self):
            return self._lazy == "neg"

        def is_conj(self):
            return self._lazy == "conj"

        def new_empty(self, size):
            return Tensor(numpy.empty(size, self._array.dtype), self.device.index)

        def detach(self):
            return Tensor(self._array, self.device.index, lazy=self._lazy)

        def resolve_neg(self):
            return Tensor(-self._array, self.device.index) if self.is_neg() else self

        def resolve_conj(self):
            return Tensor(self._array.conj(), self.device.index) if self.is_conj() else self

        def contiguous(self):
            return Tensor(numpy.ascontiguousarray(self._array), self.device.index)

        def to(self, dtype):
            return Tensor(self._array.astype(dtype.name), self.device.index)

    Tensor.__module__ = "torch"
    module.Tensor = module.array = Tensor
    module.empty = lambda shape, dtype, device: Tensor(numpy.empty(shape, dtype.name), device.index)
    module.numpy = lambda x: x._array
    module.set_stream = lambda number: setattr(module, "stream", number)
    return module
