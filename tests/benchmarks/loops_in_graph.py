"""Loops that are not unrolled, beside NumPy and Numba: time a turn, and whole programs.

    python tests/benchmarks/loops_in_graph.py [--only NAME,…] [--rounds N] [--csv FILE]

Each program is a scan or a while_loop of Weft's, a Python loop of NumPy's, and a compiled loop of Numba's where that is installed. The
first call of each compiles and is not timed; then all take turns, and medians of `rounds` calls are printed. What they give is compared.
"""

import argparse
import csv
import time

import numpy as np
import weft as wf

try:
    import numba
except ImportError:
    numba = None


def compiled(f):
    return numba.njit(fastmath=False)(f) if numba else None


rng = np.random.default_rng(0)


class Turns:
    """10,000 turns of next to nothing: what a turn costs beyond its kernel."""

    turns = 10_000
    args = (np.zeros(1),)

    @staticmethod
    @wf.compile
    def weft(x):
        return wf.fori_loop(0, Turns.turns, lambda i, v: v * 0.5 + 1.0, x)

    @staticmethod
    def numpy(x):
        for _ in range(Turns.turns):
            x = x * 0.5 + 1.0
        return x

    @staticmethod
    def plain(x):
        x = x.copy()
        for _ in range(10_000):
            for k in range(x.size):
                x[k] = x[k] * 0.5 + 1.0
        return x


class Until:
    """The same with a condition that is looked at in each turn."""

    turns = 10_000
    args = (np.zeros(1),)

    @staticmethod
    @wf.compile
    def weft(x):
        return wf.while_loop(lambda v: v[1] < Until.turns, lambda v: (v[0] * 0.5 + 1.0, v[1] + 1), (x, 0))[0]

    numpy, plain = Turns.numpy, Turns.plain


class Filter:
    """A second-order filter over 1,000 channels, 500 samples each."""

    turns = 500
    args = (rng.normal(size=(500, 1000)), np.zeros((2, 1000)))

    @staticmethod
    def step(state, x):
        y = 0.1 * x + state[0]
        return (state[1] - 0.2 * y + 0.2 * x, 0.1 * x - 0.5 * y), y

    @staticmethod
    @wf.compile
    def weft(xs, init):
        return wf.scan(Filter.step, (init[0], init[1]), xs)[1]

    @staticmethod
    def numpy(xs, init):
        state, out = (init[0], init[1]), np.empty_like(xs)
        for t, x in enumerate(xs):
            state, out[t] = Filter.step(state, x)
        return out

    @staticmethod
    def plain(xs, init):
        out = np.empty_like(xs)
        a, b = init[0].copy(), init[1].copy()
        for t in range(xs.shape[0]):
            for k in range(xs.shape[1]):
                x = xs[t, k]
                y = 0.1 * x + a[k]
                a[k], b[k] = b[k] - 0.2 * y + 0.2 * x, 0.1 * x - 0.5 * y
                out[t, k] = y
        return out


class Diffusion:
    """1,000 turns of a heat equation on 100,000 points, written in place."""

    turns = 1000
    args = (rng.normal(size=100_000),)

    @staticmethod
    def step(i, u):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        return u

    @staticmethod
    @wf.compile
    def weft(u):
        return wf.fori_loop(0, Diffusion.turns, Diffusion.step, u)

    @staticmethod
    def numpy(u):
        u = u.copy()
        for i in range(Diffusion.turns):
            Diffusion.step(i, u)
        return u

    @staticmethod
    def plain(u):
        u = u.copy()
        v = u.copy()
        for _ in range(1000):
            for k in range(1, u.size - 1):
                v[k] = u[k] + 0.1 * (u[k + 1] - 2 * u[k] + u[k - 1])
            u, v = v, u
        return u


PROGRAMS = {"turns": Turns, "until": Until, "filter": Filter, "diffusion": Diffusion}


def milliseconds(f):
    start = time.perf_counter()
    f()
    return (time.perf_counter() - start) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default=",".join(PROGRAMS))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--csv")
    options = parser.parse_args()
    rows = []
    print(f"{'program':<12}{'Weft':>12}{'NumPy':>12}{'Numba':>12}   µs a turn")
    for name in options.only.split(","):
        program = PROGRAMS[name]
        arrays = [wf.asarray(x) for x in program.args]
        ways = {"weft": lambda p=program, a=arrays: wf.eval(p.weft(*a)), "numpy": lambda p=program: p.numpy(*p.args)}
        program.weft.warm(*arrays)
        want = program.numpy(*program.args)
        np.testing.assert_allclose(np.asarray(program.weft(*arrays)), want, rtol=1e-9, atol=1e-12)
        plain = compiled(program.plain)
        if plain:
            np.testing.assert_allclose(plain(*program.args), want, rtol=1e-9, atol=1e-12)
            ways["numba"] = lambda p=program, f=plain: f(*p.args)
        times = {way: [] for way in ways}
        for _ in range(options.rounds):
            for way, run in ways.items():
                times[way].append(milliseconds(run))
        median = {way: float(np.median(found)) * 1e3 / program.turns for way, found in times.items()}
        print(f"{name:<12}" + "".join(f"{median[way]:>12.3f}" if way in median else f"{'-':>12}" for way in ("weft", "numpy", "numba")))
        rows.append({"program": name, **{way: f"{value:.4f}" for way, value in median.items()}})
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
