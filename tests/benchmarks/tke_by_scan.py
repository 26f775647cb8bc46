#!/usr/bin/env python3
"""pyhpc's turbulent_kinetic_energy with its tridiagonal solver as `wf.scan`, beside the same text with LAPACK's.

    python tests/benchmarks/tke_by_scan.py PYHPC [--size 1000000] [--rounds 9]

PYHPC is a folder with https://github.com/dionhaefner/pyhpc-benchmarks. Its NumPy text is run as it is, and with `numpy` replaced by Weft:
with `lapack.dgtsv`, which takes the arrays out of Weft, and with the solver below, by which the whole program is one compiled function.
JAX, where it is installed, runs its own text of the program, whose solver is a scan, too. All four take turns. Medians are printed,
`cpu`, the least time of the processor in all threads, which other work on the machine changes less, and the largest difference to NumPy's results.
"""

import argparse
import importlib
import pathlib
import statistics
import sys
import time
import types

PROGRAM = "benchmarks.turbulent_kinetic_energy"


def solve_tridiag(a, b, c, d):
    """Thomas's algorithm down the last axis: what is above each equation is left out of it, then back."""
    import weft as wf

    def eliminate(above, row):
        a, b, c, d = row
        scale = 1.0 / (b - a * above[0])
        kept = c * scale, (d - a * above[1]) * scale
        return kept, kept

    def substitute(below, row):
        x = row[1] - row[0] * below
        return x, x

    first = wf.zeros(a.shape[:-1])
    _, kept = wf.scan(eliminate, (first, first), tuple(wf.moveaxis(x, -1, 0) for x in (a, b, c, d)))
    _, found = wf.scan(substitute, first, kept, reverse=True)
    return wf.moveaxis(found, 0, -1)


def weft_module(text, by_scan):
    module = types.ModuleType("tke")
    exec(compile(text.replace("import numpy as np", "import weft as np"), "tke_numpy.py", "exec"), module.__dict__)  # noqa: S102
    if by_scan:
        module.solve_tridiag = solve_tridiag
    return module


def milliseconds(f, clock=time.perf_counter):
    start = clock()
    f()
    return (clock() - start) * 1e3


def ways_of(folder, inputs):
    import numpy as np
    import weft as wf

    text = (folder / PROGRAM.replace(".", "/") / "tke_numpy.py").read_text()
    numpy = importlib.import_module(f"{PROGRAM}.tke_numpy")
    lapack, scan = weft_module(text, False), weft_module(text, True)
    arrays = [wf.asarray(x) for x in inputs]

    # It writes to tke and dtke, the last two.
    def compiled(*xs):
        return scan.integrate_tke(*xs[:-2], xs[-2].copy(), xs[-1].copy())

    compiled = wf.compile(compiled)
    ways = {
        "numpy": lambda: numpy.integrate_tke(*inputs[:-2], inputs[-2].copy(), inputs[-1].copy()),
        "weft, lapack": lambda: wf.eval(lapack.integrate_tke(*arrays[:-2], arrays[-2].copy(), arrays[-1].copy())),
        "weft, scan": lambda: wf.eval(compiled(*arrays)),
    }
    try:
        import jax
    except ImportError:
        return ways
    jax.config.update("jax_enable_x64", True)
    theirs = jax.jit(importlib.import_module(f"{PROGRAM}.tke_jax").integrate_tke)
    on_device = [jax.numpy.asarray(np.array(x)) for x in inputs]
    ways["jax"] = lambda: jax.block_until_ready(theirs(*on_device))
    return ways


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pyhpc", type=pathlib.Path)
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    sys.path.insert(0, str(options.pyhpc))
    import numpy as np

    inputs = importlib.import_module(PROGRAM).generate_inputs(options.size)
    ways = ways_of(options.pyhpc, inputs)
    results, cold = {}, {}
    for way, call in ways.items():
        cold[way] = milliseconds(lambda call=call, way=way: results.update({way: call()}))
        for _ in range(6):
            call()
    times, work = {way: [] for way in ways}, {way: [] for way in ways}
    for _ in range(options.rounds):
        for way, call in ways.items():
            work[way].append(milliseconds(lambda way=way, call=call: times[way].append(milliseconds(call)), time.process_time))
    print(f"{'':14}{'cold ms':>10}{'ms':>10}{'cpu ms':>10}{'difference':>12}")
    for way in ways:
        size = [np.max(np.abs(np.asarray(x))) for x in results["numpy"]]
        apart = [np.max(np.abs(np.asarray(x) - np.asarray(y))) for x, y in zip(results[way], results["numpy"], strict=True)]
        middle, least = statistics.median(times[way]), min(work[way])
        print(f"{way:14}{cold[way]:10.1f}{middle:10.1f}{least:10.1f}{max(a / s for a, s in zip(apart, size, strict=True)):12.1e}")


if __name__ == "__main__":
    main()
