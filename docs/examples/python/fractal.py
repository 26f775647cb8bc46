"""The Mandelbrot set by escape times: a loop for each point, which ends when the point is out. NumPy has to keep all points until the last."""

from compare import compare, prange, quick

import numpy as np
import weft as wf

MOST = 30 if quick else 200


def escape(re, im):
    """Turns until z * z + c leaves the circle of radius 2."""
    x = y = 0.0
    for turn in range(MOST):
        if x * x + y * y > 4:
            return turn
        x, y = x * x - y * y + re, 2 * x * y + im
    return MOST


vectorized = wf.vectorize(escape)


def fractal(xp, re, im):
    if xp is wf:
        return vectorized(re, im)
    if xp.__name__ != "numpy":
        raise TypeError("this has no such loop")
    x, y, turns = np.zeros_like(re), np.zeros_like(re), np.zeros(re.shape, np.int64)
    inside = np.ones(re.shape, bool)
    for _ in range(MOST):
        inside &= x * x + y * y <= 4
        turns += inside
        x, y = np.where(inside, x * x - y * y + re, x), np.where(inside, 2 * x * y + im, y)
    return turns


def loops(re, im):
    out = np.empty(re.shape, np.int64)
    for i in prange(re.shape[0]):
        for j in range(re.shape[1]):
            x = y = 0.0
            out[i, j] = MOST
            for turn in range(MOST):
                if x * x + y * y > 4:
                    out[i, j] = turn
                    break
                x, y = x * x - y * y + re[i, j], 2 * x * y + im[i, j]
    return out


n = 64 if quick else 800
points = np.meshgrid(np.linspace(-2, 1, n), np.linspace(-1.2, 1.2, n))
compare(f"escape times of {n} x {n} points", fractal, *points, loops=loops, rounds=5)
