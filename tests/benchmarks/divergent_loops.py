"""Loops that end at another turn for each element: wf.vectorize's masked vectors beside the same loop as scalar C++, on one thread each.

    python tests/benchmarks/divergent_loops.py [--turns N] [--compiler clang++-19]

The C++ is compiled with -O3 -march=native, without the vectorizers of loops and of straight lines. Both run in this process, in turn, over the
same 200,000 numbers; the median of the ratios of the processor time is printed, with quartiles. What the two give is compared.
Where the result counts the turns, `in use` is the part of the lanes of vectors of eight that have work in a turn, as a vector runs until its last lane has left.
"""

import argparse
import ctypes
import os
import statistics
import subprocess
import tempfile
import time

os.environ["WEFT_THREADS"] = "1"

import numpy as np
import weft as wf

N = 200_000


def fractal(re, im):
    zr = zi = 0.0
    for turn in range(200):
        if zr * zr + zi * zi > 4.0:
            return turn
        zr, zi = zr * zr - zi * zi + re, 2 * zr * zi + im
    return 200


def newton(x):
    y = x
    for _ in range(60):
        step = (y * y * y - x) / (3.0 * y * y)
        y -= step
        if abs(step) < 1e-12 * y:
            break
    return y


def collatz(n):
    turns = 0
    while n > 1:
        n = 3 * n + 1 if n % 2 == 1 else n // 2
        turns += 1
    return turns


SOURCE = r"""
#include <cmath>
extern "C" void fractal(long n, const double* re, const double* im, long* r) {
  for (long k = 0; k < n; ++k) {
    double zr = 0, zi = 0;
    long turn = 0;
    for (; turn < 200; ++turn) {
      if (zr * zr + zi * zi > 4.0) break;
      const double next = zr * zr - zi * zi + re[k];
      zi = 2 * zr * zi + im[k], zr = next;
    }
    r[k] = turn;
  }
}
extern "C" void newton(long n, const double* x, double* r) {
  for (long k = 0; k < n; ++k) {
    double y = x[k];
    for (int turn = 0; turn < 60; ++turn) {
      const double step = (y * y * y - x[k]) / (3.0 * y * y);
      y -= step;
      if (std::fabs(step) < 1e-12 * y) break;
    }
    r[k] = y;
  }
}
extern "C" void collatz(long n, const int* x, long* r) {
  for (long k = 0; k < n; ++k) {
    int v = x[k];
    long turns = 0;
    for (; v > 1; ++turns) v = v % 2 == 1 ? 3 * v + 1 : v >> 1;
    r[k] = turns;
  }
}
"""


def programs():
    rng = np.random.default_rng(1)
    points = [rng.uniform(-2, 0.7, N), rng.uniform(-1.2, 1.2, N)]
    picture = [one.ravel().copy() for one in np.meshgrid(np.linspace(-2, 0.7, 500), np.linspace(-1.2, 1.2, N // 500))]
    # No number below 10,000 comes to one beyond 32 bits.
    return {"fractal of a picture": (fractal, picture, np.int64), "fractal of random points": (fractal, points, np.int64), "newton": (newton, [10 ** rng.uniform(-3, 6, N)], np.float64),
            "collatz": (collatz, [rng.integers(1, 10_000, N).astype(np.int32)], np.int64)}


def compiled(compiler):
    with tempfile.TemporaryDirectory() as folder:
        source, library = os.path.join(folder, "loops.cpp"), os.path.join(folder, "loops.so")
        with open(source, "w", encoding="utf-8") as out:
            out.write(SOURCE)
        subprocess.run([compiler, "-O3", "-march=native", "-ffp-contract=fast", "-fno-vectorize", "-fno-slp-vectorize", "-shared", "-fPIC", source, "-o", library], check=True)
        return ctypes.CDLL(library)


def processor_time(call):
    start = time.process_time()
    call()
    return time.process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=41)
    parser.add_argument("--compiler", default="clang++-19")
    given = parser.parse_args()
    library = compiled(given.compiler)
    print(f"{'':24} {'weft ms':>9} {'scalar C++ ms':>14} {'scalar / weft':>14}   {'quartiles':14} in use")
    for name, (f, arrays, dtype) in programs().items():
        g, weft_arrays, out = wf.vectorize(f), [wf.asarray(x) for x in arrays], np.empty(N, dtype)
        pointers = [ctypes.c_void_p(x.ctypes.data) for x in (*arrays, out)]

        def scalar(loop=getattr(library, f.__name__), pointers=pointers):
            loop(ctypes.c_long(N), *pointers)

        def weft(g=g, weft_arrays=weft_arrays):
            return wf.eval(g(*weft_arrays))

        scalar()
        if not np.allclose(np.asarray(weft()), out, rtol=1e-12):
            raise SystemExit(f"{name}: the two give other values")
        times = [(processor_time(weft), processor_time(scalar)) for _ in range(given.turns)]
        low, middle, high = statistics.quantiles([b / a for a, b in times], n=4)
        used = f"{out.mean() / out.reshape(-1, 8).max(1).mean():.0%}" if dtype is np.int64 else ""
        print(f"{name:24} {min(a for a, _ in times) * 1e3:9.2f} {min(b for _, b in times) * 1e3:14.2f} {middle:13.2f}x   {f'{low:.2f} to {high:.2f}':14} {used}", flush=True)


if __name__ == "__main__":
    main()
