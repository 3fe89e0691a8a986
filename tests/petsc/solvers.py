#!/usr/bin/env python3
"""Times of PETSc's solvers on GPUs with matrices of aijcusparsespmvgen, beside aijcusparse.

usage: solvers.py MPIEXEC LIBRARY FOLDER [--same] [--ranks 1,2] [--grid N] [--rounds N] [--json FILE] [--only TEXT]
                  [--seconds S] [-- OPTIONS OF PETSC]

FOLDER has the tutorials ex2 and ex50 of PETSc (src/ksp/ksp/tutorials), unchanged. Ranks share the GPUs that there are. Both types
are timed in turn; the least of each counts. Exit status 1 when one fails, or with --same takes other numbers of iterations. That
is for small grids: BiCGSTAB amplifies rounding, so that after a thousand iterations no two orders of summation agree.
"""
import argparse
import itertools
import json
import os
import re
import subprocess
import sys
import time

SOLVERS = ("cg", "gmres", "bcgs")
# GMRES that is begun anew every 30 iterations hardly converges without a good preconditioner.
MOST_ITERATIONS = {"cg": 5000, "gmres": 1000, "bcgs": 5000}
# The right-hand side of ex50 is an eigenvector of its matrix: without a preconditioner one iteration would do.
PROBLEMS = {"ex2": ("none", "jacobi", "gamg"), "ex50": ("jacobi", "gamg")}
EVENTS = ("KSPSolve", "MatMult", "MatSpmvgenPlan")
TYPES = ("aijcusparse", "aijcusparsespmvgen")


def options_of(program, grid, kind):
    """The problem, and how the program's matrix and vectors get their types."""
    if program == "ex2":
        return ["-m", str(grid), "-n", str(grid), "-mat_type", kind, "-vec_type", "cuda"]
    return ["-da_grid_x", str(grid), "-da_grid_y", str(grid), "-dm_mat_type", kind, "-dm_vec_type", "cuda"]


def events(log):
    """Calls and the longest time of a rank. What runs on the GPU has a time with -log_view_gpu_time only, which waits for it."""
    found = {}
    for name in EVENTS:
        match = re.search(rf"^{name}\s+(\d+)\s+\S+\s+(\S+)", log, re.M)
        if match:
            found[name] = {"calls": int(match[1]), "seconds": None if match[2] == "n/a" else float(match[2])}
    return found


def run(arguments, program, kind, solver, preconditioner, ranks):
    command = [arguments.mpiexec, "-n", str(ranks), os.path.join(arguments.folder, program),
               *options_of(program, arguments.grid, kind), "-dll_append", arguments.library, "-ksp_type", solver, "-pc_type",
               preconditioner, "-ksp_rtol", "1e-6", "-ksp_max_it", str(MOST_ITERATIONS[solver]), "-ksp_converged_reason", "-log_view",
               *arguments.options]
    started = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return {"failed": "no end after 120 s"}
    iterations = re.search(r"iterations (\d+)", done.stdout)
    found = events(done.stdout)
    if done.returncode != 0 or not iterations or not {"KSPSolve", "MatMult"} <= found.keys():
        return {"failed": (done.stderr + done.stdout)[-1500:]}
    return {"iterations": int(iterations[1]), "process_seconds": round(time.monotonic() - started, 2), "events": found}


def compare(arguments, program, solver, preconditioner, ranks):
    """One line of results: the least KSPSolve of each type, and its events."""
    best = {}
    for _, kind in itertools.product(range(arguments.rounds), TYPES):
        one = run(arguments, program, kind, solver, preconditioner, ranks)
        if "failed" in one:
            return {"failed": f"{kind}: {one['failed']}"}
        if kind not in best or one["events"]["KSPSolve"]["seconds"] < best[kind]["events"]["KSPSolve"]["seconds"]:
            best[kind] = one
    reference, ours = (best[kind] for kind in TYPES)
    ratios = {name: round(ours["events"][name]["seconds"] / reference["events"][name]["seconds"], 3)
              for name in ("KSPSolve", "MatMult") if ours["events"][name]["seconds"]}
    ratios["iteration"] = round(ratios["KSPSolve"] * reference["iterations"] / ours["iterations"], 3)
    return {"same_iterations": reference["iterations"] == ours["iterations"], "ratio": ratios, **best}


def report(line):
    where = f"{line['program']:4} n = {line['ranks']} {line['solver']:5} {line['preconditioner']:6}"
    if "failed" in line:
        return f"{where}: FAILED {line['failed']}"
    reference, ours = (line[kind] for kind in TYPES)
    plan = ours["events"].get("MatSpmvgenPlan", {"seconds": 0})["seconds"] or 0
    products = f"MatMult {line['ratio']['MatMult']:.2f}; " if "MatMult" in line["ratio"] else ""
    same = "" if line["same_iterations"] else f"; other iterations, ratio of one {line['ratio']['iteration']:.2f}"
    return (f"{where}: {reference['iterations']} and {ours['iterations']} iterations, KSPSolve "
            f"{reference['events']['KSPSolve']['seconds']:.4f} and {ours['events']['KSPSolve']['seconds']:.4f} s, ratio "
            f"{line['ratio']['KSPSolve']:.2f}; {products}planning {plan:.4f} s{same}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mpiexec")
    parser.add_argument("library")
    parser.add_argument("folder")
    parser.add_argument("--same", action="store_true", help="other numbers of iterations are an error")
    parser.add_argument("--ranks", default="1")
    parser.add_argument("--grid", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--json")
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no further comparison after these")
    known = sys.argv[1:]
    own, petsc = (known[:known.index("--")], known[known.index("--") + 1:]) if "--" in known else (known, [])
    arguments = parser.parse_args(own)
    arguments.options = petsc
    started, wrong = time.monotonic(), 0
    cases = [(program, preconditioner) for program, all_of_it in PROBLEMS.items() for preconditioner in all_of_it]
    for ranks, (program, preconditioner), solver in itertools.product(arguments.ranks.split(","), cases, SOLVERS):
        about = {"program": program, "ranks": int(ranks), "solver": solver, "preconditioner": preconditioner, "grid": arguments.grid,
                 "options": " ".join(petsc)}
        if not re.search(arguments.only, f"{program} {ranks} {solver} {preconditioner}"):
            continue
        if time.monotonic() - started > arguments.seconds:
            print(f"{program} n = {ranks} {solver} {preconditioner}: no time left")
            continue
        line = about | compare(arguments, program, solver, preconditioner, ranks)
        wrong += "failed" in line or (arguments.same and not line["same_iterations"])
        print(report(line), flush=True)
        if arguments.json:
            with open(arguments.json, "a", encoding="utf-8") as file:
                print(json.dumps(line), file=file)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
