"""Products, positions and loops of small steps, beside NumPy: microseconds a call, medians of calls that take turns.

PYTHONPATH=build/python python3 tests/benchmarks/beside_numpy.py [--only NAME,…] [--csv FILE]
"""

import argparse
import statistics
import time

import numpy as np
import weft as wf


def medians_us(first, second, seconds=0.3):
    """Of both, called in turns, so that both meet the same noise."""
    times = [], []
    for call in (first, second):
        call(), call(), call()
    begin = time.perf_counter()
    while len(times[0]) < 5 or (time.perf_counter() - begin < seconds and len(times[0]) < 500):
        for call, list_of in zip((first, second), times):
            start = time.perf_counter()
            call()
            list_of.append(time.perf_counter() - start)
    return [statistics.median(one) * 1e6 for one in times]


def jacobi(xp, a, b, turns=50):
    x = xp.zeros(a.shape[0])
    d = xp.diag(a)
    r = a - xp.diag(d)
    for _ in range(turns):
        x = (b - r @ x) / d
    return x


def conjugate_gradients(xp, a, b, turns=50):
    x = xp.zeros(b.shape)
    r = b - a @ x
    p = r
    rs = r @ r
    for _ in range(turns):
        ap = a @ p
        alpha = rs / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = r @ r
        p = r + (new / rs) * p
        rs = new
    return x


def regression(xp, x, y, turns=50):
    w = xp.zeros(x.shape[1])
    for _ in range(turns):
        w = w - 0.1 / x.shape[0] * (x.T @ (x @ w - y))
    return w


def lstm(xp, x, w, u, b):
    n = u.shape[0]
    h, c = xp.zeros((x.shape[1], n), "float32"), xp.zeros((x.shape[1], n), "float32")
    for t in range(x.shape[0]):
        z = x[t] @ w + h @ u + b
        i, f, o = (1 / (1 + xp.exp(-z[:, k * n : (k + 1) * n])) for k in range(3))
        c = f * c + i * xp.tanh(z[:, 3 * n :])
        h = o * xp.tanh(c)
    return h


def contour(xp, h, y, points):
    """Moments of a resolvent: a quadratic family of matrices, solved at points of the plane."""
    zeroth, first = xp.zeros(y.shape, y.dtype), xp.zeros(y.shape, y.dtype)
    for z in points:
        at_z = xp.zeros(h.shape[1:], h.dtype)
        for k in range(h.shape[0]):
            at_z += z ** (1 - k) * h[k]
        x = xp.linalg.solve(at_z, y)
        if abs(z) < 1.0:
            x = -x
        zeroth += x
        first += z * x
    return zeroth, first


def recurrence(xp, e, a=0.1, b=0.05, c=0.9):
    s = xp.zeros(e.shape[0])
    for t in range(1, e.shape[0]):
        s[t] = a + b * e[t - 1] ** 2 + c * s[t - 1]
    return s


def added(x, i, v):
    np.add.at(x, i, v)
    return x


def stored(x, i, v):
    x[i] = v
    return x


