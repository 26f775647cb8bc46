#!/usr/bin/env python3
"""Gradients of npbench's programs, beside JAX: NumPy's text with `numpy` replaced by Weft, and npbench's own text for JAX.

    python tests/benchmarks/npbench_gradients.py NPBENCH [--only NAME,...] [--preset S] [--rounds N] [--csv FILE]

NPBENCH is a folder with https://github.com/spcl/npbench. The loss is the sum of the squares of all that a program gives, and the gradient
is taken by all arrays of floats that it gets. Weft's is `wf.compile(wf.value_and_grad(f))`, JAX's `jit(value_and_grad(f))`, both in f64.
`cold` is Weft's first call, with recording and compiling; then value alone, gradient and JAX take turns, and medians are printed. Each
program has a process of its own, and `seconds` for it.
"""

import argparse
import csv
import importlib
import json
import pathlib
import statistics
import subprocess
import sys
import time
import types

NAMES = """adi arc_distance atax bicg cavity_flow conv2d_bias correlation covariance deriche doitgen durbin fdtd_2d gemm gemver gesummv go_fast
hdiff heat_3d jacobi_1d jacobi_2d k2mm k3mm lenet mlp mvt nbody resnet softmax trisolv vadv""".split()


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
        self.changed = [info["input_args"].index(k) for k in info["output_args"] if k in info["input_args"]]

    def loss(self, kernel, square, writes):
        """Of the arrays in `wrt`. `writes`: whether the program changes its arguments, which are results then."""

        def loss(*arrays):
            args = list(self.args)
            for k, x in zip(self.wrt, arrays, strict=True):
                args[k] = x
            given = kernel(*args)
            results = [] if given is None else list(given) if isinstance(given, tuple | list) else [given]
            if writes:
                results += [args[k] for k in self.changed]
            return sum(square(x) for x in results if x is not None)

        return loss


def read_info(path):
    return json.loads(path.read_text())["benchmark"]


def weft_kernel(program):
    module = types.ModuleType(program.name)
    text = program.text.replace("import numpy as np", "import weft as np")
    exec(compile(text, f"{program.name}.py", "exec"), module.__dict__)  # noqa: S102
    return getattr(module, program.info["func_name"])


def milliseconds(f):
    start = time.perf_counter()
    f()
    return (time.perf_counter() - start) * 1e3


def measure(folder, name, preset, rounds):
    import jax
    import numpy as np
    import weft as wf

    jax.config.update("jax_enable_x64", True)
    program = Program(folder, name, preset)
    arrays = [program.args[k] for k in program.wrt]
    ours = program.loss(weft_kernel(program), lambda x: wf.sum(x * x), True)
    every = tuple(range(len(arrays)))
    inputs = [wf.asarray(x) for x in arrays]
    forward = wf.compile(lambda *xs: ours(*(x.copy() for x in xs)))  # programs write to what they get
    gradient = wf.compile(wf.value_and_grad(ours, argnums=every))

    def run():
        value, found = gradient(*inputs)
        wf.eval([value, *found])

    row = {"program": name, "cold_ms": milliseconds(run)}
    milliseconds(lambda: wf.eval(forward(*inputs)))
    ways = {"forward_ms": lambda: wf.eval(forward(*inputs)), "weft_ms": run}
    theirs = None
    try:
        kernel = getattr(importlib.import_module(f"{program.package}.{name}_jax"), program.info["func_name"])
        theirs = jax.jit(jax.value_and_grad(program.loss(kernel, lambda x: (x * x).sum(), False), argnums=every))
        value, wanted = jax.block_until_ready(theirs(*arrays))
    except Exception as error:  # noqa: BLE001: whatever their text does not do
        row["note"] = f"JAX: {type(error).__name__}"
    else:
        ours_value, ours_gradients = gradient(*inputs)
        row["error"] = max(
            [abs(float(ours_value) - float(value)) / max(abs(float(value)), 1e-300)]
            + [
                float(np.max(np.abs(np.asarray(a) - np.asarray(b))) / max(float(np.max(np.abs(np.asarray(b)))), 1e-300))
                for a, b in zip(ours_gradients, wanted, strict=True)
            ]
        )
        ways["jax_ms"] = lambda: jax.block_until_ready(theirs(*arrays))
    times = {way: [] for way in ways}
    start = time.perf_counter()
    for _ in range(rounds):
        for way, call in ways.items():
            times[way].append(milliseconds(call))
        if time.perf_counter() - start > 20:
            break
    row.update({way: statistics.median(found) for way, found in times.items()})
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
            done = subprocess.run(command, capture_output=True, text=True, timeout=options.seconds, check=False)
            found = [line for line in done.stdout.splitlines() if line.startswith("row ")]
            row = json.loads(found[-1][4:]) if found else {**row, "note": (done.stderr.strip().splitlines() or ["no result"])[-1][:150]}
        except subprocess.TimeoutExpired:
            row["note"] = f"not done in {options.seconds:.0f} s"
        rows.append(row)
        print(row, flush=True)
    both = [r for r in rows if "jax_ms" in r]
    ratios = [r["weft_ms"] / r["jax_ms"] for r in both]
    own = [r["weft_ms"] / r["forward_ms"] for r in rows if "weft_ms" in r]
    if own:
        print(f"gradient / value, median of {len(own)}: {statistics.median(own):.2f}")
    if ratios:
        print(f"Weft / JAX, geometric mean of {len(ratios)}: {statistics.geometric_mean(ratios):.2f}")
    if options.csv:
        fields = ["program", "cold_ms", "forward_ms", "weft_ms", "jax_ms", "error", "note"]
        with open(options.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=fields)
            writer.writeheader()
            writer.writerows({k: f"{v:.4g}" if isinstance(v, float) else v for k, v in row.items()} for row in rows)


if __name__ == "__main__":
    main()
