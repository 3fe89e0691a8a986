#!/usr/bin/env python3
"""Writes entry_v2_abi3.spmvk from runtime/store/README.md alone, without spmvgen: the file pins the entry format.

The format does not change within version 2 and one launch_abi: run this only for a new version of either, with a new
file name."""
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
    return hashlib.sha256(out).hexdigest()


source = "// y = αAx + βy\nint row;\n"
payload = b"\x7fELF\0\xff\r\n\x1a payload"
compiler = "clang 19.1.7 (Debian)"
flags = "-O3 -march=x86-64-v4"
key = {
    "format": 2, "launch_abi": 3, "generator": "0123456789abcdef" * 4, "compiler": "clang",
    "compiler_series": "19.1", "binary": "shared_object", "arch": "x86-64-v4", "tune": "sapphirerapids",
    "features": "", "wavefront": 0, "storage": "f64", "epilogue": "",
    "kernel": "csr_vector", "value": "f64", "index": "i32", "offset": "i64", "alpha": "general",
    "beta": "zero", "num_rhs": 2, "param.lanes": 8, "param.unroll": -2,
}
source_digest = hashlib.sha256(source.encode()).hexdigest()
host = {"grid": {"items": "", "items_per_block": 1, "blocks_per_unit": 0, "groups": 1}, "block": 0, "shared_bytes": 0}
header = {
    "key": key,
    "name": "csr_vector_f64_i32_o64_ax_b0_k2_lanes8_unroll-2",
    "target": "x86-64-v4:tune=sapphirerapids",
    "launch": {
        "steps": [
            {"symbol": "csr_vector", "rule": "per_thread",
             "arguments": [{"name": "row_ptr", "type": "const long*"}, {"name": "alpha", "type": "double"}], **host},
            {"symbol": "carry", "rule": "once", "arguments": [], **host},
        ],
        "workspace": [{"name": "carry_row", "bytes_per_thread": 8, "bytes_per_block": 0, "of_step": 0, "bytes": 0,
                       "zeroed": False}],
    },
    "facts": {},
    "compiler": compiler,
    "flags": flags,
    "source_digest": source_digest,
    "compiled_digest": digest({"source": source_digest, "flags": flags, "compiler": compiler}),
    "version": "9.8.7",
    "created": "2026-11-20T23:04:05Z",
}
raw_header = (json.dumps(header, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n").encode()
entry = b"SPMVGEN\n" + struct.pack("<IIQQ", 2, len(raw_header), len(source.encode()), len(payload))
entry += raw_header + source.encode() + payload
entry += hashlib.sha256(entry).digest()
pathlib.Path(__file__).with_name("entry_v2_abi3.spmvk").write_bytes(entry)
print(digest(key))
