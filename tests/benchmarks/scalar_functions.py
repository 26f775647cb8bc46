"""Functions of numbers by wf.vectorize, beside Numba's vectorize(target="parallel") and parallel njit: the first call in a new process, and later ones.

    python tests/benchmarks/scalar_functions.py [--only NAME,…] [--rounds N] [--turns N] [--peers numba,njit]

Numba's time over Weft's is printed: above 1 Weft is faster. Each program runs in processes of its own, without a cache on disk, in turn
with the peers. Ratios are the medians of the turns', times are the fastest. `cold` is the first call there, imports left out; `warm` is the fastest of later ones. What the two give is compared.
"""

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time

import numpy as np

N = 1_000_000
ATOL = 1e-9


def fractal(cr, ci):
    zr = zi = 0.0
    for i in range(100):
        if zr * zr + zi * zi > 4.0:
            return i
        zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
    return 100


def options(spot, strike, years):
    rate, spread = 0.02, 0.3
    root = spread * math.sqrt(years)
    d1 = (math.log(spot / strike) + (rate + 0.5 * spread * spread) * years) / root
    d2 = d1 - root
    discounted = strike * math.exp(-rate * years)
    call = spot * 0.5 * math.erfc(-d1 * 0.7071067811865476) - discounted * 0.5 * math.erfc(-d2 * 0.7071067811865476)
    return call if spot > 10.0 else 0.0


def newton(x):
    y = x
    for _ in range(50):
        step = (y * y * y - x) / (3.0 * y * y)
        y -= step
        if abs(step) < 1e-12:
            break
    return y


def haversine(lat1, lon1, lat2, lon2):
    a = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 12742.0 * math.asin(math.sqrt(a))


def sir(beta, gamma):
    s, i = 0.99, 0.01
    most = i
    for _ in range(100):
        new, gone = beta * s * i, gamma * i
        s -= new
        i += new - gone
        if i > most:
            most = i
        if i < 1e-4:
            break
    return most


def ray_sphere(ox, oy, dx, dy):
    dz = math.sqrt(max(1.0 - dx * dx - dy * dy, 0.0))
    b = ox * dx + oy * dy - 3.0 * dz
    c = ox * ox + oy * oy + 9.0 - 1.0
    disc = b * b - c
    if disc < 0.0:
        return -1.0
    t = -b - math.sqrt(disc)
    return t if t > 0.0 else -b + math.sqrt(disc)


def draws(count, low, high):
    rng = np.random.default_rng(count)
    return [rng.uniform(low[k], high[k], N) for k in range(count)]


PROGRAMS = {
    "fractal": (fractal, lambda: draws(2, (-2, -1.2), (0.7, 1.2))),
    "options": (options, lambda: draws(3, (5, 20, 0.1), (150, 120, 3))),
    "newton": (newton, lambda: draws(1, (0.1,), (1000,))),
    "haversine": (haversine, lambda: draws(4, (-1.5, -3, -1.5, -3), (1.5, 3, 1.5, 3))),
    "sir": (sir, lambda: draws(2, (0.1, 0.05), (0.9, 0.5))),
    "ray_sphere": (ray_sphere, lambda: draws(4, (-2, -2, -0.6, -0.6), (2, 2, 0.6, 0.6))),
}


def of_weft(f, arrays):
    import weft as wf

    g = wf.vectorize(f)
    given = [wf.asarray(x) for x in arrays]
    return lambda: wf.eval(g(*given))


def of_numba(f, arrays):
    import numba

    kind = "int64" if f is fractal else "float64"
    state = {}

    def call():
        if not state:
            state["f"] = numba.vectorize([f"{kind}({', '.join(['float64'] * len(arrays))})"], target="parallel")(f)
        return state["f"](*arrays)

    return call


def of_njit(f, arrays):
    import numba

    state = {}

    def call():
        if not state:
            inner = numba.njit(f)
            names = [f"x{k}" for k in range(len(arrays))]
            space = {"inner": inner, "numba": numba, "np": np, "dtype": np.int64 if f is fractal else np.float64}
            exec(f"def loop({', '.join(names)}):\n    out = np.empty(x0.size, dtype)\n    for k in numba.prange(x0.size):\n"  # noqa: S102
                 f"        out[k] = inner({', '.join(f'{n}[k]' for n in names)})\n    return out\n", space)
            state["f"] = numba.njit(parallel=True)(space["loop"])
        return state["f"](*arrays)

    return call


PEERS = {"weft": of_weft, "numba": of_numba, "njit": of_njit}


def measure(peer, name, rounds):
    """In this process: the first call, the fastest of the others, and sums that tell whether the results agree."""
    f, make = PROGRAMS[name]
    arrays = make()
    if peer == "weft":
        import weft as wf

        wf.eval(wf.zeros(4) + 1)
    else:
        import numba  # noqa: F401
    call = PEERS[peer](f, arrays)
    start = time.perf_counter()
    result = call()
    cold = time.perf_counter() - start
    warm = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        warm.append(time.perf_counter() - start)
    result = np.asarray(result).astype(float)
    return {"cold": cold, "warm": min(warm), "sum": float(result.sum()), "kilobytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}


def run(peer, name, rounds):
    env = {**os.environ, "WEFT_CACHE_DIR": "", "NUMBA_CACHE_DIR": "/nonexistent"}
    out = subprocess.run([sys.executable, __file__, "--one", peer, name, str(rounds)], env=env, capture_output=True, text=True, check=False)
    if out.returncode:
        raise SystemExit(out.stderr)
    return json.loads(out.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PROGRAMS))
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--peers", default="numba,njit")
    parser.add_argument("--turns", type=int, default=3, help="processes of each, in turn")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measure(given.one[0], given.one[1], int(given.one[2]))))
        return
    peers = given.peers.split(",")
    print(f"{'':12} {'weft warm ms':>13} {'cold ms':>9}" + "".join(f" {peer + ' warm':>12} {peer + ' cold':>12}" for peer in peers))
    for name in given.only.split(","):
        turns = [{peer: run(peer, name, given.rounds) for peer in ["weft", *peers]} for _ in range(given.turns)]
        best = {peer: {**turns[0][peer], **{key: min(one[peer][key] for one in turns) for key in ("warm", "cold")}} for peer in turns[0]}
        weft = best["weft"]
        line = f"{name:12} {weft['warm'] * 1e3:13.2f} {weft['cold'] * 1e3:9.0f}"
        for peer in peers:
            other = best[peer]
            if not math.isclose(other["sum"], weft["sum"], rel_tol=1e-9, abs_tol=ATOL):
                raise SystemExit(f"{name}: {peer} gives another sum: {other['sum']!r} for {weft['sum']!r}")
            ratios = [statistics.median(one[peer][key] / one["weft"][key] for one in turns) for key in ("warm", "cold")]
            line += f" {ratios[0]:11.2f}x {ratios[1]:11.2f}x"
        print(line, flush=True)


if __name__ == "__main__":
    main()
