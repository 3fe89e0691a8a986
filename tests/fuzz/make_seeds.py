#!/usr/bin/env python3
"""Writes the first inputs of each corpus (the fuzzers find the others).

Needs nothing but this repository. The forms of the inputs are told at the top of each target's .cpp."""
import argparse
import gzip
import hashlib
import json
import pathlib
import struct
import zlib

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
PARSER = argparse.ArgumentParser(description=__doc__)
PARSER.add_argument("folder", nargs="?", type=pathlib.Path, default=HERE / "corpus", help="default: corpus beside this file")
TO = PARSER.parse_args().folder


def write(target, name, data):
    folder = TO / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"seed-{name}").write_bytes(data)


BANNER = "%%MatrixMarket matrix "
MARKET = {
    "real": "coordinate real general\n% c\n3 4 4\n1 1 1.5\n2 2 -3e2\n3 4 .5D+1\n1 1 inf\n",
    "hermitian": "coordinate complex hermitian\n3 3 3\n1 1 1 0\n2 1 3 4\r\n1 3 5 6\n",
    "skew": "coordinate real skew-symmetric\n3 3 2\n2 1 1\n3 1 2\n",
    "pattern": "coordinate pattern symmetric\n4 4 4\n1 1\n2 1\n1 2\n4 3\n",
    "array": "array integer general\n2 3\n1\n2\n0\n\n-4\n5\n% c\n6\n",
    "array-complex": "array complex symmetric\n2 2\n1 2\n3 4\n5 6\n",
    "array-skew": "array real skew-symmetric\n3 3\n1\n-2\n3.5\n",
    "array-hermitian": "array complex hermitian\n2 2\n1 0\n3 4\n5 0\n",
    "conflict": "coordinate real symmetric\n3 3 2\n2 1 1\n1 2 2\n",
    "numbers": "coordinate double general\n2 9 9\n1 1 1d3\n1 2 -1.#IND\n1 3 1.#QNAN\n1 4 -Infinity\n1 5 0.5-123\n"
               "1 6 1e-400\n1 7 123456789012345678901234567890\n1 8 nan\n2 9 -0\n",
    "unsigned": "coordinate unsigned-integer general\n1 1 2\n1 1 18446744073709551615\n1 1 +1\n",
    "wide": "coordinate real general\n2 5000000000 2\n1 5000000000 1\n2 1 2\n",
    "tall": "coordinate pattern general\n5000000000 2 1\n1 1\n",
    "many-rows": "coordinate pattern general\n40000 1 1\n39999 1\n",
    "empty": "coordinate real general\n0 0 0\n",
    "no-columns": "array real general\n3 0\n",
    "too-few": "coordinate real general\n2 2 3\n1 1 1\n2 2 2\n",
    "too-many": "coordinate real general\n2 2 1\n1 1 1\n2 2 2\n",
    "too-large": "coordinate real general\n2 2 1\n1 1 1e999\n",
    "outside": "coordinate real general\n2 2 1\n3 1 1\n",
    "vector": "array real general\n4 1\n1\n2\n3\n4\n",
}
for name, text in MARKET.items():
    write("matrix_market", name, (BANNER + text).encode())
write("matrix_market", "gzip", gzip.compress((BANNER + MARKET["real"]).encode(), mtime=0))
write("matrix_market", "gzip-members", gzip.compress((BANNER + MARKET["real"])[:50].encode(), mtime=0) +
      gzip.compress((BANNER + MARKET["real"])[50:].encode(), mtime=0) + b"\0\0")
write("matrix_market", "harwell-boeing", b"title".ljust(72) + b"key     \n" + b"1".rjust(14) * 5 + b"\nRUA" + b"1".rjust(25))


def csr(flags, rows, cols, ptr, col, values, codes=(4, 4, 1), version=1):
    """A header with wrong checksums and the three arrays; `codes`: bytes of an offset, of a column, type of value."""
    formats = {4: "i", 8: "q"}
    nnz = len(col)
    header = b"\x89SPMVCSR" + struct.pack("<IIqqqBBBBIII", version, 56, rows, cols, nnz, *codes, 0, 1 << 22, 0, 0)
    body = struct.pack(f"<{len(ptr)}{formats[codes[0]]}", *ptr) + struct.pack(f"<{nnz}{formats[codes[1]]}", *col)
    numbers = {0: "f", 1: "d", 2: "f", 3: "d"}[codes[2]]
    body += struct.pack(f"<{len(values)}{numbers}", *values)
    return bytes([flags]) + header + body


