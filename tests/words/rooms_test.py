#!/usr/bin/env python3
"""Folders of the product include each other in one direction, and hold at most 25 sources each.

usage: rooms_test.py ROOT
"""
import os
import re
import sys

MOST_SOURCES = 25
TOPS = ("runtime", "generator", "cli", "templates")
INCLUDE_ROOTS = ("runtime", "runtime/include", "generator", "cli", "templates")


def sources(root):
    for top in TOPS:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith((".cpp", ".hpp", ".h")):
                    yield os.path.relpath(os.path.join(folder, name), root)


def included(root, files, path):
    with open(os.path.join(root, path), encoding="utf-8") as text:
        names = re.findall(r'^#include ["<]([^">]+)[">]', text.read(), re.M)
    for name in names:
        for base in (os.path.dirname(path), *INCLUDE_ROOTS):
            found = os.path.normpath(os.path.join(base, name))
            if found in files:
                yield found
                break


def arrows_between_folders(root, files):
    arrows = {}
    for path in sorted(files):
        for other in included(root, files, path):
            here, there = os.path.dirname(path), os.path.dirname(other)
            if here != there:
                arrows.setdefault(here, {}).setdefault(there, f"{path} includes {other}")
    return arrows


def circle(arrows):
    """A list of folders that leads back to its first one; empty without any."""
    done = set()

    def search(folder, path):
        if folder in path:
            return path[path.index(folder):] + [folder]
        if folder in done:
            return []
        for other in arrows.get(folder, {}):
            if found := search(other, path + [folder]):
                return found
        done.add(folder)
        return []

    for folder in sorted(arrows):
        if found := search(folder, []):
            return found
    return []


def main():
    root = sys.argv[1]
    files = set(sources(root))
    troubles = []
    arrows = arrows_between_folders(root, files)
    around = circle(arrows)
    for here, there in zip(around, around[1:]):
        troubles.append(f"part of a circle: {arrows[here][there]}")
    count = {}
    for path in files:
        count[os.path.dirname(path)] = count.get(os.path.dirname(path), 0) + 1
    for folder, number in sorted(count.items()):
        if number > MOST_SOURCES:
            troubles.append(f"{folder} holds {number} sources, at most {MOST_SOURCES} are a room")
    print("\n".join(troubles) or f"{len(files)} files in {len(count)} folders, nothing found")
    return 1 if troubles or not files else 0


if __name__ == "__main__":
    sys.exit(main())
