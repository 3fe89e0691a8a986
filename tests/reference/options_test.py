#!/usr/bin/env python3
"""Options are the same in the headers, in C and Python by name, in --help, and on the pages. Usage: options_test.py ROOT

Reads docs/reference/cpp-api.md (made from the headers) and command-line-options.md (made from --help), which other tests keep
true, runtime/handle/options_by_name.cpp, and all pages. Exit status: 0 all agree, 1 something does not.
"""
import pathlib
import re
import sys

# Fields that have another name on the command line, and those that `spmvgen run` has none for: they are about arrays of a program.
OTHER_NAMES = {"target": "arch", "num_rhs": "rhs", "budget_ms": "budget", "expected_applies": "expect", "params": "param"}
ONLY_IN_PROGRAMS = {"owner", "on_measured", "copy", "device_arrays", "index_base", "updatable", "pack_vectors",
                    "overlap_launches"}
NOT_BY_NAME = {"owner", "on_measured", "params"}  # in C a function, no C, and param.NAME
# Fields whose values are words, all of which the comment and --help have.
WORDS = ("op", "encodings", "updates", "reorder", "compile", "level", "rule")
SAYS_DEFAULT = (re.compile(r"\(default:? ([^)]*)\)"), re.compile(r"(?:^|; )(\S+): [^:;,(]*\(default\)"),
                re.compile(r"(\S+) \((?:the )?default[):]"))
FROM_ENVIRONMENT = {"cache": ("automatic", "$SPMVGEN_CACHE, else on")}
OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")


def table_of(page, heading):
    """Cells of the first table below a heading."""
    below = re.search(rf"^#+ {heading}\n(.*?)(?=^#+ )", page, re.M | re.S)[1]
    rows = [line for line in below.splitlines() if line.startswith("|")]
    return [[cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", row.strip("|"))] for row in rows[2:]]


def sections_of(page):
    """Verb → what help says of it."""
    return {m[1]: m[2] for m in re.finditer(r"^## (spmvgen[^\n]*)\n(.*?)(?=^## |\Z)", page, re.M | re.S)}


def described(section):
    """Option → what help says of it."""
    return {m[1]: m[2] for m in re.finditer(r"^\| `[^`]*--([a-z][a-z-]*)[^`]*` \| (.*) \|$", section, re.M)}


def check_names(fields, by_name):
    for name in sorted(set(fields) - NOT_BY_NAME - by_name):
        yield f"options.{name} cannot be set by name: runtime/handle/options_by_name.cpp"
    for name in sorted(by_name - set(fields)):
        yield f"{name} can be set by name and is no field of Options"


def check_help(fields, run):
    for name, (default, meaning) in fields.items():
        option = OTHER_NAMES.get(name, name.replace("_", "-"))
        if name in ONLY_IN_PROGRAMS:
            if option in run:
                yield f"spmvgen run has --{option}: take {name} out of ONLY_IN_PROGRAMS"
            continue
        if option not in run:
            yield f"spmvgen run has no --{option} for options.{name}"
            continue
        said = next((match[1] for pattern in SAYS_DEFAULT if (match := pattern.search(run[option]))), "")
        if said and default and (default, said) != FROM_ENVIRONMENT.get(name) and not same_default(said, default):
            yield f"--{option} says its default is {said}, options.{name} has {default}"
        if name in WORDS:
            words = set(re.findall(r'`"([\w-]+)"`', re.sub(r'\w+ = `"[\w-]+"`', "", meaning))) | {default}
            for word in sorted(word for word in words if word and not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", run[option])):
                yield f"options.{name} takes {word}, which --{option} does not name"


def same_default(said, default):
    said = said.split(":")[0].split(",")[0].strip("`\"'")
    return said == default or re.match(r"[\d.]+", said) and float(re.match(r"[\d.]+", said)[0]) == float(default or 0)


def check_pages(root, fields, verbs):
    """Names of options and of verbs' options in the text of all pages."""
    every = {option for text in verbs.values() for option in OPTION.findall(text)}
    for path in [root / "README.md", *sorted(root.glob("docs/**/*.md"))]:
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(root)
        for field in sorted(set(re.findall(r"\b[oO]ptions(?:\.|::)([a-z_]+)\b(?!\()", text)) - set(fields) - {"md", "name", "hpp"}):
            yield f"{name}: options.{field} is no field of Options"
        for command in re.findall(r"\bspmvgen ((?:[a-z]+ ?){1,2}[^`\n|]*)", text):
            verb = max((v for v in verbs if command.startswith(v.removeprefix("spmvgen ").strip())), key=len, default="")
            for option in OPTION.findall(command) if verb != "spmvgen" and verb else ():
                if option not in OPTION.findall(verbs[verb]) and not (verb == "spmvgen tune" and option in every):
                    yield f"{name}: {verb} has no --{option}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1]).resolve()
    reference = root / "docs/reference"
    rows = table_of((reference / "cpp-api.md").read_text(encoding="utf-8"), "Options")
    fields = {row[0].strip("`"): (row[2].strip('`"'), row[3]) for row in rows}
    by_name = set(re.findall(r'option<&Options::\w+>\("(\w+)"', (root / "runtime/handle/options_by_name.cpp").read_text(encoding="utf-8")))
    verbs = sections_of((reference / "command-line-options.md").read_text(encoding="utf-8"))
    if len(fields) < 20 or not by_name or "spmvgen run" not in verbs:
        sys.exit("the pages have no table of Options, or no help of spmvgen run")
    run = described(verbs["spmvgen run"])
    wrong = [*check_names(fields, by_name), *check_help(fields, run), *check_pages(root, fields, verbs)]
    print("\n".join(wrong) or f"{len(fields)} options, {len(verbs)} verbs: all agree")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
