"""Results that no machine measured, with whatever may break a page."""
import json

NASTY = "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 2'>"


def made_results(path):
    """Two small matrices with nasty names and new fields: f64 and f32, something wrong, something that could not run."""
    def row(matrix, value, case, library, **more):
        return {"matrix": matrix, "rows": 4, "cols": 4, "nnz": 8, "value": value, "case": case, "library": library, **more}

    def times(us):
        return {"us": us, "low_us": 0.9 * us, "high_us": 1.1 * us, "samples": 5}

    about = {"features": {"min_row": 1, "max_row": 3, "mean_row": 2.0, "variance_row": 1.0, "empty_rows": 0, "bandwidth": 3, "distinct_values": 2, "exact_f32": True},
             "density": {"columns": 2, "lines": 2, "counts": [5, 0, 1, 2]}}
    lines = [{"kind": "spmvgen bench", "schema": 1, "date": "2026-11-21T00:00:00Z", "command": "spmvgen bench A", "device": "host",
              "machine": {"cpu": "Test & <b>CPU</b>", "native": "x86-64-v3", "processors": 2}, "versions": {"spmvgen": "0.1.0"}, "method": {"threads": 2},
              "peers": {"mkl": {"version": "1"}, "eigen": {"absent": "not there"}}, "bandwidth": {"source": "measured", "read": [{"bytes": 1e8, "bytes_per_s": 2e10}]}}]
    for value, factor in (("f64", 1), ("f32", 2)):
        lines += [
            row("good", value, "auto", "spmvgen", kernel="csr_rows_f64_i32_o32_a1_b0_k1", format="csr", reason="short & <i>regular</i> rows", bytes=200, predicted_us=9.0,
                profile="device-x.json", about=about, hot=times(10 / factor), cold=times(40)),
            row("good", value, "csr_rows", "spmvgen", kernel="csr_rows_f64_i32_o32_a1_b0_k1", bytes=200, hot=times(12), cold=times(48)),
            row("good", value, "mkl/csr", "mkl", bytes=200, hot=times(20), cold=times(30)),
            row(NASTY, value, "auto", "spmvgen", kernel="ell_f64_i32_o32_a1_b0_k1", reason=NASTY, bytes=200, hot=times(5), wrong="1 of 4 elements of y are wrong"),
            row(NASTY, value, "csr_rows", "spmvgen", bytes=200, hot=times(7), cold=times(9)),
            row(NASTY, value, "mkl/csr", "mkl", none=NASTY)]
    lines += [row("good", "f64", "auto", "spmvgen", numbers="random", hot=times(16)), row("good", "f64", "mkl/csr", "mkl", numbers="random", hot=times(24))]
    with open(path, "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
