#!/usr/bin/env python3
"""Gradients of npbench's programs, beside JAX: NumPy's text with `numpy` replaced by Weft, and npbench's own text for JAX.

    python tests/benchmarks/npbench_gradients.py NPBENCH [--only NAME,...] [--preset S] [--rounds N] [--csv FILE]

NPBENCH is a folder with https://github.com/spcl/npbench. The loss is the sum of the squares of all that a program gives, and the gradient
is taken by all arrays of floats that it gets. Weft's is `wf.compile(wf.value_and_grad(f))`, JAX's `jit(value_and_grad(f))`, both in f64.

`cold` is Weft's first call, in a new process with an empty cache of kernels, in blocks where these are faster than kernels that are to be compiled; `compiling` what the kernels of value and
gradient take after it. Then value alone, gradient and JAX take turns. Medians are printed, and `cpu`, the least time of the processor in all
threads, which other work on the machine changes less. `error` is the largest difference to JAX, of the largest number; where JAX's text does not run or computes something
else, that of slopes to central differences of NumPy's text. Each program has a process of its own, and `--seconds` for it.
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

NAMES = """adi arc_distance atax bicg cavity_flow conv2d correlation covariance deriche doitgen durbin fdtd_2d gemm gemver gesummv go_fast
hdiff heat_3d jacobi_1d jacobi_2d k2mm k3mm lenet mlp mvt nbody resnet softmax trisolv vadv""".split()

FIELDS = ["program", "cold_ms", "compiling_ms", "forward_ms", "weft_ms", "jax_ms", "cpu_forward_ms", "cpu_weft_ms", "cpu_jax_ms", "error", "note"]


class Program:
    """What npbench says of a program, and its arguments."""

    def __init__(self, folder, name, preset):
        import numpy as np

        info = next(i for i in map(read_info, sorted((folder / "bench_info").glob("*.json"))) if i["module_name"] == name)
        self.info, self.name = info, name
        self.package = "npbench.benchmarks." + info["relative_path"].replace("/", ".")
        self.text = (folder / "npbench/benchmarks" / info["relative_path"] / f"{name}_numpy.py").read_text()
        data = dict(info["parameters"][preset])
        make = getattr(importlib.import_module(f"{self.package}.{name}"), info["init"]["func_name"])
        made = make(*(data[k] for k in info["init"]["input_args"]))
        made = made if isinstance(made, tuple) else (made,)
        data.update(zip(info["init"]["output_args"], made, strict=True))
        self.args = [data[k] for k in info["input_args"]]
        self.wrt = [k for k, x in enumerate(self.args) if isinstance(x, np.ndarray) and x.dtype.kind == "f"]
        self.args = [np.asarray(x, np.float64) if k in self.wrt else x for k, x in enumerate(self.args)]
        # What npbench says of them is not right of each program, and some are given what they leave as it is.
        self.changed = self.found_changed() or [info["input_args"].index(k) for k in info["output_args"] if k in info["input_args"]]

    def found_changed(self):
        """The arguments that NumPy's text changes."""
        import numpy as np

        args = [x.copy() if isinstance(x, np.ndarray) else x for x in self.args]
        kernel(self, "numpy")(*args)
        return [k for k in self.wrt if not np.array_equal(args[k], self.args[k])]

    def loss(self, run, square, writes):
        """Of the arrays in `wrt`. `writes`: whether the program changes its arguments, which are results then."""

        def loss(*arrays):
            args = list(self.args)
            for k, x in zip(self.wrt, arrays, strict=True):
                args[k] = x
            given = run(*args)
            results = [] if given is None else list(given) if isinstance(given, tuple | list) else [given]
            if writes:
                results += [args[k] for k in self.changed]
            else:  # some of JAX's texts give what they only read as well
                results = [x for x in results if all(x is not y for y in arrays)]
            own = {id(x): x for x in results if x is not None}  # what a program changes it may give, too
            return sum(square(x) for x in own.values())

        return loss


def read_info(path):
    return json.loads(path.read_text())["benchmark"]


def kernel(program, library):
    """NumPy's text, of this library."""
    module = types.ModuleType(program.name)
    text = program.text.replace("import numpy as np", f"import {library} as np").replace("np.float32", "np.float64")
    exec(compile(text, f"{program.name}.py", "exec"), module.__dict__)  # noqa: S102
    return getattr(module, program.info["func_name"])


def milliseconds(f, clock=time.perf_counter):
    start = clock()
    f()
    return (clock() - start) * 1e3


def by_differences(program, arrays, gradients):
    """How far the slopes along random directions are from central differences of NumPy's text."""
    import numpy as np

    loss = program.loss(kernel(program, "numpy"), lambda x: np.sum(x * x), True)
    rng = np.random.default_rng(0)

    def error(k, way, step):
        there, back = (float(loss(*(y + sign * step * way if i == k else y.copy() for i, y in enumerate(arrays)))) for sign in (1, -1))
        slope = float(np.sum(np.asarray(gradients[k]) * way)) * step
        return abs((there - back) / 2 - slope) / max(abs(slope), min(1e-9, 1e-3 * step) * abs(there), 1e-300)

    ways = [rng.standard_normal(x.shape) * max(1e-3, float(np.max(np.abs(x)))) for x in arrays]
    return max(min(error(k, way, step) for step in (1e-11, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4)) for k, way in enumerate(ways))


