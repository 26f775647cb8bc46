"""Loops that are not unrolled, beside NumPy, Numba, JAX and CuPy: time a turn, and whole programs.

    python tests/benchmarks/loops_in_graph.py [--device gpu] [--only NAME,…] [--rounds N] [--csv FILE]

Each program is one text of scans and while_loops for Weft and, on a GPU, for JAX; a Python loop of NumPy's, which CuPy runs on a GPU; and a
compiled loop of Numba's on the CPU. The first call of each compiles and is not timed; then all take turns, and medians of `rounds` calls are
printed. A call ends when the device has. What they give is compared.
"""

import argparse
import csv
import functools
import importlib
import time

import numpy as np
import weft as wf

try:
    import numba
    from numba import prange
except ImportError:
    numba = None


def compiled(program):
    return numba.njit(fastmath=False, parallel=hasattr(program, "parallel"))(program.plain) if numba else None


rng = np.random.default_rng(0)


class Turns:
    """10,000 turns of next to nothing: what a turn costs beyond its kernel."""

    turns = 10_000
    args = (np.zeros(1),)

    @staticmethod
    def body(loops, x):
        return loops.fori_loop(0, Turns.turns, lambda i, v: v * 0.5 + 1.0, x)

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
    def body(loops, x):
        return loops.while_loop(lambda v: v[1] < Until.turns, lambda v: (v[0] * 0.5 + 1.0, v[1] + 1), (x, 0))[0]

    numpy, plain = Turns.numpy, Turns.plain


