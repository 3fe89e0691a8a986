#!/usr/bin/env python3
"""Pictures of the pages: none is stale, and screen readers find a name. Usage: pictures_test.py ROOT [PROGRAM]

What docs/pictures/draw.py and plot.py draw, and spy.py with PROGRAM (spmvgen), is what is there. Every SVG has a title
and says that it is an image; every picture in a page has a text. Exit status: 0 nothing found, 1 something was.
"""
import filecmp
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
LEAST_TEXT = 20  # characters of a text that says something


def drawn_again(root, program):
    pictures = root / "docs/pictures"
    with tempfile.TemporaryDirectory() as work:
        for script in (["draw.py"], ["plot.py"], *([["spy.py", program]] if program else [])):
            subprocess.run([sys.executable, pictures / script[0], *script[1:], work], check=True)
        made = sorted(pathlib.Path(work).glob("*.svg"))
        if not made:
            yield "docs/pictures: the scripts draw nothing"
        for path in made:
            kept = pictures / path.name
            if not kept.exists() or not filecmp.cmp(path, kept, shallow=False):
                yield f"docs/pictures/{path.name} is stale: run the script that draws it"


def nameless(root):
    for path in sorted((root / "docs/pictures").glob("*.svg")):
        svg = xml.parse(path).getroot()
        title = svg.find(f"{SVG}title")
        if svg.get("role") != "img" or title is None or not title.text or title.get("id") not in svg.get("aria-labelledby", "").split():
            yield f"{path.relative_to(root)}: no role=\"img\", or no title that aria-labelledby names"


def without_text(root):
    for path in sorted(root.glob("docs/**/*.md")):
        for text, target in IMAGE.findall(path.read_text(encoding="utf-8")):
            if len(text) < LEAST_TEXT:
                yield f"{path.relative_to(root)}: {target}: say in the brackets what the picture shows"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1]).resolve()
    found = [*drawn_again(root, sys.argv[2] if len(sys.argv) > 2 else None), *nameless(root), *without_text(root)]
    print("\n".join(found) or "nothing found")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