write("csr_binary", "f64", csr(3, 3, 4, [0, 2, 2, 4], [0, 1, 2, 3], [1.5, -2, 3, 4]))
write("csr_binary", "f32-i64", csr(3, 2, 4, [0, 2, 3], [3, 1, 3], [1.5, -2, 3], (8, 8, 0)))
write("csr_binary", "c32-duplicates", csr(3, 2, 4, [0, 3, 3], [3, 1, 3], [1, 2, 3, 4, 5, 6], (4, 4, 2)))
write("csr_binary", "c64", csr(3, 1, 1, [0, 1], [0], [1, float("nan")], (4, 8, 3)))
write("csr_binary", "wide", csr(3, 1, 5000000000, [0, 2], [4999999999, 0], [1, 2], (4, 8, 1)))
write("csr_binary", "descends", csr(3, 2, 2, [0, 2, 1], [0, 1], [1, 2]))
write("csr_binary", "outside", csr(3, 2, 2, [0, 1, 2], [0, 2], [1, 2]))
write("csr_binary", "no-rows", csr(3, 0, 7, [0], [], []))
write("csr_binary", "version", csr(1, 1, 1, [0, 1], [0], [1], version=2))
write("csr_binary", "damaged", csr(2, 1, 1, [0, 1], [0], [1]))
write("csr_binary", "huge", csr(3, 1, 1, [0, 1], [0], [1])[:17] + struct.pack("<qqq", 1 << 62, 1, 1 << 62) +
      csr(3, 1, 1, [0, 1], [0], [1])[41:])

entry = (ROOT / "tests/store/golden/entry_v2_abi3.spmvk").read_bytes()
h, s, p = struct.unpack("<IQQ", entry[12:32])
header, source = entry[32:32 + h], entry[32 + h:32 + h + s]
payload = entry[32 + h + s:32 + h + s + p]


def packed(flags, header, source=source, payload=payload):
    return bytes([flags]) + struct.pack("<HH", len(header), len(source)) + header + source + payload


def with_changes(**changes):
    changed = json.loads(header)
    changed.update(changes)
    return (json.dumps(changed, separators=(",", ":")) + "\n").encode()


gpu_step = {"symbol": "k", "rule": "grid", "arguments": [], "grid": {"items": "num_rows", "items_per_block": 32,
            "blocks_per_unit": 2, "groups": 1}, "block": 256, "shared_bytes": 64}
facts = {"k": {"registers": 24, "scalar_registers": 0, "spilled_bytes": None, "shared_bytes": 0, "wavefront": 32, "stack_bytes": 0}}
write("store_entry", "golden", b"\0" + entry)
write("store_entry", "truncated", b"\0" + entry[:-40])
write("store_entry", "flipped", b"\0" + entry[:50] + bytes([entry[50] ^ 1]) + entry[51:])
write("store_entry", "newer", b"\0" + entry[:8] + b"\3" + entry[9:])
write("store_entry", "parts", packed(1, header))
write("store_entry", "mended", packed(15, header))
write("store_entry", "no-source", packed(3, header, b""))
write("store_entry", "gpu", packed(7, with_changes(launch={"steps": [gpu_step], "workspace": []}, facts=facts)))
write("store_entry", "empty-header", packed(7, b"{}"))
write("store_entry", "other-key", packed(3, with_changes(key={"format": 2, "x": "y"})))
write("store_entry", "wrong-types", packed(7, with_changes(compiler=1, launch=[], facts=[])))



def kernel_set(header, entries, version=1):
    """The file of a set, from docs/reference/files.md."""
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 1) % 16) + b"\n"
    end = 64 + len(text) + 48 * len(entries)
    index, body = b"", b""
    for digest, data in sorted(entries.items()):
        start = (end + 15) // 16 * 16
        index += digest + struct.pack("<QQ", start, len(data))
        body += b"\0" * (start - end) + data
        end = start + len(data)
    front = b"SPMVSET\n" + struct.pack("<IIQQ", version, len(text), len(entries), end)
    return front + hashlib.sha256(front + text + index).digest() + text + index + body


KEY = bytes.fromhex("a99fe2adb9f979bf92752ac5a695c6d067f00efb543412a1f1bb966242cedbf9")  # as make_golden.py tells
maker = {"launch_abi": 3, "targets": ["x86-64-v4"], "generator": "0123456789abcdef" * 4, "compiler": "clang",
         "compiler_series": "19.1", "version": "0.1.0", "name": "default"}
whole = kernel_set(maker, {KEY: entry})
write("kernel_set", "file", b"\0" + whole)
write("kernel_set", "mended", b"\2" + whole)
write("kernel_set", "empty", b"\2" + kernel_set(maker, {}))
write("kernel_set", "two", b"\2" + kernel_set(maker, {KEY: entry, b"\xee" * 32: b"no entry"}))
write("kernel_set", "other-maker", b"\2" + kernel_set(dict(maker, compiler="gcc"), {KEY: entry}))
write("kernel_set", "newer", b"\2" + kernel_set(maker, {}, 2))
write("kernel_set", "truncated", b"\0" + whole[:-9])
parts = [packed(7, header), packed(3, with_changes(key={"format": 2, "x": "y"})), packed(0, b"")]
write("kernel_set", "parts", b"\1" + b"".join(struct.pack("<H", len(part)) + part for part in parts))

