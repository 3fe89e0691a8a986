"""info, source, orders, emit, the self-test, types and the pages of the documentation."""

import doctest
import importlib.metadata
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from conftest import close, numbers, sparse

import spmvgen

ROOT = Path(__file__).resolve().parents[2]


def test_info_and_source():
    a = spmvgen.matrix(sparse(60, 42), kernel="csr_rows")
    assert a.info["kernel"].startswith("csr_rows_f64")
    assert (a.info["rows"], a.info["cols"], a.T.info["op"]) == (60, 42, "T")
    assert "csr_rows" in a.source
    assert repr(a).startswith("<spmvgen.Matrix 60x42 of float64, ")
    assert spmvgen.counters()["compiles_failed"] == 0


def test_version_is_that_of_the_package():
    assert importlib.metadata.version("spmvgen") == spmvgen.__version__


def test_explain():
    a = spmvgen.matrix(sparse(300, 300))
    assert any(line.startswith("planning") for line in a.explain().splitlines())
    columns = spmvgen.matrix(sparse(300, 300).tocsc())
    assert any(line.startswith("planning") for line in columns.T.explain().splitlines())


def test_row_order():
    assert spmvgen.matrix(sparse(60, 60)).row_order is None
    given = sparse(60, 60)
    a = spmvgen.matrix(given, reorder="rcm")
    order = a.row_order
    assert order.dtype == numpy.int32
    assert (numpy.sort(order) == numpy.arange(60)).all()
    x = numbers(60, "float64", 1)
    close(a @ x, given.toarray() @ x)


def test_emit():
    text = spmvgen.emit(format="ell", arch="gfx906", value="f32", params={"groups": 4})
    assert "__global__" in text
    assert "groups" not in spmvgen.emit(format="csr", arch="x86-64-v3")
    assert ".text" in spmvgen.emit(kernel="csr_rows", arch="x86-64-v3", form="asm")
    assert isinstance(spmvgen.emit(kernel="csr_rows", arch="x86-64-v3", form="object"), bytes)
    with pytest.raises(ValueError, match="no kernel is named: set format or kernel"):
        spmvgen.emit()
    with pytest.raises(ValueError, match="unknown option 'frmat': use one of format, kernel, arch"):
        spmvgen.emit(kernel="csr_rows", frmat="ell")


def test_self_test():
    done = subprocess.run(
        [sys.executable, "-m", "spmvgen.selftest"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all products are right" in done.stdout


def test_works_without_scipy():
    program = """
import sys
sys.modules["scipy"] = None
import numpy, spmvgen
a = spmvgen.matrix(([0, 2, 3], [0, 1, 1], [1.0, 2.0, 3.0], (2, 2)))
assert (a @ numpy.array([10.0, 20.0]) == [50, 60]).all()
assert (numpy.array([1.0, 1.0]) @ a == [1, 5]).all()
assert (a.H.matmat(numpy.eye(2)) == [[1, 0], [2, 3]]).all()
assert (a.dot(numpy.ones(2)) == [3, 3]).all()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_function_is_typed():
    api = pytest.importorskip("mypy.api")
    out, _, status = api.run(
        [
            "--config-file",
            str(ROOT / "python" / "pyproject.toml"),
            str(ROOT / "python" / "src" / "spmvgen"),
        ]
    )
    assert status == 0, out
    stubtest = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy.stubtest",
            "spmvgen._core",
            "--ignore-missing-stub",
            "--ignore-disjoint-bases",
        ],
        capture_output=True,
        text=True,
    )
    assert "is not present at runtime" not in stubtest.stdout, stubtest.stdout


def test_programs_that_use_it_are_typed(tmp_path):
    api = pytest.importorskip("mypy.api")
    program = tmp_path / "program.py"
    program.write_text(
        "import spmvgen\n"
        "a: spmvgen.Matrix = spmvgen.matrix(([0, 1], [0], [1.0], (1, 1)))\n"
        "kernel: str = spmvgen.counters()\n"
    )
    out, _, status = api.run(["--strict", "--config-file=", "--cache-dir=/dev/null", str(program)])
    assert (status, out.count("error:")) == (1, 1), out
    assert 'variable has type "str"' in out


@pytest.mark.parametrize(("name", "least"), [("tutorial/from-python", 15), ("reference/python", 20)])
def test_the_pages(name, least):
    page = ROOT / "docs" / f"{name}.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert tried > least
    assert failed == 0


def test_the_packages_own_examples():
    failed, tried = doctest.testmod(spmvgen)
    assert (failed, tried > 0) == (0, True)
