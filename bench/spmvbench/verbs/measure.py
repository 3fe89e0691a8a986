"""Runs `spmvgen bench` on a GPU as docs/performance.md has it, section by section.

Each section leaves OUT/SECTION.jsonl, or with a value type, and OUT/SECTION.log. Matrices are twins
of the gallery, the smallest first, or those of --matrices. A section ends after --limit seconds and
keeps what it has; `spmvgen bench --resume` goes on with it.
"""

import argparse
import os
import signal
import subprocess
import sys
import time

from spmvbench.errors import BenchError
from spmvbench.verbs import conversion

# Of every class of structure some, small and large.
SOME = """
    raefsky3 venkat01 rma10 roadNet-PA com-Youtube thermal2 delaunay_n20 G3_circuit atmosmodd shipsec1
    kkt_power NACA0015 hugetrace-00000 memchip in-2004 StocF-1465 M6 wikipedia-20051105 Transport cage14
    nlpkkt80 dgreen Hook_1498
"""
SMALL = "fidap037 epb1 bcsstk28 raefsky2 bcsstk17 twotone raefsky3 dblp-2010 venkat01 qcd5_4 rma10 cop20k_A"
ONES = """
    debr NACA0015 rgg_n_2_20_s0 rgg_n_2_21_s0 venturiLevel3 hugetrace-00000 hugetric-00000 delaunay_n20
    delaunay_n22 333SP M6 AS365 NLR packing-500x100x100-b050 ecology1 roadNet-CA
"""
EDGES = """
    StocF-1465 Transport M6 thermal2 venturiLevel3 atmosmodd nlpkkt80 CurlCurl_3 CurlCurl_4 vas_stokes_1M
    Hook_1498 Freescale2 memchip FullChip wiki-Talk 333SP kkt_power Hamrle3
"""
LOW = """
    patents cit-Patents delaunay_n20 delaunay_n21 delaunay_n22 sx-stackoverflow soc-Pokec wiki-Talk
    com-Youtube wikipedia-20070206 cage14
"""
ORDER = "delaunay_n20 delaunay_n21 delaunay_n22 com-Youtube dblp-2010 G3_circuit CurlCurl_4 M6"
ALONE = "strips:codes=8:sigma=1"

TILES = [
    "csr_load_balance",
    "coo",
    *(f"tiles:items={items}:run={run}" for items in (8, 16) for run in (1, 2, 4, 8)),
    *(f"tiles:items=8:run=4:{more}" for more in ("block=128", "block=512", "staged=32", "staged=128")),
    "tiles:items=32:run=1",
    *(f"tiles_hubs:hubs={hubs}:run=4:block=512:per_unit=2" for hubs in (2048, 4096, 8192, 10240)),
    *(f"tiles_hubs:hubs={hubs}:run=4:block=1024:per_unit=1:staged=32" for hubs in (12288, 16384, 24576)),
    *(f"tiles_hubs:hubs=12288:run={run}:block=1024:per_unit=1:staged=32" for run in (8, 2)),
    "tiles_hubs:hubs=4096:run=4:block=256:per_unit=4",
    "tiles_hubs:hubs=8192:run=2:items=16:block=512:per_unit=1",
    *(
        f"tiles_hubs:hubs={hubs}:warm={warm}:run=4:block=512:per_unit=2"
        for warm in (65536, 262144, 1048576)
        for hubs in (0, 8192)
    ),
]


def section(kernels, values="f64", numbers="random", against="cusparse", twins=""):
    return {"kernels": kernels, "values": values.split(","), "numbers": numbers, "against": against, "twins": twins.split()}


