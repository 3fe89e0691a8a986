#!/usr/bin/env python3
"""Writes set_v1.spmvset from runtime/store/README.md alone, without spmvgen: the file pins the format.

The format does not change within version 1: run this only for a new version of set or entry, with a new file name."""
import hashlib
import json
import pathlib
import struct


def text(s):
    raw = s.encode()
    return struct.pack("<Q", len(raw)) + raw


def digest(fields):
    out = struct.pack("<Q", len(fields))
    for name in sorted(fields):
        value = fields[name]
        out += text(name)
        out += b"s" + text(value) if isinstance(value, str) else b"i" + struct.pack("<q", value)
    return hashlib.sha256(out).digest()


def compact(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


generator = "0123456789abcdef" * 4


def entry(beta, payload):
    """csr_rows for β = 0 or 1: its digest and its bytes."""
    source, flags, compiler = "// kernel\n", "-O3", "clang 19.1.7"
    key = {"format": 2, "launch_abi": 3, "generator": generator, "compiler": "clang", "compiler_series": "19.1",
           "binary": "shared_object", "arch": "x86-64-v3", "tune": "", "features": "", "wavefront": 0,
           "storage": "f64", "epilogue": "", "kernel": "csr_rows", "value": "f64", "index": "i32", "offset": "i32",
           "alpha": "one", "beta": beta, "num_rhs": 1}
    source_digest = hashlib.sha256(source.encode()).hexdigest()
    step = {"symbol": "csr_rows", "rule": "per_thread", "arguments": [], "block": 0, "shared_bytes": 0,
            "grid": {"items": "", "items_per_block": 1, "blocks_per_unit": 0, "groups": 1}}
    compiled = digest({"source": source_digest, "flags": flags, "compiler": compiler}).hex()
    header = {"key": key, "name": "csr_rows_f64_i32_o32_a1_b%d_k1" % (beta == "one"), "target": "x86-64-v3",
              "launch": {"steps": [step], "workspace": []}, "facts": {}, "compiler": compiler, "flags": flags,
              "source_digest": source_digest, "compiled_digest": compiled, "version": "9.8.7",
              "created": "1970-01-01T00:00:00Z"}
    raw = (compact(header) + "\n").encode()
    bytes_ = b"SPMVGEN\n" + struct.pack("<IIQQ", 2, len(raw), len(source), len(payload)) + raw
    bytes_ += source.encode() + payload
    return digest(key), bytes_ + hashlib.sha256(bytes_).digest()


def padded(length):
    return (length + 15) // 16 * 16


entries = sorted([entry("zero", b"\x7fELF first"), entry("one", b"\x7fELF the second\0")])
header = compact({"launch_abi": 3, "generator": generator, "compiler": "clang", "compiler_series": "19.1",
                  "version": "9.8.7", "name": "golden", "targets": ["x86-64-v3"]}).encode()
header = header.ljust(padded(len(header) + 1) - 1) + b"\n"
end = 64 + len(header) + 48 * len(entries)
index = b""
for key, bytes_ in entries:
    index += key + struct.pack("<QQ", padded(end), len(bytes_))
    end = padded(end) + len(bytes_)
front = b"SPMVSET\n" + struct.pack("<IIQQ", 1, len(header), len(entries), end)
out = front + hashlib.sha256(front + header + index).digest() + header + index
for key, bytes_ in entries:
    out = out.ljust(padded(len(out)), b"\0") + bytes_
pathlib.Path(__file__).with_name("set_v1.spmvset").write_bytes(out)
for key, bytes_ in entries:
    print(key.hex(), len(bytes_))