def measure(folder, name, preset, rounds):
    import jax
    import numpy as np
    import weft as wf

    jax.config.update("jax_enable_x64", True)
    program = Program(folder, name, preset)
    arrays = [program.args[k] for k in program.wrt]
    ours = program.loss(kernel(program, "weft"), lambda x: wf.sum(x * x), True)
    every = tuple(range(len(arrays)))
    inputs = [wf.asarray(x) for x in arrays]
    forward = wf.compile(lambda *xs: ours(*(x.copy() for x in xs)))  # programs write to what they get
    gradient = wf.compile(wf.value_and_grad(ours, argnums=every))

    def run():
        value, found = gradient(*inputs)
        wf.eval([value, *found])

    row = {"program": name, "cold_ms": milliseconds(run)}
    milliseconds(lambda: wf.eval(forward(*inputs)))
    row["compiling_ms"] = milliseconds(lambda: (gradient.warm(*inputs), forward.warm(*inputs)))
    ways = {"forward_ms": lambda: wf.eval(forward(*inputs)), "weft_ms": run}
    if any(bool(wf.any(wf.isnan(x))) for x in gradient(*inputs)[1]):
        return {"program": name, "note": "its gradient is NaN"}
    try:
        theirs = getattr(importlib.import_module(f"{program.package}.{name}_jax"), program.info["func_name"])
        theirs = getattr(theirs, "__wrapped__", theirs)  # under a jit of its own the number of turns would be unknown, and have no gradient
        theirs = jax.jit(jax.value_and_grad(program.loss(theirs, lambda x: (x * x).sum(), False), argnums=every))
        value, wanted = jax.block_until_ready(theirs(*arrays))
    except Exception as error:  # noqa: BLE001: whatever their text does not do
        row["note"] = f"beside differences: JAX's text raises {type(error).__name__}"
        row["error"] = by_differences(program, arrays, gradient(*inputs)[1])
    else:
        ours_value, ours_gradients = gradient(*inputs)
        size = abs(float(value))
        row["error"] = abs(float(ours_value) - float(value)) / max(size, 1e-300)
        if row["error"] > 1e-6:  # it gives other arrays than NumPy's text, so that its loss is another one
            row["note"] = "beside differences: JAX's text gives other results"
            row["error"] = by_differences(program, arrays, ours_gradients)
            wanted = ours_gradients
        for x, a, b in zip(arrays, ours_gradients, map(np.asarray, wanted), strict=True):
            # A gradient that vanishes is rounding errors, and is measured by the value that they are of.
            least = 1e-9 * size / max(float(np.max(np.abs(x))), 1e-300)
            row["error"] = max(row["error"], float(np.max(np.abs(np.asarray(a) - b))) / max(float(np.max(np.abs(b))), least, 1e-300))
        ways["jax_ms"] = lambda: jax.block_until_ready(theirs(*arrays))
    times, work = {way: [] for way in ways}, {way: [] for way in ways}
    start = time.perf_counter()
    for _ in range(rounds):
        for way, call in ways.items():
            work[way].append(milliseconds(lambda way=way, call=call: times[way].append(milliseconds(call)), time.process_time))
        if time.perf_counter() - start > 20:
            break
    row.update({way: statistics.median(found) for way, found in times.items()})
    row.update({"cpu_" + way: min(found) for way, found in work.items()})
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("npbench", type=pathlib.Path)
    parser.add_argument("--only", default=",".join(NAMES))
    parser.add_argument("--preset", default="S")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--csv")
    options = parser.parse_args()
    sys.path.insert(0, str(options.npbench))
    if options.one:
        print("row " + json.dumps(measure(options.npbench, options.one, options.preset, options.rounds)))
        return
    rows = []
    for name in options.only.split(","):
        command = [sys.executable, __file__, str(options.npbench), "--one", name, "--preset", options.preset, "--rounds", str(options.rounds)]
        row = {"program": name}
        try:
            with tempfile.TemporaryDirectory() as empty:
                environment = {**os.environ, "WEFT_CACHE_DIR": empty}
                done = subprocess.run(command, capture_output=True, text=True, timeout=options.seconds, check=False, env=environment)
            found = [line for line in done.stdout.splitlines() if line.startswith("row ")]
            row = json.loads(found[-1][4:]) if found else {**row, "note": (done.stderr.strip().splitlines() or ["no result"])[-1][:150]}
        except subprocess.TimeoutExpired:
            row["note"] = f"not done in {options.seconds:.0f} s"
        rows.append(row)
        print(row, flush=True)
    for kind in ("", "cpu_"):
        ratios = [r[kind + "weft_ms"] / r[kind + "jax_ms"] for r in rows if "jax_ms" in r]
        own = [r[kind + "weft_ms"] / r[kind + "forward_ms"] for r in rows if "weft_ms" in r]
        if own:
            print(f"{kind}gradient / value, median of {len(own)}: {statistics.median(own):.2f}")
        if ratios:
            print(f"{kind}Weft / JAX, geometric mean of {len(ratios)}: {statistics.geometric_mean(ratios):.2f}")
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=FIELDS)
            writer.writeheader()
            writer.writerows({k: f"{v:.4g}" if isinstance(v, float) else v for k, v in row.items()} for row in rows)


if __name__ == "__main__":
    main()