SECTIONS = {
    "gallery": section("auto"),
    "own": section("auto", numbers="own"),
    "f32": section("auto", "f32"),
    "own-f32": section("auto", "f32", "own"),
    "levels": section("auto,auto/measure,all"),
    "low": section("auto,auto/measure", twins=LOW),
    "conversion": section("strips:block_rows=1:block_cols=1:value_code=0", twins=SOME),
    "small": section(
        "auto,csr_classical:subwarp=4:unroll=2,csr_classical:subwarp=8,csr_classical:subwarp=16,"
        "sell_slices,strips,bcsr_fused,tiles",
        twins=SMALL,
    ),
    "units": section(
        "auto,csr_matrix_units,csr_matrix_units:unroll=2,csr_matrix_units:tiles=2,csr_classical,sell_slices,bcsr_fused",
        against="none",
        twins=SOME,
    ),
    "order": section("auto,strips,strips:reorder=rows", against="none", twins=ORDER),
    # columns as they are, where all values are one
    "columns": section(
        f"auto,strips,strips:unroll=4,tiles,{ALONE}:unroll=4,{ALONE}:unroll=4:block=128,"
        f"{ALONE}:unroll=5:block=128,{ALONE}:unroll=7",
        "f64,f32",
        "own",
        "none",
        ONES,
    ),
    # 128 and 256 threads; edge elements with neighbouring rows in a slice, and with every third one
    "blocks": section(
        "auto,strips:block=128,strips:block=256,strips:period=1,tiles:block=128,tiles:block=256",
        "f64,f32",
        against="none",
        twins=EDGES,
    ),
    "tiles": section(",".join(TILES), against="none"),
}


def add_arguments(parser):
    parser.add_argument("program", metavar="SPMVGEN")
    parser.add_argument("out", metavar="OUT")
    parser.add_argument("sections", nargs="+", metavar="SECTION", help=", ".join([*SECTIONS, "ablation"]))
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument(
        "--gallery",
        metavar="G",
        help="where `spmvgen gallery make --suite all -o G` put the twins; made there when it is empty (OUT/gallery)",
    )
    parser.add_argument("--matrices", nargs="+", metavar="FILE", help="these instead of twins")
    parser.add_argument("--clock", default="stream", help="clocks of `spmvgen bench`, such as stream,graph")
    parser.add_argument("--budget", default="8ms", help="time for a case")
    parser.add_argument("--limit", type=float, default=200, help="seconds for a section")


def twins_of(options, names):
    """Paths of the twins that are named, else of all, the smallest first."""
    folder = options.gallery or os.path.join(options.out, "gallery")
    if not os.path.isdir(folder) or not os.listdir(folder):
        subprocess.run([options.program, "gallery", "make", "--suite", "all", "-o", folder], check=True)
    if not names:
        found = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".csr")]
        return sorted(found, key=lambda path: (os.path.getsize(path), path))
    return [os.path.join(folder, name + ".csr") for name in names]


def call(command, log, limit):
    """Interrupts the command after `limit` seconds, which then keeps what it has."""
    with open(log, "w") as file, subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT) as process:
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            process.wait()
    if process.returncode != 0:
        print(f"ended early or with wrong results, status {process.returncode}: see {log}")


def run_section(options, name):
    if name == "ablation":
        matrices = options.matrices or twins_of(options, SOME.split())
        package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        command = [
            sys.executable,
            package,
            "ablation",
            options.program,
            "--device",
            options.device,
            "--budget",
            options.budget,
            "--json",
            os.path.join(options.out, "ablation.jsonl"),
            *matrices,
        ]
        return call(command, os.path.join(options.out, "ablation.log"), options.limit)
    what = SECTIONS[name]
    matrices = options.matrices or twins_of(options, what["twins"])
    for value in what["values"]:
        made = os.path.join(options.out, name if len(what["values"]) == 1 else f"{name}-{value}")
        call(
            [
                options.program,
                "bench",
                *matrices,
                "--device",
                options.device,
                "--value",
                value,
                "--clock",
                options.clock,
                "--numbers",
                what["numbers"],
                "--kernels",
                what["kernels"],
                "--against",
                what["against"],
                "--budget",
                options.budget,
                "--json",
                made + ".jsonl",
            ],
            made + ".log",
            options.limit,
        )
        if name == "conversion":
            conversion.run(argparse.Namespace(files=[made + ".jsonl"]))
    return None


def run(options):
    for name in options.sections:
        if name not in SECTIONS and name != "ablation":
            raise BenchError(f"unknown section '{name}': use {', '.join([*SECTIONS, 'ablation'])}")
    os.makedirs(options.out, exist_ok=True)
    for name in options.sections:
        begin = time.monotonic()
        run_section(options, name)
        print(f"{name}: {time.monotonic() - begin:.0f} s")
