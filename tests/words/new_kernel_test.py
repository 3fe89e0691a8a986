#!/usr/bin/env python3
"""What scripts/new-kernel begins compiles; wrong wishes are refused.

usage: new_kernel_test.py ROOT COMPILER
"""
import os
import shutil
import subprocess
import sys
import tempfile

COPIED = ("scripts/new-kernel", "docs/reference/formats.md", "tests/kernels/table_others.cpp",
          "tests/kernels/gpu_table_test.cpp")
FOLDERS = ("templates", "runtime/formats/kinds")
BEGUN = [
    (["plain", "--gpu"], ["templates/gpu/plain.hpp", "templates/families/plain.cpp"]),
    (["plain_cpu", "--cpu"], ["templates/cpu/plain_cpu.hpp", "templates/families/plain_cpu.cpp"]),
    (["dia_again", "--cpu", "--format", "dia"],
     ["templates/cpu/dia_again.hpp", "templates/families/dia_again.cpp"]),
    (["sky", "--gpu", "--format", "sky-line"],
     ["templates/gpu/sky.hpp", "templates/families/sky.cpp", "runtime/formats/kinds/sky_line.cpp"]),
]
REFUSED = [
    (["plain"], "say --cpu or --gpu, one of them"),
    (["Plain", "--cpu"],
     "'Plain' is no name of a kernel; use letters, digits and _, as in csr_by_length"),
    (["plain", "--cpu", "--format", "A B"],
     "'A B' is no name of a format; use letters, digits and -, as in csr-k"),
    (["csr_rows", "--cpu"], "templates/cpu/csr_rows.hpp is there already; take another name"),
]


def copy_of(root, copy):
    for path in COPIED:
        os.makedirs(os.path.join(copy, os.path.dirname(path)), exist_ok=True)
        shutil.copy(os.path.join(root, path), os.path.join(copy, path))
    for folder in FOLDERS:
        shutil.copytree(os.path.join(root, folder), os.path.join(copy, folder))


def begin(copy, arguments):
    return subprocess.run([sys.executable, os.path.join(copy, "scripts/new-kernel"), *arguments],
                          capture_output=True, text=True, check=False)


def compiles(root, copy, compiler, path):
    includes = [os.path.join(copy, "templates"), os.path.join(root, "runtime"),
                os.path.join(root, "runtime/include")]
    command = [compiler, "-std=c++20", "-fsyntax-only", "-x", "c++",
               *(f"-I{folder}" for folder in includes), os.path.join(copy, path)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        print(f"{path}:\n{result.stderr}")
    return result.returncode == 0


def main():
    root, compiler = sys.argv[1:]
    good = True
    with tempfile.TemporaryDirectory() as copy:
        copy_of(root, copy)
        for arguments, text in REFUSED:
            result = begin(copy, arguments)
            if result.returncode == 0 or result.stderr.strip() != f"new-kernel: {text}":
                print(f"{arguments}: {result.stderr.strip()}, not: {text}")
                good = False
        for arguments, paths in BEGUN:
            result = begin(copy, arguments)
            if result.returncode != 0:
                print(f"{arguments}: {result.stderr}")
                good = False
            # Templates of GPUs are compiled behind the specialiser only.
            good &= all(compiles(root, copy, compiler, path) for path in paths
                            if not path.startswith("templates/gpu/"))
        table = open(os.path.join(copy, COPIED[2]), encoding="utf-8").read()
        good &= '{"dia_again", {}, run_case<DiaAgain>}' in table
    sys.exit(0 if good else 1)


main()
