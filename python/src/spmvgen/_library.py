"""The extension, which is loaded here once the kernel compiler has been looked for."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy


def _find_compiler() -> None:
    """Gives the library the package spmvgen_jit, unless it has a compiler beside itself."""
    beside = Path(__file__).parent / "lib" / "spmvgen" / "libspmvgen_jit.so"
    if os.environ.get("SPMVGEN_JIT") or beside.exists():
        return
    try:
        import spmvgen_jit  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        return
    os.environ["SPMVGEN_JIT"] = spmvgen_jit.library()


_find_compiler()

from . import _core  # noqa: E402  (the library reads the variable when it first compiles)

core = _core


def version() -> str:
    """Version of the library, "0.2.0"."""
    return _core.version()


def counters() -> dict[str, Any]:
    """What became of the requests for kernels in this process so far: "compiles_started", …"""
    found: dict[str, Any] = json.loads(_core.counters())
    return found


def whole_number(what: str, number: Any) -> int:
    """The number; TypeError where it is no integer."""
    try:
        return operator.index(number)
    except TypeError:
        raise TypeError(f"{what} is {number!r}: give an integer") from None


def option_texts(options: dict[str, Any]) -> dict[str, str]:
    """Options as the library takes them: texts, and params as param.NAME."""
    texts: dict[str, str] = {}
    for name, value in options.items():
        if name == "params":
            if value is not None and not isinstance(value, Mapping):
                raise TypeError(f"params is {value!r}: give integers by name, as in {{'lanes': 4}}")
            for parameter, number in (value or {}).items():
                texts[f"param.{parameter}"] = str(whole_number(f"params: {parameter}", number))
        else:
            is_bool = isinstance(value, (bool, numpy.bool_))
            texts[name] = str(value).lower() if is_bool else str(value)
    return texts