for path in sorted((ROOT / "tuning_db").glob("*.json")):
    whole = json.loads(path.read_text())
    if path.name.startswith("csr-k-"):
        whole["matrices"] = whole["matrices"][:1]
        whole["matrices"][0]["times"] = whole["matrices"][0]["times"][:2]
        write("csr_k_json", path.stem, json.dumps(whole, separators=(",", ":")).encode())
    elif path.name.startswith("device-"):
        for rates in ("read", "copy", "gather", "atomics"):
            if rates in whole:
                whole[rates] = whole[rates][:2]
        write("device_profile", path.stem, json.dumps(whole, separators=(",", ":")).encode())
    elif path.name.startswith("dense-"):
        whole["classes"] = whole["classes"][:1] + whole["classes"][-1:]
        write("dense_profile", path.stem, json.dumps(whole, separators=(",", ":")).encode())
    elif path.name == "gpu-correction.json":
        whole["trees"] = whole["trees"][:3]
        write("cost_constants", path.stem, json.dumps(whole, separators=(",", ":")).encode())
    elif path.name.endswith("-costs.json"):
        whole["kernels"] = dict(list(whole["kernels"].items())[:2])
        write("cost_constants", path.stem, json.dumps(whole, separators=(",", ":")).encode())


features = {"rows": 4, "cols": 4, "nnz": 12, "value_type": "f64", "min_row": 3, "max_row": 3, "empty_rows": 0, "mean_row": 3.0,
            "variance_row": 0.0, "row_histogram": [0, 0, 4] + 37 * [0], "row_p50": 3, "row_p90": 3, "row_p99": 3,
            "sell_padding": [1.0] * 3, "sell_sorted_padding": [1.0] * 3, "ell_padding": 1.0, "bandwidth": 1, "mean_distance": 0.5,
            "max_col": 3, "empty_cols": 0, "top_cols_share": 0.01, "sorted": True, "duplicates": False, "delta_share": [1.0] * 3,
            "block_fill": [0.75, 0.5, 0.4, 0.2], "run_sectors": 0.3, "warp_sectors": [0.3] * 6, "window_sectors": [0.1] * 3,
            "pattern_symmetry": 1.0, "value_symmetry": 1.0, "diagonal_full": True,
            "distinct_values": 257, "all_equal": False, "exact_f32": False, "exact_f16": False, "exact_bf16": False,
            "exact_int8": False, "explicit_zeros": 0, "non_finite": 0}


def tuning_record(device, threads, kernels, **changes):
    question = {"value": "f64", "storage": "f64", "num_rhs": 1, "op": "N", "deterministic": False, "threads": threads}
    timed = [{"kernel": k, "us": us, "low_us": us, "high_us": us} for k, us in kernels.items()]
    record = {"matrix": "m", "group": "g", "device": device, "question": question, "date": "2026-11-21", "method": "exhaustive",
              "generator": "0123", "rule": "", "plain": "", "features": features, "kernels": timed}
    return {**record, **changes}


CPU = tuning_record({"name": "x86-64-v4", "arch": "x86-64-v4", "vendor": "x86-64"}, 2,
                    {"csr_rows_f64_i32_o32_a1_b0_k1": 2, "csr_vector_f64_i32_o32_a1_b0_k1_lanes4_prefetch0_unroll1": 1})
GPU = tuning_record({"name": "NVIDIA H200", "arch": "sm_90", "vendor": "nvidia"}, 0,
                    {"csr_classical_f64_i32_o32_a1_b0_k1_block256_subwarp4_unroll4": 5})
FILES = {"cpu": [CPU], "gpu": [GPU], "both": [CPU, GPU], "broken": [dict(CPU, kernels=[]), dict(GPU, date="")], "none": []}
for name, records in FILES.items():
    text = json.dumps({"kind": "tuning-records", "schema": 1, "records": records}, separators=(",", ":"))
    write("tuning_records", name, text.encode())
write("tuning_records", "newer", b'{"kind":"tuning-records","schema":99,"records":[]}')
write("tuning_records", "deep", b'{"kind":"tuning-records","schema":' + b"[" * 200 + b"]" * 200 + b"}")


def layout(target, name, flags, sizes, *arrays):
    """As layouts.hpp has it; sizes: rows, columns, entries or blocks, height, width, and of a list of rows all of them."""
    write(target, name, struct.pack(f"{1 + len(sizes)}B", flags, *sizes) + b"".join(struct.pack(f"{len(a)}b", *a) for a in arrays))


