#!/usr/bin/env python3
"""Fails where a file tells how the work went, or names what only one machine has. Usage: words_test.py ROOT

Looks at the text and the names of all files that git knows below ROOT. Exit status: 0 nothing found, 1 something was, 77 (skipped)
where ROOT is no git checkout.
"""
import os
import re
import subprocess
import sys

SKIPPED = 77
# What every match has in it (looked for first: files are large) → the pattern.
WORDS = {part: re.compile(pattern, re.IGNORECASE) for part, pattern in {
    "issue": r"issues?[ _-]?#?[0-9]",
    "night": r"night before|last night|that night|\bthe night\b",
    "session": r"this session",
    "the run of": r"the run of [0-9]",
    "half an hour": r"half an hour (after|before)",
    "mended": r"mended since",
    "/tmp/": r"/tmp/[a-z]?[0-9]",                 # folders of one machine, here and below
    "/root/": r"(?<![\w}])/root/[a-z]",
    "/work/": r"(?<![\w}])/work/[a-z]",
    "../shared": r"\.\./shared",                 # outside the repository, here and below
    "h200-peers": r"h200-peers\.csv",
}.items()}
NAMES = re.compile(r"issue[_-]?[0-9]", re.IGNORECASE)
# File (a folder ends in /): what may stand in its lines.
ALLOWED = {
    "tests/CMakeLists.txt": re.compile(r"set\(SPMVGEN_MATRICES .*/\.\./shared/matrices CACHE"),  # where real matrices are looked for
    "tests/words/": re.compile(""),                                                              # the patterns
}


def git(root, *arguments):
    result = subprocess.run(["git", "-C", root, *arguments], capture_output=True, check=False)
    return result.stdout if result.returncode == 0 else None


def files_of(root):
    """Names of all files below root that git tracks or would add; None where root is not the top of a checkout."""
    top = git(root, "rev-parse", "--show-toplevel")
    if top is None or os.path.realpath(os.fsdecode(top.rstrip(b"\n"))) != os.path.realpath(root):
        return None
    listed = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return None if listed is None else sorted({os.fsdecode(name) for name in listed.split(b"\0") if name})


def is_allowed(name, line):
    return any((name == path or path.endswith("/") and name.startswith(path)) and what.search(line) for path, what in ALLOWED.items())


def findings(root, names):
    for name in names:
        if NAMES.search(name):
            yield f"{name}: the name has the number of an issue"
        try:
            with open(os.path.join(root, name), encoding="utf-8") as file:
                text = file.read()
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):  # binary; deleted and not yet committed; a submodule
            continue
        lowered = text.lower()
        for word in (word for part, word in WORDS.items() if part in lowered):
            for number, line in enumerate(text.splitlines(), 1):
                found = word.search(line)
                if found and not is_allowed(name, line):
                    yield f"{name}:{number}: '{found.group()}': say what is so, not how or where it came to be"


def run(usage, findings_in, counted):
    """The test: findings_in(root, names of its files), one a line; counted(names) says what was read."""
    if len(sys.argv) != 2:
        sys.exit(usage)
    try:
        names = files_of(sys.argv[1])
    except FileNotFoundError:
        names = None
    if names is None:
        print(f"skipped: {sys.argv[1]} is not the top of a git checkout, or there is no git")
        sys.exit(SKIPPED)
    found = list(findings_in(sys.argv[1], names))
    print("\n".join(found) if found else f"{counted(names)}, nothing found")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    run(__doc__, findings, lambda names: f"{len(names)} files")
