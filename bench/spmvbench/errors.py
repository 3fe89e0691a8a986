"""What is wrong with an input, and modules that may be absent."""

import importlib
import sys


class BenchError(Exception):
    """For people: what is wrong, where, what to do."""


def need(module, package):
    """A module of others, imported when a verb uses it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise BenchError(
            f"needs {module}, which {sys.executable} does not have: apt-get install {package}, "
            "and use Debian's /usr/bin/python3"
        ) from None
