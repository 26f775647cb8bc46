"""First calls: 200 different expressions of 2 to 6 operations on 10 to 10^6 elements, each called once, as cells of a notebook are.

Usage: first_calls.py [--expressions N]. One process a row: NumPy, then Weft for each tier with no cache at all, and with the disk cache
that the run before filled. Medians and totals, in ms.

    first_calls.py --calls FILE     one function called a thousand times: the time until each call is over, for docs/pictures; needs numba
    first_calls.py --reductions     a new process that computes ten reductions, beside NumPy's process
    first_calls.py --beside         what other work loses while kernels compile behind it
"""

import argparse
import csv
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

UNARY = ["exp", "sin", "cos", "sqrt", "abs", "tanh", "square", "floor"]
BINARY = ["add", "subtract", "multiply", "maximum", "minimum"]
REDUCE = ["sum", "mean", "max", "min"]


def expressions(count):
    """Programs of (op, how) for a stack machine; no two are the same."""
    draw = random.Random(7)
    seen, out = set(), []
    while len(out) < count:
        ops = []
        for _ in range(draw.randint(2, 6)):
            ops.append(draw.choice(UNARY) if draw.random() < 0.5 else draw.choice(BINARY))
        if draw.random() < 0.3:
            ops[-1] = draw.choice(REDUCE)
        size = round(10 ** draw.uniform(1, 6))
        if tuple(ops) in seen:
            continue
        seen.add(tuple(ops))
        out.append((ops, size))
    return out


def compute(np, ops, x, y):
    value = x
    for op in ops:
        f = getattr(np, op)
        value = f(value, y) if op in BINARY else f(value)
    return value


def run(what, count):
    import numpy

    if what == "numpy":
        library, asarray = numpy, lambda x: x
    else:
        import weft

        library, asarray = weft, weft.asarray
        numpy.asarray(asarray(numpy.ones(300)) + 1)  # opens the device
    times = []
    for ops, size in expressions(count):
        x, y = (asarray(numpy.linspace(0.1, k, size)) for k in (1.0, 2.0))
        start = time.perf_counter()
        float(numpy.asarray(compute(library, ops, x, y)).reshape(-1)[-1])
        times.append((time.perf_counter() - start) * 1e3)
    stats = library.stats() if what != "numpy" else {}
    print(json.dumps({"times": times, "stats": stats}))


# ---- one function, many times

CALLS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
WAYS = (("NumPy", {}), ("Numba", {}), ("Weft, auto", {"WEFT_TIER": "auto"}), ("Weft, compile", {"WEFT_TIER": "compile"}))


def curve(np, x):
    return (np.exp(-x * x) * np.sin(x) + 0.5 * x) / (1.0 + x * x)


def run_calls(library):
    import numpy

    x, wait = numpy.linspace(-3, 3, 100_000), lambda y: y
    f = lambda x: curve(numpy, x)  # noqa: E731
    if library == "numba":
        import numba

        f = numba.njit(lambda x: (numpy.exp(-x * x) * numpy.sin(x) + 0.5 * x) / (1.0 + x * x))
    elif library == "weft":
        import weft

        x, wait = weft.asarray(x), weft.eval
        numpy.asarray(weft.asarray(numpy.ones(300)) + 1)  # opens the device
        f = lambda x: curve(weft, x)  # noqa: E731
    start, times = time.perf_counter(), []
    for _ in range(CALLS[-1]):
        wait(f(x))
        times.append((time.perf_counter() - start) * 1e3)
    print(json.dumps([times[k - 1] for k in CALLS]))