for base in (0, 1):
    def from_base(*numbers):
        return [number + base for number in numbers]

    for wide in (0, 6):
        name = f"{base}-{'wide' if wide else 'narrow'}"
        right, made = base + wide, 8 + base + wide
        layout("layouts", f"csr-{name}", right, (3, 4, 4, 1, 1), from_base(0, 2, 2, 4), from_base(3, 0, 1, 1))
        layout("layouts", f"coo-{name}", 64 + right, (3, 4, 4, 1, 1), from_base(2, 0, 1, 0), from_base(3, 0, 1, 0))
        layout("columns", f"csc-{name}", right, (4, 3, 4, 1, 1), from_base(0, 2, 2, 4), from_base(3, 0, 1, 1))
        layout("blocks", f"bsr-{name}", right, (4, 6, 3, 2, 3), from_base(0, 1, 3), from_base(0, 1, 0))
        layout("blocks", f"by-columns-{name}", 64 + right, (4, 6, 3, 2, 3), from_base(0, 1, 3), from_base(0, 1, 0))
        layout("row_lists", f"rows-{name}", right, (3, 2, 4, 1, 1, 7), from_base(5, 0, 6), from_base(0, 2, 2, 4), from_base(1, 0, 1, 1))
        layout("row_lists", f"twice-{name}", right, (3, 2, 0, 1, 1, 7), from_base(5, 0, 5), from_base(0, 0, 0, 0))
        for target in ("layouts", "columns", "blocks", "row_lists"):
            layout(target, f"made-right-{name}", made, (19, 17, 38, 2, 3, 60), range(110))
        layout("layouts", f"made-right-coo-{name}", 64 + made, (19, 17, 38, 2, 3), range(80))
    layout("layouts", f"ends-early-{base}", base, (2, 2, 5, 1, 1), from_base(0, 1, 2), from_base(0, 1, 0, 1, 0))
    layout("layouts", f"far-{base}", 70 + base, (3, 4, 2, 1, 1), from_base(0, 1), [127, -128])
    layout("columns", f"below-{base}", base, (2, 2, 2, 1, 1), from_base(0, 1, 2), from_base(0, 2))
    layout("blocks", f"no-rows-{base}", base, (0, 4, 0, 2, 2), from_base(0))
    layout("blocks", f"least-{base}", base, (2, 2, 1, 2, 2), from_base(0, 1), [-128])
    layout("blocks", f"part-of-a-block-{base}", base, (5, 6, 1, 2, 3), from_base(0, 1, 1), from_base(0))
    layout("row_lists", f"few-{base}", base, (3, 2, 0, 1, 1, 2), from_base(0, 1, 2), from_base(0, 0, 0, 0))
    layout("row_lists", f"outside-{base}", base, (2, 2, 1, 1, 1, 4), from_base(0, 4), from_base(0, 1, 1), from_base(0))
    layout("row_lists", f"no-rows-{base}", base, (0, 2, 0, 1, 1, 255), from_base(0))
    for target in ("layouts", "columns", "blocks", "row_lists"):
        layout(target, f"negative-{base}", 16 + base, (3, 4, 4, 0, 1, 5), from_base(0, 1, 2, 3, 4), from_base(0, 0, 0, 0))
        layout(target, f"negative-count-{base}", 16 + base, (3, 4, 4, 1, 1, 5), from_base(0, 1, 2, 3, 4), from_base(0, 0, 0, 0))


def parts(name, flags, sizes, *arrays):
    """As the top of parts.cpp has it; sizes: rows, columns, entries, bounds of the partition."""
    write("parts", name, struct.pack("5B", flags, *sizes) + b"".join(struct.pack(f"{len(a)}b", *a) for a in arrays))


for types in range(4):
    parts(f"right-{types}", types, (4, 4, 5, 3), (0, 2, 4), (0, 2, 4), (0, 2, 3, 4, 5), (0, 3, 1, 2, 0), (0, 1, 0, 1, 1))
    parts(f"empty-part-{types}", 16 + types, (4, 3, 5, 4), (0, 0, 4, 4), (0, 1, 1, 3), (0, 2, 3, 4, 5), (0, 2, 1, 2, 0), (1, 0, 1, 9, 0))
    parts(f"made-right-{types}", 28 + types, (23, 22, 39, 6), range(60), range(60, 120))
parts("no-rows", 0, (0, 3, 0, 3), (0, 0, 0), (0, 2, 3), (0,))
parts("no-parts", 0, (0, 0, 0, 1), (0,), (0,), (0,))
parts("no-bounds", 0, (1, 1, 1, 0), (0, 1), (0,))
parts("far", 1, (1, 1, 1, 2), (0, 1), (0, 127), (0, 1), (127,))
parts("descends", 3, (2, 2, 2, 3), (0, -128, 2), (0, 1, 2), (0, 1, 2), (0, 1))
