#!/usr/bin/env python3
"""Runs the commands of the pages in docs/ as a reader would. Usage: pages_test.py ROOT PREFIX WORK

ROOT is the checkout, PREFIX where spmvgen is installed, WORK a folder to work in. A block of code below the mark
<!-- run --> is run by bash, with the program on PATH, PREFIX in the environment, and in the folder a matrix A.mtx and a link to
bench/ of the checkout; one below <!-- file NAME --> becomes that file. Blocks of a page run in one folder, in their order. Exit status: 0 all worked.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

MARK = re.compile(r"^<!-- (run|file (\S+)) -->\n```\w*\n(.*?)^```$", re.M | re.S)
SECONDS = 300


def run_page(page, root, prefix, folder):
    """What went wrong, '' if nothing; and how many blocks were run."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SPMVGEN_")}
    environment |= {"PATH": f"{prefix}/bin:{environment['PATH']}", "PREFIX": str(prefix),
                    "SPMVGEN_CACHE_DIR": str(folder.parent / "cache"), "SPMVGEN_RECORDS_DIR": str(folder / "records")}
    blocks = 0

    def bash(text):
        return subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, env=environment, capture_output=True, text=True,
                              timeout=SECONDS, check=False)

    (folder / "bench").symlink_to(root / "bench")
    made = bash("spmvgen gallery make stencil5:nx=20,ny=20 -o A.mtx")
    if made.returncode != 0:
        return made.stderr, 0
    for what, name, text in MARK.findall(page.read_text(encoding="utf-8")):
        if what == "run":
            blocks += 1
            done = bash(text)
            if done.returncode != 0:
                return f"{text}ended with status {done.returncode}:\n{done.stdout[-2000:]}{done.stderr}", blocks
        else:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return "", blocks


def main():
    root, prefix, work = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
    link = work / "prefix"  # readers have no blanks in it, which $(pkg-config …) would not survive
    work.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(prefix)
    wrong = total = 0
    for page in sorted(root.glob("docs/*/*.md")):
        folder = work / page.stem
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        trouble, blocks = run_page(page, root, link, folder)
        total += blocks
        if trouble:
            wrong += 1
            print(f"{page.relative_to(root)}: {trouble}")
    print(f"{total} blocks of commands, {wrong} pages with one that failed")
    return 1 if wrong or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
