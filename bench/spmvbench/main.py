"""The command line: finds the verb's module, parses its arguments, and tells what went wrong in one line."""

import argparse
import importlib
import os
import sys

from spmvbench.errors import BenchError

VERBS = [
    "ablation",
    "beside",
    "conversion",
    "cpu",
    "csrb",
    "fit-correction",
    "fit-costs",
    "gallery",
    "gpu",
    "measure",
    "micro",
    "profile",
    "ratios",
    "records",
    "twins",
]


def module_of(verb):
    """A verb's module has a docstring, whose first line is its help, add_arguments(parser), and run(options)."""
    return importlib.import_module("spmvbench.verbs." + verb.replace("-", "_"))


def overview():
    lines = [
        "usage: python3 bench/spmvbench VERB …",
        "",
        *__import__("spmvbench").__doc__.splitlines(),
        "",
        "Every file that is read may be compressed with gzip. VERB --help tells more.",
    ]
    return "\n".join([*lines, "", *(f"  {verb:<14} {module_of(verb).__doc__.splitlines()[0]}" for verb in VERBS)])


def parser_of(verb):
    module = module_of(verb)
    parser = argparse.ArgumentParser(
        prog=f"spmvbench {verb}", description=module.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    module.add_arguments(parser)
    return parser


def main(words):
    """The exit status: 0, 1 for what cannot be done with this input, 2 for a command line that is wrong."""
    if not words or words[0] in ("-h", "--help", "help"):
        print(overview())
        return 0 if words else 2
    verb = words[0]
    if verb not in VERBS:
        print(f"spmvbench: unknown verb '{verb}': use {', '.join(VERBS)}", file=sys.stderr)
        return 2
    options = parser_of(verb).parse_intermixed_args(words[1:])
    try:
        module_of(verb).run(options)
        sys.stdout.flush()
    except BenchError as error:
        print(f"spmvbench {verb}: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # `… | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        if error.filename is None:
            raise
        print(f"spmvbench {verb}: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    return 0
