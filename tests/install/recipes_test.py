#!/usr/bin/env python3
"""Holds the recipes of packaging/ against scripts/lib.sh and the version of CMakeLists.txt, and all else that names the version.

Usage: recipes_test.py ROOT

Exit status: 0 all agree, 1 something does not, 77 (skipped) where Jinja2 or PyYAML is missing, which the conda recipe needs.
"""
import ast
import pathlib
import re
import subprocess
import sys

SKIPPED = 77
# Debian package → Spack's and conda-forge's; None: only tests and benchmarks need it, which the conda recipe does not build.
NAMES = {
    "g++": ("cxx", "cxx"), "cmake": ("cmake", "cmake"), "ninja-build": ("ninja", "ninja"),
    "zlib1g-dev": ("zlib-api", "zlib"), "libzstd-dev": ("zstd", "zstd"),
    "llvm-19-dev": ("llvm", "llvmdev"), "libclang-19-dev": ("llvm", "clangdev"), "libclang-cpp19-dev": ("llvm", "clangdev"), "liblld-19-dev": ("llvm", "lld"),
    "libfmt-dev": ("fmt", "fmt"), "libcli11-dev": ("cli11", "cli11"), "nlohmann-json3-dev": ("nlohmann-json", "nlohmann_json"),
    "libmd-dev": ("libmd", "libmd"), "libboost-dev": ("boost", "libboost-headers"),
    "libgtest-dev": ("googletest", None), "libgmock-dev": ("googletest", None), "libbenchmark-dev": ("benchmark", None),
}


def debian_packages(root):
    script = '. scripts/lib.sh && printf "%s\\n" "${SPMVGEN_PACKAGES[@]}"'
    return subprocess.run(["bash", "-c", script], cwd=root, capture_output=True, text=True, check=True).stdout.split()


def calls(tree, name):
    """First arguments of the calls of a function, as text."""
    return [node.args[0].value for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name]


def bare(requirement):
    """The name of a requirement, without versions and variants."""
    return re.match(r"[\w-]+", requirement)[0]


def spack_recipe(root):
    path = root / "packaging/spack/package.py"
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    return {"version": calls(tree, "version")[0], "dependencies": {bare(spec) for spec in calls(tree, "depends_on")}}


def conda_recipe(root):
    import jinja2
    import yaml
    template = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string((root / "packaging/conda/meta.yaml").read_text(encoding="utf-8"))
    recipe = yaml.safe_load(template.render(compiler=lambda language: language, environ={}))
    requirements = recipe["requirements"]
    return {"version": recipe["package"]["version"], "url": recipe["source"]["url"],
            "dependencies": {bare(one) for one in requirements["build"] + requirements["host"]}}


def differences(recipe, found, wanted, version):
    if found["version"] != version:
        yield f"{recipe}: version {found['version']}, CMakeLists.txt has {version}"
    for name in sorted(wanted - found["dependencies"]):
        yield f"{recipe}: {name} is missing"
    for name in sorted(found["dependencies"] - wanted):
        yield f"{recipe}: {name} is not in SPMVGEN_PACKAGES of scripts/lib.sh"


# Where the version stands beside CMakeLists.txt and the recipes: file, pattern whose group is the version, or its first two numbers.
PLACES = (
    ("CITATION.cff", r"^version: (\S+)$"), ("python/pyproject.toml", r'^version = "(\S+)"$'), ("python/pyproject.toml", r'spmvgen-jit==([^"]+)"'),
    ("python/jit/pyproject.toml", r'^version = "(\S+)"$'), ("CHANGELOG.md", r"^## (\d\S*) \(\d{4}-\d\d-\d\d\)$"),
    ("docs/how-to/install.md", r"spmvgen-([\d.]+)\.tar\.gz"), ("cmake/spmvgenConfig.cmake.in", r"find_package\(spmvgen ([\d.]+)"),
    ("docs/tutorial/first-product.md", r"find_package\(spmvgen ([\d.]+)"), ("docs/tutorial/solver-on-a-gpu.md", r"find_package\(spmvgen ([\d.]+)"),
    ("docs/how-to/cmake.md", r"find_package\(spmvgen ([\d.]+)"), ("python/CMakeLists.txt", r"find_package\(spmvgen ([\d.]+)"),
    ("python/jit/CMakeLists.txt", r"find_package\(spmvgen ([\d.]+)"), ("examples/add_kernel/CMakeLists.txt", r"find_package\(spmvgen ([\d.]+)"),
    ("runtime/include/spmvgen/spmvgen.hpp", r'Version of this library, "([^"]+)"'), ("runtime/include/spmvgen/spmvgen.h", r'Version of the library, "([^"]+)"'),
)


def other_versions(root, version):
    """Places that name another version. The newest release of the CHANGELOG counts."""
    for file, pattern in PLACES:
        found = re.search(pattern, (root / file).read_text(encoding="utf-8"), re.M)
        if found is None:
            yield f"{file}: no version where {pattern} is looked for"
        elif found[1] not in (version, version.rpartition(".")[0]):
            yield f"{file}: version {found[1]}, CMakeLists.txt has {version}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1]).resolve()
    version = re.search(r"project\(spmvgen VERSION (\S+)", (root / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    packages = debian_packages(root)
    wrong = [f"scripts/lib.sh: {name} has no name for Spack and conda in {__file__}" for name in packages if name not in NAMES]
    known = [NAMES[name] for name in packages if name in NAMES]
    wrong += other_versions(root, version)
    wrong += differences("packaging/spack/package.py", spack_recipe(root), {spack for spack, _ in known}, version)
    if subprocess.run(["bash", "-n", root / "packaging/conda/build.sh"], check=False).returncode != 0:
        wrong.append("packaging/conda/build.sh: does not parse")
    missing = ""
    try:
        conda = conda_recipe(root)
        wrong += differences("packaging/conda/meta.yaml", conda, {conda for _, conda in known if conda}, version)
        if conda["url"] != f"../../build/spmvgen-{version}.tar.gz":
            wrong.append(f"packaging/conda/meta.yaml: the sources are {conda['url']}")
    except ModuleNotFoundError as error:
        missing = str(error)
    print("\n".join(wrong) or (f"skipped: {missing}" if missing else "the recipes agree"))
    sys.exit(1 if wrong else SKIPPED if missing else 0)


if __name__ == "__main__":
    main()
