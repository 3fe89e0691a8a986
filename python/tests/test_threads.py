"""Several threads at once, with the interpreter's lock free while the library works."""

import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest
from conftest import close, numbers, sparse

import spmvgen


def run(count, work):
    """Runs work(i) in threads; the first exception is raised here."""
    failures = []

    def guarded(i):
        try:
            work(i)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_two_threads_multiply_with_one_operator():
    given = sparse(400, 300)
    a, dense = spmvgen.matrix(given), given.toarray()
    xs = [numbers(300, "float64", i) for i in range(2)]
    expected = [dense @ x for x in xs]

    def work(i):
        for _ in range(200):
            close(a @ xs[i], expected[i])

    run(2, work)


def test_handles_are_made_once_by_whoever_comes_first():
    given = sparse(400, 300)
    a, dense = spmvgen.matrix(given), given.toarray()
    u = numbers(400, "float64", 2)
    run(4, lambda i: close(a.T @ u, dense.T @ u))
    assert len(a._family._handles) == 2


def test_a_signal_ends_the_timing_of_kernels():
    class Stop(Exception):
        pass

    def stop(signum, frame):
        raise Stop

    given = sparse(400, 300)
    before = signal.signal(signal.SIGALRM, stop)
    compiled = spmvgen.counters()["compiles_started"]
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Stop):
            spmvgen.matrix(given, level="exhaustive", cache="memory", threads=1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # It times more than 100, of which no other test has made many.
    assert spmvgen.counters()["compiles_started"] - compiled < 50


@pytest.mark.parametrize("format", ["csr", "sell"])
def test_new_numbers_wait_for_products(format):
    given = sparse(400, 300)
    a = spmvgen.matrix(given, format=format)
    x = numpy.ones(300)
    ones, twos = numpy.ones(given.nnz), numpy.full(given.nnz, 2.0)
    lengths = numpy.diff(given.indptr).astype("float64")
    a.update(ones)

    def work(i):
        for step in range(100):
            if i == 0:
                a.update(twos if step % 2 else ones)
            else:
                y = a @ x
                assert (y == lengths).all() or (y == 2 * lengths).all()

    run(3, work)


def test_new_numbers_get_their_turn_among_products():
    n, per_row = 60_000, 50  # a product takes some milliseconds
    columns = numpy.tile(numpy.arange(per_row), n)
    arrays = numpy.arange(n + 1) * per_row, columns, numpy.ones(n * per_row)
    a = spmvgen.matrix((*arrays, (n, n)), threads=1, format="csr", encodings="none")
    done, products = threading.Event(), [0] * 6

    def multiply(i):
        if i == len(products):
            return renew()
        x, y = numpy.ones(n), numpy.empty(n)
        while not done.is_set():
            a.apply(x, y)
            products[i] += 1

    def renew():
        meanwhile = 0
        try:
            for _ in range(5):
                time.sleep(0.02)
                before = sum(products)
                a.update(arrays[2])
                meanwhile += sum(products) - before
        finally:
            done.set()
        # Of each update those that ran before it, and those until this thread saw its end, which
        # takes a while on a busy machine. Without a turn there were thousands.
        assert meanwhile <= 5 * 50 * len(products)

    run(len(products) + 1, multiply)


# Python before 3.14 ends daemon threads by unwinding them, which C++ does not let pass.
DAEMONS = """
import threading, time, numpy, spmvgen
n = 1000
a = spmvgen.matrix((numpy.arange(n + 1), numpy.arange(n), numpy.ones(n), (n, n)), threads=1)

def multiply():
    x, y = numpy.ones(n), numpy.empty(n)
    while True:
        a.apply(x, y)

def wait():
    time.sleep(100)

for work in (multiply, multiply, multiply, wait):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
"""


def test_the_interpreter_goes_down_while_daemon_threads_multiply():
    done = subprocess.run([sys.executable, "-c", DAEMONS], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def no_switches():
    """The interpreter lets no other thread in unless somebody gives its lock away."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.parametrize("what", ["create", "apply", "update"])
def test_others_run_while_the_library_works(no_switches, what):
    n = 1_000_000  # a product takes a millisecond
    arrays = (numpy.arange(n + 1), numpy.arange(n), numpy.ones(n))
    a = spmvgen.matrix((*arrays, (n, n)), threads=1, encodings="none")
    x, y = numpy.ones(n), numpy.empty(n)
    a.apply(x, y)
    work = {
        "create": lambda: spmvgen.matrix((*arrays, (n, n)), threads=1),
        "apply": lambda: a.apply(x, y),
        "update": lambda: a.update(arrays[2]),
    }[what]
    done = threading.Event()
    steps = 0

    def count():
        nonlocal steps
        while not done.is_set():
            steps += 1
            time.sleep(0)  # gives the lock away

    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = steps
        for _ in range(20):
            work()
        assert steps > before
    finally:
        done.set()
        thread.join()
