"""Kernels that are named instead of chosen for a matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Union

from ._library import core, option_texts

# Forms that people read; the others are bytes.
_TEXTS = ("source", "asm", "llvm-ir", "ptx")


def emit(
    *,
    format: str = "auto",
    kernel: str = "auto",
    arch: str = "native",
    form: str = "source",
    params: Mapping[str, int] | None = None,
    **options: str | int,
) -> Union[str, bytes]:
    """The text of a kernel, as the command ``spmvgen emit`` writes it.

    format or kernel: which one ("ell", "csr_rows"); one of them must be given.
    arch: the machine ("gfx906", "sm_90", "x86-64-v4"); "native" is this one.
    form: "source", or what it is compiled to ("asm", "ptx", "hsaco", "object", …).
    params: parameters of the kernel, by name.
    options: value, storage, accumulator, index, offset, alpha, beta, rhs, epilogue.

    Gives a str for texts, bytes for binaries. Needs the kernel compiler: NotImplementedError where
    there is none. ValueError for what cannot be, with the names that can.
    """
    names = {"format": format, "kernel": kernel, "arch": arch, "as": form, **options}
    kernel_bytes = core.emit(option_texts({**names, "params": params or {}}))
    return kernel_bytes.decode() if form in _TEXTS else kernel_bytes