class Filter:
    """A second-order filter over 1,000 channels, 500 samples each."""

    turns = 500
    parallel = True
    args = (rng.normal(size=(500, 1000)), np.zeros((2, 1000)))

    @staticmethod
    def step(state, x):
        y = 0.1 * x + state[0]
        return (state[1] - 0.2 * y + 0.2 * x, 0.1 * x - 0.5 * y), y

    @staticmethod
    def body(loops, xs, init):
        return loops.scan(Filter.step, (init[0], init[1]), xs)[1]

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
        width = 64
        for block in prange((xs.shape[1] + width - 1) // width):
            for t in range(xs.shape[0]):
                for k in range(block * width, min((block + 1) * width, xs.shape[1])):
                    x = xs[t, k]
                    y = 0.1 * x + a[k]
                    a[k], b[k] = b[k] - 0.2 * y + 0.2 * x, 0.1 * x - 0.5 * y
                    out[t, k] = y
        return out


class Tridiagonal:
    """10,000 systems of 200 equations with three diagonals, forward and backward."""

    turns = 2 * 200
    parallel = True
    args = (*(rng.uniform(0.1, 1, size=(200, 10_000)) for _ in range(2)), rng.uniform(3, 4, size=(200, 10_000)), rng.normal(size=(200, 10_000)))

    @staticmethod
    def forward(above, row):
        a, c, b, d = row
        m = 1.0 / (b - a * above[0])
        now = c * m, (d - a * above[1]) * m
        return now, now

    @staticmethod
    def backward(below, row):
        x = row[1] - row[0] * below
        return x, x

    @staticmethod
    def body(loops, a, c, b, d):
        zero = a[0] * 0
        rows = loops.scan(Tridiagonal.forward, (zero, zero), (a, c, b, d))[1]
        return loops.scan(Tridiagonal.backward, zero, rows, reverse=True)[1]

    @staticmethod
    def numpy(a, c, b, d):
        above, rows = (np.zeros_like(a[0]), np.zeros_like(a[0])), []
        for row in zip(a, c, b, d, strict=True):
            above, now = Tridiagonal.forward(above, row)
            rows.append(now)
        x, out = np.zeros_like(d[0]), np.empty_like(d)
        for t in reversed(range(len(rows))):
            x, out[t] = Tridiagonal.backward(x, rows[t])
        return out

    @staticmethod
    def plain(a, c, b, d):
        out, upper = np.empty_like(d), np.empty_like(d)
        n, m = d.shape
        width = 64
        for block in prange((m + width - 1) // width):
            first, last = block * width, min((block + 1) * width, m)
            for k in range(first, last):
                upper[0, k] = c[0, k] / b[0, k]
                out[0, k] = d[0, k] / b[0, k]
            for t in range(1, n):
                for k in range(first, last):
                    f = 1.0 / (b[t, k] - a[t, k] * upper[t - 1, k])
                    upper[t, k] = c[t, k] * f
                    out[t, k] = (d[t, k] - a[t, k] * out[t - 1, k]) * f
            for t in range(n - 2, -1, -1):
                for k in range(first, last):
                    out[t, k] -= upper[t, k] * out[t + 1, k]
        return out


class Variance:
    """The variance s[t] = w + a e[t-1]**2 + b s[t-1] of 2,000 series of 1,000 days, with a and b of their own."""

    turns = 1000
    parallel = True
    args = (rng.normal(size=(1000, 2000)), rng.uniform(0.05, 0.1, size=2000), rng.uniform(0.8, 0.9, size=2000))

    @staticmethod
    def body(loops, e, a, b):
        def day(s, error):
            return 0.1 + a * error**2 + b * s, s

        return loops.scan(day, a * 0 + 1, e)[1]

    @staticmethod
    def numpy(e, a, b):
        s, out = np.ones_like(a), np.empty_like(e)
        for t, error in enumerate(e):
            out[t] = s
            s = 0.1 + a * error**2 + b * s
        return out

    @staticmethod
    def plain(e, a, b):
        out = np.empty_like(e)
        width = 64
        for block in prange((e.shape[1] + width - 1) // width):
            first, last = block * width, min((block + 1) * width, e.shape[1])
            for k in range(first, last):
                out[0, k] = 1.0
            for t in range(1, e.shape[0]):
                for k in range(first, last):
                    out[t, k] = 0.1 + a[k] * e[t - 1, k] ** 2 + b[k] * out[t - 1, k]
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
    def step_without_writes(i, u):
        return u.at[1:-1].add(0.1 * (u[2:] - 2 * u[1:-1] + u[:-2]))

    @staticmethod
    def body(loops, u):
        return loops.fori_loop(0, Diffusion.turns, Diffusion.step if loops is wf else Diffusion.step_without_writes, u)

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


class Fractal:
    """Turns of z*z + c until it leaves a circle, at most 200, of a million c: each takes its own number."""

    turns = 200
    parallel = True
    args = tuple(np.meshgrid(np.linspace(-2, 1, 1000), np.linspace(-1, 1, 1000)))

    @staticmethod
    def body(loops, re, im):
        def escape(a, b):
            def inside(s):
                return (s[0] * s[0] + s[1] * s[1] < 4) & (s[2] < Fractal.turns)

            def turn(s):
                return s[0] * s[0] - s[1] * s[1] + a, 2 * s[0] * s[1] + b, s[2] + 1

            return loops.while_loop(inside, turn, (a * 0, b * 0, 0))[2]

        return loops.vmap(loops.vmap(escape))(re, im)

    @staticmethod
    def numpy(re, im):
        x, y, count = np.zeros_like(re), np.zeros_like(re), np.zeros_like(re, dtype=np.int64)
        for _ in range(Fractal.turns):
            inside = x * x + y * y < 4
            x, y = np.where(inside, x * x - y * y + re, x), np.where(inside, 2 * x * y + im, y)
            count += inside
        return count

    @staticmethod
    def plain(re, im):
        count = np.empty(re.shape, np.int64)
        for i in prange(re.shape[0]):
            for j in range(re.shape[1]):
                x = y = 0.0
                k = 0
                while x * x + y * y < 4 and k < 200:
                    x, y = x * x - y * y + re[i, j], 2 * x * y + im[i, j]
                    k += 1
                count[i, j] = k
        return count


class RungeKutta:
    """100 steps of fourth order of the Lorenz system, from a million starts."""

    turns = 100
    parallel = True
    args = tuple(1 + 0.1 * rng.normal(size=1_000_000) for _ in range(3))

    @staticmethod
    def slopes(x, y, z):
        return 10.0 * (y - x), x * (28.0 - z) - y, x * y - 8 / 3 * z

    @staticmethod
    def step(i, state):
        h, f = 0.01, RungeKutta.slopes
        k1 = f(*state)
        k2 = f(*(s + h / 2 * k for s, k in zip(state, k1, strict=True)))
        k3 = f(*(s + h / 2 * k for s, k in zip(state, k2, strict=True)))
        k4 = f(*(s + h * k for s, k in zip(state, k3, strict=True)))
        return tuple(s + h / 6 * (a + 2 * b + 2 * c + d) for s, a, b, c, d in zip(state, k1, k2, k3, k4, strict=True))

    @staticmethod
    def body(loops, x, y, z):
        return loops.fori_loop(0, RungeKutta.turns, RungeKutta.step, (x, y, z))[0]

    @staticmethod
    def numpy(x, y, z):
        state = x, y, z
        for i in range(RungeKutta.turns):
            state = RungeKutta.step(i, state)
        return state[0]

    @staticmethod
    def plain(xs, ys, zs):
        out = np.empty_like(xs)
        h = 0.01
        for i in prange(xs.size):
            x, y, z = xs[i], ys[i], zs[i]
            for _ in range(100):
                a1, b1, c1 = 10.0 * (y - x), x * (28.0 - z) - y, x * y - 8 / 3 * z
                u, v, w = x + h / 2 * a1, y + h / 2 * b1, z + h / 2 * c1
                a2, b2, c2 = 10.0 * (v - u), u * (28.0 - w) - v, u * v - 8 / 3 * w
                u, v, w = x + h / 2 * a2, y + h / 2 * b2, z + h / 2 * c2
                a3, b3, c3 = 10.0 * (v - u), u * (28.0 - w) - v, u * v - 8 / 3 * w
                u, v, w = x + h * a3, y + h * b3, z + h * c3
                a4, b4, c4 = 10.0 * (v - u), u * (28.0 - w) - v, u * v - 8 / 3 * w
                x += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
                y += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4)
                z += h / 6 * (c1 + 2 * c2 + 2 * c3 + c4)
            out[i] = x
        return out


PROGRAMS = {
    "turns": Turns,
    "until": Until,
    "filter": Filter,
    "tridiagonal": Tridiagonal,
    "variance": Variance,
    "diffusion": Diffusion,
    "fractal": Fractal,
    "runge_kutta": RungeKutta,
}


def milliseconds(f):
    start = time.perf_counter()
    f()
    return (time.perf_counter() - start) * 1e3


def weft_way(program, device):
    arrays = [wf.asarray(x, device=device) for x in program.args]
    f = wf.compile(functools.partial(program.body, wf))
    f.warm(*arrays)

    def run():
        result = wf.eval(f(*arrays))
        device.synchronize()
        return result

    return run, np.asarray


def jax_way(program):
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)

    class Loops:
        fori_loop, while_loop, scan, vmap = jax.lax.fori_loop, jax.lax.while_loop, jax.lax.scan, jax.vmap

    arrays = [jax.device_put(x) for x in program.args]
    f = jax.jit(functools.partial(program.body, Loops))
    return lambda: f(*arrays).block_until_ready(), np.asarray


def cupy_way(program):
    cupy = importlib.import_module("cupy")
    arrays = [cupy.asarray(x) for x in program.args]

    def run():
        result = program.numpy(*arrays)
        cupy.cuda.get_current_stream().synchronize()
        return result

    return run, cupy.asnumpy


def numba_way(program):
    plain = compiled(program)
    return lambda: plain(*program.args), np.asarray


def ways_of(program, device):
    """The way of each library that is installed: what runs it and waits, and what copies a result to NumPy."""
    makers = {"weft": lambda: weft_way(program, device)}
    if device.kind == "cuda":
        makers |= {"jax": lambda: jax_way(program), "cupy": lambda: cupy_way(program)}
    else:
        makers |= {"numpy": lambda: (lambda: program.numpy(*program.args), np.asarray)}
        if numba:
            makers["numba"] = lambda: numba_way(program)
    ways = {}
    for name, make in makers.items():
        try:
            ways[name] = make()
        except ImportError as missing:
            print(f"without {name}: {missing}")
    return ways


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=["cpu", "gpu"], default="cpu")
    parser.add_argument("--only", default=",".join(PROGRAMS))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--csv")
    options = parser.parse_args()
    device = wf.device("cuda" if options.device == "gpu" else "cpu")
    rows, columns = [], ["weft", *(["jax", "cupy"] if options.device == "gpu" else ["numpy", "numba"])]
    print(f"{'program':<12}" + "".join(f"{column:>12}" for column in columns) + "   µs a turn")
    for name in options.only.split(","):
        program = PROGRAMS[name]
        ways = ways_of(program, device)
        want = program.numpy(*program.args)
        for way, (run, to_numpy) in ways.items():
            differs = np.mean(~np.isclose(to_numpy(run()), want, rtol=1e-9, atol=1e-12))
            assert differs <= (1e-3 if program is Fractal else 0), (way, differs)  # which turn is the last may depend on a rounding
        times = {way: [] for way in ways}
        for _ in range(options.rounds):
            for way, (run, _) in ways.items():
                times[way].append(milliseconds(run))
        median = {way: float(np.median(found)) * 1e3 / program.turns for way, found in times.items()}
        print(f"{name:<12}" + "".join(f"{median[way]:>12.3f}" if way in median else f"{'-':>12}" for way in columns), flush=True)
        rows.append({"program": name, **{way: f"{median[way]:.4f}" if way in median else "" for way in columns}})
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
