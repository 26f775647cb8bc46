"""Programs that write to parts of arrays in Python loops, beside NumPy: the first run in a new process, and later ones.

    python tests/benchmarks/loops.py [--only NAME,…] [--rounds N]

NumPy's time over Weft's is printed: above 1 Weft is faster. Each program runs in a process of its own without a cache on disk;
`cold` is its first run there, `warm` the fastest of later ones. What the two give is compared.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time

import numpy as np


def ranges(xp, n=4_000_000):
    """Chains of writes to ranges of one array."""
    y = xp.asarray(np.linspace(0, 2, n))
    for _ in range(4):
        y[:100] = 1
        y[::2] *= 0.9
        y = xp.clip(y, 0, 1)
    return y


def mandelbrot(xp, n=300, turns=50):
    """Masks that shrink: only points that have not escaped are computed."""
    x, y = np.linspace(-2.25, 0.75, n), np.linspace(-1.25, 1.25, n)
    c = xp.asarray((x[:, None] + y[None, :] * 1j).reshape(-1))
    z, count = xp.zeros(c.shape, dtype=c.dtype), xp.zeros(c.shape, dtype="int64")
    for k in range(turns):
        inside = xp.abs(z) <= 2
        z[inside] = z[inside] ** 2 + c[inside]
        count[inside] += 1
    return count


def shrinking(xp, n=300, turns=50):
    """The same, with the points that are left in arrays of their own."""
    x, y = np.linspace(-2.25, 0.75, n), np.linspace(-1.25, 1.25, n)
    c = xp.asarray((x[:, None] + y[None, :] * 1j).reshape(-1))
    z, count, left = c + 0, xp.zeros(c.shape, dtype="int64"), xp.arange(n * n)
    for k in range(turns):
        z = z * z + c
        gone = xp.abs(z) > 2
        count[left[gone]] = k
        stay = ~gone
        left, z, c = left[stay], z[stay], c[stay]
    return count


def elements(xp, n=2000):
    x = xp.zeros(n)
    for i in range(1, n):
        x[i] = x[i - 1] + i
    return x


def fibonacci(xp, n=90):
    x = xp.zeros(n, dtype="int64")
    x[1] = 1
    for i in range(2, n):
        x[i] = x[i - 1] + x[i - 2]
    return x


def sieve(xp, n=100_000):
    prime = xp.ones(n, dtype=bool)
    prime[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if prime[i]:
            prime[i * i :: i] = False
    return xp.nonzero(prime)[0]


def wave(xp, n=1000, turns=500):
    """Whole rows, written inside."""
    u, before = xp.zeros(n), xp.zeros(n)
    u[n // 2] = 1
    for _ in range(turns):
        after = xp.zeros(n)
        after[1:-1] = 2 * u[1:-1] - before[1:-1] + 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
        before, u = u, after
    return u


def rows(xp, n=500):
    """A recurrence over the rows of a table."""
    table = xp.zeros((n, 400))
    table[0] = xp.asarray(np.linspace(0, 1, 400))
    for i in range(1, n):
        table[i, 1:-1] = (table[i - 1, :-2] + table[i - 1, 1:-1] + table[i - 1, 2:]) / 3
    return table


def local_maxima(xp, n=400):
    """Reads three elements, decides, and writes one."""
    x = xp.asarray(np.sin(np.arange(n) * 0.7))
    peak = xp.zeros(n, dtype=bool)
    for i in range(1, n - 1):
        if x[i] > x[i - 1] and x[i] > x[i + 1]:
            peak[i] = True
    return peak


def edit_distance(xp, n=40):
    a, b = [(7 * k) % 5 for k in range(n)], [(3 * k) % 5 for k in range(n + 3)]
    d = xp.zeros((n + 1, n + 4), dtype="int64")
    d[:, 0] = xp.arange(n + 1)
    d[0, :] = xp.arange(n + 4)
    for i in range(1, n + 1):
        for j in range(1, n + 4):
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (a[i - 1] != b[j - 1]))
    return d


def many_sums(xp, n=400):
    """A function of several hundred sums of one table."""
    x = xp.asarray(np.linspace(0, 1, n * n).reshape(n, n))
    total = xp.asarray(0.0)
    for i in range(n):
        total = total + xp.sum(x * (i + 1)) / (i + 1)
    return total


def sums_of_rows(xp, n=400):
    """One sum for each row and each column, put together by hand."""
    x = xp.asarray(np.linspace(0, 1, n * n).reshape(n, n))
    return xp.stack([xp.sum(x[i]) * xp.sum(x[:, i]) for i in range(n)])


def table_of_pairs(xp, n=400):
    """One sum of n x n elements a turn, kept until the end."""
    x = xp.asarray(np.linspace(0, 1, n * n).reshape(n, n))
    out = xp.zeros(n)
    for i in range(n):
        out[i] = xp.sum(xp.abs(x - x[i]))
    return out


def embedding(xp, turns=24):
    """Rows of a large table are added to, and a number that depends on them is looked at in each turn."""
    table = xp.asarray(np.linspace(0, 1, 100_000 * 100).reshape(100_000, 100))
    index = np.random.default_rng(0).integers(0, 100_000, (turns, 512))
    losses = []
    for t in range(turns):
        i = xp.asarray(index[t])
        v = table[i]
        loss = (v * v).sum()
        np.add.at(table, i, -0.05 * v)
        losses.append(float(loss))
    return xp.asarray(losses)


def looked_at_after(xp, turns=24):
    """The same with a look at what the write gave."""
    table = xp.asarray(np.linspace(0, 1, 100_000 * 100).reshape(100_000, 100))
    index = np.random.default_rng(0).integers(0, 100_000, (turns, 512))
    losses = []
    for t in range(turns):
        i = xp.asarray(index[t])
        v = table[i]
        np.add.at(table, i, -0.05 * v)
        losses.append(float(table[index[t, 0], 0]))
    return xp.asarray(losses)


PROGRAMS = [ranges, mandelbrot, shrinking, elements, fibonacci, sieve, wave, rows, local_maxima, edit_distance, many_sums, sums_of_rows,
            table_of_pairs, embedding, looked_at_after]


def run(program, rounds):
    def timed(xp, f):
        begin = time.perf_counter()
        value = np.asarray(program(xp))
        return time.perf_counter() - begin, value

    import weft as wf

    cold, ours = timed(wf, program)
    kernels = wf.stats()
    warm = min(timed(wf, program)[0] for _ in range(rounds))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    numpy_cold, theirs = timed(np, program)
    numpy_warm = min(timed(np, program)[0] for _ in range(rounds))
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
    return {"cold": cold, "warm": warm, "numpy_cold": numpy_cold, "numpy": numpy_warm, "kernels": kernels["compiles"], "peak": peak / 1024}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--child")
    arguments = parser.parse_args()
    if arguments.child:
        program = next(p for p in PROGRAMS if p.__name__ == arguments.child)
        print(json.dumps(run(program, arguments.rounds)))
        return
    chosen = arguments.only.split(",") if arguments.only else [p.__name__ for p in PROGRAMS]
    environment = os.environ | {"WEFT_CACHE_DIR": "off"}
    print("| program | NumPy ms | warm ms | NumPy over warm | cold ms | NumPy over cold | kernels | peak MB |\n|---|---|---|---|---|---|---|---|")
    for name in chosen:
        command = [sys.executable, __file__, "--child", name, "--rounds", str(arguments.rounds)]
        r = json.loads(subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE).stdout)
        print(f"| {name} | {r['numpy'] * 1e3:.2f} | {r['warm'] * 1e3:.2f} | {r['numpy'] / r['warm']:.2f} | {r['cold'] * 1e3:.1f} "
              f"| {r['numpy_cold'] / r['cold']:.2f} | {r['kernels']} | {r['peak']:.0f} |", flush=True)


if __name__ == "__main__":
    main()
