"""What sorts, searches, counts and picks on a GPU, beside CuPy and beside the way over the host: milliseconds a call, medians.

PYTHONPATH=build/python python3 tests/benchmarks/positions.py [--elements N] [--only NAME,…]
"""

import argparse
import statistics
import time

import numpy as np
import weft as wf
from weft._array import answered, indexing, sorting

GPU = "cuda:0"


def median_ms(call, synchronize, seconds=0.5):
    call(), call()
    synchronize()
    times = []
    while sum(times) < seconds and len(times) < 30:
        begin = time.perf_counter()
        call()
        synchronize()
        times.append(time.perf_counter() - begin)
    return statistics.median(times) * 1e3


def store(x, i, v):
    x[i] = v
    return x


def cases(xp, take, add_at, n):
    """Names and calls of one library, whose arrays `take` makes of NumPy's."""
    rng = np.random.default_rng(0)
    few = n // 16
    f, g = take(rng.standard_normal(n, "float32")), take(rng.standard_normal(n))
    wide, narrow = take(rng.integers(-(2**62), 2**62, n)), take(rng.integers(0, 1000, n))
    i, v = take(rng.integers(0, n, few)), take(rng.standard_normal(few, "float32"))
    ordered, words = take(np.sort(rng.standard_normal(n, "float32"))), take(rng.integers(0, 100, few))
    counts, sums = take(np.zeros(1000, "int64")), take(np.zeros(n, "float32"))
    target = take(np.zeros(n, "float32"))
    small = narrow[:few] + 0

    def added(x, i, v):
        add_at(x, i, v)
        return x

    return {
        "x[i], few positions": lambda: f[i],
        "x[i] = v": lambda: store(target, i, v),
        "x[x > 0]": lambda: f[f > 0],
        "nonzero(x > 2)": lambda: xp.nonzero(f > 2)[0],
        "sort f32": lambda: xp.sort(f),
        "sort f64": lambda: xp.sort(g),
        "sort i64": lambda: xp.sort(wide),
        "sort i64 below 1000": lambda: xp.sort(narrow),
        "argsort f32": lambda: xp.argsort(f),
        "sort rows of 256, f32": lambda: xp.sort(f.reshape(-1, 256)),
        "sort 4096 f32": lambda: xp.sort(f[:4096]),
        "searchsorted, few in n": lambda: xp.searchsorted(ordered, v),
        "unique i64 below 1000": lambda: xp.unique(narrow),
        "isin": lambda: xp.isin(narrow, words),
        "bincount below 1000": lambda: xp.bincount(narrow),
        "histogram, 64 bins": lambda: xp.histogram(f, 64)[0],
        "median": lambda: xp.median(f),
        "add.at of i64, few": lambda: added(counts, small, 1),
        "add.at of f32, few": lambda: added(sums, i, v),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--elements", type=int, default=1 << 24)
    parser.add_argument("--only", default="")
    parser.add_argument("--host", action="store_true", help="time the way over the host too")
    given = parser.parse_args()
    ours = cases(wf, lambda a: wf.asarray(a, device=GPU), np.add.at, given.elements)
    theirs = {}
    try:
        import cupy
        import cupyx

        theirs = cases(cupy, cupy.asarray, cupyx.scatter_add, given.elements)
    except ImportError:
        pass

    def compute(f):
        result = f()
        if isinstance(result, wf.Array):
            wf.eval(result)

    print(f"{given.elements} elements, few: a sixteenth\n| | Weft | CuPy | over the host |\n|---|---|---|---|")
    for name, f in ours.items():
        if not any(part in name for part in given.only.split(",")):
            continue
        row = [median_ms(lambda: compute(f), wf.sync)]
        row.append(median_ms(theirs[name], cupy.cuda.Device().synchronize) if name in theirs else float("nan"))
        if given.host:
            on_gpu = answered.is_gpu
            for module in (answered, indexing, sorting):
                module.is_gpu = lambda device: False
            row.append(median_ms(lambda: compute(f), wf.sync, 0.1))
            for module in (answered, indexing, sorting):
                module.is_gpu = on_gpu
        print(f"| {name} | " + " | ".join(f"{ms:.3f}" for ms in row) + " |", flush=True)


if __name__ == "__main__":
    main()
