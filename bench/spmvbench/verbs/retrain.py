"""Trains the rules of level `rule` from tuning_db's records, rates all levels, and writes docs/tuning-results.md with its plots.

Devices are those that have records of level exhaustive (tuning_db/records-DEVICE*.json.gz).
bench_choice_quality is built first, and again with the new rules, which are embedded. Nothing is
timed.
"""

import contextlib
import glob
import io
import os
import shutil
import subprocess
import sys
import tempfile

from spmvbench.errors import BenchError, need
from spmvbench.main import parser_of
from spmvbench.results import CLASSES, kept, read_json
from spmvbench.verbs import choice, profile, train

# Device, its name for people, and the multiprocessors of a GPU.
DEVICES = [("nvidia-h200", "NVIDIA H200", 132), ("x86-64-v4", "CPU (x86-64-v4)", 0)]
VALUES = ("f64", "f32")
HEAD = """# How good the tuner's choices are

Made by `python3 bench/spmvbench retrain` from the records in tuning_db; [tuning.md](tuning.md) tells how.
Nothing here was timed for this page.
A ratio is the time of the choice over the least time of all kernels that were timed on the matrix; means are geometric.

"""


def add_arguments(parser):
    parser.add_argument("build", nargs="?", default="build/release", metavar="BUILD_FOLDER", help="configured (build/release)")
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(os.path.dirname(CLASSES))), help="of the sources")


def call(command, **more):
    print(" ".join(command), file=sys.stderr)
    try:
        subprocess.run(command, check=True, **more)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BenchError(f"{' '.join(command)}: {error}") from None


def verb(module, *words):
    """Runs another verb; what it prints."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        module.run(parser_of(module.__name__.rsplit(".", 1)[-1]).parse_intermixed_args([str(w) for w in words]))
    return text.getvalue()


def has_question(rule):
    return "feature" in rule["tree"]


def section(program, scratch, device, name, units, records):
    """Rates all levels of a device, and draws the plots; the page's part of it."""
    made = os.path.join(scratch, device)
    quality = kept(f"bench/results/choice-quality-{device}.json").removesuffix(".gz")
    call([program, "--units", str(units), "--classes", CLASSES, "--json", quality, *records], stdout=sys.stderr)
    for value in VALUES:
        try:
            verb(
                profile,
                "-o",
                f"docs/tuning-{device}-{value}.svg",
                "--title",
                f"{name}, {value}",
                "--value",
                value,
                quality,
                made + "-left-out.json",
            )
        except BenchError as error:
            print(f"no plot of {device}, {value}: {error}", file=sys.stderr)
    text = verb(
        choice,
        "--name",
        name,
        "--rule",
        made + ".json",
        "--tree",
        made + ".txt",
        "--left-out",
        made + "-left-out.json",
        "--plots",
        f"tuning-{device}",
        quality,
    )
    if os.path.exists(quality + ".gz"):  # as it was kept
        os.remove(quality + ".gz")
        call(["gzip", "-9n", quality])
    return text


def run(options):
    need("matplotlib", "python3-matplotlib")  # before anything is built
    build = os.path.abspath(options.build)
    os.chdir(options.root)
    program = os.path.join(build, "bin/bench_choice_quality")
    records = {device: sorted(glob.glob(f"tuning_db/records-{device}*.json.gz")) for device, _, _ in DEVICES}
    present = [line for line in DEVICES if records[line[0]]]
    if not present:
        raise BenchError("tuning_db has no records of a known device")
    builder = ["cmake", "--build", build, "-j2", "--target", "bench_choice_quality"]
    with tempfile.TemporaryDirectory() as scratch:
        call(builder, stdout=sys.stderr)
        for device, _, units in present:
            made = os.path.join(scratch, device)
            verb(
                train,
                "--program",
                program,
                "--units",
                units,
                "-o",
                made + ".json",
                "--text",
                made + ".txt",
                "--left-out",
                made + "-left-out.json",
                *records[device],
            )
            rule = f"tuning_db/rule-{device}.json"
            if has_question(read_json(made + ".json")):
                shutil.copyfile(made + ".json", rule)
            elif os.path.exists(rule):  # the hand-written rules decide alone
                os.remove(rule)
        call(builder, stdout=sys.stderr)  # with the new rules embedded
        parts = [section(program, scratch, device, name, units, records[device]) for device, name, units in present]
    with open("docs/tuning-results.md", "w", encoding="utf-8") as page:
        page.write(HEAD + "".join(parts))
