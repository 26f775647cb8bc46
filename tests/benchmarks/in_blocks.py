"""Expressions of numexpr's kind in blocks alone, beside NumPy, numexpr and Weft's own kernels, on 10^3 to 10^7 elements.

    python tests/benchmarks/in_blocks.py [--csv FILE] [--budget S]

Needs numexpr. All libraries take turns in one process, each call computes the whole expression; medians in ms. What they give is compared.
"""

import argparse
import csv
import statistics
import time

import numexpr
import numpy as np
import weft as wf

# As numexpr's documentation and its own benchmarks have them, and as NumPy spells them.
EXPRESSIONS = {
    "2*a + 3*b": lambda np, a, b, c: 2 * a + 3 * b,
    "a**2 + b**2 + 2*a*b": lambda np, a, b, c: a**2 + b**2 + 2 * a * b,
    "a*b - 4.1*a > 2.5*b": lambda np, a, b, c: a * b - 4.1 * a > 2.5 * b,
    "sqrt(a*a + b*b)": lambda np, a, b, c: np.sqrt(a * a + b * b),
    "((.25*c + .75)*c - 1.5)*c - 2": lambda np, a, b, c: ((0.25 * c + 0.75) * c - 1.5) * c - 2,
    "where(a > b, a, b*c)": lambda np, a, b, c: np.where(a > b, a, b * c),
    "sin(a)**2 + cos(b)**2": lambda np, a, b, c: np.sin(a) ** 2 + np.cos(b) ** 2,
    "exp(-a) / (1 + exp(-b))": lambda np, a, b, c: np.exp(-a) / (1 + np.exp(-b)),
    "log1p(a*b) * arctan2(b, c)": lambda np, a, b, c: np.log1p(a * b) * np.arctan2(b, c),
    "sum(a*b + c)": lambda np, a, b, c: np.sum(a * b + c),
}
SIZES = [10**k for k in range(3, 8)]


def computed(x):
    wf.eval(x)
    return x


def ways(expression, function, arrays):
    """Each library's call of the expression."""
    names = dict(zip("abc", arrays))
    own = [wf.asarray(x) for x in arrays]

    def weft(tier):
        wf.set_tier(tier)
        f = wf.compile(lambda a, b, c: function(wf, a, b, c))
        wf.eval(f(*own))
        return lambda: computed(f(*own))

    return {
        "numpy": lambda: function(np, *arrays),
        "numexpr": lambda: numexpr.evaluate(expression, local_dict=names),
        "blocks": weft("blocks"),
        "kernel": weft("compile"),
    }


def measure(calls, budget):
    times = {name: [] for name in calls}
    end = time.perf_counter() + budget
    while time.perf_counter() < end or len(times["numpy"]) < 3:
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            times[name].append((time.perf_counter() - start) * 1e3)
    return {name: statistics.median(all) for name, all in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--csv")
    parser.add_argument("--budget", type=float, default=0.5, help="seconds for each expression and size")
    parser.add_argument("--only", type=int, help="a size")
    given = parser.parse_args()
    numexpr.set_num_threads(min(2, numexpr.detect_number_of_cores()))
    draw = np.random.default_rng(1)
    rows = []
    for size in [given.only] if given.only else SIZES:
        arrays = [draw.uniform(0.1, 2.0, size) for _ in range(3)]
        for expression, function in EXPRESSIONS.items():
            calls = ways(expression, function, arrays)
            want = calls["numpy"]()
            for name, call in calls.items():
                np.testing.assert_allclose(np.asarray(call()), want, rtol=1e-9, atol=1e-9, err_msg=f"{name}: {expression}")
            assert np.asarray(calls["blocks"]()).tobytes() == np.asarray(calls["kernel"]()).tobytes(), expression
            got = measure(calls, given.budget)
            rows.append([expression, size, *(f"{got[name]:.4g}" for name in calls)])
            print(f"{size:>9} {expression:<32}" + "".join(f"{name} {got[name]:.4f}  " for name in calls) +
                  f"| NumPy/blocks {got['numpy'] / got['blocks']:.2f}  numexpr/blocks {got['numexpr'] / got['blocks']:.2f}", flush=True)
    for size in sorted({row[1] for row in rows}):
        of = [row for row in rows if row[1] == size]
        print(f"{size:>9} geometric means: " + "  ".join(
            f"{peer}/blocks {statistics.geometric_mean(float(row[k]) / float(row[4]) for row in of):.2f}"
            for k, peer in ((2, "NumPy"), (3, "numexpr"), (5, "kernel"))))
    if given.csv:
        with open(given.csv, "w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(["expression", "elements", "numpy_ms", "numexpr_ms", "blocks_ms", "kernel_ms"])
            out.writerows(rows)


if __name__ == "__main__":
    main()
