#!/usr/bin/env python3
"""Gradients of the three programs of pyhpc-benchmarks, beside JAX: NumPy's text with `numpy` replaced by Weft, and their own text for JAX.

    python tests/benchmarks/pyhpc_gradients.py PYHPC [--size N] [--rounds N] [--csv FILE]

PYHPC is a folder with https://github.com/dionhaefner/pyhpc-benchmarks. The loss is the sum of the squares of all that a program gives, and the
gradient is taken by all arrays of floats that it gets, in f64. The tridiagonal solver of turbulent_kinetic_energy, LAPACK's in NumPy's text, is
a `wf.scan`, as it is JAX's. Columns are those of npbench_gradients.py, as are the ways to measure.
"""

import argparse
import csv
import importlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import types

from npbench_gradients import FIELDS, milliseconds
from tke_by_scan import solve_tridiag

PROGRAMS = {
    "equation_of_state": ("eos", "gsw_dHdT"),
    "isoneutral_mixing": ("isoneutral", "isoneutral_diffusion_pre"),
    "turbulent_kinetic_energy": ("tke", "integrate_tke"),
}


def weft_text(folder, name):
    module = types.ModuleType(name)
    text = (folder / "benchmarks" / name / f"{PROGRAMS[name][0]}_numpy.py").read_text()
    exec(compile(text.replace("import numpy as np", "import weft as np"), f"{name}.py", "exec"), module.__dict__)  # noqa: S102
    if hasattr(module, "solve_tridiag"):
        module.solve_tridiag = solve_tridiag
    return module.run


def loss_of(run, inputs, wrt, square):
    def loss(*arrays):
        args = list(inputs)
        for k, x in zip(wrt, arrays, strict=True):
            args[k] = x
        given = run(*args)
        return sum(square(x) for x in (given if isinstance(given, tuple | list) else (given,)))

    return loss


def measure(folder, name, size, rounds):
    import jax
    import numpy as np
    import weft as wf

    jax.config.update("jax_enable_x64", True)
    inputs = importlib.import_module(f"benchmarks.{name}").generate_inputs(size)
    wrt = [k for k, x in enumerate(inputs) if x.dtype.kind == "f"]
    every = tuple(range(len(wrt)))
    ours = loss_of(weft_text(folder, name), inputs, wrt, lambda x: wf.sum(x * x))
    arrays = [wf.asarray(inputs[k]) for k in wrt]
    forward = wf.compile(lambda *xs: ours(*(x.copy() for x in xs)))  # programs write to what they get
    gradient = wf.compile(wf.value_and_grad(ours, argnums=every))

    def run():
        value, found = gradient(*arrays)
        wf.eval([value, *found])

    row = {"program": name, "cold_ms": milliseconds(run)}
    milliseconds(lambda: wf.eval(forward(*arrays)))
    row["compiling_ms"] = milliseconds(lambda: (gradient.warm(*arrays), forward.warm(*arrays)))
    short, function = PROGRAMS[name]
    theirs = getattr(importlib.import_module(f"benchmarks.{name}.{short}_jax"), function)
    given = [jax.numpy.asarray(x) for x in inputs]
    theirs = jax.jit(jax.value_and_grad(loss_of(theirs, given, wrt, lambda x: (x * x).sum()), argnums=every))
    on_device = [given[k] for k in wrt]
    value, wanted = jax.block_until_ready(theirs(*on_device))
    our_value, found = gradient(*arrays)
    row["error"] = abs(float(our_value) - float(value)) / abs(float(value))
    for x, a, b in zip(arrays, map(np.asarray, found), map(np.asarray, wanted), strict=True):
        # A gradient that vanishes is rounding errors, and is measured by the value that they are of.
        least = 1e-9 * abs(float(value)) / max(float(wf.max(wf.abs(x))), 1e-300)
        row["error"] = max(row["error"], float(np.max(np.abs(a - b))) / max(float(np.max(np.abs(b))), least))
    ways = {"forward_ms": lambda: wf.eval(forward(*arrays)), "weft_ms": run, "jax_ms": lambda: jax.block_until_ready(theirs(*on_device))}
    times, work = {way: [] for way in ways}, {way: [] for way in ways}
    start = time.perf_counter()
    for _ in range(rounds):
        for way, call in ways.items():
            work[way].append(milliseconds(lambda way=way, call=call: times[way].append(milliseconds(call)), time.process_time))
        if time.perf_counter() - start > 60:
            break
    row.update({way: statistics.median(found) for way, found in times.items()})
    row.update({"cpu_" + way: min(found) for way, found in work.items()})
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pyhpc", type=pathlib.Path)
    parser.add_argument("--size", type=int, default=262_144)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--csv")
    options = parser.parse_args()
    sys.path.insert(0, str(options.pyhpc))
    if options.one:
        print("row " + json.dumps(measure(options.pyhpc, options.one, options.size, options.rounds)))
        return
    rows = []
    for name in PROGRAMS:
        command = [sys.executable, __file__, str(options.pyhpc), "--one", name, "--size", str(options.size), "--rounds", str(options.rounds)]
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "WEFT_CACHE_DIR": empty})
        found = [line for line in done.stdout.splitlines() if line.startswith("row ")]
        rows.append(json.loads(found[-1][4:]) if found else {"program": name, "note": (done.stderr.strip().splitlines() or ["no result"])[-1][:150]})
        print(rows[-1], flush=True)
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=FIELDS)
            writer.writeheader()
            writer.writerows({k: f"{v:.4g}" if isinstance(v, float) else v for k, v in row.items()} for row in rows)


if __name__ == "__main__":
    main()
