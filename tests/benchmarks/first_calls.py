"""First calls: 200 different expressions of 2 to 6 operations on 10 to 10^6 elements, each called once, as cells of a notebook are.

Usage: first_calls.py [--expressions N]. One process a row: NumPy, then Weft for each tier with no cache at all, and with the disk cache
that the run before filled. Medians and totals, in ms.
"""

import argparse
import json
import os
import random
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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--expressions", type=int, default=200)
    parser.add_argument("--one")
    given = parser.parse_args()
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
