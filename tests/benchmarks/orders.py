"""Sorting, searching and counting beside NumPy: medians of three rounds in turn, milliseconds a call.

python tests/benchmarks/orders.py [NAME...]
"""

import sys
import time

import numpy as np
import weft as wf

rng = np.random.default_rng(0)
OF = {
    "sort": lambda m, x, i, v: m.sort(x),
    "argsort": lambda m, x, i, v: m.argsort(x),
    "median": lambda m, x, i, v: m.median(x),
    "quantile of 3": lambda m, x, i, v: m.quantile(x, [0.1, 0.5, 0.9]),
    "partition": lambda m, x, i, v: m.partition(x, x.size // 2),
    "searchsorted": lambda m, x, i, v: m.searchsorted(v, x),
    "digitize, 50 edges": lambda m, x, i, v: m.digitize(x, v[:: x.size // 50]),
    "isin, of 1,000": lambda m, x, i, v: m.isin(x, v[:1000]),
    "unique": lambda m, x, i, v: m.unique(x),
    "unique of integers": lambda m, x, i, v: m.unique(i),
    "unique of integers, inverse": lambda m, x, i, v: m.unique(i, return_inverse=True),
    "unique of integers, counts": lambda m, x, i, v: m.unique(i, return_counts=True),
    "bincount": lambda m, x, i, v: m.bincount(i),
    "histogram": lambda m, x, i, v: m.histogram(x, 50)[0],
}


def quartile_ms(call, seconds=0.2):
    """Of some calls, what a quarter of them stays below: others use the machine, too."""
    call()
    times = []
    while sum(times) < seconds or len(times) < 5:
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return sorted(times)[len(times) // 4] * 1e3


def main():
    print("| function | of | NumPy | Weft | NumPy's time over Weft's |\n|---|---|---|---|---|")
    for name in sys.argv[1:] or OF:
        f = OF[name]
        for dtype in ("float64", "float32"):
            if dtype == "float32" and ("integers" in name or name == "bincount"):
                continue
            for count in (10_000, 100_000, 1_000_000):
                x = rng.random(count).astype(dtype)
                given = x, rng.integers(0, count // 4, count), np.sort(rng.random(count).astype(dtype))
                ours = wf.eval([wf.asarray(one) for one in given])
                rounds = []
                for _ in range(3):
                    theirs, mine = quartile_ms(lambda: f(np, *given)), quartile_ms(lambda: wf.eval(f(wf, *ours)))
                    rounds.append((theirs / mine, theirs, mine))
                ratio, theirs, mine = sorted(rounds)[1]
                of = f"{'int64' if 'integers' in name or name == 'bincount' else dtype} ({count},)"
                print(f"| `{name}` | {of} | {theirs:.3f} | {mine:.3f} | {ratio:.2f} |", flush=True)


if __name__ == "__main__":
    main()
