#!/usr/bin/env python3
"""Holds the pages for readers to the style of CONTRIBUTING.md. Usage: style_test.py ROOT

Looks at README.md and docs/**/*.md for sentences above 35 words, lines above 100 columns (not in code,
tables and lines that a URL makes long), words that docs/reference/glossary.md says not to use, tables
without a head, lines that are indented within a paragraph, links that are called as a file, and
relative links and files whose file or heading is not there; of generated pages only words and links. Texts in
quotes in the sources, which users read as help, errors and reasons, have none of these words either.
Exit status: 0 nothing found, 1 something was, 77 (skipped) where ROOT is no git checkout.
"""
import os
import re

from words_test import run

MOST_WORDS = 35
MOST_COLUMNS = 100
PAGES = ("README.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "SECURITY.md", "cli/README.md", "examples/README.md", "runtime/devices/README.md", "runtime/store/README.md", "generator/README.md", "runtime/tuner/rules/README.md",
         "tests/README.md", "docs/README.md", "docs/performance.md")
FOLDERS = ("docs/tutorial/", "docs/how-to/", "docs/reference/", "docs/explanation/")
SOURCES = re.compile(r"(?:cli|runtime|generator|templates|adaptors|python/src|cmake|scripts|docs/pictures)/"
                     r"(?:.*\.(?:[ch]pp|c|h|py|js|cmake)|[^/.]*|lib\.sh)$")
TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
COMMENT = re.compile(r"\s*(?://|/?\*|#)")
PATH = re.compile(r"`((?:adaptors|bench|cli|cmake|docs|examples|generator|packaging|python|runtime|scripts|templates|tests|tuning_db)"
                  r"/(?:[a-z0-9_.-]+/)*[a-z0-9_.-]+)`")
GLOSSARY = "docs/reference/glossary.md"
DO_NOT_USE = "Words that we do not use"

LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.S)
END_OF_SENTENCE = re.compile(r"(?<=[.!?])[\"')*_]*\s+(?=[\W_]*(?:[A-Z0-9`α-ωΑ-Ω]|[a-z]\b))")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
FENCE = re.compile(r"\s*(```|~~~)")


def is_page(name):
    return name in PAGES or name.endswith(".md") and name.startswith(FOLDERS + (".github/",))


def without_code(lines):
    """(number, line) of a page, blocks of code left out."""
    fence = None
    for number, line in enumerate(lines, 1):
        mark = FENCE.match(line)
        if fence is None and mark:
            fence = mark[1]
        elif fence is not None:
            if mark and mark[1] == fence:
                fence = None
        elif not (line.startswith("    ") and not ITEM.match(line)) and not line.startswith("<!--"):
            yield number, line
        else:
            yield number, ""


def blocks(lines):
    """(number of the first line, text) of each paragraph, item of a list, heading, and cell of a table."""
    begin, words = 0, []
    for number, line in [*without_code(lines), (0, "")]:
        is_table = line.lstrip().startswith("|")
        starts = not line.strip() or is_table or line.startswith("#") or ITEM.match(line)
        if starts and words:
            yield begin, " ".join(words)
            words = []
        if is_table:
            for cell in re.split(r"(?<!\\)\|", CODE.sub("CODE", line.strip().strip("|"))):
                yield number, cell.strip()
        elif line.strip():
            begin = begin if words else number
            words.append(ITEM.sub("", line, count=1).strip())
            if line.startswith("#"):
                yield begin, words.pop()


def prose(text):
    """What is read of a block: code is one word, a link its text."""
    return LINK.sub(r"\1", CODE.sub("CODE", text))


def long_sentences(lines):
    for number, text in blocks(lines):
        for sentence in END_OF_SENTENCE.split(prose(text)):
            words = [word for word in sentence.split() if re.search(r"\w", word)]
            if len(words) > MOST_WORDS:
                yield number, f"a sentence of {len(words)} words: {' '.join(words[:8])} …"


def long_lines(lines):
    for number, line in without_code(lines):
        if len(line) > MOST_COLUMNS and not line.lstrip().startswith("|") and "://" not in line:
            yield number, f"{len(line)} columns"


