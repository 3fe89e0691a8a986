"""The kernel compiler of spmvgen, which finds it by this package."""

import os


def library() -> str:
    """The path of the library that spmvgen loads."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "libspmvgen_jit.so")