def measure_calls(file):
    rows = []
    for title, environment in WAYS:
        runs = []
        for _ in range(5):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([sys.executable, __file__, "--one-of-calls", title.split(",")[0].lower()], check=True,
                                      env={**os.environ, **environment, "WEFT_CACHE_DIR": folder}, capture_output=True, text=True)
            runs.append(json.loads(done.stdout))
        rows += [[title, calls, f"{statistics.median(times):.4g}"] for calls, times in zip(CALLS, zip(*runs))]
        print(rows[-1], flush=True)
    with open(file, "w", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows([["library", "calls", "ms"], *rows])


# ---- a new process

REDUCTIONS = """
import {library} as np
x = np.asarray({make})
r = [x.sum(), x.mean(), x.max(), x.min(), x.std(), x.var(), x.prod(), (x * x).sum(), abs(x).max(), (x > 0.5).sum()]
print([float(v) for v in r][0])
"""


def measure_reductions():
    def process(library):
        text = REDUCTIONS.format(library=library, make="__import__('numpy').linspace(0, 1, 100_000)")
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "WEFT_CACHE_DIR": folder}
            environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled to bytecode once
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", text], check=True, env=environment, capture_output=True)
            return (time.perf_counter() - start) * 1e3

    process("numpy"), process("weft")
    runs = [(process("numpy"), process("weft")) for _ in range(9)]
    ours, theirs = (statistics.median(run[k] for run in runs) for k in (1, 0))
    print(f"a new process with ten reductions: NumPy {theirs:.0f} ms, Weft {ours:.0f} ms, {ours / theirs:.2f} times NumPy's")


# ---- beside other work

def measure_beside():
    """Turns of the interpreter's own work, with and without kernels that compile behind."""
    import numpy
    import weft

    def turns(seconds):
        end, count = time.perf_counter() + seconds, 0
        while time.perf_counter() < end:
            sum(range(1000))
            count += 1
        return count

    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["WEFT_CACHE_DIR"] = folder
        x = weft.asarray(numpy.linspace(0.1, 1, 5000))
        programs = iter(expressions(400))
        for _ in range(8):
            alone = turns(0.4)
            for ops, _ in [next(programs) for _ in range(24)]:
                for _ in range(6):  # so often that each is compiled
                    weft.eval(compute(weft, ops, x, x))
            before = weft.stats()["compiles_behind"]
            beside = turns(0.4)
            if weft.stats()["compiles_behind"] > before:
                ratios.append(beside / alone)
            weft.finish_kernels()
    print(f"the main thread keeps {statistics.median(ratios):.2f} of its speed while kernels compile behind ({len(ratios)} times, "
          f"{min(ratios):.2f} to {max(ratios):.2f})")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--expressions", type=int, default=200)
    parser.add_argument("--one")
    parser.add_argument("--calls")
    parser.add_argument("--one-of-calls")
    parser.add_argument("--reductions", action="store_true")
    parser.add_argument("--beside", action="store_true")
    given = parser.parse_args()
    if given.one_of_calls:
        return run_calls(given.one_of_calls)
    if given.calls:
        return measure_calls(given.calls)
    if given.reductions:
        return measure_reductions()
    if given.beside:
        return measure_beside()
    if given.one:
        run(given.one, given.expressions)
        return
    with tempfile.TemporaryDirectory() as folder:
        rows = [("NumPy", "numpy", {})]
        rows += [(f"Weft, {tier}, no cache", "weft", {"WEFT_TIER": tier, "WEFT_CACHE_DIR": f"{folder}/{tier}"})
                 for tier in ("compile", "auto", "blocks")]
        rows += [(f"Weft, {tier}, kernels on disk", "weft", {"WEFT_TIER": tier, "WEFT_CACHE_DIR": f"{folder}/compile"})
                 for tier in ("compile", "auto")]
        print("| | median | 90 % | most | all | compiled | in blocks |\n|---|---|---|---|---|---|---|")
        for title, what, environment in rows:
            done = subprocess.run([sys.executable, __file__, "--one", what, "--expressions", str(given.expressions)],
                                  env={**os.environ, **environment}, capture_output=True, text=True, check=True)
            got = json.loads(done.stdout)
            times, stats = sorted(got["times"]), got["stats"]
            print(f"| {title} | {times[len(times) // 2]:.2f} | {times[len(times) * 9 // 10]:.2f} | {times[-1]:.1f} | {sum(times):.0f} "
                  f"| {stats.get('compiles', '')} | {stats.get('blocks_launched', '')} |", flush=True)


if __name__ == "__main__":
    main()