def blemishes(lines):
    """What a page shows otherwise than it was meant."""
    plain = {number: line for number, line in without_code(lines)}
    for number, line in plain.items():
        before, after = plain.get(number - 1, ""), plain.get(number + 1, "")
        if line.startswith("|") and not before.startswith("|") and not re.match(r"\|[-:| ]+\|$", after):
            yield number, "a row of a table that has no head"
        if re.match(r"[-*+]\s", line) and re.match(r"[^\s#|*+-]", before):
            yield number, "a list that follows a paragraph without an empty line"
        if re.match(r" {5,}\S", lines[number - 1]) and not line and re.match(r"[^\s|]", before):
            yield number, "a line that is indented within a paragraph"
        for text, target in LINK.findall(line):
            if re.fullmatch(r"[\w/-]+\.md", text):
                yield number, f"[{text}]({target}): call the page by its title"


def words_not_to_use(glossary):
    """Pattern → what to write instead, from the table of the glossary below its heading."""
    below = glossary.partition(f"## {DO_NOT_USE}\n")[2].partition("\n## ")[0]
    for line in below.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) >= 2 and not re.fullmatch(r"[-: ]*", cells[0]) and cells[0] != "do not use":
            for word in cells[0].split(","):
                yield re.compile(rf"\b{re.escape(word.strip())}\b", re.I), cells[1]


def wrong_words(lines, words):
    for number, text in blocks(lines):
        for pattern, instead in words:
            if found := pattern.search(prose(text)):
                yield number, f"'{found.group()}': write {instead}"


def wrong_texts(lines, words):
    """Of a source: texts of several words in quotes."""
    for number, line in enumerate(lines, 1):
        for text in () if COMMENT.match(line) else TEXT.findall(line):
            for pattern, instead in words:
                if found := " " in text and pattern.search(text):
                    yield number, f"'{found.group()}' in a text: write {instead}"


def anchors(text):
    """Names of a page's headings, as hosts of git make them."""
    seen = {}
    for _, line in without_code(text.splitlines()):
        if heading := re.match(r"#+\s+(.*)", line):
            name = re.sub(r"[^\w\- ]", "", LINK.sub(r"\1", heading[1]).lower()).replace(" ", "-")
            count = seen[name] = seen.get(name, -1) + 1
            yield f"{name}-{count}" if count else name


def dead_links(root, name, lines):
    for number, line in without_code(lines):
        for _, target in LINK.findall(CODE.sub("CODE", line)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            found = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            if not os.path.exists(os.path.join(root, found)):
                yield number, f"{target}: {found} is not there"
            elif anchor and found.endswith(".md") and anchor not in anchors(read(root, found)):
                yield number, f"{target}: {found} has no such heading"


def dead_paths(root, name, lines):
    """Names of files and folders of the checkout, in code, that are not there."""
    for number, line in without_code(lines):
        for path in PATH.findall(line):
            if not any(os.path.exists(os.path.join(root, folder, path)) for folder in ("", os.path.dirname(name))):
                yield number, f"`{path}`: there is no such file"


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8") as file:
        return file.read()


def is_generated(lines):
    return any(line.startswith("<!-- Made from ") for line in lines[:5])


def findings(root, names):
    words = list(words_not_to_use(read(root, GLOSSARY)))
    if not words:
        yield f"{GLOSSARY}: no table below '{DO_NOT_USE}'"
    for name in names:
        is_source = SOURCES.match(name)
        if not (is_source or is_page(name)) or not os.path.exists(os.path.join(root, name)):
            continue
        lines = read(root, name).splitlines()
        checks = [wrong_texts(lines, words)] if is_source else [dead_links(root, name, lines), dead_paths(root, name, lines)]
        if is_page(name) and not is_generated(lines):
            checks += [long_sentences(lines), long_lines(lines), blemishes(lines)]
        if is_page(name) and name != GLOSSARY:
            checks.append(wrong_words(lines, words))
        for number, what in sorted(finding for check in checks for finding in check):
            yield f"{name}:{number}: {what}"


if __name__ == "__main__":
    run(__doc__, findings, lambda names: f"{sum(map(is_page, names))} pages, {sum(map(bool, map(SOURCES.match, names)))} sources")
