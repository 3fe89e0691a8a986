#!/usr/bin/env python3
"""Pages name the kernels that rules choose, all of them and no others, and those that need a parameter for the same bits.

Usage: rules_test.py ROOT

Kernels are those of docs/reference/kernels.md. Exit status: 0 all agree, 1 something does not.
"""
import pathlib
import re
import sys

# What a rule names without choosing it for a single product: what a kernel set holds, and formats of that name.
NOT_CHOSEN = {"ell", "hyb", "hyb_fused", "bcsr_split", "csr_k_blocks", "csr_k_rows", "csr_light"}


def section(text, heading):
    """From a heading to the next of its depth."""
    depth, rest = heading.split(" ", 1)
    return re.search(rf"^{depth} {re.escape(rest)}\n(.*?)(?=^#{{1,{len(depth)}}} |\Z)", text, re.M | re.S)[1]


def by_parameter(root):
    """Kernels that are deterministic with a parameter: those of the generated table, and of the page."""
    kernels = (root / "docs/reference/kernels.md").read_text(encoding="utf-8")
    page = (root / "docs/reference/reproducibility.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith("|") and "deterministic=1" in line)
    return (set(re.findall(r"^\| \[`(\w+)`\].*with `deterministic=1`", kernels, re.M)),
            set(re.findall(r"`([a-z][a-z0-9_]*)`", row.split("|")[1])))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1]).resolve()
    kernels = set(re.findall(r"^### (\w+)$", (root / "docs/reference/kernels.md").read_text(encoding="utf-8"), re.M))
    named = {word for path in root.glob("runtime/tuner/rules/*.cpp")
             for word in re.findall(r'"([a-z][a-z0-9_]*)"', path.read_text(encoding="utf-8"))}
    chosen = {kernel for kernel in named & kernels if not kernel.startswith("batch_")} - NOT_CHOSEN
    wrong = [] if chosen else ["runtime/tuner/rules names no kernel"]
    for page, text in (("docs/explanation/choice.md", section((root / "docs/explanation/choice.md").read_text(encoding="utf-8"), "## Rules")),
                       ("runtime/tuner/rules/README.md", (root / "runtime/tuner/rules/README.md").read_text(encoding="utf-8").split("## Batches")[0])):
        told = set(re.findall(r"`([a-z][a-z0-9_]*)`", text)) & kernels
        wrong += [f"{page}: {kernel}, which a rule chooses, is missing" for kernel in sorted(chosen - told)]
        wrong += [f"{page}: {kernel} is chosen by no rule" for kernel in sorted(told - named)]
    of_table, of_page = by_parameter(root)
    if of_table != of_page:
        wrong.append(f"docs/reference/reproducibility.md: with deterministic=1 are {sorted(of_table)}, the page has {sorted(of_page)}")
    print("\n".join(wrong) or f"{len(chosen)} kernels: all agree")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
