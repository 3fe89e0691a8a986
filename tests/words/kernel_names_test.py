#!/usr/bin/env python3
"""Fails where a file outside the rooms that know single kernels names one: what such a file asks for belongs in the kernel's descriptor
(KernelEntry), so that a new kernel touches no list.

usage: kernel_names_test.py ROOT
"""
import os
import re
import sys

TOPS = ("runtime", "generator", "cli", "templates")
# Folders (ending in /) and files: why they name kernels.
ALLOWED = {
    "templates/families/": "the descriptors",
    "runtime/tuner/": "rules, and what counts a kernel's work",
    "runtime/calibrate/calibrate.cpp": "measures a device by kernels that it picks",
    "cli/tune/block_bench.cpp": "measures a device by kernels that it picks",
}
LEAST_KERNELS = 30


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def sources(root, top):
    for folder, _, names in os.walk(os.path.join(root, top)):
        for name in sorted(names):
            if name.endswith((".cpp", ".hpp")):
                yield os.path.relpath(os.path.join(folder, name), root)


def kernels(root):
    found = set()
    for path in sources(root, "templates/families"):
        found.update(re.findall(r'\.id = "(\w+)"', text_of(os.path.join(root, path))))
    return found


def formats(root):
    types = text_of(os.path.join(root, "runtime/include/spmvgen/types.hpp"))
    return set(re.findall(r'Format::\w+\{"([\w-]+)"\}', types)) | {
        name[:-4] for name in os.listdir(os.path.join(root, "runtime/formats/kinds"))}


def named(line, names, shared):
    """Kernels that the line of code names. A format's name is a kernel's where the line says so."""
    code = re.sub(r"//.*", "", line)
    for name in re.findall(r'"(\w+)"', code):
        if name in names and (name not in shared or re.search(rf'kernel\w* *(==|!=|=|\()[^;]*"{name}"', code)):
            yield name


def main():
    root = sys.argv[1]
    names, shared = kernels(root), formats(root)
    troubles = []
    if len(names) < LEAST_KERNELS:
        troubles.append(f"templates/families has {len(names)} kernels: is this test blind?")
    for top in TOPS:
        for path in sources(root, top):
            if path.startswith(tuple(ALLOWED)):
                continue
            for number, line in enumerate(text_of(os.path.join(root, path)).splitlines(), 1):
                for name in named(line, names, shared):
                    troubles.append(f"{path}:{number}: names kernel {name}: ask its descriptor (KernelEntry)")
    print("\n".join(troubles) or f"{len(names)} kernels, none named where it should not be")
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(main())
