"""What is wrong with an input, and modules that may be absent."""

import importlib
import sys


class BenchError(Exception):
    """For people: what is wrong, where, what to do."""


def need(module, package, install="apt-get install"):
    """A module of others, imported when a verb uses it; `install`: what gets its package."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise BenchError(
            f"needs {module}, which {sys.executable} does not have: {install} {package}"
            + (", and use Debian's /usr/bin/python3" if install.startswith("apt-get") else "")
        ) from None