def cases(xp, take):
    """Names and calls of one library, whose arrays `take` makes of NumPy's."""
    rng = np.random.default_rng(0)

    def normal(*shape, dtype="float64"):
        return take(rng.standard_normal(shape).astype(dtype))

    out = {}
    for dtype in ("float64", "float32"):
        for n in (100, 400, 1000):
            a, v = normal(n, n, dtype=dtype), normal(n, dtype=dtype)
            out[f"A @ v, {n}, {dtype}"] = lambda a=a, v=v: a @ v
            out[f"v @ A, {n}, {dtype}"] = lambda a=a, v=v: v @ a
            out[f"A.T @ v, {n}, {dtype}"] = lambda a=a, v=v: a.T @ v
    for n in (4, 16, 64):
        a, b, v = normal(n, n), normal(n, n), normal(n)
        out[f"A @ B, {n}"] = lambda a=a, b=b: a @ b
        out[f"v @ v, {n}"] = lambda v=v: v @ v
        out[f"einsum ij,jk->ik, {n}"] = lambda a=a, b=b: xp.einsum("ij,jk->ik", a, b)
        out[f"einsum i,i->, {n}"] = lambda v=v: xp.einsum("i,i->", v, v)
    a, b = normal(4096, 4, 4), normal(4096, 4, 4)
    out["(4096,4,4) @ (4096,4,4)"] = lambda a=a, b=b: a @ b
    a3, b3 = normal(4096, 3, 3), normal(4096, 3, 1)
    out["(4096,3,3) @ (4096,3,1)"] = lambda: a3 @ b3
    a8, b8 = normal(512, 16, 16), normal(512, 16, 16)
    out["(512,16,16) @ (512,16,16)"] = lambda: a8 @ b8
    for shape in ((100000, 100), (10000, 300), (1000, 64)):
        x = normal(*shape)
        out[f"X.T @ X, {shape}"] = lambda x=x: x.T @ x

    ca, cb = take(10 * np.eye(100) + rng.random((100, 100)) * 0.05), normal(100)
    half = rng.standard_normal((200, 200))
    spd = take(half @ half.T + 100 * np.eye(200))
    sb = normal(200)
    out["jacobi, 100, 50 turns"] = lambda: jacobi(xp, ca, cb)
    out["conjugate gradients, 200, 50 turns"] = lambda: conjugate_gradients(xp, spd, sb)
    lx, ly = normal(500, 10), normal(500)
    out["linear regression, 500 x 10, 50 turns"] = lambda: regression(xp, lx, ly)
    seq = normal(20, 16, 32, dtype="float32")
    wx, wh, wb = normal(32, 256, dtype="float32"), normal(64, 256, dtype="float32"), normal(256, dtype="float32")
    out["LSTM, 20 steps of 16 x 64"] = lambda: lstm(xp, seq, wx, wh, wb)
    for dtype in ("complex64", "complex128"):
        for n, m in ((50, 150), (200, 400)):
            h, y, points = ((rng.random(s) + 1j * rng.random(s)).astype(dtype) for s in ((3, n, n), (n, m), 32))
            h, y = take(h + n * np.eye(n, dtype=dtype)), take(y)
            out[f"contour, {n} x {m}, {dtype}"] = lambda h=h, y=y, points=points: contour(xp, h, y, points)
    e = normal(2000)
    out["recurrence s[t], 2000"] = lambda: recurrence(xp, e)

    for dtype in ("float64", "float32"):
        for n in (1000, 10_000, 1_000_000):
            x = normal(n, dtype=dtype)
            out[f"argmax, {n}, {dtype}"] = lambda x=x: x.argmax()
    for n in (10, 100, 1000):
        x, y = normal(n), normal(n)
        out[f"x + y, {n}"] = lambda x=x, y=y: x + y
        out[f"exp(x) * 2 + y, {n}"] = lambda x=x, y=y: xp.exp(x) * 2 + y
        out[f"x.sum(), {n}"] = lambda x=x: x.sum()
        out[f"sort, {n}"] = lambda x=x: xp.sort(x)
        out[f"argsort, {n}"] = lambda x=x: xp.argsort(x)
        out[f"cumsum, {n}"] = lambda x=x: xp.cumsum(x)
    for dtype in ("float64", "float32", "int64"):
        for n in (10_000, 100_000, 1_000_000):
            x = take(rng.integers(0, 1 << 40, n).astype(dtype))
            out[f"sort, {n}, {dtype}"] = lambda x=x: xp.sort(x)
            out[f"argsort, {n}, {dtype}"] = lambda x=x: xp.argsort(x)
    out["exp(x) * 2 + i, 1000, 20 turns"] = lambda x=x: [wf.eval(y) if xp is wf else y for y in (xp.exp(x) * 2 + i for i in range(20))][-1]
    for n in (10, 100, 10_000, 100_000, 2_000_000):
        t, k = normal(n), take(rng.integers(0, n, n))
        negative = take(rng.integers(-n, n, n))
        bins, w = take(rng.integers(0, 1000, n)), normal(n)
        sums, target, v = take(np.zeros(n)), take(np.zeros(n)), normal(n)
        out[f"t[k], {n}"] = lambda t=t, k=k: t[k]
        out[f"t[k], {n} from -n"] = lambda t=t, k=negative: t[k]
        out[f"take(t, k), {n}"] = lambda t=t, k=k: xp.take(t, k)
        out[f"add.at, {n}"] = lambda x=sums, i=k, v=v: added(x, i, v)
        out[f"t[k] = v, {n}"] = lambda x=target, i=k, v=v: stored(x, i, v)
        out[f"bincount, {n}"] = lambda bins=bins: xp.bincount(bins)
        out[f"bincount with weights, {n}"] = lambda bins=bins, w=w: xp.bincount(bins, weights=w)
    image, ip = normal(64, 64), take((np.arange(64) + 1) % 64)
    out["a[ip], 64 x 64"] = lambda: image[ip]
    out["pad edge, 64 x 64"] = lambda: xp.pad(image, 1, mode="edge")
    return out


def evaluated(result):
    arrays = [one for one in (result if isinstance(result, tuple) else (result,)) if isinstance(one, wf.Array)]
    if arrays:
        wf.eval(*arrays)
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="", help="cases whose names hold one of these")
    parser.add_argument("--seconds", type=float, default=0.3, help="for a case")
    parser.add_argument("--csv", default="", help="write the times there too")
    given = parser.parse_args()
    wanted = [name for name in given.only.split(";") if name]
    ours, theirs = cases(wf, wf.asarray), cases(np, np.copy)
    lines = []
    print(f"{'':40}{'NumPy':>12}{'Weft':>12}{'times as fast':>15}")
    for name, call in theirs.items():
        if wanted and not any(part in name for part in wanted):
            continue
        mine = ours[name]
        if "add.at" not in name and "argsort" not in name:  # NumPy leaves the order of equal elements open
            expected = np.asarray(call())
            np.testing.assert_allclose(np.asarray(mine()), expected, rtol=1e-3, atol=1e-3 * np.abs(expected).max(), err_msg=name)
        numpy_us, weft_us = medians_us(call, lambda mine=mine: evaluated(mine()), given.seconds)
        lines.append(f"{name.replace(', ', ' ')},{numpy_us:.1f},{weft_us:.1f}")
        print(f"{name:40}{numpy_us:12.1f}{weft_us:12.1f}{numpy_us / weft_us:15.2f}", flush=True)
    if given.csv:
        with open(given.csv, "w", encoding="utf-8") as file:
            file.write("\n".join(["case,numpy_us,weft_us", *lines]) + "\n")


if __name__ == "__main__":
    main()
